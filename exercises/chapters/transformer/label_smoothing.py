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
Label smoothing turns each target id into a distribution: it gives $1 - \varepsilon$ to
the correct token and divides $\varepsilon$ evenly among the $V$ tokens that may occur,
including the correct one, as in equation (9.2). Padding gets nothing and is not counted
in $V$. Where the target itself is padding, all probabilities are 0. Return these target
probabilities for every position and every token.
""",
    solution={
        "torch": '''
def smooth(targets, vocab_size, pad_id, epsilon):
    """Return the target probability of every token:
    (batch, length, vocab_size), 0 at padding.

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
    """Return the target probability of every token:
    (batch, length, vocab_size), 0 at padding.

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
The correct token is one of the $V$, so it also gets its share of $\varepsilon$, and
each row that counts sums to 1. The label smoothing of PyTorch and Keras divides
$\varepsilon$ among all tokens, including padding, so the model learns to give padding
some probability.
""",
    hints=(
        "Start from a row with a single 1. Scale it, then add the same number to all "
        "tokens but padding.",
        "How many of the `vocab_size` tokens may occur?",
        "`(1 - epsilon) * right + epsilon / (vocab_size - 1) * words`; then set the "
        "rows of padding to 0.",
    ),
    mistakes="""
Padding gets a part of ε, so the model learns to predict it.
- share * words
+ epsilon / vocab_size

Padding gets nothing but is counted in V, so your rows do not sum to 1.
- (vocab_size - 1)
+ vocab_size

The correct token does not get its share of ε.
- share * words
+ share * words * (1 - right)

ε is divided among the wrong tokens only. In (9.2) the correct one gets a share, too.
- (vocab_size - 1)
+ (vocab_size - 2)
- share * words
+ share * words * (1 - right)

You take `pad_id` to be 0. It may be any id.
- vocab != pad_id
+ vocab != 0
- targets != pad_id
+ targets != 0

You take `pad_id` to be 0 where you leave padding out of the shares. It may be any id.
- vocab != pad_id
+ vocab != 0

You take `pad_id` to be 0 where you look for targets that are padding. It may be any id.
- targets != pad_id
+ targets != 0

The correct token gets 1, and the shares of ε are added on top.
- (1 - epsilon) * right
+ right

Nothing is smoothed: the correct token gets everything.
- (1 - epsilon) * right + share * words
+ right

Rows whose target is padding are not 0.
- return wanted * real[..., None]
+ return wanted

Where the target is padding, the words still share ε. All probabilities should be 0
there.
- return wanted * real[..., None]
+ return wanted * words

The correct token gets ε and the others share the rest: the two are swapped.
- share = epsilon / (vocab_size
+ share = (1 - epsilon) / (vocab_size
- (1 - epsilon) * right
+ epsilon * right

The correct token gets 1, and the others share ε on top: your rows do not sum to 1.
- (1 - epsilon) * right + share * words
+ right + share * words * (1 - right)

All tokens but the correct one get 0: the shares of ε are missing.
- (1 - epsilon) * right + share * words
+ (1 - epsilon) * right

Every token gets the whole ε. Divide it among them.
- epsilon / (vocab_size - 1)
+ epsilon

ε is divided by the length of the rows instead of the number of tokens.
- epsilon / (vocab_size - 1)
+ epsilon / targets.shape[1]

All tokens but padding get the same: the correct one does not get its 1 - ε.
- (1 - epsilon) * right + share * words
+ share * words

Padding shares ε, and rows of padding are not 0.
- share * words
+ epsilon / vocab_size
- return wanted * real[..., None]
+ return wanted

Padding gets a share of ε on top of those of the other tokens.
- share * words
+ share

Only the rows of padding are filled: the last mask is inverted.
- targets != pad_id
+ targets == pad_id

Where the target is padding, the row gives padding the probability 1. It should be all
zeros.
- return wanted * real[..., None]
+ return wanted * real[..., None] + right * (1 - real[..., None])

ε is divided by one token too few: the correct one is among those that share it.
- (vocab_size - 1)
+ (vocab_size - 2)

The correct token does not get its share of ε, and padding does.
- share * words
+ share * (1 - right)

Where the target is padding, the row is uniform. It should be all zeros.
- return wanted * real[..., None]
+ return wanted * real[..., None] + (1 - real[..., None]) / vocab_size

The correct token gets 1, and each row is divided by its sum. It gets 1 - ε and its
share of ε.
@torch
- wanted = (1 - epsilon) * right + share * words
+ wanted = right + share * words
+     wanted = wanted / wanted.sum(-1, keepdim=True)
@tensorflow
- wanted = (1 - epsilon) * right + share * words
+ wanted = right + share * words
+     wanted = wanted / tf.reduce_sum(wanted, -1, keepdims=True)
""",
    reference=reference,
    cases=cases,
)
