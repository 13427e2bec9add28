"""Build cross-attention over a padded memory."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, target, source, d_model in (
        (1, 1, 2, 2),
        (1, 3, 3, 3),
        (2, 2, 4, 3),
        (3, 4, 4, 2),
    ):
        real = np.ones((batch, source), bool)
        written = np.ones((batch, target), bool)
        for row in range(batch):
            real[row, source - (row + 1) % source :] = False
            written[row, target - row % target :] = False
        x = draw.normal(size=(batch, target, d_model))
        memory = 2 * draw.normal(size=(batch, source, d_model))
        if batch == 3:  # a padding that cries: the first token's score of it is 300
            first = x[:, 0]
            shout = 300 * np.sqrt(d_model) / (first**2).sum(1, keepdims=True)
            memory[:, -1] = first * shout
        yield x, memory, written, real


def reference(x, memory, target_real, source_real):
    scores = x @ memory.swapaxes(1, 2) / np.sqrt(x.shape[2])
    scores = np.where(source_real[:, None], scores, -1e30)
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    return x + shares / shares.sum(-1, keepdims=True) @ memory


def the_source_is_read(ask, draw):
    x, memory = (draw.normal(size=(1, 3, 4)).astype(np.float32) for _ in range(2))
    real = np.ones((1, 3), bool)
    other = 2 * memory[:, ::-1].copy()
    moved = np.abs(ask(x, other, real, real) - ask(x, memory, real, real)).max()
    if moved < 1e-3:
        return "The memory was exchanged for another, and your output did not move."
    return None


EXERCISE = Exercise(
    title="Read before you write",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt="""
Write the decoder's cross-attention, with one head and no projections, and with its
residual: `x + attention`. The queries are the decoder's own vectors. Keys and values
are the memory's. You are given two padding masks, and need one.
""",
    solution={
        "torch": '''
def read(x, memory, target_real, source_real):
    """Return x + what it reads: (batch, target, d_model).

    x (batch, target, d_model); memory (batch, source,
    d_model); target_real (batch, target) and source_real
    (batch, source), boolean, False = padding.
    """
    scores = x @ memory.transpose(1, 2) / x.shape[2] ** 0.5
    hidden = ~source_real[:, None, :]
    scores = torch.where(hidden, -1e30, scores)
    weights = torch.softmax(scores, dim=2)
    return x + weights @ memory
''',
        "tensorflow": '''
def read(x, memory, target_real, source_real):
    """Return x + what it reads: (batch, target, d_model).

    x (batch, target, d_model); memory (batch, source,
    d_model); target_real (batch, target) and source_real
    (batch, source), boolean, False = padding.
    """
    scores = tf.matmul(x, memory, transpose_b=True)
    scores = scores / x.shape[2] ** 0.5
    hidden = ~source_real[:, None, :]
    scores = tf.where(hidden, -1e30, scores)
    weights = tf.nn.softmax(scores, axis=2)
    return x + weights @ memory
''',
    },
    why="""
A mask speaks of what is looked at. In cross-attention that is the source, so its mask
is the source's padding, whatever the target looks like;
[a Keras tutorial](https://github.com/keras-team/keras-io/issues/1964) once took the
target's. And if keys and values come from `x`, the layer is
[a second self-attention](https://github.com/keitakurita/Practical_NLP_in_PyTorch/issues/1):
everything runs, and the encoder is never read.
""",
    hints=(
        "Which axis of the weights runs over the source?",
        r"Scores: `x` by `memory`, over $\sqrt{d}$. The mask hides keys.",
        "`source_real[:, None, :]` fits the scores (batch, target, source).",
    ),
    mistakes="""
Keys and values are the decoder's own: this is a second self-attention, and nobody reads
the source.
- x @ memory.transpose(1, 2)
+ x @ x.transpose(1, 2)
- tf.matmul(x, memory,
+ tf.matmul(x, x,
- ~source_real
+ ~target_real
- weights @ memory
+ weights @ x

Keys and values are the decoder's own, and not even its padding is hidden: nobody reads
the source.
- x @ memory.transpose(1, 2)
+ x @ x.transpose(1, 2)
- tf.matmul(x, memory,
+ tf.matmul(x, x,
-     scores = torch.where(hidden, -1e30, scores)

-     scores = tf.where(hidden, -1e30, scores)

- weights @ memory
+ weights @ x

The mask is made of the target's padding. Whose keys are looked at?
- ~source_real
+ ~target_real

The target's padding is hidden, as queries. Hide the source's, as keys.
- ~source_real[:, None, :]
+ ~target_real[:, :, None]

The target's padding is hidden as well, as queries. Only the source's is to be hidden,
as keys.
- ~source_real[:, None, :]
+ ~(source_real[:, None, :] & target_real[:, :, None])

The softmax runs over the queries. Each query divides its own attention among the keys.
- dim=2
+ dim=1
- axis=2
+ axis=1

The mask comes after the softmax: where there is padding, your weights do not sum to 1.
@torch
-     scores = torch.where(hidden, -1e30, scores)

-     return x + weights @
+     weights = torch.where(hidden, 0.0, weights)
+     return x + weights @
@tensorflow
-     scores = tf.where(hidden, -1e30, scores)

-     return x + weights @
+     weights = tf.where(hidden, 0.0, weights)
+     return x + weights @

The padding of the source is read like any word.
- ~source_real[:, None, :]
+ ~source_real[:, None, :] & False

Only the padding is read: your mask is the wrong way round.
- ~source_real
+ source_real

The residual is missing: what the decoder knew of its own is lost.
- return x + weights
+ return weights

The memory is the query here, and the decoder is looked at. Who asks?
- x @ memory.transpose(1, 2) / x.shape[2] ** 0.5
+ memory @ x.transpose(1, 2) / x.shape[2] ** 0.5
- tf.matmul(x, memory,
+ tf.matmul(memory, x,
- ~source_real
+ ~target_real
- return x + weights @ memory
+ return memory + weights @ x

The scale is left out.
- .transpose(1, 2) / x.shape[2] ** 0.5
+ .transpose(1, 2)
- scores / x.shape[2] ** 0.5
+ scores

Cross-attention needs no causal mask: all of the source is there before the first word
is written.
@torch
-     hidden = ~source_real[:, None, :]
+     later = torch.arange(memory.shape[1]) > torch.arange(x.shape[1])[:, None]
+     hidden = ~source_real[:, None, :] | later
@tensorflow
-     hidden = ~source_real[:, None, :]
+     later = tf.range(memory.shape[1]) > tf.range(x.shape[1])[:, None]
+     hidden = ~source_real[:, None, :] | later
""",
    reference=reference,
    cases=cases,
    checks=(the_source_is_read,),
    equivalent=dict.fromkeys(
        (
            "scores = torch.where(hidden, -2e+30, scores)",
            "scores = tf.where(hidden, -2e+30, scores)",
        ),
        "Both are low enough.",
    )
    | dict.fromkeys(
        (
            "scores = x @ memory.transpose(1, 2) / memory.shape[2] ** 0.5",
            "scores = scores / memory.shape[2] ** 0.5",
        ),
        "Both have d_model numbers.",
    ),
)
