"""Build a training loop for the smallest language model: a table of embeddings."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for vocab_size, d_model, tokens, rate, steps in (
        (3, 2, 2, 0.5, 1),
        (4, 3, 5, 0.5, 2),
        (6, 4, 3, 0.25, 3),
        (5, 2, 7, 1.0, 3),
    ):
        yield (
            draw.normal(size=(vocab_size, d_model)),
            draw.integers(0, vocab_size, size=tokens),
            draw.integers(0, vocab_size, size=tokens),
            rate,
            steps,
        )


def reference(table, ids, targets, rate, steps):
    """Write the gradient out: no framework is needed."""
    table = np.asarray(table, dtype=np.float64)
    one_hot_ids = np.eye(len(table))[ids]
    one_hot_targets = np.eye(len(table))[targets]
    losses = []
    for _ in range(steps + 1):
        rows = table[ids]
        logits = rows @ table.T
        exponentials = np.exp(logits - logits.max(axis=1, keepdims=True))
        probabilities = exponentials / exponentials.sum(axis=1, keepdims=True)
        losses.append(-np.log((probabilities * one_hot_targets).sum(axis=1)).mean())
        error = (probabilities - one_hot_targets) / len(ids)
        table = table - rate * (one_hot_ids.T @ (error @ table) + error.T @ rows)
    return np.array(losses)


def a_small_step_lowers_the_loss(ask, draw):
    table = draw.normal(size=(5, 3)).astype(np.float32)
    ids, targets = draw.integers(0, 5, size=(2, 4))
    before, after = ask(table, ids, targets, 0.01, 1)[:2]
    if after > before:
        return (
            f"A small step took the loss from {before:.4f} to {after:.4f}: it should "
            "fall."
        )
    return None


EXERCISE = Exercise(
    title="Train a table",
    kind="build",
    difficulty=3,
    minutes=25,
    prompt="""
The smallest language model is a table alone. To predict the token after `ids[i]`, it
takes the dot products of that token's row with all rows of the table as logits;
`targets[i]` is the right token.

Write its training loop: plain gradient descent with learning rate `rate`, on the mean
cross-entropy over all tokens. Return a tensor with `steps + 1` losses, the first before
any step and the last after the last one. The `table` that is passed in must stay as it
is.
""",
    solution={
        "torch": '''
def train(table, ids, targets, rate, steps):
    """Return the losses, a tensor (steps + 1,).

    table (vocabulary, d_model); ids and targets (tokens).
    """
    table = table.clone().requires_grad_()
    losses = []
    for step in range(steps + 1):
        rows = table[ids]
        logits = rows @ table.T
        loss = nn.functional.cross_entropy(logits, targets)
        losses.append(loss.detach())
        loss.backward()
        with torch.no_grad():
            table -= rate * table.grad
        table.grad = None
    return torch.stack(losses)
''',
        "tensorflow": '''
def train(table, ids, targets, rate, steps):
    """Return the losses, a tensor (steps + 1,).

    table (vocabulary, d_model); ids and targets (tokens).
    """
    table = tf.Variable(table)
    losses = []
    entropy = keras.losses.sparse_categorical_crossentropy
    for step in range(steps + 1):
        with tf.GradientTape() as tape:
            rows = tf.gather(table, ids)
            logits = rows @ tf.transpose(table)
            each = entropy(targets, logits, from_logits=True)
            loss = tf.reduce_mean(each)
        losses.append(loss)
        gradient = tape.gradient(loss, table)
        table.assign_sub(rate * tf.convert_to_tensor(gradient))
    return tf.stack(losses)
''',
    },
    why="""
Every training loop in this book has these parts: loss, gradient, step. The table gets
gradients from both of its uses, from the look-up and from the logits, and the
frameworks add the two. PyTorch also adds gradients to those of earlier steps, so you
have to clear them.
""",
    hints=(
        "The box 'Training in brief' has all the parts. Start with the loss for "
        "the table as it is.",
        "The logits are `table[ids] @ table.T`, a row for each token. Both frameworks "
        "have a cross-entropy that takes logits and target ids.",
        "Work on a copy that records gradients (`requires_grad_()`, `tf.Variable`). "
        "After each loss, subtract `rate` times the gradient, without recording it; in "
        "PyTorch, then clear it.",
    ),
    mistakes="""
Your steps change the table that is passed in. Work on a copy.
@torch
- table.clone().requires_grad_()
+ table.requires_grad_()

The gradients of all steps so far are added up: clear them after each step.
@torch
-         table.grad = None

The step goes uphill: subtract the gradient.
- table -= rate
+ table += rate
- table.assign_sub(
+ table.assign_add(

The table never changes: all losses are the first.
- table -= rate
+ table -= 0 * rate
- table.assign_sub(rate
+ table.assign_sub(0 * rate

You replace the table with the step. Subtract the step from the table.
- table -= rate * table.grad
+ table.copy_(-rate * table.grad)
- table.assign_sub(rate * tf
+ table.assign(-rate * tf

You leave the learning rate out.
- rate * table.grad
+ table.grad
- table.assign_sub(rate * tf
+ table.assign_sub(tf

The loss is a sum over the tokens. The mean is asked for.
- cross_entropy(logits, targets)
+ cross_entropy(logits, targets, reduction="sum")
- tf.reduce_mean(each)
+ tf.reduce_sum(each)

The losses are means, but the steps use the gradient of the sum over the tokens.
- rate * table.grad
+ rate * len(ids) * table.grad
- rate * tf
+ rate * len(ids) * tf

No gradient flows through the look-up: the rows are detached, so the table learns from
its use in the logits alone.
- rows = table[ids]
+ rows = table[ids].detach()
- rows = tf.gather(table, ids)
+ rows = tf.stop_gradient(tf.gather(table, ids))

The table learns from the look-up alone. It is used a second time, for the logits, and
gets a gradient from there, too.
- rows @ table.T
+ rows @ table.detach().T
- rows @ tf.transpose(table)
+ rows @ tf.stop_gradient(tf.transpose(table))

The logits use the table as it was before training. Use the one that learns in both
places.
-     table = table.clone().requires_grad_()
+     first = table
+     table = table.clone().requires_grad_()
-     table = tf.Variable(table)
+     first = table
+     table = tf.Variable(table)
- rows @ table.T
+ rows @ first.T
- tf.transpose(table)
+ tf.transpose(first)

The softmax is applied twice: this cross-entropy already contains one.
- cross_entropy(logits, targets)
+ cross_entropy(logits.softmax(-1), targets)
- entropy(targets, logits
+ entropy(targets, tf.nn.softmax(logits)

The logits are taken for probabilities. Say that they are logits.
@tensorflow
- , from_logits=True
+ 

The last loss is missing: it is measured after the last step, too.
- steps + 1):
+ steps):

The first loss is missing: it is measured before any step.
- torch.stack(losses)
+ torch.stack(losses[1:])
- tf.stack(losses)
+ tf.stack(losses[1:])

Each loss is measured one step too late.
-         losses.append(loss.detach())
+         if step:
+             losses.append(loss.detach())
-         losses.append(loss)
+         if step:
+             losses.append(loss)
- steps + 1)
+ steps + 2)

The ids and the targets have changed places.
- rows = table[ids]
+ rows = table[targets]
- cross_entropy(logits, targets)
+ cross_entropy(logits, ids)
- rows = tf.gather(table, ids)
+ rows = tf.gather(table, targets)
- entropy(targets,
+ entropy(ids,

Your loss is that of predicting the token itself. `targets` holds the right tokens.
- cross_entropy(logits, targets)
+ cross_entropy(logits, ids)
- entropy(targets,
+ entropy(ids,

You look up the rows of the targets. The rows of `ids` predict them.
- rows = table[ids]
+ rows = table[targets]
- rows = tf.gather(table, ids)
+ rows = tf.gather(table, targets)

Your steps are divided by the number of tokens, which the mean does already.
- rate * table.grad
+ rate / len(ids) * table.grad
- rate * tf
+ rate / len(ids) * tf

You return perplexities, e to the power of the loss. The losses are asked for.
- torch.stack(losses)
+ torch.stack(losses).exp()
- tf.stack(losses)
+ tf.exp(tf.stack(losses))

The rows have the factor √d_model. Here the logits are plain dot products.
- rows = table[ids]
+ rows = table[ids] * table.shape[1] ** 0.5
- rows = tf.gather(table, ids)
+ rows = tf.gather(table, ids) * table.shape[1] ** 0.5

The logits are divided by the root of `d_model`. Here they are plain dot products.
- rows = table[ids]
+ rows = table[ids] / table.shape[1] ** 0.5
- rows = tf.gather(table, ids)
+ rows = tf.gather(table, ids) / table.shape[1] ** 0.5

The loss is in bits. Cross-entropy uses the natural logarithm.
- losses.append(loss.detach())
+ losses.append(loss.detach() / math.log(2))
- losses.append(loss)
+ losses.append(loss / math.log(2))

You return a loss for each token. Take the mean over the tokens.
@tensorflow
- tf.reduce_mean(each)
+ each

You return only the last loss. All of them are asked for.
- torch.stack(losses)
+ losses[-1]
- tf.stack(losses)
+ losses[-1]

You return the table. The losses are asked for.
- torch.stack(losses)
+ table.detach()
- tf.stack(losses)
+ tf.convert_to_tensor(table)

You return the mean of all losses. Each of them is asked for.
- torch.stack(losses)
+ torch.stack(losses).mean()
- tf.stack(losses)
+ tf.reduce_mean(tf.stack(losses))

That is gradient descent with momentum. Plain gradient descent is asked for.
-     losses = []
+     losses, speed = [], 0
-             table -= rate * table.grad
+             speed = 0.9 * speed + table.grad
+             table -= rate * speed
-         table.assign_sub(rate * tf.convert_to_tensor(gradient))
+         speed = 0.9 * speed + tf.convert_to_tensor(gradient)
+         table.assign_sub(rate * speed)

Only the rows that were looked up change. The logits use all rows, so all of them get a
gradient.
-             table -= rate * table.grad
+             seen = torch.isin(torch.arange(len(table)), ids)[:, None]
+             table -= rate * table.grad * seen
-         table.assign_sub(rate * tf.convert_to_tensor(gradient))
+         seen = tf.reduce_max(tf.one_hot(ids, len(table)), 0)[:, None]
+         table.assign_sub(rate * tf.convert_to_tensor(gradient) * seen)

That is Adam. Plain gradient descent is asked for.
-     losses = []
+     losses, mean, square = [], 0, 0
-             table -= rate * table.grad
+             mean = 0.9 * mean + 0.1 * table.grad
+             square = 0.999 * square + 0.001 * table.grad**2
+             root = (square / (1 - 0.999 ** (step + 1))) ** 0.5
+             table -= rate * mean / (1 - 0.9 ** (step + 1)) / (root + 1e-8)
-         table.assign_sub(rate * tf.convert_to_tensor(gradient))
+         gradient = tf.convert_to_tensor(gradient)
+         mean = 0.9 * mean + 0.1 * gradient
+         square = 0.999 * square + 0.001 * gradient**2
+         root = (square / (1 - 0.999 ** (step + 1))) ** 0.5
+         table.assign_sub(rate * mean / (1 - 0.9 ** (step + 1)) / (root + 1e-8))

`.grad` is None: either nothing called `backward`, or the table was computed from
another, as in `table = table - …`. Change the table itself, under `torch.no_grad()`.
@torch
-         with torch.no_grad():
-             table -= rate * table.grad
-         table.grad = None
+         table = table - rate * table.grad

PyTorch would record your step as a part of the computation. Take it under
`torch.no_grad()`.
@torch
-         with torch.no_grad():
-             table -= rate * table.grad
+         table -= rate * table.grad

There is no gradient: a tape watches variables only, unless you call `tape.watch`, and
the loss has to be computed inside it.
@tensorflow
-     table = tf.Variable(table)
+     table = tf.identity(table)
-         table.assign_sub(rate * tf.convert_to_tensor(gradient))
+         table = table - rate * gradient

The logits learn with a table of their own. One table is used in both places, and its
two gradients add up.
@torch
-     table = table.clone().requires_grad_()
+     other = table.clone().requires_grad_()
+     table = table.clone().requires_grad_()
- rows @ table.T
+ rows @ other.T
-             table -= rate * table.grad
-         table.grad = None
+             table -= rate * table.grad
+             other -= rate * other.grad
+         table.grad = other.grad = None
@tensorflow
-     table = tf.Variable(table)
+     other = tf.Variable(table)
+     table = tf.Variable(table)
- tf.transpose(table)
+ tf.transpose(other)
-         gradient = tape.gradient(loss, table)
-         table.assign_sub(rate * tf.convert_to_tensor(gradient))
+         gradient, second = tape.gradient(loss, [table, other])
+         table.assign_sub(rate * tf.convert_to_tensor(gradient))
+         other.assign_sub(rate * second)
""",
    reference=reference,
    cases=cases,
    checks=(a_small_step_lowers_the_loss,),
    equivalent={
        "for steps in range(steps + 1):": "The range is made before it is counted.",
    },
)
