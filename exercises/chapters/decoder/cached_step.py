"""Build one step of attention with a cache of keys and values."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, heads, before, d_k, d_v, size in (
        (1, 1, 0, 2, 1, 2),
        (1, 1, 1, 2, 3, 2),
        (2, 1, 3, 3, 2, 2),
        (1, 3, 2, 4, 2, 2),
        (2, 3, 4, 2, 5, 2),
        (1, 1, 6, 4, 3, 200),
    ):
        query = size * draw.normal(size=(batch, heads, 1, d_k))
        key = draw.normal(size=(batch, heads, 1, d_k))
        if size == 200:  # the score of the newest key is at least 300
            query = query + 100 * np.sign(query)
            key = 1.5 * np.sign(query)
        yield (
            query,
            key,
            draw.normal(size=(batch, heads, 1, d_v)),
            draw.normal(size=(batch, heads, before, d_k)),
            draw.normal(size=(batch, heads, before, d_v)),
        )


def long_cases(draw):
    before = int(draw.integers(1025, 1100))
    keys, values = draw.normal(size=(2, 1, 1, before, 2))
    # a window that leaves out the oldest token leaves out most
    keys[:, :, 0] = values[:, :, 0] = 5
    query, key, value = np.full((1, 1, 1, 2), 2.0), keys[:, :, 1:2], values[:, :, 1:2]
    yield query, key, value, keys, values


def reference(query, key, value, keys, values):
    keys = np.concatenate([keys, key], axis=2)
    values = np.concatenate([values, value], axis=2)
    scores = query @ keys.swapaxes(2, 3) / np.sqrt(query.shape[3])
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    return shares / shares.sum(-1, keepdims=True) @ values, keys, values


EXERCISE = Exercise(
    title="One token at a time",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt="""
While a model writes, its newest token has a query, a key and a value; the keys and
values of all earlier tokens are in the KV cache. Write one step of causal
self-attention, which returns the output and the cache for the next step. At the first
token the cache is empty: its length is 0.
""",
    solution={
        "torch": '''
def step(query, key, value, keys, values):
    """Return three tensors: output, keys, values.

    query and key (batch, heads, 1, d_k); value (batch,
    heads, 1, d_v); keys and values: the same of all tokens
    before, with a length of 0 or more on axis 2.
    """
    keys = torch.cat([keys, key], dim=2)
    values = torch.cat([values, value], dim=2)
    scores = query @ keys.transpose(2, 3)
    scores = scores / query.shape[3] ** 0.5
    weights = torch.softmax(scores, dim=3)
    return weights @ values, keys, values
''',
        "tensorflow": '''
def step(query, key, value, keys, values):
    """Return three tensors: output, keys, values.

    query and key (batch, heads, 1, d_k); value (batch,
    heads, 1, d_v); keys and values: the same of all tokens
    before, with a length of 0 or more on axis 2.
    """
    keys = tf.concat([keys, key], axis=2)
    values = tf.concat([values, value], axis=2)
    scores = tf.matmul(query, keys, transpose_b=True)
    scores = scores / query.shape[3] ** 0.5
    weights = tf.nn.softmax(scores, axis=3)
    return weights @ values, keys, values
''',
    },
    why="""
The newest token may attend to everything in the cache and to itself, so its key and
value are appended first, and no mask is needed. What is in the cache never changes,
because in a causal model old tokens cannot attend to new ones. That is why a decoder
can use a cache and an encoder cannot.
""",
    hints=(
        "May a token attend to itself?",
        "Append the new key and the new value at the end of axis 2, then attend.",
        "No mask is needed: the only query is the last token.",
    ),
    mistakes="""
The newest token does not attend to itself: your attention runs before its key is in
the cache. What happens at the first token?
- query @ keys.transpose
+ query @ keys[:, :, :-1].transpose
- tf.matmul(query, keys,
+ tf.matmul(query, keys[:, :, :-1],
- weights @ values,
+ weights @ values[:, :, :-1],

The output is right, but the cache is the old one: the next step will not know this
token.
- return weights @ values, keys, values
+ return weights @ values, keys[:, :, :-1], values[:, :, :-1]

The newest key is at the front of the cache, its value at the end. Append both.
- [keys, key]
+ [key, keys]

The newest key and value are at the front of the cache. In which order were the tokens
written?
- [keys, key]
+ [key, keys]
- [values, value]
+ [value, values]

The newest token attends only to the oldest: your mask is the first row of a square.
The only query is the last one, and needs no mask.
-     weights = torch.softmax(scores,
+     later = torch.arange(keys.shape[2]) > 0
+     scores = torch.where(later, -1e30, scores)
+     weights = torch.softmax(scores,
-     weights = tf.nn.softmax(scores,
+     later = tf.range(keys.shape[2]) > 0
+     scores = tf.where(later, -1e30, scores)
+     weights = tf.nn.softmax(scores,

The newest token attends only to itself: the cache is passed on but not read.
- query @ keys.transpose
+ query @ key.transpose
- tf.matmul(query, keys,
+ tf.matmul(query, key,
- weights @ values,
+ weights @ value,

The scale is left out, so the results with and without a cache would differ.
-     scores = scores / query.shape[3] ** 0.5

The cache you return holds only the newest token. All others are lost.
- return weights @ values, keys, values
+ return weights @ values, key, value

The exponential of a large score is infinite. Softmax avoids that: it subtracts the
row's largest score first.
- torch.softmax(scores, dim=3)
+ torch.exp(scores) / torch.exp(scores).sum(3, True)
- tf.nn.softmax(scores, axis=3)
+ tf.exp(scores) / tf.reduce_sum(tf.exp(scores), 3, True)

Your step is right while the cache is short. Which number in your code should be the
cache's length?
- query @ keys.transpose
+ query @ keys[:, :, -64:].transpose
- tf.matmul(query, keys,
+ tf.matmul(query, keys[:, :, -64:],
- weights @ values,
+ weights @ values[:, :, -64:],

The scale is the root of the length of a query, not of a value.
- query.shape[3] ** 0.5
+ value.shape[3] ** 0.5

The scale depends on the length of the query's vector, not on the number of keys.
- query.shape[3] ** 0.5
+ keys.shape[2] ** 0.5

The scale is the square root of d_k, and you divide by d_k.
- query.shape[3] ** 0.5
+ query.shape[3]

You multiply by the scale. The scores are divided by it.
- scores / query.shape[3] ** 0.5
+ scores * query.shape[3] ** 0.5

Your softmax runs over the queries, and there is only one. It has to run over the keys.
- dim=3
+ dim=2
- axis=3
+ axis=2

Your softmax runs over the heads. It has to run over the keys.
- dim=3
+ dim=1
- axis=3
+ axis=1

Your softmax runs over the batch. It has to run over the keys.
- dim=3
+ dim=0
- axis=3
+ axis=0

There is no softmax: your weights do not sum to 1.
- torch.softmax(scores, dim=3)
+ scores
- tf.nn.softmax(scores, axis=3)
+ scores

The order is output, keys, values: you return keys and values the other way round.
- weights @ values, keys, values
+ weights @ values, values, keys

A residual connection is not part of this step: return the attention alone.
- return weights @ values,
+ return query + weights @ values,

The query attends only to its own key, but to all values.
- query @ keys.transpose
+ query @ key.transpose
- tf.matmul(query, keys,
+ tf.matmul(query, key,

A sigmoid does not share out the attention: your weights do not sum to 1.
- torch.softmax(scores, dim=3)
+ torch.sigmoid(scores)
- tf.nn.softmax(scores, axis=3)
+ tf.sigmoid(scores)

The order is output, keys, values: you return the cache first.
- weights @ values, keys, values
+ keys, values, weights @ values

Only the output is returned. The next step needs the cache as well.
- return weights @ values, keys, values
+ return weights @ values

The cache has to be two results: return output, keys, values.
- return weights @ values, keys, values
+ return weights @ values, (keys, values)

The newest key and value are appended twice.
- [keys, key]
+ [keys, key, key]
- [values, value]
+ [values, value, value]

You cache the query in the place of the key.
- [keys, key]
+ [keys, query]

Only one of key and value is appended. The cache needs both.
-     values = torch.cat([values, value], dim=2)

-     values = tf.concat([values, value], axis=2)

Tokens are on axis 2; you append on axis 1, that of the heads.
- key], dim=2
+ key], dim=1
- value], dim=2
+ value], dim=1
- key], axis=2
+ key], axis=1
- value], axis=2
+ value], axis=1

The oldest token is dropped at each step. Nothing here limits the length of the cache.
- weights @ values, keys, values
+ weights @ values, keys[:, :, 1:], values[:, :, 1:]

All tokens get the same weight. How much each one gets depends on query and key.
-     scores = scores / query.shape[3] ** 0.5
+     scores = 0 * scores

The first token is never appended, so the cache stays empty. Append every token.
@torch
-     keys = torch.cat([keys, key], dim=2)
-     values = torch.cat([values, value], dim=2)
+     if keys.shape[2]:
+         keys = torch.cat([keys, key], dim=2)
+         values = torch.cat([values, value], dim=2)
@tensorflow
-     keys = tf.concat([keys, key], axis=2)
-     values = tf.concat([values, value], axis=2)
+     if keys.shape[2]:
+         keys = tf.concat([keys, key], axis=2)
+         values = tf.concat([values, value], axis=2)

The newest token counts in the softmax, but its value is not read.
- weights @ values,
+ weights[..., :-1] @ values[:, :, :-1],

You return the weights. The first result is the output: the weights times the values.
- return weights @ values,
+ return weights,

The newest token does not attend to itself, except where it is the first.
@torch
- return weights @ values,
+ weights = torch.softmax(scores[..., :-1], dim=3)
+     old = values[:, :, :-1]
+     output = weights @ old if old.shape[2] else value
+     return output,
@tensorflow
- return weights @ values,
+ weights = tf.nn.softmax(scores[..., :-1], axis=3)
+     old = values[:, :, :-1]
+     output = weights @ old if old.shape[2] else value
+     return output,

You cache the output in the place of the value.
@torch
- return weights @ values, keys, values
+ output = weights @ values
+     values = torch.cat([values[:, :, :-1], output], dim=2)
+     return output, keys, values
@tensorflow
- return weights @ values, keys, values
+ output = weights @ values
+     values = tf.concat([values[:, :, :-1], output], axis=2)
+     return output, keys, values
""",
    reference=reference,
    cases=cases,
    learns=True,
    long_cases=long_cases,
    equivalent=dict.fromkeys(
        (
            "scores = scores / key.shape[3] ** 0.5",
            "scores = scores / keys.shape[3] ** 0.5",
        ),
        "A key is as long as a query.",
    ),
)
