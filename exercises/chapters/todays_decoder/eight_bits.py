"""Build 8-bit quantisation with one scale for each row."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    yield np.array([[1.0, -0.5, 0.26]])
    yield np.array([[0.25, -2.0, 0.7], [0.0, 0.0, 0.0]])
    for rows, columns in ((1, 4), (3, 2), (4, 7), (5, 6)):
        # away from the middle between two steps, where rounding errors would decide
        whole = draw.integers(-126, 127, size=(rows, columns))
        steps = whole + draw.uniform(-0.4, 0.4, size=(rows, columns))
        # the largest of a row is negative in some rows
        steps[:, 0] = draw.permutation(np.resize([-127, 127], rows))
        steps[:, 1] = draw.integers(20, 120, size=rows)  # every row has a positive one
        steps = draw.permuted(steps, axis=1)
        yield steps * draw.uniform(0.002, 0.2, size=(rows, 1))
    steps[1] = 0
    yield steps * draw.uniform(0.01, 0.1, size=(5, 1))


def reference(weight):
    restored = np.zeros(weight.shape)
    for row, numbers in enumerate(weight.astype(np.float64)):
        largest = np.abs(numbers).max()
        if largest > 0:
            restored[row] = np.rint(numbers / largest * 127) * largest / 127
    return restored


def rows_are_separate(ask, draw):
    weight = draw.normal(size=(3, 8)).astype(np.float32)
    changed = weight.copy()
    changed[2] *= 50
    moved = np.abs(ask(changed) - ask(weight))[0].max()
    if moved > 1e-4:
        return f"Row 0 moved by {moved:.4f} when only row 2 changed."
    return None


EXERCISE = Exercise(
    title="Eight bits a number",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt="""
A matrix in 8 bits holds whole numbers from −127 to 127, and one **scale** for each row.
A whole number times the scale of its row is what it stands for. The largest number of a
row, in absolute value, is stored as 127 or −127, and all others are rounded to the
nearest whole number.

Write `quantized`: it returns the matrix that the stored one stands for, so that you can
compare it with the original. A row of zeros stays a row of zeros.
""",
    solution={
        "torch": '''
def quantized(weight):
    """Return what an 8-bit copy stands for.

    weight and the result (rows, columns), floats.
    """
    largest = weight.abs().amax(dim=1, keepdim=True)
    scale = torch.where(largest > 0, largest, 1.0) / 127
    whole = torch.round(weight / scale)
    return whole * scale
''',
        "tensorflow": '''
def quantized(weight):
    """Return what an 8-bit copy stands for.

    weight and the result (rows, columns), floats.
    """
    largest = tf.reduce_max(abs(weight), axis=1, keepdims=True)
    scale = tf.where(largest > 0, largest, 1.0) / 127
    whole = tf.round(weight / scale)
    return whole * scale
''',
    },
    why="""
The scale is the step between two neighbouring numbers that can be stored: the largest
number of the row divided by 127. Rounding is wrong by at most half a step. A row of
zeros would have the scale 0, and 0 / 0 is NaN, so any other scale takes its place. To
store the copy, keep `whole` as 8-bit integers and `scale` as one float a row: a quarter
of the size of 32-bit floats.
""",
    hints=(
        "What has the largest number of a row to be divided by to become 127?",
        "Divide by the scale, round, and multiply by the scale again.",
        "`largest` is the maximum of the absolute values, (rows, 1); where it "
        "is 0, put 1 instead. The scale is `largest / 127`.",
    ),
    mistakes="""
You use one scale for the whole matrix. Each row has its own.
- .amax(dim=1, keepdim=True)
+ .max()
- axis=1, keepdims=True)
+ keepdims=True)

You use one scale for each column. Each row has its own.
- dim=1
+ dim=0
- axis=1
+ axis=0

You forgot that the largest number may be negative: take the absolute values.
- weight.abs().amax(
+ weight.amax(
- tf.reduce_max(abs(weight),
+ tf.reduce_max(weight,

Rows of zeros become NaN: their scale is 0.
- torch.where(largest > 0, largest, 1.0) / 127
+ largest / 127
- tf.where(largest > 0, largest, 1.0) / 127
+ largest / 127

You divide the largest number by 128. It should be stored as 127.
- 1.0) / 127
+ 1.0) / 128

You divide the largest number by 255, so that half of the steps are never used: there
are 127 on each side of 0.
- 1.0) / 127
+ 1.0) / 255

You divide the largest number by 256. It should be stored as 127.
- 1.0) / 127
+ 1.0) / 256

Your steps are twice as large as they need to be: there are 127 of them on each side
of 0.
- 1.0) / 127
+ 1.0) / 63.5

These are 4 bits: whole numbers from −7 to 7.
- 1.0) / 127
+ 1.0) / 7

You cut the decimals off. Round to the nearest whole number.
- torch.round(
+ torch.trunc(
@tensorflow
- tf.round(weight / scale)
+ tf.sign(weight) * tf.floor(abs(weight / scale))

You round down. Round to the nearest whole number.
- torch.round(
+ torch.floor(
- tf.round(
+ tf.floor(

You round up. Round to the nearest whole number.
- torch.round(
+ torch.ceil(
- tf.round(
+ tf.math.ceil(

You return the whole numbers themselves. What do they stand for?
- whole * scale
+ whole

You return the whole numbers divided by the scale. Multiply by it.
- whole * scale
+ whole / scale

Nothing is rounded, so nothing has changed: you return the matrix itself.
- torch.round(weight / scale)
+ weight / scale
- tf.round(weight / scale)
+ weight / scale

You round the numbers themselves. Divide them by the scale first.
- torch.round(weight / scale)
+ torch.round(weight) / scale
- tf.round(weight / scale)
+ tf.round(weight) / scale

You multiply by the scale before you round, and divide afterwards. It is the other way
round.
- weight / scale
+ weight * scale
- whole * scale
+ whole / scale

Your scale is the largest number itself, so only −1, 0 and 1 can be stored.
- 1.0) / 127
+ 1.0)

Your scale is made of the mean of a row's absolute values. Take the largest.
- .amax(dim=1, keepdim=True)
+ .mean(dim=1, keepdim=True)
- tf.reduce_max(
+ tf.reduce_mean(

Your scale is made of the row's standard deviation. Take the largest absolute value.
- weight.abs().amax(dim=1, keepdim=True)
+ weight.std(dim=1, keepdim=True, correction=0)
- tf.reduce_max(abs(weight), axis=1, keepdims=True)
+ tf.math.reduce_std(weight, axis=1, keepdims=True)

Yours is asymmetric: the smallest number of a row is stored as 0, the largest as 255.
Here, 0 is stored as 0.
@torch
-     largest = weight.abs().amax(dim=1, keepdim=True)
+     low = weight.amin(dim=1, keepdim=True)
+     largest = (weight.amax(dim=1, keepdim=True) - low) / 255 * 127
- weight / scale
+ (weight - low) / scale
- whole * scale
+ whole * scale + low
@tensorflow
-     largest = tf.reduce_max(abs(weight), axis=1, keepdims=True)
+     low = tf.reduce_min(weight, axis=1, keepdims=True)
+     largest = tf.reduce_max(weight, axis=1, keepdims=True) - low
+     largest = largest / 255 * 127
- weight / scale
+ (weight - low) / scale
- whole * scale
+ whole * scale + low

Negative numbers became 0. The whole numbers go from −127 to 127.
@torch
- torch.round(weight / scale)
+ torch.round(weight / scale).clamp(0, 127)
@tensorflow
- tf.round(weight / scale)
+ tf.clip_by_value(tf.round(weight / scale), 0.0, 127.0)

The signs are lost: divide the numbers themselves, not their absolute values.
- torch.round(weight / scale)
+ torch.round(weight.abs() / scale)
- tf.round(weight / scale)
+ tf.round(abs(weight) / scale)

An unsigned type wraps your negative numbers around: −1 became 255.
- whole * scale
+ (whole % 256) * scale

You multiply by 128 / 127 times the scale in the end: use the same scale both times.
- whole * scale
+ whole * scale * 128 / 127

Your scale is the distance between the smallest and the largest number of a row,
divided by 255. Take the largest absolute value, divided by 127.
@torch
-     scale = torch
+     low = weight.amin(dim=1, keepdim=True)
+     largest = weight.amax(dim=1, keepdim=True) - low
+     largest = largest * 127 / 255
+     scale = torch
@tensorflow
-     scale = tf
+     low = tf.reduce_min(weight, axis=1, keepdims=True)
+     largest = tf.reduce_max(weight, axis=1, keepdims=True) - low
+     largest = largest * 127 / 255
+     scale = tf

Your scales have no axis for the columns, so they meet the wrong numbers. Keep them
(rows, 1).
- dim=1, keepdim=True
+ dim=1
- axis=1, keepdims=True
+ axis=1

You divide the largest number by 128 and cut it off at 127. Divide it by 127.
@torch
- 1.0) / 127
+ 1.0) / 128
- torch.round(weight / scale)
+ torch.round(weight / scale).clamp(-128, 127)
@tensorflow
- 1.0) / 127
+ 1.0) / 128
- tf.round(weight / scale)
+ tf.clip_by_value(tf.round(weight / scale), -128.0, 127.0)

You divide the largest number by 128, which doesn't fit into a signed byte: 128 became
−128.
- 1.0) / 127
+ 1.0) / 128
- whole * scale
+ ((whole + 128) % 256 - 128) * scale

You multiply the largest number by 127, so everything is rounded to 0. Divide it.
- 1.0) / 127
+ 1.0) * 127

All rows have the scale 1 / 127. Each has one of its own, made of its largest number.
- torch.where(largest > 0, largest, 1.0)
+ torch.ones_like(largest)
- tf.where(largest > 0, largest, 1.0)
+ tf.ones_like(largest)

You round twice: what the whole numbers stand for is not whole.
@torch
- return whole * scale
+ return torch.round(whole * scale)
@tensorflow
- return whole * scale
+ return tf.round(whole * scale)

Your scale is made of the norm of the row. Take the largest absolute value.
- weight.abs().amax(dim=1, keepdim=True)
+ weight.norm(dim=1, keepdim=True)
- tf.reduce_max(abs(weight), axis=1, keepdims=True)
+ tf.norm(weight, axis=1, keepdims=True)

Your scale is made of the smallest absolute value. Take the largest.
- .amax(dim=1
+ .amin(dim=1
- tf.reduce_max(
+ tf.reduce_min(

The scale is squared: you divide by it and then multiply by it twice.
- whole * scale
+ whole * scale * scale

You return the scales. What do the whole numbers stand for?
- whole * scale
+ scale + 0 * whole

You return the difference from the original. Return the restored matrix.
- whole * scale
+ weight - whole * scale

You divide the largest number by 100. It should be stored as 127.
- 1.0) / 127
+ 1.0) / 100

You divide the largest number by 126. It should be stored as 127.
- 1.0) / 127
+ 1.0) / 126

You return the whole numbers, as integers. What do they stand for?
@torch
- whole * scale
+ whole.to(torch.int8)
@tensorflow
- whole * scale
+ tf.cast(whole, tf.int8)

You divide the whole numbers by 127 and leave out the size of the row. Multiply them by
the scale.
- whole * scale
+ whole / 127

You round down with a floor division. Round to the nearest whole number.
@torch
- torch.round(weight / scale)
+ weight // scale

Your scale is made of the row's standard deviation, with n − 1. Take the largest
absolute value.
@torch
- weight.abs().amax(dim=1, keepdim=True)
+ weight.std(dim=1, keepdim=True)
""",
    reference=reference,
    cases=cases,
    checks=(rows_are_separate,),
    equivalent=dict.fromkeys(
        (
            "scale = torch.where(largest > 0, largest, 2.0) / 127",
            "scale = tf.where(largest > 0, largest, 2.0) / 127",
        ),
        "A row of zeros may have any scale but 0.",
    ),
)
