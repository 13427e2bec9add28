"""Find the bug: heads split by reshape alone, so that positions get mixed."""

from exercises.engine.calls import call
from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, length, num_heads, d_k in (
        (1, 1, 1, 2),
        (1, 2, 2, 1),
        (2, 3, 2, 2),
        (2, 4, 3, 2),
    ):
        d_model = num_heads * d_k
        weights = {
            f"{name}.kernel": draw.normal(size=(d_model, d_model)) / d_model**0.5
            for name in ("query", "key", "value", "merge")
        }
        yield call(
            draw.normal(size=(batch, length, d_model)),
            new={"d_model": d_model, "num_heads": num_heads},
            weights=weights,
        )


def reference(x, weights, d_model, num_heads):
    d_k = d_model // num_heads
    query, key, value = (
        x @ weights[f"{name}.kernel"] for name in ("query", "key", "value")
    )
    outputs = []
    for head in range(num_heads):
        mine = slice(head * d_k, (head + 1) * d_k)
        scores = query[..., mine] @ key[..., mine].swapaxes(1, 2) / d_k**0.5
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        outputs.append(shares / shares.sum(-1, keepdims=True) @ value[..., mine])
    return np.concatenate(outputs, -1) @ weights["merge.kernel"]


EXERCISE = Exercise(
    title="Mixed-up heads",
    kind="find the bug",
    difficulty=2,
    minutes=10,
    prompt="""
This self-attention layer has a bug, although it can be trained and all its shapes are
right. Each head should get its own slice of every position's features. Find out what it
gets instead, and fix the layer.
""",
    bug="Heads are split by a reshape alone",
    solution={
        "torch": '''
class SelfAttention(nn.Module):
    """From (batch, length, d_model) to the same shape."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.d_k = d_model // num_heads

        def linear():
            return nn.Linear(d_model, d_model, bias=False)

        self.query = linear()
        self.key = linear()
        self.value = linear()
        self.merge = linear()

    def forward(self, x):
        def heads(x):
            sizes = (batch, length, self.num_heads, self.d_k)
            x = x.reshape(sizes)
            return x.transpose(1, 2)

        batch, length, d_model = x.shape
        query = heads(self.query(x))
        key = heads(self.key(x))
        value = heads(self.value(x))
        scores = query @ key.transpose(2, 3)
        scores = scores / self.d_k**0.5
        output = torch.softmax(scores, dim=-1) @ value
        output = output.transpose(1, 2)
        output = output.reshape(batch, length, d_model)
        return self.merge(output)
''',
        "tensorflow": '''
class SelfAttention(keras.layers.Layer):
    """From (batch, length, d_model) to the same shape."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.d_k = d_model // num_heads

        def linear():
            return keras.layers.Dense(d_model, use_bias=False)

        self.query = linear()
        self.key = linear()
        self.value = linear()
        self.merge = linear()

    def call(self, x):
        def heads(x):
            sizes = (batch, length, self.num_heads, self.d_k)
            x = tf.reshape(x, sizes)
            return tf.transpose(x, (0, 2, 1, 3))

        batch, length, d_model = x.shape
        query = heads(self.query(x))
        key = heads(self.key(x))
        value = heads(self.value(x))
        scores = tf.matmul(query, key, transpose_b=True)
        scores = scores / self.d_k**0.5
        output = tf.nn.softmax(scores, axis=-1) @ value
        output = tf.transpose(output, (0, 2, 1, 3))
        output = tf.reshape(output, (batch, length, d_model))
        return self.merge(output)
''',
    },
    why="""
A reshape keeps the numbers in their order and only groups them differently. To put the
heads before the positions, the order has to change: first split the last axis into
(heads, d_k), then transpose positions and heads. Merging undoes both steps in reverse
order.
""",
    hints=(
        "Copy the code of `heads` and try it on a tensor in which every number tells "
        "its position. What does each head get?",
        "What is the difference between a reshape and a transpose?",
        "Reshape to (batch, length, num_heads, d_k), then swap the two middle axes.",
    ),
    mistakes="""
Heads are split by a reshape alone: each gets a stretch of positions instead of a slice
of features. Which axis has to move?
- (batch, length, self.num_heads, self.d_k)
+ (batch, self.num_heads, length, self.d_k)
- return x.transpose(1, 2)
+ return x
- return tf.transpose(x, (0, 2, 1, 3))
+ return x

Heads are merged without being moved back. What undoes the transpose?
-         output = output.transpose(1, 2)

-         output = tf.transpose(output, (0, 2, 1, 3))

Heads are split and merged by a reshape alone. The two errors do not cancel.
- (batch, length, self.num_heads, self.d_k)
+ (batch, self.num_heads, length, self.d_k)
- return x.transpose(1, 2)
+ return x
- return tf.transpose(x, (0, 2, 1, 3))
+ return x
-         output = output.transpose(1, 2)

-         output = tf.transpose(output, (0, 2, 1, 3))

Queries and keys are repaired. The values are still split by a reshape alone.
@torch
- heads(self.value(x))
+ self.value(x).reshape(batch, self.num_heads, length, self.d_k)
@tensorflow
- heads(self.value(x))
+ tf.reshape(self.value(x), (batch, self.num_heads, length, self.d_k))

The values are repaired. Queries and keys are still split by a reshape alone.
@torch
- heads(self.query(x))
+ self.query(x).reshape(batch, self.num_heads, length, self.d_k)
- heads(self.key(x))
+ self.key(x).reshape(batch, self.num_heads, length, self.d_k)
@tensorflow
- heads(self.query(x))
+ tf.reshape(self.query(x), (batch, self.num_heads, length, self.d_k))
- heads(self.key(x))
+ tf.reshape(self.key(x), (batch, self.num_heads, length, self.d_k))

The queries are repaired. Keys and values are still split by a reshape alone.
@torch
- heads(self.value(x))
+ self.value(x).reshape(batch, self.num_heads, length, self.d_k)
- heads(self.key(x))
+ self.key(x).reshape(batch, self.num_heads, length, self.d_k)
@tensorflow
- heads(self.value(x))
+ tf.reshape(self.value(x), (batch, self.num_heads, length, self.d_k))
- heads(self.key(x))
+ tf.reshape(self.key(x), (batch, self.num_heads, length, self.d_k))

The reshape is still the faulty one, and you swap two axes after it. Split the last axis
into heads first.
- (batch, length, self.num_heads, self.d_k)
+ (batch, self.num_heads, length, self.d_k)

Heads are split correctly, but merged with `d_k` before the heads. What undoes the
transpose?
@torch
- output.transpose(1, 2)
+ output.permute(0, 2, 3, 1)
@tensorflow
- tf.transpose(output, (0, 2, 1, 3))
+ tf.transpose(output, (0, 2, 3, 1))

You put `d_k` before the length in the reshape. Split the last axis into heads, and then
move the heads.
@torch
-             x = x.reshape(sizes)
-             return x.transpose(1, 2)
+             x = x.reshape(batch, self.num_heads, self.d_k, length)
+             return x.transpose(2, 3)
@tensorflow
-             x = tf.reshape(x, sizes)
-             return tf.transpose(x, (0, 2, 1, 3))
+             x = tf.reshape(x, (batch, self.num_heads, self.d_k, length))
+             return tf.transpose(x, (0, 1, 3, 2))

The scores are divided by the root of the wrong size: a key of one head has d_k numbers,
not d_model.
- / self.d_k**0.5
+ / d_model**0.5

The output projection is left out.
- return self.merge(output)
+ return output

You split into (d_k, heads) and swap the middle axes, so there are d_k heads, and each
gets every num_heads-th number. Which of the two new axes comes first?
- (batch, length, self.num_heads, self.d_k)
+ (batch, length, self.d_k, self.num_heads)

Each head gets every num_heads-th number: you put d_k before the heads. A head's numbers
should be consecutive.
@torch
- (batch, length, self.num_heads, self.d_k)
+ (batch, length, self.d_k, self.num_heads)
- x.transpose(1, 2)
+ x.permute(0, 3, 1, 2)
@tensorflow
- (batch, length, self.num_heads, self.d_k)
+ (batch, length, self.d_k, self.num_heads)
- (x, (0, 2, 1, 3))
+ (x, (0, 3, 1, 2))

The reshape is right, but no axis has moved: the heads of one position attend to each
other, and no position sees another.
- return x.transpose(1, 2)
+ return x
- return tf.transpose(x, (0, 2, 1, 3))
+ return x

No axis is moved, neither when the heads are split nor when they are merged: the heads
of one position attend to each other.
- return x.transpose(1, 2)
+ return x
- return tf.transpose(x, (0, 2, 1, 3))
+ return x
-         output = output.transpose(1, 2)

-         output = tf.transpose(output, (0, 2, 1, 3))

You transpose before the reshape. First split the last axis, then move the heads.
@torch
-             x = x.reshape(sizes)
-             return x.transpose(1, 2)
+             x = x.transpose(1, 2)
+             return x.reshape(batch, self.num_heads, length, self.d_k)
@tensorflow
-             x = tf.reshape(x, sizes)
-             return tf.transpose(x, (0, 2, 1, 3))
+             x = tf.transpose(x, (0, 2, 1))
+             return tf.reshape(x, (batch, self.num_heads, length, self.d_k))

The scores are not scaled any more.
-         scores = scores / self.d_k**0.5

The softmax is taken over the queries. It belongs over the keys.
- dim=-1
+ dim=-2
- axis=-1
+ axis=-2

The softmax is taken over the heads. It belongs over the keys, the last axis.
- dim=-1
+ dim=1
- axis=-1
+ axis=1
""",
    reference=reference,
    cases=cases,
)
