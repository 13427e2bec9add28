"""Build the comparison of two classifiers on the same texts."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for texts, classes in ((2, 2), (3, 2), (5, 3), (8, 4), (12, 3), (20, 5)):
        labels = draw.integers(classes, size=texts)
        likely = np.eye(classes)[labels]
        one = draw.normal(size=(texts, classes)) + 2 * likely
        other = draw.normal(size=(texts, classes)) + 1.5 * one
        # At least one text on which only one of the two is right.
        one[0] = 3 * likely[0]
        other[0] = -3 * likely[0]
        other[1] = one[1]
        yield (one, other, labels) if texts % 2 else (other, one, labels)


def reference(logits, other, labels):
    first, second = (
        [int(np.argmax(row)) == label for row, label in zip(rows, labels, strict=True)]
        for rows in (logits, other)
    )
    lead = [int(a) - int(b) for a, b in zip(first, second, strict=True)]
    return float(np.mean(lead)), float(np.std(lead, ddof=1) / len(lead) ** 0.5)


EXERCISE = Exercise(
    title="How sure is the lead?",
    kind="build",
    difficulty=2,
    minutes=20,
    prompt="""
Two classifiers were tested on the same texts. Return how far the first one is ahead of
the other, and the standard error of this lead.

A classifier's answer is the class with its highest logit. Give each text the number 1
if only the first classifier is right, −1 if only the other one is, and 0 otherwise. The
lead is the mean of these numbers. Its **standard error** is their standard deviation
(with n − 1 in the divisor), divided by the square root of the number of texts. A lead
of less than two standard errors may well be chance.
""",
    solution={
        "torch": '''
def paired_lead(logits, other, labels):
    """Return (lead, standard error), two numbers.

    logits, other (texts, classes); labels (texts,).
    """
    first = logits.argmax(1) == labels
    second = other.argmax(1) == labels
    gap = first.float() - second.float()  # 1, 0 or -1
    return gap.mean(), gap.std() / len(gap) ** 0.5
''',
        "tensorflow": '''
def paired_lead(logits, other, labels):
    """Return (lead, standard error), two numbers.

    logits, other (texts, classes); labels (texts,).
    """
    first = tf.argmax(logits, 1, labels.dtype) == labels
    second = tf.argmax(other, 1, labels.dtype) == labels
    gap = tf.cast(first, tf.float32) - tf.cast(second, tf.float32)
    lead = tf.reduce_mean(gap)
    variance = tf.reduce_sum((gap - lead) ** 2) / (len(gap) - 1)
    return lead, tf.sqrt(variance / len(gap))
''',
    },
    why=""" Both classifiers were given the same texts, and most texts are easy or
hard for both. The differences are 0 there, so they vary less than two scores that were
measured on separate texts. Ignoring the pairs makes the error too large, and a real
lead may look like chance. The error tells nothing about other sources of chance, such
as the seeds of training or which texts were labelled.
""",
    hints=(
        "First find out for each text whether each classifier is right.",
        "The difference of the two, as floats, is 1, 0 or −1.",
        "The standard deviation in PyTorch is `gap.std()`, with n − 1. TensorFlow's "
        "`reduce_std` divides by n, so sum the squares yourself.",
    ),
    mistakes="""
That is the error of two scores measured on separate texts. These are the same texts:
take the standard deviation of the differences.
@torch
- gap.std() / len(gap) ** 0.5
+ (first.float().var() + second.float().var()).sqrt() / len(gap) ** 0.5
@tensorflow
-     variance = tf.reduce_sum((gap - lead) ** 2) / (len(gap) - 1)
+     a, b = tf.cast(first, tf.float32), tf.cast(second, tf.float32)
+     variance = tf.math.reduce_variance(a) + tf.math.reduce_variance(b)
+     variance = variance * len(gap) / (len(gap) - 1)

That is the error of two scores measured on separate texts, with n in the divisor. These
are the same texts: take the standard deviation of the differences.
@torch
- gap.std() / len(gap) ** 0.5
+ (
+         first.float().var(correction=0) + second.float().var(correction=0)
+     ).sqrt() / len(gap) ** 0.5
@tensorflow
-     variance = tf.reduce_sum((gap - lead) ** 2) / (len(gap) - 1)
+     a, b = tf.cast(first, tf.float32), tf.cast(second, tf.float32)
+     variance = tf.math.reduce_variance(a) + tf.math.reduce_variance(b)

That is the error of the first classifier's own score. The lead has another.
@torch
- gap.std() / len
+ first.float().std() / len
@tensorflow
- variance = tf.reduce_sum((gap - lead) ** 2)
+ own = tf.cast(first, tf.float32)
+     variance = tf.reduce_sum((own - tf.reduce_mean(own)) ** 2)

That is the standard deviation of the differences. For that of their mean, divide it by
the square root of the number of texts.
- gap.std() / len(gap) ** 0.5
+ gap.std()
- variance / len(gap)
+ variance

You divide the standard deviation by the number of texts. Divide it by the square root.
@torch
- len(gap) ** 0.5
+ len(gap)
@tensorflow
- tf.sqrt(variance / len(gap))
+ tf.sqrt(variance) / len(gap)

The divisor in the standard deviation is n. Here it is n - 1.
- gap.std()
+ gap.std(correction=0)
- (len(gap) - 1)
+ len(gap)

That is the square of the error.
@torch
- gap.std() / len(gap) ** 0.5
+ gap.var() / len(gap)
@tensorflow
- tf.sqrt(variance / len(gap))
+ variance / len(gap)

That is two standard errors. One is asked for.
@torch
- return gap.mean(), gap
+ return gap.mean(), 2 * gap
@tensorflow
- return lead, tf
+ return lead, 2 * tf

That is 1.96 standard errors, half of a 95 % interval. One standard error is asked for.
@torch
- return gap.mean(), gap
+ return gap.mean(), 1.96 * gap
@tensorflow
- return lead, tf
+ return lead, 1.96 * tf

The sign is the wrong way round: the lead is positive if the first classifier is better.
@torch
- first.float() - second.float()
+ second.float() - first.float()
@tensorflow
- tf.cast(first, tf.float32) - tf.cast(second, tf.float32)
+ tf.cast(second, tf.float32) - tf.cast(first, tf.float32)

Your lead has no sign.
- return gap.mean(), gap
+ return gap.mean().abs(), gap
- return lead, tf
+ return abs(lead), tf

Without their signs, the differences say how often the two differ, not who is ahead.
@torch
- gap.mean(), gap.std()
+ gap.abs().mean(), gap.abs().std()
@tensorflow
-     lead = tf.reduce_mean(gap)
+     gap = abs(gap)
+     lead = tf.reduce_mean(gap)

You compare the answers of the two classifiers. What counts is which of them is right.
@torch
-     gap = first
+     first = logits.argmax(1) != other.argmax(1)
+     second = torch.zeros_like(first)
+     gap = first
@tensorflow
-     gap = tf
+     first = tf.argmax(logits, 1) != tf.argmax(other, 1)
+     second = tf.zeros_like(first)
+     gap = tf

Those are numbers of texts. The lead is a share: take the mean.
- return gap.mean(), gap
+ return gap.sum(), gap
- return lead, tf
+ return tf.reduce_sum(gap), tf

The lead is in percentage points, the error isn't. Give shares.
- return gap.mean(), gap
+ return 100 * gap.mean(), gap
- return lead, tf
+ return 100 * lead, tf

Both are in percentage points. Give shares.
- return gap.mean(), gap
+ return 100 * gap.mean(), 100 * gap
- return lead, tf
+ return 100 * lead, 100 * tf

You use the lowest logit. The answer is the class with the highest.
- argmax
+ argmin

You leave out the texts on which both are right or both are wrong. They count, as 0.
@torch
-     return gap
+     gap = gap[gap != 0]
+     return gap
@tensorflow
-     lead =
+     gap = gap[gap != 0]
+     lead =

That is McNemar's statistic. The standard error is asked for.
@torch
- gap.std() / len(gap) ** 0.5
+ gap.sum() ** 2 / gap.abs().sum()
@tensorflow
- tf.sqrt(variance / len(gap))
+ tf.reduce_sum(gap) ** 2 / tf.reduce_sum(abs(gap))

That is how many standard errors the lead is. The standard error itself is asked for.
@torch
- gap.std() / len(gap) ** 0.5
+ gap.mean() / gap.std() * len(gap) ** 0.5
@tensorflow
- tf.sqrt(variance / len(gap))
+ lead / tf.sqrt(variance / len(gap))

That is the score of the first classifier. The lead is the difference from the other.
@torch
- gap.mean(), gap
+ first.float().mean(), gap
@tensorflow
- return lead, tf
+ return tf.reduce_mean(tf.cast(first, tf.float32)), tf

The two are in the wrong order: the lead comes first.
@torch
- gap.mean(), gap.std() / len(gap) ** 0.5
+ gap.std() / len(gap) ** 0.5, gap.mean()
@tensorflow
- lead, tf.sqrt(variance / len(gap))
+ tf.sqrt(variance / len(gap)), lead

The squares are those of the differences from 0. The standard deviation is about their
mean.
@torch
- gap.std()
+ ((gap**2).sum() / (len(gap) - 1)).sqrt()
@tensorflow
- (gap - lead) ** 2
+ gap**2

You return one number. The lead and its standard error are asked for.
@torch
- return gap.mean(), gap.std() / len(gap) ** 0.5
+ return gap.mean()
@tensorflow
- return lead, tf.sqrt(variance / len(gap))
+ return lead

The divisor in the standard deviation is n, and it is not divided by the square root of
the number of texts.
@torch
- gap.std() / len(gap) ** 0.5
+ gap.std(correction=0)
@tensorflow
- tf.sqrt(variance / len(gap))
+ tf.math.reduce_std(gap)

That is the error of the first classifier's own score, with n in the divisor. The lead
has another.
@torch
- gap.std() / len
+ first.float().std(correction=0) / len
@tensorflow
- tf.sqrt(variance / len(gap))
+ tf.math.reduce_std(tf.cast(first, tf.float32)) / len(gap) ** 0.5

You divide by the square root of n - 1. Only the standard deviation has n - 1 in it.
@torch
- gap.std() / len(gap) ** 0.5
+ gap.std() / (len(gap) - 1) ** 0.5
@tensorflow
- variance / len(gap)
+ variance / (len(gap) - 1)

You compare the probabilities of the right class. What counts is which answers are
right.
@torch
-     gap = first
+     at = torch.arange(len(labels))
+     first = torch.softmax(logits, 1)[at, labels]
+     second = torch.softmax(other, 1)[at, labels]
+     gap = first
@tensorflow
-     gap = tf
+     first = tf.gather(tf.nn.softmax(logits), labels, batch_dims=1)
+     second = tf.gather(tf.nn.softmax(other), labels, batch_dims=1)
+     gap = tf

You count only the texts that the first classifier wins. Those that the other one wins
count as -1.
@torch
-     return gap
+     gap = gap.clamp(min=0)
+     return gap
@tensorflow
-     lead =
+     gap = tf.maximum(gap, 0)
+     lead =

You add up the errors of the two scores. Take the standard deviation of the differences.
@torch
- gap.std() / len
+ (first.float().std() + second.float().std()) / len
@tensorflow
-     variance = tf.reduce_sum((gap - lead) ** 2) / (len(gap) - 1)
+     a, b = tf.cast(first, tf.float32), tf.cast(second, tf.float32)
+     both = tf.math.reduce_std(a) + tf.math.reduce_std(b)
+     variance = both**2 * len(gap) / (len(gap) - 1)

That is the error of a share. The lead is a mean of 1, 0 and -1: take their standard
deviation.
@torch
- gap.std() / len(gap) ** 0.5
+ (gap.mean().abs() * (1 - gap.mean().abs()) / len(gap)) ** 0.5
@tensorflow
-     variance = tf.reduce_sum((gap - lead) ** 2) / (len(gap) - 1)
+     variance = abs(lead) * (1 - abs(lead))
""",
    reference=reference,
    cases=cases,
    equivalent=dict.fromkeys(
        [
            line.format(name)
            for name in ("logits", "other", "labels", "first", "second")
            for line in (
                "return gap.mean(), gap.std() / len({}) ** 0.5",
                "variance = tf.reduce_sum((gap - lead) ** 2) / (len({}) - 1)",
                "return lead, tf.sqrt(variance / len({}))",
            )
        ],
        "There is an entry for each text.",
    ),
)
