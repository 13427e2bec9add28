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
This layer trains, all its shapes are right, and it is wrong. Each head should read its
own slice of every position's features. Find what it reads instead, and repair the
layer.
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
A reshape never moves a number: it reads the same row of numbers in other groups. To
bring the heads before the positions, the numbers have to move, so first split the last
axis into (heads, d_k), then transpose positions and heads. Merging undoes both, in
reverse order.
""",
    hints=(
        "Give the layer an input in which every number tells its position. What do the "
        "heads get?",
        "What is the difference between a reshape and a transpose?",
        "Reshape to (batch, length, num_heads, d_k); then swap the two middle axes.",
    ),
    mistakes="""
Heads are split by a reshape alone: each reads a stretch of positions instead of a slice
of features. Which axis has to move?
- (batch, length, self.num_heads, self.d_k)
+ (batch, self.num_heads, length, self.d_k)
- return x.transpose(1, 2)
+ return x
- return tf.transpose(x, (0, 2, 1, 3))
+ return x

Heads are merged without moving them back. What undoes the transpose?
-         output = output.transpose(1, 2)

-         output = tf.transpose(output, (0, 2, 1, 3))

Heads are split and merged by a reshape alone. The two errors do not undo each other.
- (batch, length, self.num_heads, self.d_k)
+ (batch, self.num_heads, length, self.d_k)
- return x.transpose(1, 2)
+ return x
- return tf.transpose(x, (0, 2, 1, 3))
+ return x
-         output = output.transpose(1, 2)

-         output = tf.transpose(output, (0, 2, 1, 3))

The scale belongs to one head: its keys have d_k numbers, not d_model.
- / self.d_k**0.5
+ / d_model**0.5

The output projection is left out.
- return self.merge(output)
+ return output
""",
    reference=reference,
    cases=cases,
)
