"""Build attention over padded sequences whose lengths are known."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, queries, keys, d_k, d_v, lengths in (
        (1, 1, 2, 3, 1, [1]),
        (2, 3, 3, 4, 2, [2, 0]),
        (2, 2, 5, 3, 4, [5, 3]),
        (3, 4, 4, 2, 3, [1, 4, 2]),
        (3, 2, 3, 2, 1, [3, 0, 2]),
        (1, 2, 2, 2, 3, [0]),
    ):
        yield (
            3 * draw.normal(size=(batch, queries, d_k)),
            draw.normal(size=(batch, keys, d_k)),
            draw.normal(size=(batch, keys, d_v)),
            np.array(lengths),
        )
    # loud: scores of about 150 and -150, those of hidden keys too
    yield (
        np.array([50.0, -50.0])[:, None] * np.ones((2, 2, 4)),
        1.5 + 0.02 * draw.normal(size=(2, 3, 4)),
        draw.normal(size=(2, 3, 2)),
        np.array([2, 1]),
    )
    # a padding that cries: its score is 300
    yield (
        np.array([[[2.0, 0.0]]]),
        np.array([[[0.5, 1.0], [150 * 2**0.5, 1.0]]]),
        draw.normal(size=(1, 2, 3)),
        np.array([1]),
    )


def reference(query, key, value, lengths):
    output = np.zeros((*query.shape[:2], value.shape[2]))
    for row, length in enumerate(lengths):
        if length:
            scores = query[row] @ key[row, :length].T / np.sqrt(query.shape[2])
            shares = np.exp(scores - scores.max(1, keepdims=True))
            shares /= shares.sum(1, keepdims=True)
            output[row] = shares @ value[row, :length]
    return output


def padding_does_not_matter(ask, draw):
    query, key, value, lengths = (
        draw.normal(size=(1, 2, 3)).astype(np.float32),
        draw.normal(size=(1, 4, 3)).astype(np.float32),
        draw.normal(size=(1, 4, 2)).astype(np.float32),
        np.array([3]),
    )
    other = key.copy()
    other[:, 3] += 5
    moved = np.abs(
        ask(query, other, value, lengths) - ask(query, key, value, lengths)
    ).max()
    if moved > 1e-4:
        return (
            f"The output moved by {moved:.2f} when only key 3 changed, of a sequence "
            "whose length is 3."
        )
    return None


EXERCISE = Exercise(
    title="Only what is there",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt="""
Sequences of different lengths stand in one batch, padded at their ends. You know the
`lengths`: of sequence `b`, the first `lengths[b]` keys are real.

Write the attention that pays no heed to the rest. A sequence may be **empty**: its
length is 0, there is nothing to attend to, and its output is 0. There is no axis for
heads.
""",
    solution={
        "torch": '''
def padded_attention(query, key, value, lengths):
    """Return (batch, queries, d_v).

    query (batch, queries, d_k); key (batch, keys, d_k);
    value (batch, keys, d_v); lengths (batch,), integers.
    """
    place = torch.arange(key.shape[1])
    real = place < lengths[:, None]  # (batch, keys)
    real = real[:, None, :]  # the same for every query
    scores = query @ key.transpose(1, 2)
    scores = scores / query.shape[2] ** 0.5
    scores = torch.where(real, scores, -1e30)
    weights = torch.softmax(scores, dim=2)
    weights = torch.where(real, weights, 0.0)
    return weights @ value
''',
        "tensorflow": '''
def padded_attention(query, key, value, lengths):
    """Return (batch, queries, d_v).

    query (batch, queries, d_k); key (batch, keys, d_k);
    value (batch, keys, d_v); lengths (batch,), integers.
    """
    place = tf.range(key.shape[1])
    real = place < lengths[:, None]  # (batch, keys)
    real = real[:, None, :]  # the same for every query
    scores = tf.matmul(query, key, transpose_b=True)
    scores = scores / query.shape[2] ** 0.5
    scores = tf.where(real, scores, -1e30)
    weights = tf.nn.softmax(scores, axis=2)
    weights = tf.where(real, weights, 0.0)
    return weights @ value
''',
    },
    why=r"""
Before the softmax, a hidden key's score becomes so low that its exponential is 0, and
the others share the whole. In an empty sequence all scores are equally low, so the
softmax gives every key the same weight; with $-\infty$ it would give
[NaN](https://github.com/pytorch/pytorch/issues/41508). That is why the weights are
hidden once more, after the softmax.
""",
    hints=(
        "Give every key its place in the sequence. Which places are real?",
        "The mask belongs to the keys: its shape is (batch, 1, keys).",
        "Hide scores before the softmax, with a very low number; then set the weights "
        "of what is hidden to 0.",
    ),
    mistakes="""
The padding takes part in the softmax: its weight is taken away afterwards, and the rest
no longer sums to 1.
-     scores = torch.where(real, scores, -1e30)

-     scores = tf.where(real, scores, -1e30)

The mask is the wrong way round: only the padding is attended to.
- place < lengths[:, None]
+ place >= lengths[:, None]

Your mask is off by one: it lets one padded key through.
- place < lengths[:, None]
+ place <= lengths[:, None]

An empty sequence attends to its padding, evenly. What should come out where nothing may
be attended to?
-     weights = torch.where(real, weights, 0.0)

-     weights = tf.where(real, weights, 0.0)

A softmax over nothing but −∞ is 0 / 0. Which number is low enough, and still a number?
@torch
- , -1e30)
+ , -torch.inf)
-     weights = torch.where(real, weights, 0.0)
@tensorflow
- , -1e30)
+ , -np.inf)
-     weights = tf.where(real, weights, 0.0)

Your mask hides queries, where it should hide keys. Over which axis of the scores does
it run?
- real[:, None, :]
+ real[:, :, None]

Adding 0 or 1 to a score hides nothing. Which number has the exponential 0?
- torch.where(real, scores, -1e30)
+ scores + real.float()
- tf.where(real, scores, -1e30)
+ scores + tf.cast(real, tf.float32)
-     weights = torch.where(real, weights, 0.0)

-     weights = tf.where(real, weights, 0.0)

Nothing is hidden: the padding is attended to like any other key.
- place < lengths[:, None]
+ place < lengths[:, None] + 99

The scale is left out.
-     scores = scores / query.shape[2] ** 0.5

You divide by `d_k`, where its root is wanted.
- query.shape[2] ** 0.5
+ query.shape[2]

The softmax runs over the queries. A query shares out its attention among the keys.
- dim=2
+ dim=1
- axis=2
+ axis=1

You multiply scores by the mask: a hidden one becomes 0, which has the exponential 1.
- torch.where(real, scores, -1e30)
+ scores * real
- tf.where(real, scores, -1e30)
+ scores * tf.cast(real, tf.float32)
-     weights = torch.where(real, weights, 0.0)

-     weights = tf.where(real, weights, 0.0)

A hidden key's score is not low enough. A real one may be -150: then the padding wins.
- , -1e30)
+ , -20.0)
- torch.where(real, weights,
+ torch.where(real.any(2, True), weights,
- tf.where(real, weights,
+ tf.where(tf.reduce_any(real, 2, True), weights,

A hidden key's score is not low enough. Beside a real one of -150 the padding takes the
whole weight, and then you set that to 0.
- , -1e30)
+ , -20.0)

The exponential of a large score is infinite. Softmax avoids that: it takes the row's
largest score away first.
- torch.where(real, scores, -1e30)
+ torch.exp(scores) * real
- tf.where(real, scores, -1e30)
+ tf.exp(scores) * tf.cast(real, tf.float32)
- torch.softmax(scores, dim=2)
+ scores.sum(2, True).clamp(1e-9)
- tf.nn.softmax(scores, axis=2)
+ tf.reduce_sum(scores, 2, True) + 1e-9
- torch.where(real, weights, 0.0)
+ scores / weights
- tf.where(real, weights, 0.0)
+ scores / weights

A padding with the score 300 still takes the whole softmax and leaves the others
nothing. How low does its score have to be, before the softmax?
- , -1e30)
+ , scores - 100)
""",
    reference=reference,
    cases=cases,
    checks=(padding_does_not_matter,),
    equivalent={
        "scores = torch.where(real, scores, -2e+30)": "Both are low enough.",
        "scores = tf.where(real, scores, -2e+30)": "Both are low enough.",
        "scores = scores / key.shape[2] ** 0.5": "A key is as long as a query.",
        "place = torch.arange(value.shape[1])": "There are as many values as keys.",
        "place = tf.range(value.shape[1])": "There are as many values as keys.",
    },
)
