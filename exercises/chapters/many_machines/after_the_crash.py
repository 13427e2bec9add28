"""Find the bug: a training that is resumed, and takes one step twice."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for texts, d_model, epochs, batch_size, steps in (
        (2, 2, 1, 1, 1),
        (3, 2, 2, 2, 1),
        (4, 2, 2, 2, 2),
        (5, 3, 2, 2, 4),
        (5, 2, 3, 3, 0),
        (6, 2, 3, 2, 7),
        (7, 2, 2, 3, 6),
    ):
        orders = np.stack([draw.permutation(texts) for _ in range(epochs)])
        yield (
            draw.normal(size=d_model),
            draw.normal(size=d_model),
            steps,
            3 * draw.normal(size=(texts, d_model)),
            orders,
            batch_size,
            0.3,
        )


def reference(weight, velocity, steps, x, orders, batch_size, peak):
    weight, velocity = weight.astype(np.float64), velocity.astype(np.float64)
    in_an_epoch = -(-len(x) // batch_size)
    for step in range(steps, len(orders) * in_an_epoch):
        epoch, place = divmod(step, in_an_epoch)
        rows = orders[epoch][place * batch_size :][:batch_size]
        velocity = 0.9 * velocity + weight - x[rows].mean(0)
        weight = weight - peak / np.sqrt(step + 1) * velocity
    return weight


EXERCISE = Exercise(
    title="After the crash",
    kind="find the bug",
    difficulty=2,
    minutes=15,
    prompt="""
A training run was killed. Its last checkpoint holds the weight, the velocity of the
optimizer (momentum), and the number of `steps` that had been taken. `resume` trains
from there to the end of the last epoch. Each row of `orders` is one epoch, a
permutation of the texts; the last batch of an epoch may be smaller. The learning rate
falls with the number of the step.

A resumed training should end with exactly the weight of one that was never killed. With
this function it doesn't. Find the bug and repair it.

(The gradient, the weight minus the mean of the batch, is correct.)
""",
    bug="The last step before the checkpoint is taken once more",
    solution={
        "torch": '''
def resume(
    weight, velocity, steps, x, orders, batch_size, peak
):
    """Return the weight after the last step.

    weight, velocity (d_model,); x (texts, d_model);
    orders (epochs, texts).
    """
    step = 0
    for order in orders:
        for start in range(0, len(order), batch_size):
            step += 1
            if step <= steps:
                continue  # taken before the crash
            rows = order[start : start + batch_size]
            gradient = weight - x[rows].mean(0)
            velocity = 0.9 * velocity + gradient
            weight = weight - peak / step**0.5 * velocity
    return weight
''',
        "tensorflow": '''
def resume(
    weight, velocity, steps, x, orders, batch_size, peak
):
    """Return the weight after the last step.

    weight, velocity (d_model,); x (texts, d_model);
    orders (epochs, texts).
    """
    step = 0
    for order in orders:
        for start in range(0, len(order), batch_size):
            step += 1
            if step <= steps:
                continue  # taken before the crash
            rows = order[start : start + batch_size]
            mean = tf.reduce_mean(tf.gather(x, rows), 0)
            gradient = weight - mean
            velocity = 0.9 * velocity + gradient
            weight = weight - peak / step**0.5 * velocity
    return weight
''',
    },
    why="""
After `steps` steps, the next one has the number `steps + 1`, so all numbers up to
`steps` are skipped. The mistake is small enough to be overlooked: one batch more among
thousands changes no curve that you would look at. Comparing with an undisturbed run
finds it. And a checkpoint needs all that the next step depends on: the weights, the
optimizer's state, the step for the learning rate, and the place in the data.
""",
    hints=(
        "Run it with one epoch of two texts, a batch size of 1, and `steps` of 1. "
        "Which texts are used?",
        "`step` is the number of the step that comes next, counted from 1.",
        "If one step was taken, the step with the number 1 has to be skipped, too.",
    ),
    mistakes="""
The last step before the checkpoint is taken once more. How many steps had been taken?
- step <= steps
+ step < steps

You skip a step that hadn't been taken yet.
- step <= steps
+ step <= steps + 1

Nothing is skipped: the training begins anew, from the weight of the checkpoint.
- step <= steps
+ step <= 0

You take the steps again that had been taken, and not those that are left.
- step <= steps
+ step > steps

The epoch begins anew: you repeat those of its batches that had been taken.
@torch
-     step = 0
-     for order in orders:
+     step = 0
+     each = -(-len(x) // batch_size)
+     for order in orders:
- step <= steps
+ step <= steps // each * each
@tensorflow
-     step = 0
-     for order in orders:
+     step = 0
+     each = -(-len(x) // batch_size)
+     for order in orders:
- step <= steps
+ step <= steps // each * each

The epoch begins anew, and the count of steps goes on: you repeat those of its batches
that had been taken.
@torch
-     step = 0
-     for order in orders:
+     each = -(-len(x) // batch_size)
+     step, done = steps, steps // each
+     for order in orders[done:]:
-             if step <= steps:
-                 continue  # taken before the crash
@tensorflow
-     step = 0
-     for order in orders:
+     each = -(-len(x) // batch_size)
+     step, done = steps, steps // each
+     for order in orders[done:]:
-             if step <= steps:
-                 continue  # taken before the crash

The rest of the epoch is skipped. Its batches haven't been seen yet.
@torch
-     step = 0
-     for order in orders:
+     step = 0
+     each = -(-len(x) // batch_size)
+     for order in orders:
- step <= steps
+ step <= -(-steps // each) * each
@tensorflow
-     step = 0
-     for order in orders:
+     step = 0
+     each = -(-len(x) // batch_size)
+     for order in orders:
- step <= steps
+ step <= -(-steps // each) * each

The skipping begins anew in each epoch. It counts the steps of the whole training.
-     for order in orders:
+     for order in orders:
+         taken = 0
-             step += 1
-             if step <= steps:
+             step += 1
+             taken += 1
+             if taken <= steps:

The skipped steps aren't counted, so the learning rate begins anew.
- / step**0.5
+ / (step - steps) ** 0.5

The learning rate is that of the step before. Its number is counted from 1.
- / step**0.5
+ / max(step - 1, 1) ** 0.5

The learning rate is that of the next step.
- / step**0.5
+ / (step + 1) ** 0.5

The learning rate stays that of the checkpoint. It falls with each step.
- / step**0.5
+ / (steps + 1) ** 0.5

The learning rate doesn't fall.
- peak / step**0.5
+ peak

The velocity begins at 0. The one of the checkpoint belongs to the state of the
training.
-     step = 0
+     step, velocity = 0, 0 * velocity

The weight begins at 0. Train on from the checkpoint's.
-     step = 0
+     step, weight = 0, 0 * weight

All epochs have the order of the first one.
-     for order in orders:
+     for order in [orders[0]] * len(orders):

The texts are in their old order. Use `orders`.
@torch
- for order in orders:
+ for order in torch.arange(len(x)).repeat(len(orders), 1):
@tensorflow
- for order in orders:
+ for order in [tf.range(len(x))] * len(orders):

The last batch of an epoch is left out, because it is smaller.
- range(0, len(order), batch_size)
+ range(0, len(order) - batch_size + 1, batch_size)

You count texts instead of steps.
- step += 1
+ step += batch_size

The count of skipped steps stops too early: it counts whole epochs.
- step <= steps
+ step <= steps // len(orders)

The momentum is lost: the velocity is the gradient alone.
- 0.9 * velocity + gradient
+ gradient

You changed the sign of the gradient. That part was correct.
- gradient = weight -
+ gradient = -weight +

Only one of the steps that had been taken is skipped. All up to it have to be.
- step <= steps
+ step == steps

You compare the place in the epoch with the number of steps. Count the steps of the
whole training.
- step <= steps
+ start <= steps

You compare the place in the epoch with the number of steps. Count the steps of the
whole training, not the texts.
- step <= steps
+ start < steps

The count of the steps goes on, but the data begins anew with the first epoch.
-     step = 0
+     step = steps
- step <= steps
+ step <= 0

The last two steps before the checkpoint are taken once more.
- step <= steps
+ step < steps - 1

You changed the momentum: the gradient is added whole, as it was before the crash.
- 0.9 * velocity + gradient
+ 0.9 * velocity + 0.1 * gradient

The weight is moved by the velocity of the step before. Update the velocity first.
-             velocity = 0.9 * velocity + gradient
-             weight = weight - peak / step**0.5 * velocity
+             weight = weight - peak / step**0.5 * velocity
+             velocity = 0.9 * velocity + gradient
""",
    reference=reference,
    cases=cases,
)
