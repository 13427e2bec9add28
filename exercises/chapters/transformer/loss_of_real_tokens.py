"""Build the cross-entropy in which padding does not count."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, length, vocab_size in ((1, 1, 3), (1, 4, 5), (2, 3, 4), (3, 5, 6)):
        # The last is loud, and its padding is 0.
        loudness, pad_id = 2, int(draw.integers(1, vocab_size))
        if batch == 3:
            loudness, pad_id = 100, 0
        targets = tokens(draw, vocab_size, pad_id, (batch, length))
        if length > 1:
            targets[0, 0] = 0  # a token like any other
            for row in range(batch):
                targets[row, length - row - 1 :] = pad_id  # rows of unequal length
        logits = loudness * draw.normal(size=(batch, length, vocab_size))
        yield logits, targets, pad_id


def tokens(draw, vocab_size, pad_id, size):
    """Draw ids of which none is padding."""
    return draw.choice(np.delete(np.arange(vocab_size), pad_id), size)


def reference(logits, targets, pad_id):
    shifted = logits - logits.max(-1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    losses = -np.take_along_axis(log_p, targets[..., None], -1)[..., 0]
    return losses[targets != pad_id].mean()


def padding_changes_nothing(ask, draw):
    wider = draw.normal(size=(2, 7, 5)).astype(np.float32)
    pad_id = int(draw.integers(1, 5))
    logits, targets = wider[:, :3], tokens(draw, 5, pad_id, (2, 3))
    padded = np.pad(targets, ((0, 0), (0, 4)), constant_values=pad_id)
    before = float(ask(logits, targets, pad_id))
    after = float(ask(wider, padded, pad_id))
    if abs(before - after) > 1e-4:
        return (
            f"The loss was {before:.2f}; with four columns of padding more it is "
            f"{after:.2f}."
        )
    return None


EXERCISE = Exercise(
    title="A loss without padding",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt=r"""
Write the cross-entropy of a batch: the mean of $-\ln p(\text{target})$ over all
target tokens **that are not padding**. What comes in are logits, not probabilities.
Padding is where `targets` equals `pad_id`.
""",
    solution={
        "torch": '''
def loss_of(logits, targets, pad_id):
    """Return one number: the mean loss of a real token.

    logits (batch, length, vocab_size);
    targets (batch, length), integers.
    """
    log_p = torch.log_softmax(logits, dim=-1)
    losses = -log_p.gather(-1, targets[..., None])[..., 0]
    real = (targets != pad_id).float()
    return (losses * real).sum() / real.sum()
''',
        "tensorflow": '''
def loss_of(logits, targets, pad_id):
    """Return one number: the mean loss of a real token.

    logits (batch, length, vocab_size);
    targets (batch, length), integers.
    """
    log_p = tf.nn.log_softmax(logits, axis=-1)
    losses = -tf.gather(log_p, targets, batch_dims=2)
    real = tf.cast(targets != pad_id, tf.float32)
    return tf.reduce_sum(losses * real) / tf.reduce_sum(real)
''',
    },
    why="""
Sum the losses of the real tokens, and divide by how many they are. Divided by all
positions, the loss would move with the width of the batch: pad a row wider, and the
same model looks better. A mean of the rows' means would let a token of a short row
weigh more than one of a long row.
""",
    hints=(
        "First one loss for each position, (batch, length). Then their mean.",
        "The library has `log_softmax`, and `gather` picks the target's entry.",
        "Multiply with a mask of 0 and 1, and divide by the sum of the mask.",
    ),
    mistakes="""
Padding counts like any other token.
- (targets != pad_id
+ (targets == targets

You take `pad_id` for 0. It may be any number.
- targets != pad_id
+ targets != 0

Padding is left out of the sum but not of the count. What do you divide by?
- / real.sum()
+ / real.numel()
- / tf.reduce_sum(real)
+ / tf.cast(tf.size(real), tf.float32)

The logits went through a softmax twice.
- torch.log_softmax(logits, dim=-1)
+ torch.log_softmax(torch.softmax(logits, dim=-1), dim=-1)
- tf.nn.log_softmax(logits, axis=-1)
+ tf.nn.log_softmax(tf.nn.softmax(logits))

These are logits, not log-probabilities. Where is the softmax?
- torch.log_softmax(logits, dim=-1)
+ logits
- tf.nn.log_softmax(logits, axis=-1)
+ logits

This is a sum. The mean does not grow with the batch.
- real).sum() / real.sum()
+ real).sum()
- real) / tf.reduce_sum(real)
+ real)

This is a mean of the rows' means: short rows weigh too much.
- return (losses * real).sum() / real.sum()
+ return ((losses * real).sum(1) / real.sum(1)).mean()
-     return tf.reduce_sum(losses * real) / tf.reduce_sum(real)
+     rows = tf.reduce_sum(losses * real, 1)
+     return tf.reduce_mean(rows / tf.reduce_sum(real, 1))

Only the padding counts: the mask is the wrong way round.
- targets != pad_id
+ targets == pad_id
""",
    reference=reference,
    cases=cases,
    checks=(padding_changes_nothing,),
    equivalent={
        "losses = -log_p.gather(-1, targets[..., None])[..., -1]": "That axis has one "
        "entry: the first is the last."
    },
)
