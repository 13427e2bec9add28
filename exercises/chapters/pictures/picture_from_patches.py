"""Build the way back from patches to a picture."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, channels, down, across, size in (
        (1, 1, 1, 1, 2),
        (1, 1, 1, 2, 2),
        (1, 1, 2, 2, 2),
        (1, 1, 3, 2, 2),
        (1, 2, 2, 3, 2),
        (2, 3, 2, 4, 2),
        (3, 2, 4, 2, 3),
    ):
        rows = draw.normal(size=(batch, down * across, channels * size**2))
        yield rows, size, down * size, across * size


def reference(rows, size, height, width):
    batch, channels = len(rows), rows.shape[-1] // size**2
    pictures = np.zeros((batch, channels, height, width), rows.dtype)
    for place in range(rows.shape[1]):
        top, left = (size * n for n in divmod(place, width // size))
        square = rows[:, place].reshape(batch, channels, size, size)
        pictures[:, :, top : top + size, left : left + size] = square
    return pictures


EXERCISE = Exercise(
    title="Put the picture together again",
    kind="build",
    difficulty=2,
    minutes=10,
    prompt="""
A model that *predicts* patches returns rows. To see its picture, the rows must become
squares again. Write `picture_of`, the inverse of `patches`: the rows are in reading
order, and the numbers in a row are ordered by channel, line and column. `size` is the
length of a patch's side; the number of channels follows from the length of a row.
""",
    solution={
        "torch": '''
def picture_of(rows, size, height, width):
    """Return a tensor (batch, channels, height, width).

    rows (batch, patches, channels * size * size).
    """
    down, across = height // size, width // size
    x = rows.reshape(len(rows), down, across, -1, size, size)
    x = x.permute(0, 3, 1, 4, 2, 5)
    return x.reshape(len(rows), -1, height, width)
''',
        "tensorflow": '''
def picture_of(rows, size, height, width):
    """Return a tensor (batch, channels, height, width).

    rows (batch, patches, channels * size * size).
    """
    down, across = height // size, width // size
    x = tf.reshape(rows, (len(rows), down, across, -1, size, size))
    x = tf.transpose(x, (0, 3, 1, 4, 2, 5))
    return tf.reshape(x, (len(rows), -1, height, width))
''',
    },
    why="""
A reshape never changes the order of the numbers: it only says where rows end. `patches`
moved the axis of lines within a patch behind that of columns of patches, so the way
back has to move it forward again. Both orders have equally many numbers, so a forgotten
`permute` raises no error. Models that fill in hidden patches (masked autoencoders, [He
et al., 2022](https://arxiv.org/abs/2111.06377)) need this function to show what they
made.

A good test for two such functions is that one undoes the other, on pictures with sides
of unequal length and more than one channel. But both can be wrong in the same way, and
then the test passes: compare one of them with something else, such as a convolution.
""",
    hints=(
        "Give the rows six axes first: batch, patches down, patches across, channel, "
        "line and column within a patch.",
        "A picture's line is made of (patches down, line within a patch), in this "
        "order. What is its column made of?",
        "Move the axes to batch, channel, patches down, line, patches across, column. "
        "Then reshape.",
    ),
    mistakes="""
You only reshape: each patch becomes a strip. Move the line of a patch in front of the
patches across.
@torch
-     x = x.permute(0, 3, 1, 4, 2, 5)
@tensorflow
-     x = tf.transpose(x, (0, 3, 1, 4, 2, 5))

The channels are where they belong, but each patch still becomes a strip: the line of a
patch must come before the patches across.
- 0, 3, 1, 4, 2, 5
+ 0, 3, 1, 2, 4, 5

You put the patches in column by column. They are in reading order.
- down, across, -1, size, size
+ across, down, -1, size, size
- 0, 3, 1, 4, 2, 5
+ 0, 3, 2, 4, 1, 5

You read a row with its channels last. It has all pixels of the first channel first.
- -1, size, size
+ size, size, -1
- 0, 3, 1, 4, 2, 5
+ 0, 5, 1, 3, 2, 4

Each patch is turned over: its lines have become columns.
- 0, 3, 1, 4, 2, 5
+ 0, 3, 1, 5, 2, 4

The patches down and across have changed places in the order of the axes.
- 0, 3, 1, 4, 2, 5
+ 0, 3, 2, 4, 1, 5

You count the patches down by the width and those across by the height.
- down, across = height // size, width // size
+ down, across = width // size, height // size

You weave the patches into each other: the neighbours of a pixel are those of its own
patch. In a line, the patch changes more slowly than the column within it.
- 0, 3, 1, 4, 2, 5
+ 0, 3, 4, 1, 5, 2

The lines are right, but in each of them the patches are woven into each other.
- 0, 3, 1, 4, 2, 5
+ 0, 3, 1, 4, 5, 2

The columns are right, but the lines of different patches are woven into each other.
- 0, 3, 1, 4, 2, 5
+ 0, 3, 4, 1, 2, 5

Height and width have changed places in your picture.
- -1, height, width
+ -1, width, height

The channels are last in your picture. They come right after the batch.
- 0, 3, 1, 4, 2, 5
+ 0, 1, 4, 2, 5, 3
- -1, height, width
+ height, width, -1

You take the numbers as if the channels came before the patches. Each row has the
channels of its patch.
- down, across, -1, size, size
+ -1, down, across, size, size
- 0, 3, 1, 4, 2, 5
+ 0, 1, 2, 4, 3, 5

You return the first picture of the batch alone.
@torch
- x.reshape(len(rows), -1, height, width)
+ x.reshape(len(rows), -1, height, width)[0]
@tensorflow
- tf.reshape(x, (len(rows), -1, height, width))
+ tf.reshape(x, (len(rows), -1, height, width))[0]
""",
    reference=reference,
    cases=cases,
    learns=True,
)
