"""Build 8-bit quantization with one scale for each group of numbers."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    yield np.array([[0.5, -0.2, 0.13]]), 3
    yield np.array([[0.051, -0.0203, 0.0172, -0.0333]]), 4  # as small as weights are
    yield np.array([[7.25, -40.0, 0.7, 1.1], [0.0, 0.0, 0.0, 3.0]]), 2
    for rows, columns, group in ((1, 6, 2), (2, 6, 3), (3, 10, 5), (4, 8, 4)):
        # away from the middle between two steps, where rounding errors would decide
        shape = rows, columns // group, group
        steps = draw.integers(-126, 127, size=shape)
        steps = steps + draw.uniform(-0.4, 0.4, size=shape)
        # the largest of a group is negative in some groups, which still hold a positive
        steps[..., 0] = draw.permuted(np.resize([-127, 127], shape[:2]), axis=1)
        steps[..., 1] = draw.integers(20, 120, size=shape[:2])
        steps = draw.permuted(steps, axis=2)
        steps = steps * np.exp(draw.uniform(-7, -2, size=(*shape[:2], 1)))
        if rows > 2:
            steps[1, 0] = 0
        yield steps.reshape(rows, columns), group


def reference(weight, group):
    restored = np.zeros(weight.shape)
    for row, numbers in enumerate(weight.astype(np.float64)):
        for at in range(0, len(numbers), group):
            part = numbers[at : at + group]
            largest = np.abs(part).max()
            if largest > 0:
                whole = np.rint(part / largest * 127)
                restored[row, at : at + group] = whole * largest / 127
    return restored


def groups_are_separate(ask, draw):
    weight = draw.normal(size=(3, 8)).astype(np.float32)
    changed = weight.copy()
    changed[0, 4:] *= 50
    moved = np.abs(ask(changed, 4) - ask(weight, 4))[0, :4].max()
    if moved > 1e-4:
        return (
            f"In groups of 4, the first group of a row moved by {moved:.4f} when only "
            "its second group changed."
        )
    return None


EXERCISE = Exercise(
    title="A scale for each group",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt="""
With one scale for each row, a single large number makes the steps of its whole row
wide. Formats of few bits therefore cut each row into **groups** of neighbouring
numbers, often 32 to 128, each with a scale of its own. The largest number of a group,
in absolute value, is stored as 127 or −127, and all others are rounded to the nearest
whole number.

Write `in_groups`: it returns the matrix that the stored one stands for, so that you can
compare it with the original. The number of columns is a multiple of `group`. A group of
zeros stays a group of zeros.
""",
    solution={
        "torch": '''
def in_groups(weight, group):
    """Return what an 8-bit copy stands for.

    weight and the result (rows, columns), floats;
    group is how many neighbours share a scale.
    """
    groups = weight.reshape(len(weight), -1, group)
    largest = groups.abs().amax(dim=2, keepdim=True)
    scale = torch.where(largest > 0, largest, 1.0) / 127
    whole = torch.round(groups / scale)
    return (whole * scale).reshape(weight.shape)
''',
        "tensorflow": '''
def in_groups(weight, group):
    """Return what an 8-bit copy stands for.

    weight and the result (rows, columns), floats;
    group is how many neighbours share a scale.
    """
    groups = tf.reshape(weight, (len(weight), -1, group))
    largest = tf.reduce_max(abs(groups), axis=2, keepdims=True)
    scale = tf.where(largest > 0, largest, 1.0) / 127
    whole = tf.round(groups / scale)
    return tf.reshape(whole * scale, weight.shape)
''',
    },
    why="""
A reshape gives the groups an axis of their own, and the rest is what the chapter does
with rows. Rounding is wrong by at most half a step, and now a large number only widens
the steps of its own group. A group of zeros would have the scale 0, and 0 / 0 is NaN,
so any other scale takes its place. The price is one more scale for each group: with
groups of 32 and scales of 16 bits, half a bit for each number.
""",
    hints=(
        "Reshape to (rows, groups, group), so that each group is one row of an axis.",
        "Take the maximum of the absolute values along the last axis, and keep that "
        "axis. Where it is 0, put 1 instead.",
        "The scale is `largest / 127`. Divide by it, round, multiply by it again, and "
        "reshape to the shape of `weight`.",
    ),
    mistakes="""
You use one scale for the whole matrix. Each group has its own.
- .amax(dim=2, keepdim=True)
+ .max()
- axis=2, keepdims=True)
+ keepdims=True)

The same groups of all rows share their scales. Each group of each row has its own.
- dim=2
+ dim=0
- axis=2
+ axis=0

You forgot that the largest number may be negative: take the absolute values.
- groups.abs().amax(
+ groups.amax(
- tf.reduce_max(abs(groups),
+ tf.reduce_max(groups,

Groups of zeros become NaN: their scale is 0.
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
- tf.round(groups / scale)
+ tf.sign(groups) * tf.floor(abs(groups / scale))

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
- torch.round(groups / scale)
+ groups / scale
- tf.round(groups / scale)
+ groups / scale

You round the numbers themselves. Divide them by the scale first.
- torch.round(groups / scale)
+ torch.round(groups) / scale
- tf.round(groups / scale)
+ tf.round(groups) / scale

You multiply by the scale before you round, and divide afterwards. It is the other way
round.
- groups / scale
+ groups * scale
- whole * scale
+ whole / scale

Your scale is the largest number itself, so only −1, 0 and 1 can be stored.
- 1.0) / 127
+ 1.0)

Your scale is made of the mean of a group's absolute values. Take the largest.
- .amax(dim=2, keepdim=True)
+ .mean(dim=2, keepdim=True)
- tf.reduce_max(
+ tf.reduce_mean(

Your scale is made of the group's standard deviation. Take the largest absolute value.
- groups.abs().amax(dim=2, keepdim=True)
+ groups.std(dim=2, keepdim=True, correction=0)
- tf.reduce_max(abs(groups), axis=2, keepdims=True)
+ tf.math.reduce_std(groups, axis=2, keepdims=True)

Yours is asymmetric: the smallest number of a group is stored as 0, the largest as 255.
Here, 0 is stored as 0.
@torch
-     largest = groups.abs().amax(dim=2, keepdim=True)
+     low = groups.amin(dim=2, keepdim=True)
+     largest = (groups.amax(dim=2, keepdim=True) - low) / 255 * 127
- groups / scale
+ (groups - low) / scale
- whole * scale
+ whole * scale + low
@tensorflow
-     largest = tf.reduce_max(abs(groups), axis=2, keepdims=True)
+     low = tf.reduce_min(groups, axis=2, keepdims=True)
+     largest = tf.reduce_max(groups, axis=2, keepdims=True) - low
+     largest = largest / 255 * 127
- groups / scale
+ (groups - low) / scale
- whole * scale
+ whole * scale + low

Negative numbers became 0. The whole numbers go from −127 to 127.
@torch
- torch.round(groups / scale)
+ torch.round(groups / scale).clamp(0, 127)
@tensorflow
- tf.round(groups / scale)
+ tf.clip_by_value(tf.round(groups / scale), 0.0, 127.0)

The signs are lost: divide the numbers themselves, not their absolute values.
- torch.round(groups / scale)
+ torch.round(groups.abs() / scale)
- tf.round(groups / scale)
+ tf.round(abs(groups) / scale)

An unsigned type wraps your negative numbers around: −1 became 255.
- whole * scale
+ (whole % 256) * scale

You multiply by 128 / 127 times the scale in the end: use the same scale both times.
- whole * scale
+ whole * scale * 128 / 127

Your scale is the distance between the smallest and the largest number of a group,
divided by 255. Take the largest absolute value, divided by 127.
@torch
-     scale = torch
+     low = groups.amin(dim=2, keepdim=True)
+     largest = groups.amax(dim=2, keepdim=True) - low
+     largest = largest * 127 / 255
+     scale = torch
@tensorflow
-     scale = tf
+     low = tf.reduce_min(groups, axis=2, keepdims=True)
+     largest = tf.reduce_max(groups, axis=2, keepdims=True) - low
+     largest = largest * 127 / 255
+     scale = tf

Your scales have no axis for the columns, so they meet the wrong numbers. Keep them
(rows, groups, 1).
- dim=2, keepdim=True
+ dim=2
- axis=2, keepdims=True
+ axis=2

You divide the largest number by 128 and cut it off at 127. Divide it by 127.
@torch
- 1.0) / 127
+ 1.0) / 128
- torch.round(groups / scale)
+ torch.round(groups / scale).clamp(-128, 127)
@tensorflow
- 1.0) / 127
+ 1.0) / 128
- tf.round(groups / scale)
+ tf.clip_by_value(tf.round(groups / scale), -128.0, 127.0)

You divide the largest number by 128, which doesn't fit into a signed byte: 128 became
−128.
- 1.0) / 127
+ 1.0) / 128
- whole * scale
+ ((whole + 128) % 256 - 128) * scale

You multiply the largest number by 127, so everything is rounded to 0. Divide it.
- 1.0) / 127
+ 1.0) * 127

All groups have the scale 1 / 127. Each has one of its own, made of its largest number.
- torch.where(largest > 0, largest, 1.0)
+ torch.ones_like(largest)
- tf.where(largest > 0, largest, 1.0)
+ tf.ones_like(largest)

Your scale is made of the norm of the group. Take the largest absolute value.
- groups.abs().amax(dim=2, keepdim=True)
+ groups.norm(dim=2, keepdim=True)
- tf.reduce_max(abs(groups), axis=2, keepdims=True)
+ tf.norm(groups, axis=2, keepdims=True)

Your scale is made of the smallest absolute value. Take the largest.
- .amax(dim=2
+ .amin(dim=2
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
+ groups - whole * scale

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

You divide the whole numbers by 127 and leave out the size of the group. Multiply them
by the scale.
- whole * scale
+ whole / 127

You round down with a floor division. Round to the nearest whole number.
@torch
- torch.round(groups / scale)
+ groups // scale

Your scale is made of the group's standard deviation, with n − 1. Take the largest
absolute value.
@torch
- groups.abs().amax(dim=2, keepdim=True)
+ groups.std(dim=2, keepdim=True)

You use one scale for each row, as the chapter does. Each group has its own.
- dim=2
+ dim=(1, 2)
- axis=2
+ axis=(1, 2)

You use one scale for each place in the groups. Each group has its own.
- dim=2
+ dim=1
- axis=2
+ axis=1

`group` is how many numbers a group has. You made so many groups.
- -1, group)
+ group, -1)

Your groups are every n-th number of a row. They should be neighbours.
- -1, group)
+ group, -1)
- dim=2
+ dim=1
- axis=2
+ axis=1

Your groups go down the columns. They are neighbours in a row.
@torch
- weight.reshape(len(weight), -1, group)
+ weight.T.reshape(len(weight), -1, group)
- (whole * scale).reshape(weight.shape)
+ (whole * scale).reshape(weight.T.shape).T
@tensorflow
- tf.reshape(weight, (len(weight), -1, group))
+ tf.reshape(tf.transpose(weight), (len(weight), -1, group))
- tf.reshape(whole * scale, weight.shape)
+ tf.transpose(tf.reshape(whole * scale, weight.shape[::-1]))

The groups still have an axis of their own. Return the shape of the matrix.
- (whole * scale).reshape(weight.shape)
+ whole * scale
- tf.reshape(whole * scale, weight.shape)
+ whole * scale

What you add against a division by 0 changes the scale of every group. Change it only
where the largest number is 0.
@torch
- torch.where(largest > 0, largest, 1.0) / 127
+ largest / 127 + 1e-3
@tensorflow
- tf.where(largest > 0, largest, 1.0) / 127
+ largest / 127 + 1e-3
""",
    reference=reference,
    cases=cases,
    checks=(groups_are_separate,),
    equivalent={
        **dict.fromkeys(
            (
                "scale = torch.where(largest > 0, largest, 2.0) / 127",
                "scale = tf.where(largest > 0, largest, 2.0) / 127",
            ),
            "A group of zeros may have any scale but 0.",
        ),
        **dict.fromkeys(
            (
                "groups = weight.reshape(-1, len(weight), group)",
                "groups = tf.reshape(weight, (-1, len(weight), group))",
            ),
            "The groups are the same, and so is their order.",
        ),
    },
)
