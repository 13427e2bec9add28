"""Find the bug: training that shuffles the texts and not their labels."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for count, d_model, epochs, batch_size, rate in (
        (2, 2, 1, 1, 0.5),
        (4, 3, 2, 2, 0.3),
        (5, 2, 3, 2, 0.4),
        (7, 4, 2, 3, 0.2),
        (6, 3, 2, 6, 0.5),
    ):
        labels = np.arange(count) % 2
        orders = [np.roll(np.arange(count), -1)]
        while len(orders) < epochs:
            orders.append(draw.permutation(count))
        yield (
            draw.normal(size=(count, d_model)) + labels[:, None],
            labels,
            np.stack(orders),
            rate,
            batch_size,
        )


def reference(x, labels, orders, rate, batch_size):
    weight = np.zeros((x.shape[1], 2))
    for order in orders:
        for start in range(0, len(order), batch_size):
            rows = order[start : start + batch_size]
            logits = x[rows] @ weight
            shares = np.exp(logits - logits.max(1, keepdims=True))
            error = shares / shares.sum(1, keepdims=True) - np.eye(2)[labels[rows]]
            weight = weight - rate * x[rows].T @ error / len(rows)
    return weight


EXERCISE = Exercise(
    title="A classifier that does not learn",
    kind="find the bug",
    difficulty=3,
    minutes=15,
    prompt="""
This function trains a classifier on the sentence vectors `x` of a frozen encoder: one
matrix, two classes, gradient descent on the cross-entropy. Each row of `orders` is one
epoch, a permutation of the texts. A linear layer could tell the two classes apart, and
yet the loss stays near ln 2, and the test accuracy is a matter of luck. Find the bug
and repair it.

(The gradient of the cross-entropy with respect to the logits is the softmax minus the
one-hot labels. That part of the code is correct.)
""",
    bug="The texts are shuffled and the labels are not",
    solution={
        "torch": '''
def train_head(x, labels, orders, rate, batch_size):
    """Return the trained weight (d_model, 2).

    x (texts, d_model); labels (texts,), 0 or 1;
    orders (epochs, texts).
    """
    weight = torch.zeros(x.shape[1], 2)
    for order in orders:
        features = x[order]
        wanted = nn.functional.one_hot(labels[order], 2)
        for start in range(0, len(order), batch_size):
            end = start + batch_size
            logits = features[start:end] @ weight
            error = torch.softmax(logits, dim=1)
            error = error - wanted[start:end]
            inputs = features[start:end].T
            gradient = inputs @ error / len(error)
            weight = weight - rate * gradient
    return weight
''',
        "tensorflow": '''
def train_head(x, labels, orders, rate, batch_size):
    """Return the trained weight (d_model, 2).

    x (texts, d_model); labels (texts,), 0 or 1;
    orders (epochs, texts).
    """
    weight = tf.zeros((x.shape[1], 2))
    for order in orders:
        features = tf.gather(x, order)
        wanted = tf.one_hot(tf.gather(labels, order), 2)
        for start in range(0, len(order), batch_size):
            end = start + batch_size
            logits = features[start:end] @ weight
            error = tf.nn.softmax(logits, axis=1)
            error = error - wanted[start:end]
            inputs = tf.transpose(features[start:end])
            gradient = inputs @ error / len(error)
            weight = weight - rate * gradient
    return weight
''',
    },
    why="""
Texts and labels must be put into the same order. Otherwise most texts get the label of
another, and there is nothing to learn except how frequent each label is. No error is
raised, because the shapes fit. A short test finds this kind of bug: a model should be
able to memorize ten examples. If the loss does not fall even on those, look at the data
first.
""",
    hints=(
        "Take an order such as 1, 2, 0. Which text and which label are first then?",
        "Follow `x` and `labels` down to the subtraction, line by line.",
        "`order` is applied once. It should be applied twice.",
    ),
    mistakes="""
The texts are shuffled and the labels are not. Which label does the first text get?
- labels[order], 2
+ labels, 2
- tf.one_hot(tf.gather(labels, order), 2)
+ tf.one_hot(labels, 2)

Now the labels are shuffled and the texts are not.
- features = x[order]
+ features = x
- tf.gather(x, order)
+ x

Nothing is shuffled now: it learns, but each epoch has the same batches.
- features = x[order]
+ features = x
- tf.gather(x, order)
+ x
- labels[order], 2
+ labels, 2
- tf.one_hot(tf.gather(labels, order), 2)
+ tf.one_hot(labels, 2)

The labels are shuffled twice, the texts once.
- labels[order], 2
+ labels[order][order], 2
- tf.gather(labels, order), 2
+ tf.gather(tf.gather(labels, order), order), 2

You shuffled the labels with the inverse of the order. They need the order itself.
- labels[order], 2
+ labels[order.argsort()], 2
- tf.gather(labels, order), 2
+ tf.gather(labels, tf.argsort(order)), 2

The labels are reversed, instead of shuffled as the texts are.
- labels[order], 2
+ labels.flip(0), 2
- tf.gather(labels, order), 2
+ labels[::-1], 2

The labels are shuffled now, but each step increases the loss: gradient descent
subtracts.
- weight - rate
+ weight + rate

The weight is reset to 0 in each epoch.
@torch
-     weight = torch.zeros(x.shape[1], 2)
-     for order in orders:
+     for order in orders:
+         weight = torch.zeros(x.shape[1], 2)
@tensorflow
-     weight = tf.zeros((x.shape[1], 2))
-     for order in orders:
+     for order in orders:
+         weight = tf.zeros((x.shape[1], 2))

Your gradient is the sum over the batch. The mean, as before, was right.
- error / len(error)
+ error

The gradient is divided by `batch_size`. The last batch may be shorter.
- / len(error)
+ / batch_size

The last batch is dropped where it is shorter.
- range(0, len(order), batch_size)
+ range(0, len(order) - batch_size + 1, batch_size)

The softmax runs over the texts. It should run over the classes.
- softmax(logits, dim=1)
+ softmax(logits, dim=0)
- softmax(logits, axis=1)
+ softmax(logits, axis=0)

The softmax was right. Without it, the logits themselves are compared with the labels.
- torch.softmax(logits, dim=1)
+ logits
- tf.nn.softmax(logits, axis=1)
+ logits

You replaced the softmax by a sigmoid. The probabilities of the two classes must add up
to 1.
- torch.softmax(logits, dim=1)
+ torch.sigmoid(logits)
- tf.nn.softmax(logits, axis=1)
+ tf.sigmoid(logits)

The labels of the two classes are swapped.
- one_hot(labels[order], 2)
+ one_hot(1 - labels[order], 2)
- tf.one_hot(tf.gather(labels, order), 2)
+ tf.one_hot(1 - tf.gather(labels, order), 2)

All epochs use the order of the first.
- labels[order], 2
+ labels[orders[0]], 2
- features = x[order]
+ features = x[orders[0]]
- tf.gather(x, order)
+ tf.gather(x, orders[0])
- tf.gather(labels, order)
+ tf.gather(labels, orders[0])

Each epoch stops after its first batch.
- range(0, len(order), batch_size)
+ range(0, batch_size, batch_size)

Only the first epoch is trained.
- for order in orders:
+ for order in orders[:1]:

Each epoch is one step on all texts. Step after each batch.
- range(0, len(order), batch_size)
+ range(0, 1)
- end = start + batch_size
+ end = len(order)

The labels are in the reversed order. They need the same order as the texts.
- labels[order], 2
+ labels[order.flip(0)], 2
- tf.gather(labels, order), 2
+ tf.gather(labels, order[::-1]), 2

The gradient is divided by the number of all texts, not by that of the batch.
- error / len(error)
+ error / len(order)

Every batch is compared with the labels of the first.
- wanted[start:end]
+ wanted[: len(error)]

The texts follow each epoch's order, the labels that of the first. Each epoch has its
own.
- labels[order], 2
+ labels[orders[0]], 2
- tf.gather(labels, order)
+ tf.gather(labels, orders[0])

The sign of the step was right: gradient descent subtracts. And the labels are still not
shuffled.
- weight - rate
+ weight + rate
- labels[order], 2
+ labels, 2
- tf.one_hot(tf.gather(labels, order), 2)
+ tf.one_hot(labels, 2)

Each epoch shuffles what the one before has shuffled. Apply each order to the texts as
they were given.
- one_hot(labels[order], 2)
+ one_hot(labels, 2)
- features = x[order]
+ x, labels = x[order], labels[order]
+         features = x
- tf.one_hot(tf.gather(labels, order), 2)
+ tf.one_hot(labels, 2)
- features = tf.gather(x, order)
+ x, labels = tf.gather(x, order), tf.gather(labels, order)
+         features = x

The texts are shuffled twice, the labels once.
- features = x[order]
+ features = x[order][order]
- tf.gather(x, order)
+ tf.gather(tf.gather(x, order), order)

The labels are shuffled on top of the order of the epoch before. Apply each order to the
labels as they were given.
-         wanted = nn.functional.one_hot(labels[order], 2)
+         labels = labels[order]
+         wanted = nn.functional.one_hot(labels, 2)
-         wanted = tf.one_hot(tf.gather(labels, order), 2)
+         labels = tf.gather(labels, order)
+         wanted = tf.one_hot(labels, 2)
""",
    reference=reference,
    cases=cases,
    tolerance=1e-3,
    equivalent={
        "gradient = inputs @ error / len(logits)": "It has as many rows.",
        **{
            f"for start in range(0, len({name}), batch_size):": "As many texts."
            for name in ("x", "labels", "features", "wanted")
        },
    },
)
