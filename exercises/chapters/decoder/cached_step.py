"""Build one step of attention with a cache of keys and values."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, heads, before, d_k, d_v, loudness in (
        (1, 1, 0, 2, 1, 2),
        (1, 1, 1, 2, 3, 2),
        (2, 1, 3, 3, 2, 2),
        (1, 3, 2, 4, 2, 2),
        (2, 3, 4, 2, 5, 2),
        (1, 1, 6, 4, 3, 200),
    ):
        query = loudness * draw.normal(size=(batch, heads, 1, d_k))
        key = draw.normal(size=(batch, heads, 1, d_k))
        if loudness == 200:  # the score of the newest key is at least 300
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
A model writes, and its newest token has a query, a key and a value. The keys and values
of all tokens before it are in the cache. Write one step of causal self-attention:
attend, and give back the output and the cache for the next step. At the first token the
cache is empty: its length is 0.
""",
    solution={
        "torch": '''
def step(query, key, value, keys, values):
    """Return output, keys, values.

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
    """Return output, keys, values.

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
The newest token may look at everything in the cache and at itself, so it is appended
first and no mask is needed. Nothing that is in the cache ever changes: a causal model's
old tokens cannot see the new one. That is the whole reason why a cache is allowed, and
why an encoder cannot have one.
""",
    hints=(
        "May a token look at itself?",
        "Append the new key and the new value at the end of axis 2, then attend.",
        "No mask is needed: the only query is the last token.",
    ),
    mistakes="""
The newest token does not see itself: your attention runs before the newest key is in
the cache. What happens at the first token?
- query @ keys.transpose
+ query @ keys[:, :, :-1].transpose
- tf.matmul(query, keys,
+ tf.matmul(query, keys[:, :, :-1],
- weights @ values,
+ weights @ values[:, :, :-1],

The output is right, and the cache is the old one: the next step will not know this
token.
- return weights @ values, keys, values
+ return weights @ values, keys[:, :, :-1], values[:, :, :-1]

The newest token stands at the front of the cache. In which order were they written?
- [keys, key]
+ [key, keys]

The newest token's key and value both stand at the front of the cache.
- [keys, key]
+ [key, keys]
- [values, value]
+ [value, values]

The newest token sees only the oldest: your mask is the first row of a square. The only
query is the last one, and needs no mask.
-     weights = torch.softmax(scores,
+     later = torch.arange(keys.shape[2]) > 0
+     scores = torch.where(later, -1e30, scores)
+     weights = torch.softmax(scores,
-     weights = tf.nn.softmax(scores,
+     later = tf.range(keys.shape[2]) > 0
+     scores = tf.where(later, -1e30, scores)
+     weights = tf.nn.softmax(scores,

The token sees only itself: the cache is carried along and not read.
- query @ keys.transpose
+ query @ key.transpose
- tf.matmul(query, keys,
+ tf.matmul(query, key,
- weights @ values,
+ weights @ value,

The scale is left out: cached and uncached would differ.
-     scores = scores / query.shape[3] ** 0.5

The cache holds one token: the newest has replaced all the others.
- return weights @ values, keys, values
+ return weights @ values, key, value

The exponential of a large score is infinite. Softmax avoids that: it takes the row's
largest score away first.
- torch.softmax(scores, dim=3)
+ torch.exp(scores) / torch.exp(scores).sum(3, True)
- tf.nn.softmax(scores, axis=3)
+ tf.exp(scores) / tf.reduce_sum(tf.exp(scores), 3, True)

As long as the cache is short, your step is right. Which number in your code should be
the cache's length?
- query @ keys.transpose
+ query @ keys[:, :, -64:].transpose
- tf.matmul(query, keys,
+ tf.matmul(query, keys[:, :, -64:],
- weights @ values,
+ weights @ values[:, :, -64:],
""",
    reference=reference,
    cases=cases,
    long_cases=long_cases,
    equivalent=dict.fromkeys(
        (
            "scores = scores / key.shape[3] ** 0.5",
            "scores = scores / keys.shape[3] ** 0.5",
        ),
        "A key is as long as a query.",
    ),
)
