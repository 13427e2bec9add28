"""Build a convolution from the matrix of patch embeddings, with any stride."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, channels, height, width, size, stride, d_model in (
        (1, 1, 2, 4, 2, 2, 1),
        (1, 1, 3, 4, 2, 1, 2),
        (1, 2, 4, 6, 2, 2, 3),
        (2, 3, 5, 9, 3, 2, 4),
        (2, 2, 8, 6, 4, 2, 3),
        (1, 3, 9, 7, 3, 2, 5),
    ):
        yield (
            draw.normal(size=(batch, channels, height, width)),
            draw.normal(size=(channels * size**2, d_model)),
            draw.normal(size=d_model),
            size,
            stride,
        )


def reference(pictures, E, bias, size, stride):
    height, width = pictures.shape[2:]
    windows = [
        pictures[:, :, top : top + size, left : left + size].reshape(len(pictures), -1)
        for top in range(0, height - size + 1, stride)
        for left in range(0, width - size + 1, stride)
    ]
    return np.stack(windows, 1) @ E + bias


EXERCISE = Exercise(
    title="Windows that overlap",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt=r"""
Patches don't have to lie side by side. If the next window begins `stride` pixels after
the last one, and `stride` is smaller than `size`, the windows overlap, and a stroke
that is cut by one border can be whole in another window. `patches` can't cut such
windows, but a convolution can.

Write `embed_windows`, which multiplies each window's pixels by $E$ and adds the bias,
with `nn.functional.conv2d` in PyTorch and `tf.nn.conv2d` in TensorFlow. The rows of $E$
are in the order of `patches`: channel, line, column. The windows come in reading order,
all of them within the picture.
""",
    solution={
        "torch": '''
def embed_windows(pictures, E, bias, size, stride):
    """Return a tensor (batch, windows, d_model).

    pictures (batch, channels, height, width);
    E (channels * size * size, d_model); bias (d_model,).
    """
    channels = pictures.shape[1]
    kernel = E.T.reshape(-1, channels, size, size)
    conv = nn.functional.conv2d
    grid = conv(pictures, kernel, bias, stride)
    return grid.flatten(2).transpose(1, 2)
''',
        "tensorflow": '''
def embed_windows(pictures, E, bias, size, stride):
    """Return a tensor (batch, windows, d_model).

    pictures (batch, channels, height, width);
    E (channels * size * size, d_model); bias (d_model,).
    """
    batch, channels, _, _ = pictures.shape
    kernel = tf.reshape(E, (channels, size, size, -1))
    kernel = tf.transpose(kernel, (1, 2, 0, 3))
    last = tf.transpose(pictures, (0, 2, 3, 1))
    grid = tf.nn.conv2d(last, kernel, stride, "VALID") + bias
    return tf.reshape(grid, (batch, -1, E.shape[1]))
''',
    },
    why="""
A kernel is the matrix in another form: each output channel has one number for each
number that it sees. PyTorch's kernels have the axes (out, in, lines, columns), so the
transposed matrix only has to be reshaped. Those of TensorFlow and Keras have (lines,
columns, in, out), and the pictures have their channels last. If you load published
weights from one library into the other, you have to move these axes, and nothing
complains if they are moved wrongly and the sizes happen to fit.

Overlapping windows give more tokens: half the stride gives about four times as many. So
attention has about sixteen times as many scores to compute.
""",
    hints=(
        "Column j of E holds the weights of the j-th output. In which axes does your "
        "framework want them?",
        "PyTorch: transpose E, then reshape it to (d_model, channels, size, size). "
        "TensorFlow: reshape E to (channels, size, size, d_model), then move the "
        "channels behind the columns; do the same with the pictures.",
        "The result is a grid. PyTorch: `flatten(2)` and `transpose(1, 2)`. TensorFlow "
        "has the channels last, so a reshape is enough.",
    ),
    mistakes="""
Your windows lie side by side: they move by `size`. Move them by `stride`.
@torch
- kernel, bias, stride)
+ kernel, bias, size)
@tensorflow
- kernel, stride, "VALID"
+ kernel, size, "VALID"

Your windows move by one pixel, whatever `stride` says.
@torch
- kernel, bias, stride)
+ kernel, bias)
@tensorflow
- kernel, stride, "VALID"
+ kernel, 1, "VALID"

The bias is added twice.
@torch
- grid = conv(pictures, kernel, bias, stride)
+ grid = conv(pictures, kernel, bias, stride) + bias[:, None, None]
@tensorflow
- "VALID") + bias
+ "VALID") + 2 * bias

The bias is forgotten.
@torch
- kernel, bias, stride)
+ kernel, None, stride)
@tensorflow
- "VALID") + bias
+ "VALID")

E is reshaped without being transposed: an output gets weights of several columns.
@torch
- E.T.reshape(-1, channels, size, size)
+ E.reshape(-1, channels, size, size)

You read E as if a window's channels came last. Its rows have all pixels of the first
channel first.
@torch
- E.T.reshape(-1, channels, size, size)
+ E.T.reshape(-1, size, size, channels).permute(0, 3, 1, 2)
@tensorflow
-     kernel = tf.reshape(E, (channels, size, size, -1))
-     kernel = tf.transpose(kernel, (1, 2, 0, 3))
+     kernel = tf.reshape(E, (size, size, channels, -1))

Your kernel's axes have the lengths that TensorFlow wants, but its numbers have not
moved with them: after a reshape alone, an output has weights of others.
@tensorflow
-     kernel = tf.reshape(E, (channels, size, size, -1))
-     kernel = tf.transpose(kernel, (1, 2, 0, 3))
+     kernel = tf.reshape(tf.transpose(E), (size, size, channels, -1))

Lines and columns of your kernel have changed places.
@torch
- E.T.reshape(-1, channels, size, size)
+ E.T.reshape(-1, channels, size, size).transpose(2, 3)
@tensorflow
- kernel, (1, 2, 0, 3)
+ kernel, (2, 1, 0, 3)

Your windows come column by column. They should come in reading order.
@torch
- grid.flatten(2)
+ grid.transpose(2, 3).flatten(2)
@tensorflow
- tf.reshape(grid,
+ tf.reshape(tf.transpose(grid, (0, 2, 1, 3)),

The last two axes have changed places: each window is a row of `d_model` numbers.
@torch
- grid.flatten(2).transpose(1, 2)
+ grid.flatten(2)
@tensorflow
- return tf.reshape(grid, (batch, -1, E.shape[1]))
+ rows = tf.reshape(grid, (batch, -1, E.shape[1]))
+     return tf.transpose(rows, (0, 2, 1))

PyTorch's grid has the outputs before lines and columns. A reshape alone mixes them:
move them to the end.
@torch
- grid.flatten(2).transpose(1, 2)
+ grid.reshape(len(grid), -1, E.shape[1])

The pictures still have their channels second. A reshape doesn't move them to the end.
@tensorflow
- last = tf.transpose(pictures, (0, 2, 3, 1))
+ last = tf.reshape(pictures, (batch, *pictures.shape[2:], channels))

You pad the pictures, so that windows stick out over the edge. All of them lie within
the picture.
@torch
- kernel, bias, stride)
+ kernel, bias, stride, padding=1)
@tensorflow
- "VALID"
+ "SAME"

You return a grid with four axes. Put its windows in one row.
@torch
- grid.flatten(2).transpose(1, 2)
+ grid.permute(0, 2, 3, 1)
@tensorflow
- return tf.reshape(grid, (batch, -1, E.shape[1]))
+ return grid
""",
    reference=reference,
    cases=cases,
    learns=True,
)
