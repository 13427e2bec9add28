"""Find the bug: attention whose softmax runs over the queries."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, queries, keys, d_k, d_v in (
        (1, 1, 2, 2, 1),
        (1, 3, 3, 4, 2),
        (2, 2, 4, 3, 5),
        (2, 4, 3, 5, 2),
    ):
        mask = draw.random(size=(queries, keys)) < 0.6
        mask[:, 0] = True
        mask[0, -1] = False
        yield (
            2 * draw.normal(size=(batch, queries, d_k)),
            draw.normal(size=(batch, keys, d_k)),
            draw.normal(size=(batch, keys, d_v)),
            mask,
        )
    # scores of about -150
    yield (
        np.full((1, 2, 4), -50.0),
        1.5 + 0.02 * draw.normal(size=(1, 3, 4)),
        draw.normal(size=(1, 3, 2)),
        np.array([[True, False, False], [True, True, False]]),
    )
    # a hidden key with a very large score, 300
    yield (
        np.array([[[2.0, 0.0]]]),
        np.array([[[0.5, 1.0], [150 * 2**0.5, 1.0]]]),
        draw.normal(size=(1, 2, 3)),
        np.array([[True, False]]),
    )


def reference(query, key, value, mask):
    scores = query @ key.swapaxes(1, 2) / np.sqrt(query.shape[2])
    shares = np.exp(scores - scores.max(-1, keepdims=True)) * mask
    return shares / shares.sum(-1, keepdims=True) @ value


EXERCISE = Exercise(
    title="Five lines",
    kind="find the bug",
    difficulty=2,
    minutes=10,
    prompt="""
Attention takes five lines, and one of the five below has a mistake. It raises no error,
and every shape is right. Find the line and repair it.
""",
    bug="The softmax still runs over the queries",
    solution={
        "torch": '''
def attention(query, key, value, mask):
    """Return (batch, queries, d_v).

    query (batch, queries, d_k); key (batch, keys, d_k);
    value (batch, keys, d_v); mask (queries, keys), True =
    may attend, at least one key for each query.
    """
    scores = query @ key.transpose(1, 2)
    scores = scores / query.shape[2] ** 0.5
    scores = torch.where(mask, scores, -1e30)
    weights = torch.softmax(scores, dim=2)
    return weights @ value
''',
        "tensorflow": '''
def attention(query, key, value, mask):
    """Return (batch, queries, d_v).

    query (batch, queries, d_k); key (batch, keys, d_k);
    value (batch, keys, d_v); mask (queries, keys), True =
    may attend, at least one key for each query.
    """
    scores = tf.matmul(query, key, transpose_b=True)
    scores = scores / query.shape[2] ** 0.5
    scores = tf.where(mask, scores, -1e30)
    weights = tf.nn.softmax(scores, axis=2)
    return weights @ value
''',
    },
    why="""
Each query distributes a weight of 1 among the keys, so the softmax runs over the last
axis, the keys, and every row of the weights sums to 1. Over the queries, the columns
sum to 1 instead, and queries compete for a key. When a new attention layer
learns badly, print the row sums first.
""",
    hints=(
        "Print the weights of a small input, and their sums.",
        "Along which axis should the weights sum to 1, and along which do they?",
        "The scores have the axes (batch, queries, keys). A query distributes its "
        "attention among the keys.",
    ),
    mistakes="""
The softmax still runs over the queries: print the sum of each row of weights. Which
axis are the keys?
- dim=2
+ dim=1
- axis=2
+ axis=1

Now the softmax runs over the batch: the sentences share one attention.
- dim=2
+ dim=0
- axis=2
+ axis=0

The scale is gone. What was it for?
-     scores = scores / query.shape[2] ** 0.5

You scale by the number of queries. Which axis has `d_k` numbers?
- query.shape[2] ** 0.5
+ query.shape[1] ** 0.5

You scale by `d_k`. Its root is enough.
- query.shape[2] ** 0.5
+ query.shape[2]

The scale was right, and you took it out. The mistake is still there: print the sum of
each row of weights.
-     scores = scores / query.shape[2] ** 0.5

- dim=2
+ dim=1
- axis=2
+ axis=1

The root of `d_k` was right, and the mistake is still there: print the sum of each row
of weights.
- query.shape[2] ** 0.5
+ query.shape[2]
- dim=2
+ dim=1
- axis=2
+ axis=1

`query.shape[2]` was `d_k` and right; the mistake is still there: print the sum of each
row of weights.
- query.shape[2] ** 0.5
+ query.shape[1] ** 0.5
- dim=2
+ dim=1
- axis=2
+ axis=1

`query.shape[2]` was `d_k` and right; you took the number of keys. The mistake is still
there: print the sum of each row of weights.
- query.shape[2] ** 0.5
+ key.shape[1] ** 0.5
- dim=2
+ dim=1
- axis=2
+ axis=1

Dividing was right, and you multiply now. The mistake is still there: print the sum of
each row of weights.
- scores / query
+ scores * query
- dim=2
+ dim=1
- axis=2
+ axis=1

The mask was right, and you inverted it. The mistake is still there: print the sum of
each row of weights.
- where(mask, scores, -1e30)
+ where(mask, -1e30, scores)
- dim=2
+ dim=1
- axis=2
+ axis=1

The mask was right, and you took it out. The mistake is still there: print the sum of
each row of weights.
-     scores = torch.where(mask, scores, -1e30)

-     scores = tf.where(mask, scores, -1e30)

- dim=2
+ dim=1
- axis=2
+ axis=1

The number -1e30 was low enough, and −∞ makes NaN where all is hidden. The mistake is
still there: along which axis do the weights sum to 1?
- dim=2
+ dim=1
- axis=2
+ axis=1
@torch
- -1e30
+ -torch.inf
@tensorflow
- -1e30
+ -np.inf

The number -1e30 was right: a lower limit of -100 hides too little. The mistake is still
there: along which axis do the weights sum to 1?
- -1e30
+ -100.0
- dim=2
+ dim=1
- axis=2
+ axis=1

The mask belonged before the softmax, and you moved it. The mistake is still there:
along which axis do the weights sum to 1?
@torch
-     scores = torch.where(mask, scores, -1e30)
-     weights = torch.softmax(scores, dim=2)
+     weights = torch.softmax(scores, dim=1)
+     weights = torch.where(mask, weights, 0.0)
@tensorflow
-     scores = tf.where(mask, scores, -1e30)
-     weights = tf.nn.softmax(scores, axis=2)
+     weights = tf.nn.softmax(scores, axis=1)
+     weights = tf.where(mask, weights, 0.0)

You fill hidden scores with 0, whose exponential is 1, so they still take part. And the
mistake is still there: along which axis do the weights sum to 1?
- -1e30
+ 0.0
- dim=2
+ dim=1
- axis=2
+ axis=1

You repaired the softmax and filled hidden scores with 0. The exponential of 0 is 1:
they are not hidden.
- -1e30
+ 0.0

The softmax is right now, but you multiply by the root of `d_k`. Dividing was right.
- scores / query
+ scores * query

You scale by the number of keys. Which axis has `d_k` numbers?
- query.shape[2] ** 0.5
+ key.shape[1] ** 0.5

You scale by `d_v`. The scale is the root of `d_k`, the length of a query.
- query.shape[2] ** 0.5
+ value.shape[2] ** 0.5

Now the mask is the wrong way round. True means may attend.
- where(mask, scores, -1e30)
+ where(mask, -1e30, scores)

The mask now comes after the softmax: the weights no longer sum to 1.
-     scores = torch.where(mask, scores, -1e30)
-     weights = torch.softmax(scores, dim=2)
+     weights = torch.softmax(scores, dim=2)
+     weights = torch.where(mask, weights, 0.0)
-     scores = tf.where(mask, scores, -1e30)
-     weights = tf.nn.softmax(scores, axis=2)
+     weights = tf.nn.softmax(scores, axis=2)
+     weights = tf.where(mask, weights, 0.0)

The mask is gone.
-     scores = torch.where(mask, scores, -1e30)

-     scores = tf.where(mask, scores, -1e30)

The mask's rows are queries already, and you transpose it.
- where(mask, scores
+ where(mask.T, scores
@tensorflow
- mask.T
+ tf.transpose(mask)

You transpose the weights. The softmax still runs over the queries: along which axis
should the weights sum to 1?
@torch
- torch.softmax(scores, dim=2)
+ torch.softmax(scores, dim=1).transpose(1, 2)
@tensorflow
- tf.nn.softmax(scores, axis=2)
+ tf.transpose(tf.nn.softmax(scores, axis=1), (0, 2, 1))

You divide the weights by their sums after a softmax over the queries. Run the softmax
itself over the keys.
@torch
-     return weights @ value
+     return weights / weights.sum(2, True) @ value
- dim=2
+ dim=1
@tensorflow
-     return weights @ value
+     return weights / tf.reduce_sum(weights, 2, True) @ value
- axis=2
+ axis=1

Your softmax runs over queries and keys together. Each query has weights of its own,
which sum to 1.
@torch
- torch.softmax(scores, dim=2)
+ torch.softmax(scores.flatten(1), dim=1).reshape(scores.shape)
@tensorflow
- tf.nn.softmax(scores, axis=2)
+ tf.exp(scores - tf.reduce_logsumexp(scores, (1, 2), True))

These are logarithms of weights. Use the softmax itself.
- torch.softmax(
+ torch.log_softmax(
- tf.nn.softmax(
+ tf.nn.log_softmax(

You scale the weights. The scores are scaled, before the softmax.
-     scores = scores / query.shape[2] ** 0.5

-     return weights @ value
+     return weights / query.shape[2] ** 0.5 @ value

A hidden key's score is not low enough. A real one may be -150: then the hidden
key wins.
- , -1e30)
+ , -100.0)

What you subtract from a hidden score is not enough. A key with a score of 300 still
gets the whole weight.
- , -1e30)
+ , scores - 100)

You renormalize after the softmax. Where a hidden score is far above the others, the
softmax leaves nothing to renormalize.
@torch
-     scores = torch.where(mask, scores, -1e30)

-     return weights @ value
+     weights = torch.where(mask, weights, 0.0)
+     return weights / weights.sum(2, True) @ value
@tensorflow
-     scores = tf.where(mask, scores, -1e30)

-     return weights @ value
+     weights = tf.where(mask, weights, 0.0)
+     return weights / tf.reduce_sum(weights, 2, True) @ value
""",
    reference=reference,
    cases=cases,
    equivalent={
        "scores = torch.where(mask, scores, -2e+30)": "Both are low enough.",
        "scores = tf.where(mask, scores, -2e+30)": "Both are low enough.",
        "scores = scores / key.shape[2] ** 0.5": "A key is as long as a query.",
    },
)
