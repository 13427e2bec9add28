"""Build dynamic loss scaling: training with gradients in float16."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for steps, size, scale, patience, large in (
        (1, 2, 1024.0, 5, ()),
        (1, 2, 1024.0, 2, (0,)),
        (3, 2, 4096.0, 2, ()),
        (5, 3, 1024.0, 2, (1,)),
        (6, 2, 2048.0, 3, (2, 3)),
        (7, 3, 512.0, 3, (5,)),
        (6, 2, 256.0, 1, (0, 4)),
        (9, 2, 1024.0, 2, (3, 4)),
    ):
        # At these scales the gradients need them, and steps show.
        gradients = draw.uniform(1, 2, size=(steps, size)) * draw.choice(
            [-2e-8, 2e-8], size=(steps, size)
        )
        for step in large:
            gradients[step, draw.integers(size)] = draw.choice([-500, 500, np.nan])
        if steps == 1:
            # 100 would fit at half the scale. The other one is rounded up in float16;
            # multiplied, rounded and divided there, it is halfway, and rounded down.
            gradients[0] = 100 if large else 2**-25 * (1 + 2**-13), 2e-8
        if size == 3:
            gradients[:, 0] *= 1000
        yield draw.normal(size=size), gradients, scale, 4e6, patience


def reference(weight, gradients, scale, rate, patience):
    weight, good = weight.astype(np.float64), 0
    for gradient in gradients:
        with np.errstate(over="ignore", invalid="ignore"):
            half = (gradient * np.float32(scale)).astype(np.float16)
        if np.isfinite(half).all():
            weight = weight - rate * (half.astype(np.float64) / scale)
            good += 1
        else:
            scale, good = scale / 2, 0
        if good == patience:
            scale, good = scale * 2, 0
    return weight, float(scale)


EXERCISE = Exercise(
    title="A scale for the loss",
    kind="build",
    difficulty=3,
    minutes=20,
    prompt="""
In float16, numbers below about 3e-8 become 0 and numbers from 65,520 on infinite.
Gradients are often too small. So the loss is multiplied by a `scale` before the
backward pass, and the gradients with it. **Dynamic loss scaling** finds the scale as it
goes. Each row of `gradients` is the true gradient of a step, in float32. At each step:

1. Multiply the gradient by the scale and convert it to float16. (This is what a
   backward pass in float16 gives for the scaled loss.)
2. If any of its numbers is infinite or NaN, skip the update and halve the scale.
3. Otherwise convert it back to float32, divide by the scale, and subtract `rate` times
   the result from the weight, which is the master weight in float32.
4. After `patience` updates in a row without a skipped step, double the scale, and begin
   to count anew.

Return the weight and the scale after all steps.
""",
    solution={
        "torch": '''
def train_in_half(
    weight, gradients, scale, rate, patience
):
    """Return the weight (size,), a tensor, and the scale.

    weight (size,); gradients (steps, size); scale, rate:
    numbers; patience: a whole number.
    """
    good = 0
    for gradient in gradients:
        half = (gradient * scale).to(torch.float16)
        if torch.isfinite(half).all():
            weight = weight - rate * (half.float() / scale)
            good += 1
        else:
            scale, good = scale / 2, 0
        if good == patience:
            scale, good = scale * 2, 0
    return weight, scale
''',
        "tensorflow": '''
def train_in_half(
    weight, gradients, scale, rate, patience
):
    """Return the weight (size,), a tensor, and the scale.

    weight (size,); gradients (steps, size); scale, rate:
    numbers; patience: a whole number.
    """
    good = 0
    for gradient in gradients:
        half = tf.cast(gradient * scale, tf.float16)
        if tf.reduce_all(tf.math.is_finite(half)):
            back = tf.cast(half, tf.float32) / scale
            weight = weight - rate * back
            good += 1
        else:
            scale, good = scale / 2, 0
        if good == patience:
            scale, good = scale * 2, 0
    return weight, scale
''',
    },
    why="""
Here each scale is a power of two, so multiplying and dividing by it loses
nothing; it only moves small gradients to where float16 can hold them. A step with an
infinite gradient can't be repaired, but one skipped step in thousands does no harm. The
scale climbs until it is too large, is halved, and climbs again. bfloat16 has the
exponents of float32, so it needs none of this.
""",
    hints=(
        "Go through the rows of `gradients`, and count the updates in a row.",
        "`torch.isfinite` and `tf.math.is_finite` are False for infinity and NaN.",
        "Convert to float32 first, then divide by the scale: the quotient is too small "
        "for float16.",
    ),
    mistakes="""
You divide by the scale in float16, where the small gradients become 0 again. Convert to
float32 first.
- half.float() / scale
+ (half / scale).float()
- tf.cast(half, tf.float32) / scale
+ tf.cast(half / scale, tf.float32)

You never divide by the scale, so your updates are too large by that factor.
- (half.float() / scale)
+ half.float()
- tf.cast(half, tf.float32) / scale
+ tf.cast(half, tf.float32)

There is no scale in your gradient, so the small ones become 0 in float16.
- (gradient * scale).to
+ gradient.to
- half.float() / scale
+ half.float()
- gradient * scale, tf
+ gradient, tf
- tf.cast(half, tf.float32) / scale
+ tf.cast(half, tf.float32)

You multiply by the scale only when it is too late: convert to float16 after the
multiplication.
- (gradient * scale).to(torch.float16)
+ gradient.to(torch.float16) * scale
- tf.cast(gradient * scale, tf.float16)
+ tf.cast(gradient, tf.float16) * scale

You update with infinite or NaN gradients. Such a step has to be skipped.
- if torch.isfinite(half).all():
-             weight = weight - rate * (half.float() / scale)
+ weight = weight - rate * (half.float() / scale)
+         if torch.isfinite(half).all():
@tensorflow
- if tf.reduce_all(tf.math.is_finite(half)):
-             back = tf.cast(half, tf.float32) / scale
-             weight = weight - rate * back
+ back = tf.cast(half, tf.float32) / scale
+         weight = weight - rate * back
+         if tf.reduce_all(tf.math.is_finite(half)):

You halve the scale, and then make the update all the same. The step has to be skipped.
@torch
-         if torch.isfinite(half).all():
-             weight = weight - rate * (half.float() / scale)
-             good += 1
-         else:
-             scale, good = scale / 2, 0
+         if not torch.isfinite(half).all():
+             scale, good = scale / 2, 0
+         weight = weight - rate * (half.float() / scale)
+         good += 1
@tensorflow
-         if tf.reduce_all(tf.math.is_finite(half)):
-             back = tf.cast(half, tf.float32) / scale
-             weight = weight - rate * back
-             good += 1
-         else:
-             scale, good = scale / 2, 0
+         if not tf.reduce_all(tf.math.is_finite(half)):
+             scale, good = scale / 2, 0
+         weight = weight - rate * (tf.cast(half, tf.float32) / scale)
+         good += 1

Infinite numbers are found, but not NaN.
- torch.isfinite(half).all()
+ not torch.isinf(half).any()
- tf.reduce_all(tf.math.is_finite(half))
+ not tf.reduce_any(tf.math.is_inf(half))

NaN is found, but not infinite numbers. (In float32, before the conversion, there are
none.)
- torch.isfinite(half).all()
+ not torch.isnan(half).any()
- tf.reduce_all(tf.math.is_finite(half))
+ not tf.reduce_any(tf.math.is_nan(half))

You skip a step only if all numbers are infinite or NaN. One is enough.
- .all()
+ .any()
- reduce_all
+ reduce_any

You set the numbers that are infinite or NaN to 0 and use the rest. Skip the whole step.
@torch
-             weight = weight - rate * (half.float() / scale)
-             good += 1
+             good += 1
-         if good == patience:
+         part = torch.where(torch.isfinite(half), half.float(), 0.0)
+         weight = weight - rate * part / (scale if good else 2 * scale)
+         if good == patience:
@tensorflow
-             back = tf.cast(half, tf.float32) / scale
-             weight = weight - rate * back
-             good += 1
+             good += 1
-         if good == patience:
+         part = tf.where(
+             tf.math.is_finite(half), tf.cast(half, tf.float32), 0.0
+         )
+         weight = weight - rate * part / (scale if good else 2 * scale)
+         if good == patience:

The scale is never halved. After a skipped step it has to be.
- scale, good = scale / 2, 0
+ good = 0

The scale is doubled after a skipped step. It was too large: halve it.
- scale, good = scale / 2, 0
+ scale, good = scale * 2, 0

The scale is never doubled. After `patience` updates in a row it has to be.
- scale, good = scale * 2, 0
+ good = 0

The count isn't set back after a skipped step: `patience` updates in a row are wanted.
- scale, good = scale / 2, 0
+ scale = scale / 2

The count isn't set back when the scale is doubled.
- scale, good = scale * 2, 0
+ scale = scale * 2

The count isn't set back when the scale is doubled, and you double it at every step from
then on.
- if good == patience:
-             scale, good = scale * 2, 0
+ if good >= patience:
+             scale = scale * 2

You double the scale one update too late.
- good == patience
+ good > patience

A skipped step counts for `patience`. Only updates do.
-             good += 1
-         else:
-             scale, good = scale / 2, 0
+             pass
+         else:
+             scale = scale / 2
+         good += 1

The weight is kept in float16. The master weight stays in float32.
@torch
- return weight, scale
+ return weight.to(torch.float16).float(), scale
@tensorflow
- weight = weight - rate * back
+ weight = weight - rate * back
+             weight = tf.cast(tf.cast(weight, tf.float16), tf.float32)

The weight is kept in float16, from the first step. The master weight stays in float32.
@torch
-     good = 0
-     for gradient
+     good, weight = 0, weight.half().float()
+     for gradient
- weight = weight - rate * (half.float() / scale)
+ weight = weight - rate * (half.float() / scale)
+             weight = weight.half().float()
@tensorflow
-     good = 0
-     for gradient
+     good, weight = 0, tf.cast(tf.cast(weight, tf.float16), tf.float32)
+     for gradient
- weight = weight - rate * back
+ weight = weight - rate * back
+             weight = tf.cast(tf.cast(weight, tf.float16), tf.float32)

You divide by the scale after it was doubled.
@torch
-             weight = weight - rate * (half.float() / scale)
-             good += 1
+             good += 1
+             if good == patience:
+                 scale *= 2
+             weight = weight - rate * (half.float() / scale)
-             scale, good = scale * 2, 0
+             good = 0
@tensorflow
-             back = tf.cast(half, tf.float32) / scale
-             weight = weight - rate * back
-             good += 1
+             good += 1
+             if good == patience:
+                 scale *= 2
+             back = tf.cast(half, tf.float32) / scale
+             weight = weight - rate * back
-             scale, good = scale * 2, 0
+             good = 0

You stop at the first infinite gradient. Only that step is skipped.
- scale, good = scale / 2, 0
+ return weight, scale / 2

You add the gradient. Subtract it.
- weight = weight - rate
+ weight = weight + rate

You repeat the skipped step with the smaller scale until it fits. It is skipped.
@torch
-         half = (gradient * scale).to(torch.float16)
+         half = (gradient * scale).to(torch.float16)
+         while torch.isinf(half).any() and scale > 1e-3:
+             scale, good = scale / 2, 0
+             half = (gradient * scale).to(torch.float16)
@tensorflow
-         half = tf.cast(gradient * scale, tf.float16)
+         half = tf.cast(gradient * scale, tf.float16)
+         while tf.reduce_any(tf.math.is_inf(half)) and scale > 1e-3:
+             scale, good = scale / 2, 0
+             half = tf.cast(gradient * scale, tf.float16)

The gradient is never converted to float16, so nothing is rounded.
- half = (gradient * scale).to(torch.float16)
+ half = gradient * scale
- half = tf.cast(gradient * scale, tf.float16)
+ half = gradient * scale

You convert to bfloat16. Here it is float16.
- torch.float16
+ torch.bfloat16
- tf.float16
+ tf.bfloat16

That is the weight alone. Return the scale as well.
- return weight, scale
+ return weight

The two are in the wrong order: the weight comes first.
- return weight, scale
+ return scale, weight

You replace infinite numbers and NaN, and update with what you put there. Skip the step.
@torch
-         if torch.isfinite(half).all():
+         half = torch.nan_to_num(half)
+         if torch.isfinite(half).all():
@tensorflow
-         if tf.reduce_all(tf.math.is_finite(half)):
+         half = tf.constant(np.nan_to_num(half))
+         if tf.reduce_all(tf.math.is_finite(half)):

You skip the step, but the count isn't set back and the scale stays as it is.
-             scale, good = scale / 2, 0
+             pass

You set the numbers that are infinite or NaN to 0 and use the rest, and the scale is
never halved. Skip the step, and halve the scale.
@torch
- if torch.isfinite(half).all():
+ half = torch.where(torch.isfinite(half), half, 0.0)
+         if torch.isfinite(half).all():
@tensorflow
- if tf.reduce_all(tf.math.is_finite(half)):
+ half = tf.where(
+             tf.math.is_finite(half), half, tf.zeros_like(half)
+         )
+         if tf.reduce_all(tf.math.is_finite(half)):

After a skipped step you go back to the first scale. Halve the one that you have.
@torch
-     good = 0
-     for gradient
+     good, first = 0, scale
+     for gradient
- scale, good = scale / 2, 0
+ scale, good = first, 0
@tensorflow
-     good = 0
-     for gradient
+     good, first = 0, scale
+     for gradient
- scale, good = scale / 2, 0
+ scale, good = first, 0

It is the other way round: halve the scale after a skipped step, and double it after
`patience` updates.
- scale, good = scale / 2, 0
+ scale, good = scale * 3, 0
- scale, good = scale * 2, 0
+ scale, good = scale / 2, 0
- scale, good = scale * 3, 0
+ scale, good = scale * 2, 0

You double the scale after every update. It takes `patience` of them in a row.
- if good == patience:
+ if good:
""",
    reference=reference,
    cases=cases,
)
