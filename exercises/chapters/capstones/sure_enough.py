"""Build a classifier that stays silent where it isn't sure."""

from exercises.engine.exercise import Exercise

import numpy as np


def logits_of(draw, labels, classes):
    """Return logits that are right more often where they are large."""
    right = draw.normal(size=(len(labels), classes))
    strength = draw.uniform(0, 3, size=(len(labels), 1))
    return right + strength * np.eye(classes)[labels]


def cases(draw):
    for texts, tests, classes, wanted in (
        (2, 2, 2, 0.75),
        (4, 3, 2, 0.75),
        (6, 5, 3, 0.85),
        (9, 8, 4, 0.7),
        (12, 14, 3, 0.75),
        (12, 12, 3, 0.9),
        (16, 15, 5, 0.8),
    ):
        labels = draw.integers(classes, size=texts)
        logits = logits_of(draw, labels, classes)
        logits[0] = 9 * np.eye(classes)[labels[0]]  # so some threshold is enough
        # The second or third surest is wrong, so that the shares rise again after it.
        place = 2 if texts > 8 else 1
        logits[1] = 8 * np.eye(classes)[labels[1]]
        logits[place] = 6 * np.eye(classes)[(labels[place] + 1) % classes]
        test_labels = draw.integers(classes, size=tests)
        test_logits = logits_of(draw, test_labels, classes)
        test_logits[:2] = logits[:2]
        if texts == tests:
            test_logits = logits.copy()
        if texts > 12:  # the surest text isn't always the first
            logits, labels = logits[::-1].copy(), labels[::-1].copy()
        yield logits, labels, test_logits, test_labels, wanted


def reference(logits, labels, test_logits, test_labels, wanted):
    def judged(rows, truth):
        found = []
        for row, label in zip(rows.astype(np.float64), truth, strict=True):
            p = np.exp(row - row.max())
            found.append((p.max() / p.sum(), int(np.argmax(row)) == label))
        return found

    known = sorted(judged(logits, labels), reverse=True)
    threshold = None
    for place, (sure, _) in enumerate(known, 1):
        if sum(right for _, right in known[:place]) / place >= wanted:
            threshold = sure
    answered = [
        right for sure, right in judged(test_logits, test_labels) if sure >= threshold
    ]
    return threshold, len(answered) / len(test_labels), float(np.mean(answered))


EXERCISE = Exercise(
    title="Sure enough to answer",
    kind="build",
    difficulty=3,
    minutes=25,
    prompt="""
A classifier should answer only when it is sure enough that at least the share `wanted`
of its answers is right. Its **confidence** is the probability of its answer, the
largest number of the softmax. It answers if this is **at least** a threshold.

Choose the threshold on the validation texts (`logits` and `labels`): of the
probabilities that occur there, take the **lowest** one at which at least `wanted` of
the answers given are right. Then apply it to the test texts. Return three numbers: the
threshold, the share of the test texts that are answered, and the share of those answers
that are right.

There is always such a threshold, and at least one test text is answered.
""",
    solution={
        "torch": '''
def answer_if_sure(
    logits, labels, test_logits, test_labels, wanted
):
    """Return (threshold, share answered, share right).

    Both logits (texts, classes); both labels (texts,).
    """

    def judged(logits, labels):
        sure, guess = torch.softmax(logits, dim=1).max(1)
        return sure, (guess == labels).float()

    sure, right = judged(logits, labels)
    enough = [
        one for one in sure if right[sure >= one].mean() >= wanted
    ]
    threshold = min(enough)
    sure, right = judged(test_logits, test_labels)
    answered = sure >= threshold
    share = answered.float().mean()
    return threshold, share, right[answered].mean()
''',
        "tensorflow": '''
def answer_if_sure(
    logits, labels, test_logits, test_labels, wanted
):
    """Return (threshold, share answered, share right).

    Both logits (texts, classes); both labels (texts,).
    """

    def judged(logits, labels):
        p = tf.nn.softmax(logits, axis=1)
        guess = tf.argmax(p, 1, labels.dtype)
        right = tf.cast(guess == labels, tf.float32)
        return tf.reduce_max(p, 1), right

    sure, right = judged(logits, labels)
    enough = [
        one
        for one in sure
        if tf.reduce_mean(right[sure >= one]) >= wanted
    ]
    threshold = min(enough)
    sure, right = judged(test_logits, test_labels)
    answered = sure >= threshold
    share = tf.reduce_mean(tf.cast(answered, tf.float32))
    return threshold, share, tf.reduce_mean(right[answered])
''',
    },
    why="""
A probability of 0.9 doesn't mean that nine of ten such answers are right: models are
often **overconfident**. So the threshold has to be measured, on texts that took no part
in training. It must not be measured on the test texts either, because the
threshold that happens to be best there makes the result look better than it will be.
Expect the share of right answers on the test to be a little below `wanted`, since the
lowest threshold that is just enough is partly lucky.
""",
    hints=(
        "Write a function that returns for each text how sure the classifier is and "
        "whether it is right. You need it twice.",
        "For each validation probability, compute the share of right answers among the "
        "texts that are at least as sure. Keep the probabilities for which it is "
        "enough.",
        "The threshold is the smallest of them. The test texts are only counted.",
    ),
    mistakes="""
You choose the threshold on the test texts. It belongs to the validation texts.
-     sure, right = judged(logits, labels)
+     sure, right = judged(test_logits, test_labels)

The threshold is the highest that is enough. The lowest answers most texts.
- min(enough)
+ max(enough)

You take `wanted` itself as the threshold. A probability of 0.9 doesn't mean that nine
of ten are right: measure it.
- min(enough)
+ sure[0] * 0 + wanted

You stop at the first threshold, from the top, that isn't enough. A lower one may be
enough again.
@torch
-     threshold = min(enough)
+     threshold = sure.max()
+     for one in sure.sort(descending=True).values:
+         if right[sure >= one].mean() < wanted:
+             break
+         threshold = one
@tensorflow
-     threshold = min(enough)
+     threshold = tf.reduce_max(sure)
+     for one in tf.sort(sure, direction="DESCENDING"):
+         if tf.reduce_mean(right[sure >= one]) < wanted:
+             break
+         threshold = one

You compare logits. How sure the classifier is is a probability: take the softmax.
@torch
- torch.softmax(logits, dim=1).max(1)
+ logits.max(1)
@tensorflow
- tf.nn.softmax(logits, axis=1)
+ logits

The softmax is taken over the texts. The probabilities of one text must sum to 1.
- dim=1
+ dim=0
- axis=1
+ axis=0

Those are sigmoids. The probabilities of one text must sum to 1: take the softmax.
- torch.softmax(logits, dim=1)
+ torch.sigmoid(logits)
- tf.nn.softmax(logits, axis=1)
+ tf.sigmoid(logits)

Your measure is the lead of the first class over the second. The probability of the
answer is asked for.
@torch
-         sure, guess = torch.softmax(logits, dim=1).max(1)
+         p, order = torch.softmax(logits, dim=1).sort(1, True)
+         sure, guess = p[:, 0] - p[:, 1], order[:, 0]
@tensorflow
-         return tf.reduce_max(p, 1), right
+         best = tf.math.top_k(p, 2).values
+         return best[:, 0] - best[:, 1], right

The last number counts the unanswered texts, too. Of the answers given, which share is
right?
@torch
- right[answered].mean()
+ (right * answered).mean()
@tensorflow
- tf.reduce_mean(right[answered])
+ tf.reduce_mean(right * tf.cast(answered, tf.float32))

The last number is the share of right answers among all texts, answered or not.
- right[answered]
+ right

The last two numbers are those of the validation texts. Apply the threshold to the test
texts.
-     sure, right = judged(test_logits, test_labels)
+

The share answered is that of the texts that stay unanswered.
@torch
- share = answered.float().mean()
+ share = 1 - answered.float().mean()
@tensorflow
- tf.reduce_mean(tf.cast(answered, tf.float32))
+ 1 - tf.reduce_mean(tf.cast(answered, tf.float32))

The last number is the share of wrong answers.
@torch
- right[answered].mean()
+ 1 - right[answered].mean()
@tensorflow
- tf.reduce_mean(right[answered])
+ 1 - tf.reduce_mean(right[answered])

You answer the texts that are less sure than the threshold.
- answered = sure >= threshold
+ answered = sure < threshold

A text that is exactly as sure as the threshold is answered: at least, not more than.
- right[sure >= one]
+ right[sure > one]
- sure >= threshold
+ sure > threshold

On the test texts, one that is exactly as sure as the threshold is answered, too.
- sure >= threshold
+ sure > threshold

You count the right answers among all validation texts. Count them among those that are
answered at this threshold.
@torch
- right[sure >= one].mean()
+ (right * (sure >= one)).mean()
-     threshold = min(enough)
+     threshold = min(enough, default=sure.max())
@tensorflow
- tf.reduce_mean(right[sure >= one])
+ tf.reduce_mean(right * tf.cast(sure >= one, tf.float32))
-     threshold = min(enough)
+     threshold = min(enough, default=tf.reduce_max(sure))

More than `wanted` must be right in your answer. At least as many is enough.
- >= wanted
+ > wanted

The threshold is the lowest probability of a right answer. At least `wanted` of all
answers above it have to be right.
- min(enough)
+ min(one for one, good in zip(sure, right) if good)

You answer all texts.
- answered = sure >= threshold
+ answered = sure >= 0

The second number counts the texts that are answered. Their share is asked for.
@torch
- answered.float().mean()
+ answered.sum()
@tensorflow
- tf.reduce_mean(tf.cast(answered, tf.float32))
+ tf.reduce_sum(tf.cast(answered, tf.int32))

You count the texts that are answered. The second number is their share.
@torch
- answered.float().mean()
+ answered.float().sum()
@tensorflow
- tf.reduce_mean(tf.cast(answered, tf.float32))
+ tf.reduce_sum(tf.cast(answered, tf.float32))

You answer the surest texts, a share of `wanted`. The threshold is where that share of
the answers is right.
@torch
- min(enough)
+ torch.quantile(sure, 1 - wanted)
@tensorflow
- min(enough)
+ np.float32(np.quantile(sure, 1 - wanted)) + 0 * sure[0]

The last two numbers are swapped: the share answered comes first.
@torch
- share, right[answered].mean()
+ right[answered].mean(), share
@tensorflow
- share, tf.reduce_mean(right[answered])
+ tf.reduce_mean(right[answered]), share

You leave out the threshold. Return three numbers.
- return threshold, share
+ return share

You take the first text whose probability is enough. Look for the lowest among all.
- min(enough)
+ enough[0]

While choosing, a text that is exactly as sure as the threshold is answered, too.
@torch
- right[sure >= one].mean() >= wanted
+ right[sure > one].mean() >= wanted
-     threshold = min(enough)
+     threshold = min(enough, default=sure.max())
@tensorflow
- tf.reduce_mean(right[sure >= one]) >= wanted
+ tf.reduce_mean(right[sure > one]) >= wanted
-     threshold = min(enough)
+     threshold = min(enough, default=tf.reduce_max(sure))

You try round numbers. The threshold is one of the validation probabilities.
- one for one in sure if right
+ one for one in torch.arange(100) / 100 if right
- for one in sure
+ for one in np.float32(np.arange(100) / 100)
""",
    reference=reference,
    cases=cases,
)
