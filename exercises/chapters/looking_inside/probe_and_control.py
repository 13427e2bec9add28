"""Find the bugs: a probe that always looks good."""

from exercises.engine.exercise import Exercise

import numpy as np

CLASSES = 3


def cases(draw):
    for types, rows, train, d_model in ((5, 36, 20, 3), (6, 50, 27, 4), (8, 64, 34, 5)):
        while True:
            case = drawn(draw, types, rows, train, d_model)
            if is_clear(*case):
                yield case
                break


def drawn(draw, types, rows, train, d_model):
    """Draw vectors that scatter around one for each type, and answers."""
    type_of = np.concatenate([np.arange(types), draw.integers(types, size=rows)])[:rows]
    type_of = draw.permutation(type_of)
    centres = 1.2 * draw.normal(size=(types, d_model))
    vectors = centres[type_of] + 0.6 * draw.normal(size=(rows, d_model))
    labels = draw.permutation(np.arange(types) % CLASSES)
    noise = draw.integers(CLASSES, size=rows)
    before = labels[type_of]
    donor = (before + draw.integers(1, CLASSES, rows)) % CLASSES
    moved = draw.random(rows)
    after = np.where(moved < 0.2, donor, before)
    third = 3 - before - donor
    after = np.where(moved > 0.8, third, after)
    return vectors.round(3), type_of, labels, noise, train, before, after, donor


def fitted(vectors, label, train):
    """Return the outputs of a probe for all rows: (rows, classes)."""
    rows = np.c_[vectors, np.ones(len(vectors))]
    known = rows[:train]
    squares = known.T @ known + np.eye(rows.shape[1])
    return rows @ np.linalg.solve(squares, known.T @ np.eye(CLASSES)[label[:train]])


def is_clear(vectors, type_of, labels, noise, train, before, after, donor):
    """Whether rounding changes no guess, and all shares differ."""
    shares = [np.mean(after == donor), np.mean(after != before)]
    for label in (labels[type_of], noise[type_of], noise):
        for rows in (train, len(vectors)):
            outputs = fitted(vectors, label, rows)
            two_best = np.sort(outputs)[:, -2:]
            if np.diff(two_best).min() < 1e-3:
                return False
            right = outputs.argmax(1) == label
            if rows == train:
                shares += [right[train:].mean(), right[:train].mean(), right.mean()]
            elif label is not noise:
                shares.append(right[train:].mean())
    gaps = np.abs(np.subtract.outer(shares, shares)) + np.eye(len(shares))
    return gaps.min() > 1e-3


def reference(vectors, types, labels, noise, train, before, after, donor):
    shares = []
    for of_type in (labels, noise):
        label = of_type[types]
        outputs = fitted(vectors.astype(np.float64), label, train)
        shares.append(np.mean(outputs.argmax(1)[train:] == label[train:]))
    return np.array([*shares, np.mean(after == donor)])


EXERCISE = Exercise(
    title="A probe that always looks good",
    kind="find the bug",
    difficulty=2,
    minutes=15,
    prompt="""
`probe_report` says three things about `vectors`, a row of the stream for each text. The
first `train` rows are for training a linear probe.

1. How **readable** the label is: the share of the *other* rows that the probe gets
   right.
2. A **control**: the same with labels that mean nothing. A row's type says which word
   stands there. Every *type* has one random label, `noise[type]`, so that a probe can
   learn it only by telling the words apart.
3. How much the label is **used**: in each text the row was exchanged for that of a
   donor. `before` and `after` are the labels that the model answered with before and
   after the exchange, `donor` the labels that would fit the donor's row. In what share
   of the texts does the answer become the donor's?

It runs, and reports that everything is readable, well above the control, and used. Each
of the three is wrong. Fix them.
""",
    bug="Nothing is fixed yet",
    solution={
        "torch": '''
def probe_report(
    vectors, types, labels, noise, train, before, after, donor
):
    """Return readable, control and used as one tensor (3,).

    vectors (rows, d_model); labels (types,); all others
    (rows,): types and labels are integers. train, a number.
    """
    ones = torch.ones(len(vectors), 1)
    rows = torch.cat([vectors, ones], dim=1)

    def share_right(label):
        x = rows[:train]
        y = nn.functional.one_hot(label[:train], 3).float()
        squares = x.T @ x + torch.eye(x.shape[1])  # ridge
        weights = torch.linalg.solve(squares, x.T @ y)
        guess = (rows[train:] @ weights).argmax(dim=1)
        return (guess == label[train:]).float().mean()

    readable = share_right(labels[types])
    control = share_right(noise[types])
    used = (after == donor).float().mean()
    return torch.stack([readable, control, used])
''',
        "tensorflow": '''
def probe_report(
    vectors, types, labels, noise, train, before, after, donor
):
    """Return readable, control and used as one tensor (3,).

    vectors (rows, d_model); labels (types,); all others
    (rows,): types and labels are integers. train, a number.
    """
    ones = tf.ones((len(vectors), 1))
    rows = tf.concat([vectors, ones], axis=1)

    def share_right(label):
        x = rows[:train]
        y = tf.one_hot(label[:train], 3)
        turned = tf.transpose(x)
        squares = turned @ x + tf.eye(x.shape[1])  # ridge
        weights = tf.linalg.solve(squares, turned @ y)
        guess = tf.argmax(rows[train:] @ weights, axis=1)
        guess = tf.cast(guess, label.dtype)
        right = tf.cast(guess == label[train:], tf.float32)
        return tf.reduce_mean(right)

    readable = share_right(tf.gather(labels, types))
    control = share_right(tf.gather(noise, types))
    used = tf.reduce_mean(tf.cast(after == donor, tf.float32))
    return tf.stack([readable, control, used])
''',
    },
    why="""
Rows that a probe was trained on say how much it can memorize, not what can be read.
A random label for each *row* can't be learned at all, so any probe beats it; with one
random label for each *type*, a probe that can tell the words apart gets it right as
well. Only what a probe gets right beyond that is about the label (Hewitt and Liang,
2019, call the difference *selectivity*).

And what is readable need not be used: whether it is, only an intervention can say. A
mere change isn't enough there either, because an exchange can also disturb. The answer
has to become the donor's.
""",
    hints=(
        "Which rows does the probe see in training, and on which is it tested?",
        "`noise[n]` is the random label of type n. How does `labels` become a label "
        "for each row?",
        "The third number needs `after` and `donor`, and no probe.",
    ),
    mistakes="""
Nothing is fixed yet: the probe is tested on its training rows, its control has a random
label for each row, and “used” repeats “readable”.
- rows[train:]
+ rows[:train]
- == label[train:]
+ == label[:train]
- noise[types]
+ noise
- tf.gather(noise, types)
+ noise
- used = (after == donor).float().mean()
+ used = readable
- used = tf.reduce_mean(tf.cast(after == donor, tf.float32))
+ used = readable

The probe is still tested on its training rows, and its control has a random label for
each row. The third number is right.
- rows[train:]
+ rows[:train]
- == label[train:]
+ == label[:train]
- noise[types]
+ noise
- tf.gather(noise, types)
+ noise

The probe is still tested on its training rows, and readable is still reported as used.
The control's labels are right.
- rows[train:]
+ rows[:train]
- == label[train:]
+ == label[:train]
- used = (after == donor).float().mean()
+ used = readable
- used = tf.reduce_mean(tf.cast(after == donor, tf.float32))
+ used = readable

The control still has a random label for each row, and readable is still reported as
used. The test rows are right.
- noise[types]
+ noise
- tf.gather(noise, types)
+ noise
- used = (after == donor).float().mean()
+ used = readable
- used = tf.reduce_mean(tf.cast(after == donor, tf.float32))
+ used = readable

The probe is still tested on the rows that it was trained on. All else is right.
- rows[train:]
+ rows[:train]
- == label[train:]
+ == label[:train]

The control still has a random label for each row, which nothing could learn. Give each
type one. All else is right.
- noise[types]
+ noise
- tf.gather(noise, types)
+ noise

Readable is still reported as used. Does the answer become the donor's? All else is
right.
- used = (after == donor).float().mean()
+ used = readable
- used = tf.reduce_mean(tf.cast(after == donor, tf.float32))
+ used = readable

You test on all rows, and the rows of the training are among them.
- rows[train:]
+ rows
- == label[train:]
+ == label

You train on all rows, so the test rows are no longer new to the probe.
- x = rows[:train]
+ x = rows
- label[:train], 3
+ label, 3

“Used” counts all answers that changed. An exchange can also disturb: count those that
became the donor's.
- after == donor
+ after != before

“Used” counts the answers that stayed as they were.
- after == donor
+ after == before

The control is the difference to it. Report the control's own share.
- [readable, control, used]
+ [readable, readable - control, used]

The control is tested like the label itself, and has its labels, too. It needs those of
`noise`.
- share_right(noise[types])
+ share_right(labels[types])
- share_right(tf.gather(noise, types))
+ share_right(tf.gather(labels, types))

The numbers are in another order: readable, control, used.
- [readable, control, used]
+ [control, readable, used]
""",
    reference=reference,
    cases=cases,
    equivalent={
        f"ones = {ones}": "There are as many."
        for name in ("types", "noise", "before", "after", "donor")
        for ones in (f"torch.ones(len({name}), 1)", f"tf.ones((len({name}), 1))")
    },
)
