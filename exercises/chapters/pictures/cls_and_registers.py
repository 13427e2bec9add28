"""Build the embeddings of a picture with [CLS] and registers."""

from exercises.engine.calls import call
from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, pixels, d_model, patches, registers in (
        (1, 1, 2, 2, 1),
        (1, 4, 3, 4, 2),
        (2, 4, 5, 3, 2),
        (3, 3, 4, 6, 3),
    ):
        yield call(
            draw.normal(size=(batch, patches, pixels)),
            new={
                "pixels": pixels,
                "d_model": d_model,
                "patches": patches,
                "registers": registers,
            },
            weights={
                "projection.kernel": draw.normal(size=(pixels, d_model)),
                "projection.bias": draw.normal(size=d_model),
                "cls": draw.normal(size=(1, 1, d_model)),
                "registers": draw.normal(size=(1, registers, d_model)),
                "positions": draw.normal(size=(1, 1 + patches, d_model)),
            },
        )


def reference(rows, weights, d_model, **_):
    patches = rows @ weights["projection.kernel"] + weights["projection.bias"]
    first, *others = weights["positions"][0]
    found = []
    for picture in patches:
        places = [weights["cls"][0, 0] + first, *weights["registers"][0]]
        places += [patch + place for patch, place in zip(picture, others, strict=True)]
        found.append(places)
    return np.array(found).reshape(len(rows), -1, d_model)


EXERCISE = Exercise(
    title="[CLS] and registers",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt="""
Some large Vision Transformers misuse patches that show little: they keep notes there
about the whole picture. *Registers* ([Darcet et al.,
2024](https://arxiv.org/abs/2309.16588)) are learned vectors that give them room for
this. They belong to no place in the picture, so they get no position, and their outputs
are ignored at the end.

Write the layer for pictures that are already cut into patches. Its tokens are, in this
order: [CLS] with the first position; the registers as they are; the embeddings of the
patches with the other positions. Nothing is scaled.
""",
    starter={
        "torch": '''
class Embed(nn.Module):
    """From (batch, patches, pixels)
    to (batch, 1 + registers + patches, d_model)."""

    def __init__(self, pixels, d_model, patches, registers):
        super().__init__()

        def learned(count):
            rows = torch.zeros(1, count, d_model)
            return nn.Parameter(rows)

        self.projection = nn.Linear(pixels, d_model)
        self.cls = learned(1)
        self.registers = learned(registers)
        self.positions = learned(1 + patches)

    def forward(self, rows):
        ...
''',
        "tensorflow": '''
class Embed(keras.layers.Layer):
    """From (batch, patches, pixels)
    to (batch, 1 + registers + patches, d_model)."""

    def __init__(self, pixels, d_model, patches, registers):
        super().__init__()

        def learned(count):
            shape = (1, count, d_model)
            return self.add_weight(shape=shape)

        self.projection = keras.layers.Dense(d_model)
        self.cls = learned(1)
        self.registers = learned(registers)
        self.positions = learned(1 + patches)

    def call(self, rows):
        ...
''',
    },
    solution={
        "torch": '''
class Embed(nn.Module):
    """From (batch, patches, pixels)
    to (batch, 1 + registers + patches, d_model)."""

    def __init__(self, pixels, d_model, patches, registers):
        super().__init__()

        def learned(count):
            rows = torch.zeros(1, count, d_model)
            return nn.Parameter(rows)

        self.projection = nn.Linear(pixels, d_model)
        self.cls = learned(1)
        self.registers = learned(registers)
        self.positions = learned(1 + patches)

    def forward(self, rows):
        x = self.projection(rows)
        cls = self.cls.expand(len(rows), -1, -1)
        x = torch.cat([cls, x], 1) + self.positions
        notes = self.registers.expand(len(rows), -1, -1)
        return torch.cat([x[:, :1], notes, x[:, 1:]], 1)
''',
        "tensorflow": '''
class Embed(keras.layers.Layer):
    """From (batch, patches, pixels)
    to (batch, 1 + registers + patches, d_model)."""

    def __init__(self, pixels, d_model, patches, registers):
        super().__init__()

        def learned(count):
            shape = (1, count, d_model)
            return self.add_weight(shape=shape)

        self.projection = keras.layers.Dense(d_model)
        self.cls = learned(1)
        self.registers = learned(registers)
        self.positions = learned(1 + patches)

    def call(self, rows):
        x = self.projection(rows)
        cls = tf.repeat(self.cls, tf.shape(rows)[0], 0)
        x = tf.concat([cls, x], 1) + self.positions
        notes = tf.repeat(self.registers, tf.shape(rows)[0], 0)
        return tf.concat([x[:, :1], notes, x[:, 1:]], 1)
''',
    },
    why="""
[CLS] is put in first, then the positions are added, and only then come the registers:
in this way each vector gets what belongs to it. All the rest of the encoder stays as it
is, because attention doesn't care how many tokens there are. [CLS] stays in front,
where the classifier reads it; if it were elsewhere, the classifier would read another
token, without an error.

A trained model can't be given registers for nothing. They are learned, like [CLS].
""",
    hints=(
        "The positions have 1 + patches rows. Which tokens are theirs?",
        "Put [CLS] in front of the projected patches and add the positions. Then put "
        "the registers between the two.",
        "[CLS] and the registers are the same for each picture: repeat them along the "
        "batch, with `expand` in PyTorch and `tf.repeat` in TensorFlow.",
    ),
    mistakes="""
[CLS] has no position: you add the positions before it is put in.
@torch
- torch.cat([cls, x], 1) + self.positions
+ torch.cat([cls, x + self.positions[:, 1:]], 1)
@tensorflow
- tf.concat([cls, x], 1) + self.positions
+ tf.concat([cls, x + self.positions[:, 1:]], 1)

The patches begin with the first position, which is that of [CLS].
@torch
- torch.cat([cls, x], 1) + self.positions
+ torch.cat([cls, x], 1) + self.positions.roll(1, 1)
@tensorflow
- tf.concat([cls, x], 1) + self.positions
+ tf.concat([cls, x], 1) + tf.roll(self.positions, 1, 1)

[CLS] is at the end. The classifier reads the first token.
- [x[:, :1], notes, x[:, 1:]]
+ [notes, x[:, 1:], x[:, :1]]

The registers are in front of [CLS], so the classifier would read a register.
- [x[:, :1], notes, x[:, 1:]]
+ [notes, x]

The registers are at the end. They come right after [CLS].
- [x[:, :1], notes, x[:, 1:]]
+ [x, notes]

The bias of the projection is forgotten.
@torch
- self.projection(rows)
+ rows @ self.projection.weight.T
@tensorflow
- self.projection(rows)
+ self.projection(rows) - self.projection.bias

The positions are forgotten.
- 1) + self.positions
+ 1)

The registers are left out.
- [x[:, :1], notes, x[:, 1:]]
+ [x]

Your registers get the position of [CLS]. They get none.
- [x[:, :1], notes, x[:, 1:]]
+ [x[:, :1], notes + self.positions[:, :1], x[:, 1:]]

You give the positions to the first tokens, so registers get those of patches. The
registers get none.
@torch
- torch.cat([cls, x], 1) + self.positions
+ torch.cat([cls, x], 1)
-         return torch.cat([x[:, :1], notes, x[:, 1:]], 1)
+         x = torch.cat([x[:, :1], notes, x[:, 1:]], 1)
+         count = self.positions.shape[1]
+         first = x[:, :count] + self.positions
+         return torch.cat([first, x[:, count:]], 1)
@tensorflow
- tf.concat([cls, x], 1) + self.positions
+ tf.concat([cls, x], 1)
-         return tf.concat([x[:, :1], notes, x[:, 1:]], 1)
+         x = tf.concat([x[:, :1], notes, x[:, 1:]], 1)
+         count = self.positions.shape[1]
+         first = x[:, :count] + self.positions
+         return tf.concat([first, x[:, count:]], 1)

Your registers are all alike: each has a row of its own.
- [x[:, :1], notes, x[:, 1:]]
+ [x[:, :1], 0 * notes + notes[:, :1], x[:, 1:]]

You add the registers to [CLS]. They are tokens of their own.
@torch
- [x[:, :1], notes, x[:, 1:]]
+ [x[:, :1] + notes.sum(1, keepdim=True), x[:, 1:]]
@tensorflow
- [x[:, :1], notes, x[:, 1:]]
+ [x[:, :1] + tf.reduce_sum(notes, 1, keepdims=True), x[:, 1:]]

[CLS] is left out.
- [x[:, :1], notes, x[:, 1:]]
+ [notes, x[:, 1:]]

[CLS] gets its position, and the patches don't get theirs.
@torch
- torch.cat([cls, x], 1) + self.positions
+ torch.cat([cls + self.positions[:, :1], x], 1)
@tensorflow
- tf.concat([cls, x], 1) + self.positions
+ tf.concat([cls + self.positions[:, :1], x], 1)
""",
    reference=reference,
    cases=cases,
    equivalent={
        f"{name} = {weights}": "There are as many."
        for name, of in (("cls", "cls"), ("notes", "registers"))
        for one in ("x", "cls")
        for weights in (
            f"self.{of}.expand(len({one}), -1, -1)",
            f"tf.repeat(self.{of}, tf.shape({one})[0], 0)",
        )
    }
    | {"rows = torch.ones(1, count, d_model)": "They are replaced by what is learned."},
)
