"""Find the bug: key heads tiled, so that query heads read another group's keys."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, num_kv_heads, group, queries, keys, d_k, d_v in (
        (1, 1, 1, 1, 1, 2, 1),
        (1, 1, 2, 2, 3, 2, 3),
        (2, 2, 1, 2, 2, 3, 2),
        (2, 2, 2, 2, 4, 3, 2),
        (3, 2, 3, 4, 5, 2, 3),
        (2, 3, 2, 3, 2, 4, 5),
    ):
        yield (
            2 * draw.normal(size=(batch, num_kv_heads * group, queries, d_k)),
            draw.normal(size=(batch, num_kv_heads, keys, d_k)),
            draw.normal(size=(batch, num_kv_heads, keys, d_v)),
        )


def reference(query, key, value):
    group = query.shape[1] // key.shape[1]
    outputs = []
    for head in range(query.shape[1]):
        shared = head // group
        scores = query[:, head] @ key[:, shared].swapaxes(1, 2)
        scores = scores / query.shape[3] ** 0.5
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares = shares / shares.sum(-1, keepdims=True)
        outputs.append(shares @ value[:, shared])
    return np.stack(outputs, 1)


EXERCISE = Exercise(
    title="Which group reads which head?",
    kind="find the bug",
    difficulty=2,
    minutes=10,
    prompt="""
In grouped-query attention, neighbouring query heads share one head of keys and values:
with 6 query heads and 2 key heads, the query heads 0, 1 and 2 read key head 0, and the
others key head 1. Published weights are stored in this order.

A model trained from scratch with this function learns as well as any. With published
weights, however, the function returns the right shape and wrong numbers. Find out which
query head reads which key head, and fix the function.
""",
    bug="Keys and values are still tiled",
    solution={
        "torch": '''
def grouped(query, key, value):
    """Return (batch, num_heads, queries, d_v).

    query (batch, num_heads, queries, d_k);
    key (batch, num_kv_heads, keys, d_k);
    value (batch, num_kv_heads, keys, d_v).
    """
    group = query.shape[1] // key.shape[1]
    key = key.repeat_interleave(group, dim=1)
    value = value.repeat_interleave(group, dim=1)
    scores = query @ key.transpose(2, 3)
    scores = scores / key.shape[3] ** 0.5
    return torch.softmax(scores, dim=-1) @ value
''',
        "tensorflow": '''
def grouped(query, key, value):
    """Return (batch, num_heads, queries, d_v).

    query (batch, num_heads, queries, d_k);
    key (batch, num_kv_heads, keys, d_k);
    value (batch, num_kv_heads, keys, d_v).
    """
    group = query.shape[1] // key.shape[1]
    key = tf.repeat(key, group, axis=1)
    value = tf.repeat(value, group, axis=1)
    scores = query @ tf.transpose(key, (0, 1, 3, 2))
    scores = scores / key.shape[3] ** 0.5
    return tf.nn.softmax(scores, axis=-1) @ value
''',
    },
    why="""
Tiling puts whole copies one after the other: heads 0, 1, 0, 1, 0, 1. Repeating copies
each head in its place: 0, 0, 0, 1, 1, 1. (In NumPy and TensorFlow these are `tile` and
`repeat`; PyTorch calls them `repeat` and `repeat_interleave`.) With one key head,
or with as many as query heads, both are the same, so a test with such sizes doesn't
notice. Neither does training from scratch, which learns weights for either order.
""",
    hints=(
        "Try the copying on a tensor whose heads are numbered: which numbers come in "
        "which order?",
        "With 2 key heads copied 3 times, the order 0, 0, 0, 1, 1, 1 is wanted.",
        "Use `key.repeat_interleave(group, dim=1)` in PyTorch and `tf.repeat(key, "
        "group, axis=1)` in TensorFlow, for the values as well.",
    ),
    mistakes="""
Keys and values are still tiled: the order of the heads is 0, 1, 0, 1. Neighbouring
query heads should share one.
- key.repeat_interleave(group, dim=1)
+ key.repeat(1, group, 1, 1)
- value.repeat_interleave(group, dim=1)
+ value.repeat(1, group, 1, 1)
- tf.repeat(key, group, axis=1)
+ tf.tile(key, (1, group, 1, 1))
- tf.repeat(value, group, axis=1)
+ tf.tile(value, (1, group, 1, 1))

The keys are right now. The values are still tiled.
- value.repeat_interleave(group, dim=1)
+ value.repeat(1, group, 1, 1)
- tf.repeat(value, group, axis=1)
+ tf.tile(value, (1, group, 1, 1))

The values are right now. The keys are still tiled.
- key.repeat_interleave(group, dim=1)
+ key.repeat(1, group, 1, 1)
- tf.repeat(key, group, axis=1)
+ tf.tile(key, (1, group, 1, 1))

All query heads read key head 0. That is multi-query attention.
@torch
- key.repeat_interleave(group, dim=1)
+ key[:, :1]
- value.repeat_interleave(group, dim=1)
+ value[:, :1]
@tensorflow
- tf.repeat(key, group, axis=1)
+ key[:, :1]
- tf.repeat(value, group, axis=1)
+ value[:, :1]

All query heads read the mean of the key heads.
@torch
- key.repeat_interleave(group, dim=1)
+ key.mean(1, keepdim=True)
- value.repeat_interleave(group, dim=1)
+ value.mean(1, keepdim=True)
@tensorflow
- tf.repeat(key, group, axis=1)
+ tf.reduce_mean(key, 1, keepdims=True)
- tf.repeat(value, group, axis=1)
+ tf.reduce_mean(value, 1, keepdims=True)

The key heads are in reverse order: the first group should read the first one.
@torch
- key.repeat_interleave(group, dim=1)
+ key.flip(1).repeat_interleave(group, dim=1)
- value.repeat_interleave(group, dim=1)
+ value.flip(1).repeat_interleave(group, dim=1)
@tensorflow
- tf.repeat(key, group, axis=1)
+ tf.repeat(key[:, ::-1], group, axis=1)
- tf.repeat(value, group, axis=1)
+ tf.repeat(value[:, ::-1], group, axis=1)

You copy along the batch. The heads are axis 1.
- dim=1)
+ dim=0)
- group, axis=1)
+ group, axis=0)

Keys and values still have fewer heads than the queries. Copy each head along axis 1, as
often as a group has query heads.
- dim=1)
+ dim=2)
- group, axis=1)
+ group, axis=2)

You copy the numbers of each vector. The heads are axis 1.
- dim=1)
+ dim=3)
- group, axis=1)
+ group, axis=3)

You copy each head as often as there are key heads. There have to be as many copies as
query heads in a group.
- group = query.shape[1] // key.shape[1]
+ group = key.shape[1]

The scores are no longer scaled.
-     scores = scores / key.shape[3] ** 0.5

The softmax is now taken over the queries. The weights of one query, over the keys, must
sum to 1.
- dim=-1
+ dim=-2
- axis=-1
+ axis=-2

You repeated the heads of the result. The order of the query heads was not wrong.
@torch
- key.repeat_interleave(group, dim=1)
+ key.repeat(1, group, 1, 1)
- value.repeat_interleave(group, dim=1)
+ value.repeat(1, group, 1, 1)
-     return torch.softmax(scores, dim=-1) @ value
+     output = torch.softmax(scores, dim=-1) @ value
+     output = output.reshape(len(query), group, -1, *output.shape[2:])
+     return output.transpose(1, 2).flatten(1, 2)
@tensorflow
- tf.repeat(key, group, axis=1)
+ tf.tile(key, (1, group, 1, 1))
- tf.repeat(value, group, axis=1)
+ tf.tile(value, (1, group, 1, 1))
-     return tf.nn.softmax(scores, axis=-1) @ value
+     output = tf.nn.softmax(scores, axis=-1) @ value
+     batch, heads, length, d_v = output.shape
+     output = tf.reshape(output, (batch, group, -1, length, d_v))
+     output = tf.transpose(output, (0, 2, 1, 3, 4))
+     return tf.reshape(output, (batch, heads, length, d_v))

Keys and values are copied by a reshape that mixes heads and positions. Copy whole
heads.
@torch
- key.repeat_interleave(group, dim=1)
+ key.repeat(1, 1, group, 1).reshape(len(key), -1, *key.shape[2:])
- value.repeat_interleave(group, dim=1)
+ value.repeat(1, 1, 1, group).reshape(len(value), -1, *value.shape[2:])
@tensorflow
- tf.repeat(key, group, axis=1)
+ tf.reshape(tf.tile(key, (1, 1, 1, group)), (len(key), -1, *key.shape[2:]))
- tf.repeat(value, group, axis=1)
+ tf.reshape(tf.tile(value, (1, 1, 1, group)), (len(value), -1, *value.shape[2:]))

Each head reads the right keys, but the results are in another order: a group's heads
belong side by side.
@torch
-     return torch.softmax(scores, dim=-1) @ value
+     output = torch.softmax(scores, dim=-1) @ value
+     output = output.reshape(len(query), -1, group, *output.shape[2:])
+     return output.transpose(1, 2).flatten(1, 2)
@tensorflow
-     return tf.nn.softmax(scores, axis=-1) @ value
+     output = tf.nn.softmax(scores, axis=-1) @ value
+     batch, heads, length, d_v = output.shape
+     output = tf.reshape(output, (batch, -1, group, length, d_v))
+     output = tf.transpose(output, (0, 2, 1, 3, 4))
+     return tf.reshape(output, (batch, heads, length, d_v))

Only the first query head of each group is left.
@torch
- key.repeat_interleave(group, dim=1)
+ key
- value.repeat_interleave(group, dim=1)
+ value
-     scores = query @
+     query = query[:, ::group]
+     scores = query @
@tensorflow
- tf.repeat(key, group, axis=1)
+ key
- tf.repeat(value, group, axis=1)
+ value
-     scores = query @
+     query = query[:, ::group]
+     scores = query @

You divide the number of a query head by the number of key heads to find its key head.
Divide it by the size of a group.
@torch
- key.repeat_interleave(group, dim=1)
+ key[:, torch.arange(query.shape[1]) // key.shape[1]]
- value.repeat_interleave(group, dim=1)
+ value[:, torch.arange(query.shape[1]) // value.shape[1]]
@tensorflow
- tf.repeat(key, group, axis=1)
+ tf.gather(key, tf.range(query.shape[1]) // key.shape[1], axis=1)
- tf.repeat(value, group, axis=1)
+ tf.gather(value, tf.range(query.shape[1]) // value.shape[1], axis=1)

You copy without naming an axis, which makes one long row of all numbers.
- (group, dim=1)
+ (group)
- group, axis=1)
+ group)

The scores are now divided by the root of the number of heads. It was right to take the
root of d_k.
- key.shape[3] ** 0.5
+ query.shape[1] ** 0.5

The scores are now divided by the root of the number of keys. It was right to take the
root of d_k.
- key.shape[3] ** 0.5
+ key.shape[2] ** 0.5

The softmax is gone.
- torch.softmax(scores, dim=-1)
+ scores
- tf.nn.softmax(scores, axis=-1)
+ scores

The scores are now divided by d_k. It was right to take its root.
- key.shape[3] ** 0.5
+ key.shape[3]

The results of all heads are averaged. Each query head has its own.
@torch
-     return torch.softmax(scores, dim=-1) @ value
+     output = torch.softmax(scores, dim=-1) @ value
+     return output.mean(1, keepdim=True)
@tensorflow
-     return tf.nn.softmax(scores, axis=-1) @ value
+     output = tf.nn.softmax(scores, axis=-1) @ value
+     return tf.reduce_mean(output, 1, keepdims=True)

Your queries attend only to keys at their own position and before it. No mask is asked
for here.
@torch
-     return torch
+     past = torch.ones(scores.shape[2:]).tril() > 0
+     scores = scores.masked_fill(~past, -1e9)
+     return torch
@tensorflow
-     return tf
+     past = tf.linalg.band_part(tf.ones(scores.shape[2:]), -1, 0)
+     scores = tf.where(past > 0, scores, -1e9)
+     return tf

The scores are now divided by the root of d_v. It was right to take the root of d_k.
- key.shape[3] ** 0.5
+ value.shape[3] ** 0.5
""",
    reference=reference,
    cases=cases,
    equivalent={
        "group = query.shape[1] // value.shape[1]": "There are as many values as keys.",
        "scores = scores / query.shape[3] ** 0.5": "Both have d_k numbers.",
    },
)
