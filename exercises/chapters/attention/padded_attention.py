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
    # large scores, of about 150 and -150, those of hidden keys too
    yield (
        np.array([50.0, -50.0])[:, None] * np.ones((2, 2, 4)),
        1.5 + 0.02 * draw.normal(size=(2, 3, 4)),
        draw.normal(size=(2, 3, 2)),
        np.array([2, 1]),
    )
    # padding with a very large score, 300
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
            f"The output moved by {moved:.2g} when only the fourth key changed, which "
            "is padding: the length is 3."
        )
    return None


EXERCISE = Exercise(
    title="Ignore the padding",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt="""
A batch holds sequences of different lengths, padded at their ends. Instead of a mask
you are given the `lengths`: in sequence `b`, the first `lengths[b]` keys are real.

Write scaled dot-product attention that ignores the rest. A sequence may be **empty**:
its length is 0, so there is nothing to attend to, and its output is 0. There is no axis
for heads.
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
Before the softmax, the score of a hidden key is made so low that its exponential is 0,
and the other keys share the whole weight. In an empty sequence all scores are equally
low, so the softmax gives every key the same weight; with $-\infty$ it would give
[NaN](https://github.com/pytorch/pytorch/issues/41508). That is why the weights are set
to 0 once more after the softmax.
""",
    hints=(
        "Number the keys of a sequence. Which numbers are below its length?",
        "The mask belongs to the keys: its shape is (batch, 1, keys).",
        "Replace the scores of hidden keys with a very low number before the softmax; "
        "then set their weights to 0.",
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

Your mask is off by one: it hides the last real key.
- place < lengths[:, None]
+ place < lengths[:, None] - 1

You let `lengths[b]` + 1 keys through: they are numbered from 0.
- place < lengths[:, None]
+ place <= lengths[:, None]
- torch.where(real, weights, 0.0)
+ torch.where(lengths[:, None, None] > 0, weights, 0.0)
- tf.where(real, weights, 0.0)
+ tf.where(lengths[:, None, None] > 0, weights, 0.0)

You hide the real keys: the low number belongs to the padding.
@torch
- torch.where(real, scores, -1e30)
+ torch.where(real, scores - 1e9, scores)
-     weights = torch.where(real, weights, 0.0)

@tensorflow
- tf.where(real, scores, -1e30)
+ tf.where(real, scores - 1e9, scores)
-     weights = tf.where(real, weights, 0.0)

You make the scores of the real keys low. The low number belongs to the padding.
- torch.where(real, scores, -1e30)
+ torch.where(real, scores - 1e9, scores)
- tf.where(real, scores, -1e30)
+ tf.where(real, scores - 1e9, scores)

An empty sequence attends to its padding, evenly. What should the output be where
there is nothing to attend to?
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

Hidden scores are 0, whose exponential is 1: the hidden keys take a part of the softmax,
and removing their weights or values afterwards does not give it back.
- -1e30
+ 0.0

Your mask hides queries: the first `lengths[b]` of them attend to every key, real or
not. The lengths count keys.
- key.shape[1]
+ query.shape[1]
- real[:, None, :]
+ real[:, :, None]

You set the output of the queries after the first `lengths[b]` to 0. The lengths count
keys, and every query gets an output.
@torch
-     return weights @ value
+     seen = torch.arange(query.shape[1]) < lengths[:, None]
+     return weights @ value * seen[..., None]
@tensorflow
-     return weights @ value
+     seen = tf.range(query.shape[1]) < lengths[:, None]
+     return weights @ value * tf.cast(seen, tf.float32)[..., None]

You use one length for the whole batch, the longest. Each sequence has its own.
- lengths[:, None]
+ max(lengths)
- real = real[:, None, :]
+ real = real[None, None, :]

You use the first sequence's length for the whole batch. Each sequence has its own.
- lengths[:, None]
+ lengths[:1, None]

You keep the last `lengths[b]` keys. The padding is at the end here.
- place < lengths[:, None]
+ place >= key.shape[1] - lengths[:, None]

There is no softmax: these are scores, not weights.
- torch.softmax(scores, dim=2)
+ scores
- tf.nn.softmax(scores, axis=2)
+ scores

You multiply by the root of `d_k`. Divide by it.
- scores / query
+ scores * query

You divide by the root of the number of keys. The scale is the root of `d_k`.
- query.shape[2] **
+ key.shape[1] **

You divide by the root of `d_v`. The scale is the root of `d_k`, the length of a query.
- query.shape[2] **
+ value.shape[2] **

The softmax runs over the batch: the sequences share one attention.
- dim=2
+ dim=0
- axis=2
+ axis=0

Your output is the plain mean of the real values: the scores are not used.
- torch.softmax(scores, dim=2)
+ torch.softmax(scores * 0 + torch.where(real, 0.0, -1e30), dim=2)
- tf.nn.softmax(scores, axis=2)
+ tf.nn.softmax(scores * 0 + tf.where(real, 0.0, -1e30), axis=2)

Nothing is hidden: the padding is attended to like any other key.
- place < lengths[:, None]
+ place < lengths[:, None] + 99

The scale is left out.
-     scores = scores / query.shape[2] ** 0.5

You divide by `d_k`; divide by its root.
- query.shape[2] ** 0.5
+ query.shape[2]

The softmax runs over the queries. A query distributes its attention among the
keys.
- dim=2
+ dim=1
- axis=2
+ axis=1

A hidden score becomes 0, whose exponential is 1: the hidden key still takes part in the
softmax, and its value in the mean.
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

A hidden key's score is not low enough. Beside a real one of -150, the padding takes the
whole weight, which you then set to 0.
- , -1e30)
+ , -20.0)

The exponential of a large score is infinite. A softmax avoids that: it subtracts the
row's largest score first.
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

A padded key with a score of 300 still takes the whole weight and leaves the others
nothing. How low does its score have to be before the softmax?
- , -1e30)
+ , scores - 100)

You multiply −∞ by the mask, but 0 times ∞ is NaN, so the scores of the real keys are
lost. Choose between two numbers with `where`.
- torch.where(real, scores, -1e30)
+ scores + ~real * -torch.inf
- tf.where(real, scores, -1e30)
+ scores + tf.cast(~real, tf.float32) * -np.inf
-     weights = torch.where(real, weights, 0.0)

-     weights = tf.where(real, weights, 0.0)

You multiply −∞ by the mask, but 0 times ∞ is NaN, and you replace it by 0, in the
weights of the real keys too. Choose between two numbers with `where`.
- torch.where(real, scores, -1e30)
+ scores + ~real * -torch.inf
- tf.where(real, scores, -1e30)
+ scores + tf.cast(~real, tf.float32) * -np.inf
- torch.where(real, weights, 0.0)
+ torch.nan_to_num(weights)
- tf.where(real, weights, 0.0)
+ tf.where(tf.math.is_nan(weights), 0.0, weights)

You divide by the root of the number of queries. The scale is the root of `d_k`.
- query.shape[2] **
+ query.shape[1] **

You reshape the keys, which mixes their numbers. Transpose them: the axes of keys and
`d_k` change places.
@torch
- key.transpose(1, 2)
+ key.reshape(key.shape[0], key.shape[2], key.shape[1])
@tensorflow
- tf.matmul(query, key, transpose_b=True)
+ tf.matmul(query, tf.reshape(key, (key.shape[0], key.shape[2], key.shape[1])))
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
