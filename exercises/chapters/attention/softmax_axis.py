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
    # a hidden key that cries: its score is 300
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
Attention takes five lines, and in these five there is one mistake. No error is raised,
every shape is right, and a model with this layer even learns something. Find the line
and repair it.
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
Each query has one unit of attention to share out among the keys, so the softmax runs
over the last axis, the keys, and every row of the weights sums to 1. Over the queries,
the columns sum to 1: a key that many look at has to be content with a part of each.
The row sums are the first thing to print when a new attention layer learns badly.
""",
    hints=(
        "Print the weights of a small input, and their sums.",
        "Along which axis should the weights sum to 1, and along which do they?",
        "The scores have the axes (batch, queries, keys). A query shares out its "
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

The scale is gone. Why did it stand there?
-     scores = scores / query.shape[2] ** 0.5

You scale by the number of queries. Which axis has `d_k` numbers?
- query.shape[2] ** 0.5
+ query.shape[1] ** 0.5

You scale by `d_k`. Its root is enough.
- query.shape[2] ** 0.5
+ query.shape[2]

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

A hidden key's score is not low enough. A real one may be -150: then the hidden wins.
- , -1e30)
+ , -100.0)

What you take off a hidden score is not enough. One that was 300 still has the whole
weight.
- , -1e30)
+ , scores - 100)

You share out again after the softmax. Where a hidden score is far above the others, the
softmax leaves nothing for them to share.
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
