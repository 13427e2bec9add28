"""Build the search for the first layer in which two models differ."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, length, d_model, layers, first in (
        (1, 1, 2, 1, 0),
        (2, 3, 4, 3, 1),
        (3, 4, 2, 5, 3),
        (2, 2, 3, 4, 4),
        (1, 5, 3, 4, 0),
        (2, 3, 2, 4, 2),
        (3, 2, 4, 3, 0),
    ):
        shape = (layers, batch, length, d_model)
        # Where all numbers are small, so is a difference that counts.
        theirs = draw.normal(size=shape) * (0.01 if first == 2 else draw.uniform(3, 40))
        if first == 1:  # the numbers grow from layer to layer
            theirs[-1] *= 20
        if first == 4:  # the largest number is negative
            theirs = -np.abs(theirs)
        real = np.arange(length) < draw.integers(1, length + 1, size=(batch, 1))
        real[0] = True
        if first == 3:
            theirs[:, ~real] *= 1000
        yield differing(draw, theirs, real, first), theirs, real
    theirs = draw.normal(size=(2, 1, 4, 3))
    real = np.ones((1, 4), dtype=bool)
    yield (
        differing(draw, theirs, real, 2),
        theirs,
        real,
    )  # no padding, and only rounding
    theirs = draw.choice([-1, 1], size=(2, 2, 3, 3)) * draw.uniform(
        1, 1.4, (2, 2, 3, 3)
    )
    real = np.array([[True, True, True], [True, True, False]])
    theirs[:, ~real] *= 1000
    yield (
        differing(draw, theirs, real, 1),
        theirs,
        real,
    )  # each is as large as any other


def differing(draw, theirs, real, first):
    """Return theirs with rounding, and from layer `first` on with a wrong number."""
    share = draw.uniform(-4e-4, 4e-4, size=theirs.shape)
    row, place = np.argwhere(real)[-1]
    for layer in range(first, len(theirs)):
        size = 0.0015 if layer == first else 0.006 / (layer - first)
        if layer == first + 1:  # equal again by chance, and wrong for good after it
            size = 0
        number = int(draw.integers(theirs.shape[-1]))
        share[layer, row, place, number] = draw.choice([-1, 1]) * size
    largest = np.abs(theirs[:, real]).max((1, 2))
    ours = theirs + share * largest[:, None, None, None]
    ours[:, ~real] = draw.normal(size=ours[:, ~real].shape) * 50  # padding: anything
    return ours


def reference(ours, theirs, real):
    for layer, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        one, other = one[real], other[real]
        if np.abs(one - other).max() > 1e-3 * np.abs(other).max():
            return layer
    return len(ours)


EXERCISE = Exercise(
    title="Where do they part?",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt="""
Two implementations of one model should agree and don't. `ours` and `theirs` hold what
leaves each of their layers for the same batch. Return the index of the **first** layer
in which they differ, or the number of layers if they never do.

Two layers differ if, over the real positions, the largest absolute difference is more
than 0.001 **of the largest absolute number of theirs** in that layer. At padded
positions, where `real` is `False`, they may differ as they like.
""",
    solution={
        "torch": '''
def first_difference(ours, theirs, real):
    """Return the index of a layer, a whole number.

    ours, theirs (layers, batch, length, d_model);
    real (batch, length), False at padding.
    """
    for layer in range(len(ours)):
        one, other = ours[layer][real], theirs[layer][real]
        gap = (one - other).abs().max()
        if gap > 1e-3 * other.abs().max():
            return layer
    return len(ours)
''',
        "tensorflow": '''
def first_difference(ours, theirs, real):
    """Return the index of a layer, a whole number.

    ours, theirs (layers, batch, length, d_model);
    real (batch, length), False at padding.
    """
    for layer in range(len(ours)):
        one, other = ours[layer][real], theirs[layer][real]
        gap = tf.reduce_max(tf.abs(one - other))
        if gap > 1e-3 * tf.reduce_max(tf.abs(other)):
            return layer
    return len(ours)
''',
    },
    why="""
A mistake in one layer changes all layers after it, so only the first difference says
where to look. The comparison is relative, because the numbers may grow from layer to
layer and rounding grows with them. And padding is left out: nobody reads these vectors,
so two correct implementations may disagree there.
""",
    hints=(
        "Go through the layers in order, and return at the first that differs.",
        "`ours[layer][real]` holds the vectors of the real positions.",
        "Compare the largest difference with 0.001 times the largest size of theirs.",
    ),
    mistakes="""
That is the last layer in which they differ. The first one leads to the bug.
- range(len(ours))
+ reversed(range(len(ours)))

Padded positions may differ as they like. Compare the real ones.
- one, other = ours[layer][real], theirs[layer][real]
+ one, other = ours[layer], theirs[layer]

You compare the padded positions and leave out the real ones.
- ours[layer][real], theirs[layer][real]
+ ours[layer][~real], theirs[layer][~real]

Your threshold is absolute. 0.001 is meant as a share of the largest number of theirs.
@torch
- 1e-3 * other.abs().max()
+ 1e-3
@tensorflow
- 1e-3 * tf.reduce_max(tf.abs(other))
+ 1e-3

You count the layers from 1. The first is layer 0.
-             return layer
-     return len(ours)
+             return layer + 1
+     return len(ours)

If they never differ, the number of layers is wanted.
-     return len(ours)
+     return -1

If they never differ, the number of layers is wanted, not the index of the last.
-     return len(ours)
+     return len(ours) - 1

That is the last layer in which they agree. The bug is in the one after it.
-             return layer
-     return len(ours)
+             return layer - 1
+     return len(ours)

That is the first layer in which they agree.
- if gap > 1e-3
+ if gap <= 1e-3

A signed difference is not a size: a number that is too small is a difference, too.
- (one - other).abs().max()
+ (one - other).max()
- tf.reduce_max(tf.abs(one - other))
+ tf.reduce_max(one - other)

A signed difference is not a size: a number that is too large is a difference, too.
- (one - other).abs().max()
+ (other - one).max()
- tf.reduce_max(tf.abs(one - other))
+ tf.reduce_max(other - one)

The mean difference hides one wrong number among many right ones. Take the largest.
@torch
- (one - other).abs().max()
+ (one - other).abs().mean()
@tensorflow
- tf.reduce_max(tf.abs(one - other))
+ tf.reduce_mean(tf.abs(one - other))

Any difference counts for you. Below 0.001 of the largest number it is rounding.
@torch
- 1e-3 * other.abs().max()
+ 0
@tensorflow
- 1e-3 * tf.reduce_max(tf.abs(other))
+ 0

That is where they differ most. Everything after the mistake differs, too.
@torch
-     for layer in range(len(ours)):
-         one, other = ours[layer][real], theirs[layer][real]
-         gap = (one - other).abs().max()
-         if gap > 1e-3 * other.abs().max():
-             return layer
-     return len(ours)
+     gaps = (ours - theirs).abs()[:, real].amax((1, 2))
+     return int(gaps.argmax())
@tensorflow
-     for layer in range(len(ours)):
-         one, other = ours[layer][real], theirs[layer][real]
-         gap = tf.reduce_max(tf.abs(one - other))
-         if gap > 1e-3 * tf.reduce_max(tf.abs(other)):
-             return layer
-     return len(ours)
+     gaps = []
+     for one, other in zip(ours, theirs):
+         gap = tf.abs(one[real] - other[real])
+         gaps.append(tf.reduce_max(gap))
+     return int(np.argmax(gaps))

That is how many layers agree. They may agree again after a difference.
@torch
-     for layer in range(len(ours)):
-         one, other = ours[layer][real], theirs[layer][real]
-         gap = (one - other).abs().max()
-         if gap > 1e-3 * other.abs().max():
-             return layer
-     return len(ours)
+     same = 0
+     for one, other in zip(ours, theirs):
+         gap = (one - other)[real].abs().max()
+         same += int(gap <= 1e-3 * other[real].abs().max())
+     return same
@tensorflow
-     for layer in range(len(ours)):
-         one, other = ours[layer][real], theirs[layer][real]
-         gap = tf.reduce_max(tf.abs(one - other))
-         if gap > 1e-3 * tf.reduce_max(tf.abs(other)):
-             return layer
-     return len(ours)
+     same = 0
+     for one, other in zip(ours, theirs):
+         one, other = one[real], other[real]
+         gap = tf.reduce_max(tf.abs(one - other))
+         largest = tf.reduce_max(tf.abs(other))
+         same += int(gap <= 1e-3 * largest)
+     return same

The largest number of theirs is taken over all positions. Padding counts in nothing.
@torch
- 1e-3 * other.abs().max()
+ 1e-3 * theirs[layer].abs().max()
@tensorflow
- 1e-3 * tf.reduce_max(tf.abs(other))
+ 1e-3 * tf.reduce_max(tf.abs(theirs[layer]))

You compare the mean difference with the mean size. A mean hides one wrong number among
many right ones: compare the largest.
- .max()
+ .mean()
- reduce_max
+ reduce_mean

That is where they differ most, measured by the size of theirs. Everything after the
mistake may differ more than the layer that has it.
@torch
-     for layer in range(len(ours)):
-         one, other = ours[layer][real], theirs[layer][real]
-         gap = (one - other).abs().max()
-         if gap > 1e-3 * other.abs().max():
-             return layer
-     return len(ours)
+     gaps = (ours - theirs)[:, real].abs().amax((1, 2))
+     gaps = gaps / theirs[:, real].abs().amax((1, 2))
+     return int(gaps.argmax()) if gaps.max() > 1e-3 else len(ours)
@tensorflow
-     for layer in range(len(ours)):
-         one, other = ours[layer][real], theirs[layer][real]
-         gap = tf.reduce_max(tf.abs(one - other))
-         if gap > 1e-3 * tf.reduce_max(tf.abs(other)):
-             return layer
-     return len(ours)
+     gaps = []
+     for one, other in zip(ours, theirs):
+         gap = tf.reduce_max(tf.abs(one[real] - other[real]))
+         gaps.append(gap / tf.reduce_max(tf.abs(other[real])))
+     return int(np.argmax(gaps)) if max(gaps) > 1e-3 else len(ours)

The largest number of theirs is taken with its sign. A large negative number is large,
too.
- * other.abs().max()
+ * other.max()
- tf.reduce_max(tf.abs(other))
+ tf.reduce_max(other)

The largest number of theirs is taken over all layers. Each layer is measured by its
own.
- * other.abs().max()
+ * theirs[:, real].abs().max()
- tf.reduce_max(tf.abs(other))
+ max(tf.reduce_max(tf.abs(one[real])) for one in theirs)

One number, the largest in all of theirs, measures every layer. Take it from the real
positions of the layer itself.
- * other.abs().max()
+ * theirs.abs().max()
- tf.reduce_max(tf.abs(other))
+ tf.reduce_max(tf.abs(theirs))

You count the layers from 1, and the answer for "never" is one too large as well.
- return layer
+ return layer + 1
- return len(ours)
+ return len(ours) + 1

`argmax` says 0 where nothing differs. If they never differ, the number of layers is
wanted.
-     return len(ours)
+     return 0

The difference of each number is measured by that number alone, so what is near 0 seems
to differ. Measure it by the largest number of the layer.
@torch
- gap = (one - other).abs().max()
+ gap = ((one - other).abs() / (other.abs() + 1e-9)).max()
- * other.abs().max()
+ * 1
@tensorflow
- gap = tf.reduce_max(tf.abs(one - other))
+ gap = tf.reduce_max(tf.abs((one - other) / other))
- tf.reduce_max(tf.abs(other))
+ 1

Only the first text of the batch is compared.
@torch
- ours[layer][real], theirs[layer][real]
+ ours[layer][0][real[0]], theirs[layer][0][real[0]]
@tensorflow
- ours[layer][real], theirs[layer][real]
+ ours[layer][0][real[0]], theirs[layer][0][real[0]]

The largest difference is compared with the mean size of theirs. Compare it with the
largest.
- * other.abs().max()
+ * other.abs().mean()
- tf.reduce_max(tf.abs(other))
+ tf.reduce_mean(tf.abs(other))
""",
    reference=reference,
    cases=cases,
    equivalent={"return len(theirs)": "Both have the same number of layers."},
)
