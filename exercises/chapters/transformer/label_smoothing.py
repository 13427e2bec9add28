"""Build the target of label smoothing, which gives padding nothing."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, length, vocab_size, pad_id, epsilon in (
        (1, 1, 3, 0, 0.5),
        (1, 3, 4, 0, 0.1),
        (2, 4, 6, 5, 0.2),
        (3, 2, 5, 2, 0.3),
    ):
        words = [token for token in range(vocab_size) if token != pad_id]
        targets = draw.choice(words, size=(batch, length))
        if length > 1:
            targets[-1, length // 2 :] = pad_id
        yield targets, vocab_size, pad_id, epsilon


def reference(targets, vocab_size, pad_id, epsilon):
    share = np.full((*targets.shape, vocab_size), epsilon / (vocab_size - 1))
    share[..., pad_id] = 0
    share += (1 - epsilon) * np.eye(vocab_size)[targets]
    share[targets == pad_id] = 0
    return share


EXERCISE = Exercise(
    title="Not quite sure",
    kind="build",
    difficulty=3,
    minutes=15,
    prompt=r"""
Label smoothing gives $1 - \varepsilon$ of the wanted probability to the right token,
and divides $\varepsilon$ evenly among the $V$ tokens that may come, the right one
among them, as in equation (8.2). Padding never comes: it gets nothing and is not
counted in $V$. Where the target itself is padding, nothing is wanted of the model: all
zeros.

Write what is wanted, for every position and every token.
""",
    solution={
        "torch": '''
def smooth(targets, vocab_size, pad_id, epsilon):
    """Return the wanted probability of every token:
    (batch, length, vocab_size), 0 where padding stands.

    targets (batch, length), integers.
    """
    vocab = torch.arange(vocab_size)
    words = (vocab != pad_id).float()  # (vocab_size,)
    right = (vocab == targets[..., None]).float()
    share = epsilon / (vocab_size - 1)
    wanted = (1 - epsilon) * right + share * words
    real = (targets != pad_id).float()
    return wanted * real[..., None]
''',
        "tensorflow": '''
def smooth(targets, vocab_size, pad_id, epsilon):
    """Return the wanted probability of every token:
    (batch, length, vocab_size), 0 where padding stands.

    targets (batch, length), integers.
    """
    vocab = tf.range(vocab_size)
    words = tf.cast(vocab != pad_id, tf.float32)
    right = tf.cast(vocab == targets[..., None], tf.float32)
    share = epsilon / (vocab_size - 1)
    wanted = (1 - epsilon) * right + share * words
    real = tf.cast(targets != pad_id, tf.float32)
    return wanted * real[..., None]
''',
    },
    why=r"""
The right token is one of the $V$, so it gets its part of $\varepsilon$ as well; then
every row that counts sums to 1. Both libraries spread $\varepsilon$ over all tokens,
padding included, and so teach the model to write a little padding.
""",
    hints=(
        "What does a row of zeros and one 1 become? Scale it, then add the same to all "
        "words.",
        "How many tokens may come, out of `vocab_size`?",
        "`(1 - epsilon) * right + epsilon / (vocab_size - 1) * words`; then blank the "
        "rows of padding.",
    ),
    mistakes="""
Padding gets a part of ε, and the model learns to write it. Who should share?
- share * words
+ epsilon / vocab_size

Padding gets nothing, but is counted: your rows do not sum to 1.
- (vocab_size - 1)
+ vocab_size

The right token does not get its part of ε.
- share * words
+ share * words * (1 - right)

ε is divided among the wrong tokens only. In (8.2) the right one shares, too.
- (vocab_size - 1)
+ (vocab_size - 2)
- share * words
+ share * words * (1 - right)

You take `pad_id` for 0. It may be any number.
- vocab != pad_id
+ vocab != 0
- targets != pad_id
+ targets != 0

The right token gets 1, and the others are added on top.
- (1 - epsilon) * right
+ right

Nothing is smoothed: the right token gets everything.
- (1 - epsilon) * right + share * words
+ right

Where the target is padding, the model is still asked for something.
- return wanted * real[..., None]
+ return wanted

Where the target is padding, the words still divide ε among them. All zeros are wanted
there.
- return wanted * real[..., None]
+ return wanted * words

The right token gets ε, and the others share the rest: it is the wrong way round.
- share = epsilon / (vocab_size
+ share = (1 - epsilon) / (vocab_size
- (1 - epsilon) * right
+ epsilon * right
""",
    reference=reference,
    cases=cases,
)
