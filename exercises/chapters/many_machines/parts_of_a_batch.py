"""Build gradient accumulation: a large batch on a machine that holds a small one."""

from exercises.engine.exercise import Exercise

import numpy as np

IGNORED = -100


def cases(draw):
    for batches, rows, d_model, vocab_size, parts, rate in (
        (1, 2, 2, 3, 1, 0.5),
        (2, 3, 2, 3, 2, 1.0),
        (4, 3, 2, 4, 2, 2.0),
        (5, 4, 3, 3, 3, 2.0),
        (7, 2, 2, 3, 3, 3.0),
        (3, 3, 2, 4, 5, 2.0),
    ):
        targets = draw.integers(vocab_size, size=(batches, rows))
        for batch, count in enumerate(draw.permutation(batches)):
            targets[batch, : count % rows] = IGNORED
        if batches == 5:
            targets[1] = IGNORED  # a batch without any real token
        yield (
            draw.normal(size=(d_model, vocab_size)),
            2 * draw.normal(size=(batches, rows, d_model)),
            targets,
            parts,
            rate,
        )


def reference(weight, x, targets, parts, rate):
    weight = weight.astype(np.float64)
    for start in range(0, len(x), parts):
        rows = x[start : start + parts].reshape(-1, x.shape[2])
        goals = targets[start : start + parts].reshape(-1)
        rows, goals = rows[goals != IGNORED], goals[goals != IGNORED]
        logits = rows @ weight
        shares = np.exp(logits - logits.max(1, keepdims=True))
        error = shares / shares.sum(1, keepdims=True) - np.eye(weight.shape[1])[goals]
        weight = weight - rate * rows.T @ error / len(rows)
    return weight


EXERCISE = Exercise(
    title="A large batch in small parts",
    kind="build",
    difficulty=2,
    minutes=20,
    prompt="""
Your machine has memory for a batch of a few rows only, but you want the updates of a
batch that is `parts` times as large. **Gradient accumulation** computes the gradients
of `parts` small batches one after another, adds them up, and updates the weight once.

The model is one matrix: the logits of batch `n` are `x[n] @ weight`. The loss of a
large batch is the mean cross-entropy over **all its real targets**; a target of −100
marks padding and doesn't count. Each update subtracts `rate` times the gradient. The
last large batch may have fewer than `parts` small ones. Return the weight after all
updates.
""",
    solution={
        "torch": '''
def train_in_parts(weight, x, targets, parts, rate):
    """Return the trained weight (d_model, vocab_size).

    x (batches, rows, d_model); targets (batches, rows).
    """
    for start in range(0, len(x), parts):
        weight = weight.detach().requires_grad_()
        chosen = range(len(x))[start : start + parts]
        count = (targets[chosen] != -100).sum()
        for n in chosen:
            loss = nn.functional.cross_entropy(
                x[n] @ weight, targets[n], reduction="sum"
            )
            (loss / count).backward()  # adds to weight.grad
        weight = weight - rate * weight.grad
    return weight.detach()
''',
        "tensorflow": '''
def train_in_parts(weight, x, targets, parts, rate):
    """Return the trained weight (d_model, vocab_size).

    x (batches, rows, d_model); targets (batches, rows).
    """
    for start in range(0, len(x), parts):
        total = tf.zeros_like(weight)
        chosen = range(len(x))[start : start + parts]
        real = tf.cast(targets != -100, x.dtype)
        count = tf.reduce_sum(real[start : start + parts])
        for n in chosen:
            with tf.GradientTape() as tape:
                tape.watch(weight)
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
                    tf.maximum(targets[n], 0), x[n] @ weight
                )
                loss = tf.reduce_sum(losses * real[n])
                loss = loss / count
            total += tape.gradient(loss, weight)
        weight = weight - rate * total
    return weight
''',
    },
    why="""
The gradient of a sum is the sum of the gradients, so the parts can be computed one
after another, with the memory of one. Only the divisor belongs to the whole: the count
of real targets of the large batch. Count first, as here, or add up the gradients of the
summed losses and divide once before the update. Dividing each part's mean by the number
of parts would give the tokens of a short part more weight, exactly as the mean of means
did with several workers.
""",
    hints=(
        "The loss of the large batch is a sum over all its targets, divided by one "
        "count. By what must each part's gradient be divided?",
        "Count the real targets of the `parts` batches first. For each batch, compute "
        "the gradient of its summed loss divided by that count.",
        "Set the accumulated gradient to 0 after each update, and update once for each "
        "group of `parts` batches.",
    ),
    mistakes="""
You average the means of the small batches. Those with few real targets weigh too much:
divide the sum of the losses by the count of the large batch.
@torch
-         count = (targets[chosen] != -100).sum()
+         groups = len(chosen)
-         for n in chosen:
+         for n in chosen:
+             count = groups * (targets[n] != -100).sum().clamp(min=1)
@tensorflow
-         count = tf.reduce_sum(real[start : start + parts])
-         for n in chosen:
+         for n in chosen:
+             count = len(chosen) * tf.maximum(tf.reduce_sum(real[n]), 1)

You divide each batch's mean by `parts`. Those with few real targets weigh too much, and
the last group may have fewer batches: divide the sum by the count of the large batch.
@torch
-         count = (targets[chosen] != -100).sum()
-         for n in chosen:
+         for n in chosen:
+             count = parts * (targets[n] != -100).sum().clamp(min=1)
@tensorflow
-         count = tf.reduce_sum(real[start : start + parts])
-         for n in chosen:
+         for n in chosen:
+             count = parts * tf.maximum(tf.reduce_sum(real[n]), 1)

You add up the gradients of the small batches' means, so your steps are `parts` times
too long. Divide the sum of all losses by the count of the large batch.
@torch
-         count = (targets[chosen] != -100).sum()
-         for n in chosen:
+         for n in chosen:
+             count = (targets[n] != -100).sum().clamp(min=1)
@tensorflow
-         count = tf.reduce_sum(real[start : start + parts])
-         for n in chosen:
+         for n in chosen:
+             count = tf.maximum(tf.reduce_sum(real[n]), 1)

A batch without real targets makes your mean of means 0 / 0. Divide the sum of all
losses by the count of the large batch.
@tensorflow
-         count = tf.reduce_sum(real[start : start + parts])
-         for n in chosen:
+         for n in chosen:
+             count = len(chosen) * tf.reduce_sum(real[n])

A batch without real targets makes your mean of means 0 / 0, and it is divided by
`parts` at the end, too. Divide the sum of all losses by the count of the large batch.
@tensorflow
-         count = tf.reduce_sum(real[start : start + parts])
-         for n in chosen:
+         for n in chosen:
+             count = parts * tf.reduce_sum(real[n])

A batch without real targets makes your mean 0 / 0, and your steps are too long: you add
up means. Divide the sum of all losses by the count of the large batch.
@tensorflow
-         count = tf.reduce_sum(real[start : start + parts])
-         for n in chosen:
+         for n in chosen:
+             count = tf.reduce_sum(real[n])

The gradients are never set back to 0, so an update repeats those before it.
@torch
-     for start in range(0, len(x), parts):
+     total = 0
+     for start in range(0, len(x), parts):
- weight = weight - rate * weight.grad
+ total = total + weight.grad
+         weight = weight - rate * total
@tensorflow
-     for start in range(0, len(x), parts):
-         total = tf.zeros_like(weight)
+     total = tf.zeros_like(weight)
+     for start in range(0, len(x), parts):

Only the last of the small batches counts: the gradient is set back to 0 before each of
them.
@torch
-             loss = nn
+             weight.grad = None
+             loss = nn
@tensorflow
- total += tape
+ total = tape

You update after every small batch. The weight must stay as it is until all parts of the
large batch are computed.
@torch
-             (loss / count).backward()  # adds to weight.grad
-         weight = weight - rate * weight.grad
+             (gradient,) = torch.autograd.grad(loss / count, weight)
+             weight = weight - rate * gradient
@tensorflow
-             total += tape.gradient(loss, weight)
-         weight = weight - rate * total
+             weight = weight - rate * tape.gradient(loss, weight)

You train on each small batch by itself, with its own mean and its own update. Update
once for each group of `parts` batches.
@torch
-         count = (targets[chosen] != -100).sum()
-         for n in chosen:
+         for n in chosen:
+             count = (targets[n] != -100).sum().clamp(min=1)
-             (loss / count).backward()  # adds to weight.grad
-         weight = weight - rate * weight.grad
+             (gradient,) = torch.autograd.grad(loss / count, weight)
+             weight = weight - rate * gradient
@tensorflow
-         count = tf.reduce_sum(real[start : start + parts])
-         for n in chosen:
+         for n in chosen:
+             count = tf.maximum(tf.reduce_sum(real[n]), 1)
-             total += tape.gradient(loss, weight)
-         weight = weight - rate * total
+             weight = weight - rate * tape.gradient(loss, weight)

The last group is left out, because it has fewer than `parts` batches. Its gradients
count too.
- range(0, len(x), parts)
+ range(0, len(x) - parts + 1, parts)

You make one update at the very end, with the gradient of all batches. Update after each
group of `parts`.
@torch
-     for start in range(0, len(x), parts):
+     parts = len(x)
+     for start in range(0, len(x), parts):
@tensorflow
-     for start in range(0, len(x), parts):
+     parts = len(x)
+     for start in range(0, len(x), parts):

You divide by all targets, padding included.
@torch
- (targets[chosen] != -100).sum()
+ targets[chosen].numel()
@tensorflow
- tf.reduce_sum(real[start : start + parts])
+ float(len(chosen) * x.shape[1])

You add up the gradients of the sums and never divide. The loss is a mean.
- loss / count
+ loss

You divide by the number of small batches. Divide by the count of the real targets.
- loss / count
+ loss / len(chosen)

You divide by the count of all batches. Each large batch has its own.
@torch
- (targets[chosen] != -100).sum()
+ (targets != -100).sum()
@tensorflow
- tf.reduce_sum(real[start : start + parts])
+ tf.reduce_sum(real)

You divide by the count of the last small batch. The divisor is that of the large batch.
@torch
- (targets[chosen] != -100).sum()
+ (targets[chosen[-1]] != -100).sum()
@tensorflow
- tf.reduce_sum(real[start : start + parts])
+ tf.reduce_sum(real[chosen[-1]])

Padding counts in your loss, as if its target were token 0.
@torch
- x[n] @ weight, targets[n]
+ x[n] @ weight, targets[n].clamp(min=0)
@tensorflow
- losses * real[n]
+ losses

Padding counts in your loss and in your count, as if its target were token 0.
@torch
- x[n] @ weight, targets[n]
+ x[n] @ weight, targets[n].clamp(min=0)
- (targets[chosen] != -100).sum()
+ targets[chosen].numel()
@tensorflow
- losses * real[n]
+ losses
- tf.reduce_sum(real[start : start + parts])
+ float(len(chosen) * x.shape[1])

You add the gradient. To lower the loss, subtract it.
- weight = weight - rate
+ weight = weight + rate

You took `parts` as the number of large batches. It is how many small ones make a large
one.
@torch
-     for start in range(0, len(x), parts):
+     parts = -(-len(x) // parts)
+     for start in range(0, len(x), parts):
@tensorflow
-     for start in range(0, len(x), parts):
+     parts = -(-len(x) // parts)
+     for start in range(0, len(x), parts):

You divide each batch's mean by `parts`, so those with few real targets weigh too much,
and you leave out the last group, which has fewer than `parts` batches.
@torch
- range(0, len(x), parts)
+ range(0, len(x) - parts + 1, parts)
-         count = (targets[chosen] != -100).sum()
-         for n in chosen:
+         for n in chosen:
+             count = parts * (targets[n] != -100).sum().clamp(min=1)
@tensorflow
- range(0, len(x), parts)
+ range(0, len(x) - parts + 1, parts)
-         count = tf.reduce_sum(real[start : start + parts])
-         for n in chosen:
+         for n in chosen:
+             count = parts * tf.maximum(tf.reduce_sum(real[n]), 1)

You train with the sum of the gradients of means, and leave out the last group, which
has fewer than `parts` batches. Divide the sum of all losses by the count of the large
batch.
@torch
- range(0, len(x), parts)
+ range(0, len(x) - parts + 1, parts)
-         count = (targets[chosen] != -100).sum()
-         for n in chosen:
+         for n in chosen:
+             count = (targets[n] != -100).sum().clamp(min=1)
@tensorflow
- range(0, len(x), parts)
+ range(0, len(x) - parts + 1, parts)
-         count = tf.reduce_sum(real[start : start + parts])
-         for n in chosen:
+         for n in chosen:
+             count = tf.maximum(tf.reduce_sum(real[n]), 1)
""",
    reference=reference,
    cases=cases,
    tolerance=5e-4,
    equivalent=dict.fromkeys(
        (
            "chosen = range(len(targets))[start : start + parts]",
            "for start in range(0, len(targets), parts):",
        ),
        "There are as many batches of targets as of inputs.",
    ),
)
