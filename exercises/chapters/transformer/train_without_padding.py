"""Build a training loop whose loss leaves out padding, and train a table with it."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, length, vocab_size, d_model, steps in (
        (1, 1, 3, 2, 1),
        (1, 4, 5, 3, 2),
        (2, 3, 4, 2, 3),
        (3, 5, 6, 4, 2),
    ):
        # In the last case the logits are large, and padding is 0.
        size, pad_id = 1, int(draw.integers(1, vocab_size))
        if batch == 3:
            size, pad_id = 200, 0
        words = np.delete(np.arange(vocab_size), pad_id)
        targets = draw.choice(words, (batch, length))
        if length > 1:
            targets[0, 0] = words[0]
            for row in range(batch):
                targets[row, length - row - 1 :] = pad_id  # rows of unequal length
        yield (
            draw.normal(size=(vocab_size, d_model)),
            size * draw.normal(size=(batch, length, d_model)),
            targets,
            pad_id,
            float(draw.integers(1, 4)) / size,
            steps,
        )


def reference(table, vectors, targets, pad_id, rate, steps):
    table, losses = table.astype(np.float64), []
    vectors = vectors[targets != pad_id].astype(np.float64)  # (tokens, d_model)
    targets = np.eye(len(table))[targets[targets != pad_id]]
    for _ in range(steps):
        logits = vectors @ table.T
        logits = logits - logits.max(-1, keepdims=True)
        log_p = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
        losses.append(-(log_p * targets).sum(-1).mean())
        # The gradient of the cross-entropy, without automatic differentiation.
        error = (np.exp(log_p) - targets) / len(targets)
        table = table - rate * error.T @ vectors
    return np.array(losses, np.float32), table.astype(np.float32)


def the_loss_has_no_limit(ask, draw):
    losses = []
    for below in (60, 120):
        table = np.array([[0], [-below], [-below]], np.float32)
        vectors, targets = np.ones((1, 1, 1), np.float32), np.array([[1]])
        found, _ = ask(table, vectors, targets, 2, 0.1, 1)
        losses.append(float(found[0]))
    if losses[0] > 3 and abs(losses[1] - losses[0]) < 1e-3:
        return (
            "A target whose logit is 60 below the largest has a loss of "
            f"{losses[0]:.3g}, and so has one whose logit is 120 below. Is a "
            "probability clipped, or a small number added inside the logarithm?"
        )
    return None


ANY_NAME = "The loop does not use its counter."

EXERCISE = Exercise(
    title="Train without padding",
    kind="build",
    difficulty=2,
    minutes=20,
    prompt=r"""
A minimal model has a single weight, a table; its logits are `vectors` times the
transposed `table`. Train it for `steps` steps of plain gradient descent,
$\text{table} \leftarrow \text{table} - \text{rate} \cdot \text{gradient}$. The loss is
the mean cross-entropy over all targets **that are not padding**. Compute it from the
logits without a ready-made loss function, in a way that also works for logits of 100.
Return two tensors: the loss of each step (before its update) and the final table.
""",
    solution={
        "torch": '''
def train(table, vectors, targets, pad_id, rate, steps):
    """Return two tensors: losses (steps,) and table
    (vocab_size, d_model).

    table: at the start; vectors (batch, length, d_model);
    targets (batch, length), integers.
    """
    table = table.clone().requires_grad_()
    losses = []
    for _ in range(steps):
        logits = vectors @ table.T
        log_p = torch.log_softmax(logits, dim=-1)
        loss = -log_p.gather(-1, targets[..., None])[..., 0]
        loss = loss[targets != pad_id].mean()
        losses.append(loss.detach())
        table.grad = None
        loss.backward()
        with torch.no_grad():
            table -= rate * table.grad
    return torch.stack(losses), table.detach()
''',
        "tensorflow": '''
def train(table, vectors, targets, pad_id, rate, steps):
    """Return two tensors: losses (steps,) and table
    (vocab_size, d_model).

    table: at the start; vectors (batch, length, d_model);
    targets (batch, length), integers.
    """
    table = tf.Variable(table)
    losses = []
    for _ in range(steps):
        with tf.GradientTape() as tape:
            logits = vectors @ tf.transpose(table)
            log_p = tf.nn.log_softmax(logits, axis=-1)
            loss = -tf.gather(log_p, targets, batch_dims=2)
            loss = tf.reduce_mean(loss[targets != pad_id])
        losses.append(loss)
        gradient = tape.gradient(loss, table)
        table.assign_sub(rate * gradient)
    return tf.stack(losses), tf.convert_to_tensor(table)
''',
    },
    why="""
The losses of the real tokens are averaged, and the gradient of that mean moves the
table. Averaged over all positions, the loss and its gradient would shrink with every
column of padding. The loss must stay a tensor until the gradient is computed: once it
is detached or a plain number, it has no gradient.
""",
    hints=(
        "First one loss per position, (batch, length). Then the mean over those whose "
        "target is not `pad_id`.",
        "`log_softmax` is safe for large logits; the logarithm of a softmax is not.",
        "PyTorch: a copy of the table with `requires_grad_()`, `backward`, and an "
        "update under `torch.no_grad()`; gradients add up unless they are reset. "
        "TensorFlow: a `tf.Variable`, the loss inside a `GradientTape`, `assign_sub`.",
    ),
    mistakes="""
Padding counts in the loss like any other token.
- loss[targets != pad_id]
+ loss[targets == targets]

You take `pad_id` to be 0. It may be any id.
- targets != pad_id
+ targets != 0

Padding is left out of the sum but counted in the mean.
- loss[targets != pad_id].mean()
+ (loss * (targets != pad_id)).mean()
- loss[targets != pad_id]
+ tf.where(targets != pad_id, loss, 0.0)

Only padding counts: the mask is inverted.
- targets != pad_id
+ targets == pad_id

The logarithm of a softmax fails on large logits: a probability becomes 0 and its
logarithm minus infinity. `log_softmax` does not.
- torch.log_softmax(logits, dim=-1)
+ torch.log(torch.softmax(logits, dim=-1))
- tf.nn.log_softmax(logits, axis=-1)
+ tf.math.log(tf.nn.softmax(logits, axis=-1))

A small number inside the logarithm, or as a limit below, hides the infinite loss of
large logits, and changes the gradient. `log_softmax` needs none.
- torch.log_softmax(logits, dim=-1)
+ torch.log(torch.softmax(logits, dim=-1) + 1e-9)
- tf.nn.log_softmax(logits, axis=-1)
+ tf.math.log(tf.nn.softmax(logits, axis=-1) + 1e-9)

The exponentials overflow: `exp` of a logit of 100 is infinite in single precision.
`log_softmax` is safe.
- torch.log_softmax(logits, dim=-1)
+ torch.log(logits.exp() / logits.exp().sum(-1, keepdim=True))
- tf.nn.log_softmax(logits, axis=-1)
+ tf.math.log(tf.exp(logits) / tf.reduce_sum(tf.exp(logits), -1, keepdims=True))

The softmax is applied twice.
- torch.log_softmax(logits, dim=-1)
+ torch.log_softmax(torch.softmax(logits, dim=-1), dim=-1)
- tf.nn.log_softmax(logits, axis=-1)
+ tf.nn.log_softmax(tf.nn.softmax(logits))

These are logits, not log-probabilities: the softmax is missing.
- torch.log_softmax(logits, dim=-1)
+ logits
- tf.nn.log_softmax(logits, axis=-1)
+ logits

Keras' loss expects probabilities unless it is told `from_logits=True`.
@tensorflow
-             log_p = tf.nn.log_softmax(logits, axis=-1)
-             loss = -tf.gather(log_p, targets, batch_dims=2)
+             loss = keras.losses.sparse_categorical_crossentropy(targets, logits)

The softmax runs over the positions. It must run over the vocabulary, the last axis.
- log_softmax(logits, dim=-1)
+ log_softmax(logits, dim=1)
- log_softmax(logits, axis=-1)
+ log_softmax(logits, axis=1)

The softmax is there, but not its logarithm.
- torch.log_softmax
+ torch.softmax
- tf.nn.log_softmax
+ tf.nn.softmax

The logarithm has the base 2. The cross-entropy is measured in nats.
@torch
- torch.log_softmax(logits, dim=-1)
+ torch.log_softmax(logits, dim=-1) / math.log(2)
@tensorflow
- tf.nn.log_softmax(logits, axis=-1)
+ tf.nn.log_softmax(logits, axis=-1) / math.log(2)

The loss is the sum over the tokens. Take the mean.
- [targets != pad_id].mean()
+ [targets != pad_id].sum()
- tf.reduce_mean(loss
+ tf.reduce_sum(loss

This is a mean of the rows' means: tokens of short rows weigh too much.
@torch
-         loss = loss[targets != pad_id].mean()
+         real = (targets != pad_id).float()
+         loss = ((loss * real).sum(1) / real.sum(1).clamp(min=1)).mean()
@tensorflow
-             loss = tf.reduce_mean(loss[targets != pad_id])
+             real = tf.cast(targets != pad_id, tf.float32)
+             count = tf.maximum(tf.reduce_sum(real, 1), 1)
+             loss = tf.reduce_mean(tf.reduce_sum(loss * real, 1) / count)

A loss is not negative, and the minus sign is missing: you train the model to be wrong.
- loss = -
+ loss =

The table moves up the gradient, and the loss grows. Descent subtracts it.
- table -= rate
+ table += rate
- assign_sub
+ assign_add

The gradients of all steps add up: PyTorch adds each to those before. Reset them.
@torch
-         table.grad = None

The loss of each step is computed after its update. Compute it before.
@torch
-         losses.append(loss.detach())

- table -= rate * table.grad
+ table -= rate * table.grad
+             log_p = torch.log_softmax(vectors @ table.T, -1)
+             loss = -log_p.gather(-1, targets[..., None])[..., 0]
+             losses.append(loss[targets != pad_id].mean())
@tensorflow
-         losses.append(loss)

- table.assign_sub(rate * gradient)
+ table.assign_sub(rate * gradient)
+         loss = tf.nn.log_softmax(vectors @ tf.transpose(table), axis=-1)
+         loss = -tf.gather(loss, targets, batch_dims=2)
+         losses.append(tf.reduce_mean(loss[targets != pad_id]))

The loss is no longer connected to the table, so no gradient can be computed: it is
detached, a plain number, or computed outside the tape.
- loss.backward()
+ loss.detach().backward()
- tape.gradient(loss, table)
+ tape.gradient(tf.stop_gradient(loss), table)

A plain number has no gradient. Keep the loss a tensor, and convert a copy of it.
@torch
- loss.backward()
+ loss.item().backward()

The table never changes: it must be updated after each step.
- table -= rate * table.grad
+ table -= 0 * table.grad
- rate * gradient
+ 0 * gradient

The rate is left out of the update.
- rate * table.grad
+ table.grad
- rate * gradient
+ gradient

Each step starts again from the first table.
@torch
-         with torch.no_grad():
-             table -= rate * table.grad
-     return torch.stack(losses), table.detach()
+         moved = table.detach() - rate * table.grad
+     return torch.stack(losses), moved
@tensorflow
-         table.assign_sub(rate * gradient)
-     return tf.stack(losses), tf.convert_to_tensor(table)
+         moved = table - rate * gradient
+     return tf.stack(losses), moved

Only the loss of the last step is returned. Return one for each step.
- torch.stack(losses)
+ losses[-1]
- tf.stack(losses)
+ losses[-1]

Table and losses are returned in the wrong order.
- torch.stack(losses), table.detach()
+ table.detach(), torch.stack(losses)
- tf.stack(losses), tf.convert_to_tensor(table)
+ tf.convert_to_tensor(table), tf.stack(losses)

Only the losses are returned. Return the trained table, too.
- return torch.stack(losses), table.detach()
+ return torch.stack(losses)
- return tf.stack(losses), tf.convert_to_tensor(table)
+ return tf.stack(losses)

You return the table as it was at the start. Return the trained one.
@torch
-     table = table.clone()
+     start = table
+     table = table.clone()
- table.detach()
+ start
@tensorflow
-     table = tf.Variable(table)
+     start = table
+     table = tf.Variable(table)
- tf.convert_to_tensor(table)
+ start

You hide the logit of padding. The softmax runs over the whole vocabulary: only targets
that are padding are left out.
@torch
-         log_p = torch
+         hidden = torch.arange(len(table)) == pad_id
+         logits = torch.where(hidden, -1e30, logits)
+         log_p = torch
@tensorflow
-             log_p = tf
+             hidden = tf.range(table.shape[0]) == pad_id
+             logits = tf.where(hidden, -1e30, logits)
+             log_p = tf

Clipping the probabilities hides the infinite loss of large logits, and stops the
gradient. `log_softmax` needs no clipping.
- torch.log_softmax(logits, dim=-1)
+ torch.log(torch.softmax(logits, dim=-1).clamp(1e-7, 1))
- tf.nn.log_softmax(logits, axis=-1)
+ tf.math.log(tf.clip_by_value(tf.nn.softmax(logits), 1e-7, 1))

You step with Adam. In plain gradient descent, a step is the rate times the gradient.
@torch
-     losses = []
+     losses, mean, square = [], 0, 0
- table -= rate * table.grad
+ step = len(losses)
+             mean = 0.9 * mean + 0.1 * table.grad
+             square = 0.999 * square + 0.001 * table.grad**2
+             root = (square / (1 - 0.999**step)) ** 0.5
+             table -= rate * mean / (1 - 0.9**step) / (root + 1e-8)
@tensorflow
-     losses = []
+     losses, mean, square = [], 0, 0
-         table.assign_sub(rate * gradient)
+         step = len(losses)
+         mean = 0.9 * mean + 0.1 * gradient
+         square = 0.999 * square + 0.001 * gradient**2
+         root = (square / (1 - 0.999**step)) ** 0.5
+         table.assign_sub(rate * mean / (1 - 0.9**step) / (root + 1e-8))

Only padding counts: the mask is inverted, and without any padding the mean is 0 / 0.
@torch
- loss[targets != pad_id].mean()
+ (loss * (targets == pad_id)).sum() / (targets == pad_id).sum()
@tensorflow
-             loss = tf.reduce_mean(loss[targets != pad_id])
+             padded = tf.cast(targets == pad_id, tf.float32)
+             loss = tf.reduce_sum(loss * padded) / tf.reduce_sum(padded)
""",
    reference=reference,
    cases=cases,
    checks=(the_loss_has_no_limit,),
    tolerance=5e-4,
    equivalent={
        "for logits in range(steps):": ANY_NAME,
        "for loss in range(steps):": ANY_NAME,
        "for steps in range(steps):": ANY_NAME,
        "gradient = tape.gradient(losses, table)": "Only the newest loss is on the "
        "tape.",
    },
)
