"""Build an embedding layer for batches that are padded on the left."""

from exercises.engine.calls import call
from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for lengths, width, d_model, vocab_size, max_len in (
        ((1,), 1, 2, 3, 3),
        ((1, 3), 4, 3, 5, 6),
        ((3, 2, 3), 3, 5, 6, 6),
        ((4, 2), 5, 4, 5, 7),
        ((2, 5, 3, 1), 5, 3, 7, 8),
    ):
        ids = np.zeros((len(lengths), width), dtype=np.int64)
        for line, length in zip(ids, lengths, strict=True):
            line[width - length :] = draw.integers(1, vocab_size, size=length)
        yield call(
            ids,
            new={"vocab_size": vocab_size, "d_model": d_model, "max_len": max_len},
            weights={
                "tokens.rows": draw.normal(size=(vocab_size, d_model)),
                "positions.rows": draw.normal(size=(max_len, d_model)),
            },
        )


def reference(ids, weights, vocab_size, d_model, max_len):
    tokens, positions = weights["tokens.rows"], weights["positions.rows"]
    padding = (ids == 0).sum(axis=1, keepdims=True)
    place = np.maximum(np.arange(ids.shape[1]) - padding, 0)
    return tokens[ids] * d_model**0.5 + positions[place]


EXERCISE = Exercise(
    title="Positions after padding",
    kind="build",
    difficulty=3,
    minutes=15,
    prompt=r"""
When a model continues several texts at once, they are padded on the **left** (with id
0, which is never a real token), so that all of them end in the last column. Write the
layer of equation (2.2) for such a batch, its factor $\sqrt{d_\text{model}}$ included,
with learned positions. (BERT and GPT-2, which learn theirs, leave the factor out.) The
first token that isn't padding gets position 0 in every row, the next one 1, and so on.
Padding itself gets position 0; a mask will hide it later.
""",
    starter={
        "torch": '''
class PaddedEmbed(nn.Module):
    """From (batch, length) to (batch, length, d_model)."""

    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.scale = d_model**0.5
        self.tokens = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_len, d_model)

    def forward(self, ids):
        ...
''',
        "tensorflow": '''
class PaddedEmbed(keras.layers.Layer):
    """From (batch, length) to (batch, length, d_model)."""

    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.scale = d_model**0.5
        table = keras.layers.Embedding
        self.tokens = table(vocab_size, d_model)
        self.positions = table(max_len, d_model)

    def call(self, ids):
        ...
''',
    },
    solution={
        "torch": '''
class PaddedEmbed(nn.Module):
    """From (batch, length) to (batch, length, d_model)."""

    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.scale = d_model**0.5
        self.tokens = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_len, d_model)

    def forward(self, ids):
        real = (ids != 0).long()
        place = torch.cumsum(real, 1) - 1
        place = torch.clamp(place, min=0)
        x = self.tokens(ids) * self.scale
        return x + self.positions(place)
''',
        "tensorflow": '''
class PaddedEmbed(keras.layers.Layer):
    """From (batch, length) to (batch, length, d_model)."""

    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()
        self.scale = d_model**0.5
        table = keras.layers.Embedding
        self.tokens = table(vocab_size, d_model)
        self.positions = table(max_len, d_model)

    def call(self, ids):
        real = tf.cast(ids != 0, tf.int32)
        place = tf.cumsum(real, 1) - 1
        place = tf.maximum(place, 0)
        x = self.tokens(ids) * self.scale
        return x + self.positions(place)
''',
    },
    why="""
A running count of the real tokens, minus 1, gives each of them its position. At the
padding it is −1, for which the table has no row. In this way a text gets the same
vectors whether it is alone or padded to the length of its neighbours. With positions
counted from the left edge, its vectors would depend on the rest of the batch.
""",
    hints=(
        "Write down the positions for the ids `[[0, 0, 7], [4, 5, 6]]`.",
        "Mark the real tokens with 1 and padding with 0. What does a running sum "
        "(`cumsum`) along the row give?",
        "Subtract 1, raise what is below 0 to 0, and look the positions up.",
    ),
    mistakes="""
The positions are looked up and never added: the order of the words is lost.
-         return x + self.positions(place)
+         self.positions(place)
+         return x

You count from the left edge, padding included. Position 0 belongs to the first token
that isn't padding.
- torch.cumsum(real, 1) - 1
+ torch.arange(ids.shape[1]) + 0 * real
- tf.cumsum(real, 1) - 1
+ tf.range(ids.shape[1]) + 0 * real

Padding gets position 0, but you still count the real tokens from the left edge, with
the padding before them.
- torch.cumsum(real, 1) - 1
+ torch.arange(ids.shape[1]) * real
- tf.cumsum(real, 1) - 1
+ tf.range(ids.shape[1]) * real

You add a row for each of `max_len` places. A shorter batch does not have that many.
@torch
- self.positions(place)
+ self.positions(torch.arange(self.positions.num_embeddings))
@tensorflow
- self.positions(place)
+ self.positions(tf.range(self.positions.input_dim))

The positions count from 1. The first real token has position 0.
- torch.cumsum(real, 1) - 1
+ torch.cumsum(real, 1)
- tf.cumsum(real, 1) - 1
+ tf.cumsum(real, 1)

A position is outside the table: is the padding's negative, or is another as large as
`max_len`?
- torch.clamp(place, min=0)
+ place
- tf.maximum(place, 0)
+ place

You sum down the batch instead of along the row, so each row counts the tokens of the
rows above it.
- (real, 1)
+ (real, 0)

You count backwards: the last token has position 0.
- torch.cumsum(real, 1) - 1
+ torch.flip(torch.cumsum(torch.flip(real, [1]), 1) - 1, [1])
- tf.cumsum(real, 1) - 1
+ tf.cumsum(real, 1, reverse=True) - 1

You subtract the same number from the positions of all rows. Each row has padding of its
own.
- torch.cumsum(real, 1) - 1
+ torch.arange(ids.shape[1]) + 0 * real - (1 - real).sum(1).max()
- tf.cumsum(real, 1) - 1
+ tf.range(ids.shape[1]) + 0 * real - tf.reduce_max(tf.reduce_sum(1 - real, 1))

All rows get the positions of the first. Each row has padding of its own.
- torch.cumsum(real, 1) - 1
+ torch.cumsum(real, 1)[:1] - 1
- tf.cumsum(real, 1) - 1
+ tf.cumsum(real, 1)[:1] - 1

You subtract the number of real tokens. Subtract the number of padding tokens from
positions that are counted from the left edge.
- torch.cumsum(real, 1) - 1
+ torch.arange(ids.shape[1]) - real.sum(1, keepdim=True)
- tf.cumsum(real, 1) - 1
+ tf.range(ids.shape[1]) - tf.reduce_sum(real, 1, keepdims=True)

You count the padding, not the tokens: the condition is the wrong way round.
- ids != 0
+ ids == 0

Padding gets rows from the end of the table. It should get the row of position 0.
@torch
- torch.cumsum(real, 1) - 1
+ torch.arange(ids.shape[1]) - (1 - real).sum(1, keepdim=True)
- torch.clamp(place, min=0)
+ place % self.positions.num_embeddings
@tensorflow
- tf.cumsum(real, 1) - 1
+ tf.range(ids.shape[1]) - tf.reduce_sum(1 - real, 1, keepdims=True)
- tf.maximum(place, 0)
+ place

Padding gets its distance from the first token as a position. It should get 0.
- torch.cumsum(real, 1) - 1
+ torch.arange(ids.shape[1]) - (1 - real).sum(1, keepdim=True)
- torch.clamp(place, min=0)
+ torch.abs(place)
- tf.cumsum(real, 1) - 1
+ tf.range(ids.shape[1]) - tf.reduce_sum(1 - real, 1, keepdims=True)
- tf.maximum(place, 0)
+ tf.abs(place)

You count from the left edge as far as there are real tokens. The padding is on the
left, so the real tokens are at the end of the row.
@torch
- torch.cumsum(real, 1) - 1
+ torch.arange(ids.shape[1]) + 0 * real
- torch.clamp(place, min=0)
+ torch.where(place < real.sum(1, keepdim=True), place, 0)
@tensorflow
- tf.cumsum(real, 1) - 1
+ tf.range(ids.shape[1]) + 0 * real
- tf.maximum(place, 0)
+ tf.where(place < tf.reduce_sum(real, 1, keepdims=True), place, 0)

You leave the padding with positions counted from the left edge. It should get 0.
@torch
- torch.clamp(place, min=0)
+ torch.where(place < 0, torch.arange(ids.shape[1]), place)
@tensorflow
- tf.maximum(place, 0)
+ tf.where(place < 0, tf.range(ids.shape[1]), place)

You set the token vector of padding to zero. It gets the row of id 0, like any other
token.
@torch
- self.tokens(ids) * self.scale
+ self.tokens(ids) * self.scale * real[..., None]
@tensorflow
- self.tokens(ids) * self.scale
+ self.tokens(ids) * self.scale * tf.cast(real, "float32")[..., None]

You return the positions alone. Add them to the tokens.
- return x + self.positions(place)
+ return 0 * x + self.positions(place)

All tokens get the row of position 0.
- self.positions(place)
+ self.positions(0 * place)

You look up the positions by the tokens' ids, but a token's position does not depend on
its id.
- self.positions(place)
+ self.positions(ids)

You set padding to zero. It gets a vector like any other token; the mask comes later.
@torch
- return x + self.positions(place)
+ return (x + self.positions(place)) * real[..., None]
@tensorflow
- return x + self.positions(place)
+ return (x + self.positions(place)) * tf.cast(real, x.dtype)[..., None]

Only real tokens get a position in your layer. Add the row of position 0 to padding,
too.
@torch
- return x + self.positions(place)
+ return x + self.positions(place) * real[..., None]
@tensorflow
- return x + self.positions(place)
+ return x + self.positions(place) * tf.cast(real, x.dtype)[..., None]

Padding gets the last row of the table. It should get the row of position 0.
@torch
- torch.clamp(place, min=0)
+ torch.where(place < 0, self.positions.num_embeddings - 1, place)

The factor is left out.
- self.tokens(ids) * self.scale
+ self.tokens(ids)

The positions are scaled, too. The factor should change the balance of the two.
- return x + self.positions(place)
+ return x + self.positions(place) * self.scale

The factor multiplies the positions. It should multiply the tokens.
- self.tokens(ids) * self.scale
+ self.tokens(ids)
- return x + self.positions(place)
+ return x + self.positions(place) * self.scale

The factor is `d_model`. It should be its square root.
- self.tokens(ids) * self.scale
+ self.tokens(ids) * self.scale**2

You divide by the factor. The token's row is multiplied by it.
- self.tokens(ids) * self.scale
+ self.tokens(ids) / self.scale

Padding gets position 1. It should get position 0.
@torch
- torch.clamp(place, min=0)
+ torch.where(place < 0, 1, place)
@tensorflow
- tf.maximum(place, 0)
+ tf.where(place < 0, 1, place)

You count down the batch instead of along the row: each row has the tokens of the rows
above it in its positions.
- (real, 1)
+ (real, 0)
- torch.clamp(place, min=0)
+ place * real
- tf.maximum(place, 0)
+ place * real

You subtract the padding of the whole batch from the positions of each row.
- torch.cumsum(real, 1) - 1
+ torch.arange(ids.shape[1]) + 0 * real - (1 - real).sum()
- tf.cumsum(real, 1) - 1
+ tf.range(ids.shape[1]) + 0 * real - tf.reduce_sum(1 - real)
""",
    reference=reference,
    cases=cases,
)
