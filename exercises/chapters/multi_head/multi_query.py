"""Assemble multi-query attention: all heads share one head of keys and values."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, length, d_model, num_heads, d_k, d_v in (
        (1, 1, 2, 1, 1, 1),
        (1, 3, 4, 2, 2, 2),
        (2, 3, 5, 2, 3, 4),
        (2, 4, 6, 3, 2, 2),
        (3, 2, 4, 3, 2, 3),
    ):
        yield (
            draw.normal(size=(batch, length, d_model)),
            draw.normal(size=(d_model, num_heads * d_k)),
            draw.normal(size=(d_model, d_k)),
            draw.normal(size=(d_model, d_v)),
            draw.normal(size=(num_heads * d_v, d_model)),
            num_heads,
        )


def reference(x, W_query, W_key, W_value, W_output, num_heads):
    key, value = x @ W_key, x @ W_value
    outputs = []
    for W_head in np.split(W_query, num_heads, axis=1):
        scores = x @ W_head @ key.swapaxes(1, 2) / key.shape[-1] ** 0.5
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        outputs.append(shares / shares.sum(-1, keepdims=True) @ value)
    return np.concatenate(outputs, -1) @ W_output


EXERCISE = Exercise(
    title="One key for all heads",
    kind="build",
    difficulty=3,
    minutes=20,
    prompt="""
In **multi-query attention** (Shazeer, 2019), each head has its own queries, but all
heads share the same keys and values. Assemble the whole layer as self-attention of `x`,
without masks or biases: project, split the queries into heads, attend, merge the heads,
and apply the output projection.

You don't need to copy the shared keys and values: give them an axis of length 1 where
the queries have the heads, and it is broadcast. Scale the scores as usual.
""",
    solution={
        "torch": '''
def multi_query(
    x, W_query, W_key, W_value, W_output, num_heads
):
    """Return (batch, length, d_model).

    x (batch, length, d_model);
    W_query (d_model, num_heads * d_k);
    W_key (d_model, d_k); W_value (d_model, d_v);
    W_output (num_heads * d_v, d_model).
    """
    batch, length, d_model = x.shape
    d_k = W_key.shape[1]
    query = x @ W_query
    query = query.reshape(batch, length, num_heads, d_k)
    query = query.transpose(1, 2)  # (batch, heads, length, d_k)
    key = (x @ W_key)[:, None]  # (batch, 1, length, d_k)
    value = (x @ W_value)[:, None]
    scores = query @ key.transpose(2, 3) / d_k**0.5
    output = torch.softmax(scores, dim=-1) @ value
    output = output.transpose(1, 2)
    output = output.reshape(batch, length, -1)
    return output @ W_output
''',
        "tensorflow": '''
def multi_query(
    x, W_query, W_key, W_value, W_output, num_heads
):
    """Return (batch, length, d_model).

    x (batch, length, d_model);
    W_query (d_model, num_heads * d_k);
    W_key (d_model, d_k); W_value (d_model, d_v);
    W_output (num_heads * d_v, d_model).
    """
    batch, length, d_model = x.shape
    d_k = W_key.shape[1]
    query = x @ W_query
    query = tf.reshape(query, (batch, length, num_heads, d_k))
    query = tf.transpose(query, (0, 2, 1, 3))
    key = (x @ W_key)[:, None]  # (batch, 1, length, d_k)
    value = (x @ W_value)[:, None]
    scores = query @ tf.transpose(key, (0, 1, 3, 2)) / d_k**0.5
    output = tf.nn.softmax(scores, axis=-1) @ value
    output = tf.transpose(output, (0, 2, 1, 3))
    output = tf.reshape(output, (batch, length, -1))
    return output @ W_output
''',
    },
    why="""
Only the queries are split into heads. The keys and values have an axis of length 1
where the queries have the heads, so the matrix products broadcast them. The output has
as many heads as the queries and is merged as usual.

A model that writes text then caches `d_k + d_v` numbers for each token and layer,
instead of `num_heads` times as many. In grouped-query attention, keys and values have
more than one head, but fewer heads than the queries.
""",
    hints=(
        "Which of the three projections has to be split into heads?",
        "Give keys and values an axis of length 1 after the batch. Then the formula of "
        "chapter 3 works unchanged.",
        "Split by reshape, then transpose, and merge by transpose, then reshape. The "
        "scores are divided by the root of `d_k`, the width of `W_key`.",
    ),
    mistakes="""
The queries are split by a reshape alone: each head gets a stretch of positions. Which
axis has to move?
- (batch, length, num_heads, d_k)
+ (batch, num_heads, length, d_k)
-     query = query.transpose(1, 2)  # (batch, heads, length, d_k)

-     query = tf.transpose(query, (0, 2, 1, 3))

The heads are merged without being moved back. What undoes the transpose?
-     output = output.transpose(1, 2)

-     output = tf.transpose(output, (0, 2, 1, 3))

Each head gets every num_heads-th number of the queries. It should get consecutive ones.
@torch
- query.reshape(batch, length, num_heads, d_k)
+ query.reshape(batch, length, d_k, num_heads)
- query.transpose(1, 2)
+ query.permute(0, 3, 1, 2)
@tensorflow
- (batch, length, num_heads, d_k)
+ (batch, length, d_k, num_heads)
-     query = tf.transpose(query, (0, 2, 1, 3))
+     query = tf.transpose(query, (0, 3, 1, 2))

The scores are not scaled. What does the paper divide them by?
-  / d_k**0.5
+

The scores are divided by the root of `d_model`. One key has only `d_k` numbers.
- / d_k**0.5
+ / d_model**0.5

The scores are divided by the root of the width of all heads together. One key has only
`d_k` numbers.
- / d_k**0.5
+ / (num_heads * d_k)**0.5

The scores are divided by `d_k`, not by its root.
- / d_k**0.5
+ / d_k

The scores are divided by the root of `d_v`, the length of a value. A query and a key
have `d_k` numbers.
- / d_k**0.5
+ / W_value.shape[1] ** 0.5

You divide by the root of `d_model / num_heads`. Here `d_k` is the width of `W_key`.
- / d_k**0.5
+ / (d_model // num_heads) ** 0.5

Heads are merged with `d_v` before the heads. What undoes the split?
@torch
- output.transpose(1, 2)
+ output.permute(0, 2, 3, 1)
@tensorflow
- tf.transpose(output, (0, 2, 1, 3))
+ tf.transpose(output, (0, 2, 3, 1))

The softmax is taken over the queries. The weights of one query, over the keys, must sum
to 1.
- dim=-1
+ dim=-2
- axis=-1
+ axis=-2

The softmax is taken over the heads. The weights of one query, over the keys, must sum
to 1.
- dim=-1
+ dim=1
- axis=-1
+ axis=1

The output projection is left out.
- return output @ W_output
+ return output

Keys and values have no axis for the heads, so their batch meets the heads of the
queries. Where does an axis of length 1 belong?
- (x @ W_key)[:, None]
+ (x @ W_key)[None]
- (x @ W_value)[:, None]
+ (x @ W_value)[None]

You add the input to the output. That is a residual connection, the subject of
chapter 6.
- return output @ W_output
+ return x + output @ W_output

All heads use the queries of head 0.
@torch
-     query = query.transpose(1, 2)
+     query = query[:, :, :1].expand_as(query).transpose(1, 2)
@tensorflow
-     query = tf.transpose(query, (0, 2, 1, 3))
+     query = tf.repeat(query[:, :, :1], num_heads, 2)
+     query = tf.transpose(query, (0, 2, 1, 3))

Your positions attend only to themselves and to earlier ones. No mask is asked for here.
@torch
-     output = torch.softmax
+     future = torch.ones(length, length).triu(1) > 0
+     scores = scores.masked_fill(future, -math.inf)
+     output = torch.softmax
@tensorflow
-     output = tf.nn.softmax
+     past = tf.linalg.band_part(tf.ones((length, length)), -1, 0)
+     scores = tf.where(past > 0, scores, -math.inf)
+     output = tf.nn.softmax

Each position attends only to itself, because the axis of length 1 comes after the
length. It belongs after the batch, where the queries have the heads.
@torch
-     query = query.transpose(1, 2)  # (batch, heads, length, d_k)

- (x @ W_key)[:, None]
+ (x @ W_key)[:, :, None]
- (x @ W_value)[:, None]
+ (x @ W_value)[:, :, None]
@tensorflow
-     query = tf.transpose(query, (0, 2, 1, 3))

- (x @ W_key)[:, None]
+ (x @ W_key)[:, :, None]
- (x @ W_value)[:, None]
+ (x @ W_value)[:, :, None]

The scores are divided by the root of the length. The paper takes the root of `d_k`.
- / d_k**0.5
+ / length**0.5

The heads are averaged. They should be concatenated, so that the output projection gets
all of them.
@torch
-     output = output.transpose(1, 2)
-     output = output.reshape(batch, length, -1)
-     return output @ W_output
+     output = output.mean(1)
+     return output @ W_output[: output.shape[-1]]
@tensorflow
-     output = tf.transpose(output, (0, 2, 1, 3))
-     output = tf.reshape(output, (batch, length, -1))
-     return output @ W_output
+     output = tf.reduce_mean(output, 1)
+     return output @ W_output[: output.shape[-1]]

The scores are divided by the root of `d_k / num_heads`. The width of `W_key` is already
that of one head.
- / d_k**0.5
+ / (d_k / num_heads) ** 0.5
""",
    reference=reference,
    cases=cases,
)
