"""Build the loss of a span, for windows of which some do not hold it."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    # (length, [(start, end) of each row])
    for length, spans in (
        (2, [(0, 1)]),
        (4, [(3, 3), (0, 2)]),
        (5, [(-2, 1), (1, 3)]),
        (6, [(0, 0), (4, 6), (2, 5)]),
        (5, [(5, 7), (1, 4), (-3, -1), (2, 2)]),
        (7, [(1, 5), (-1, 2), (6, 8), (0, 4), (3, 6)]),
    ):
        starts, ends = np.array(spans).T
        yield (
            2 * draw.normal(size=(len(spans), length)),
            2 * draw.normal(size=(len(spans), length)),
            starts,
            ends,
        )


def reference(start_logits, end_logits, starts, ends):
    losses = []
    rows = zip(start_logits, end_logits, starts, ends, strict=True)
    for start_row, end_row, start, end in rows:
        if start < 0 or end >= len(end_row):
            continue
        for row, place in ((start_row, start), (end_row, end)):
            row = row.astype(np.float64)
            losses.append(np.log(np.exp(row).sum()) - row[place])
    return float(np.mean(losses))


EXERCISE = Exercise(
    title="Two ends, one loss",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt="""
Write the loss of a model that extracts spans: the mean of the two **cross-entropies**,
that of the start and that of the end, over all rows that count.

Positions are counted from the first token of the row's window, so a position may be
negative, or `length` or more. In this chapter, a window that does not hold the whole
answer is told to point at `[CLS]`. Here it does **not count** at all. At least one
row counts.
""",
    solution={
        "torch": '''
def span_loss(start_logits, end_logits, starts, ends):
    """Return the loss, one number.

    start_logits, end_logits (batch, length);
    starts, ends (batch,), with starts <= ends.
    """
    cross_entropy = nn.functional.cross_entropy
    length = start_logits.shape[1]
    inside = (starts >= 0) & (ends < length)
    first = cross_entropy(start_logits[inside], starts[inside])
    last = cross_entropy(end_logits[inside], ends[inside])
    return (first + last) / 2
''',
        "tensorflow": '''
def span_loss(start_logits, end_logits, starts, ends):
    """Return the loss, one number.

    start_logits, end_logits (batch, length);
    starts, ends (batch,), with starts <= ends.
    """
    cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits
    length = start_logits.shape[1]
    inside = (starts >= 0) & (ends < length)
    first = cross_entropy(starts[inside], start_logits[inside])
    last = cross_entropy(ends[inside], end_logits[inside])
    return tf.reduce_mean(first + last) / 2
''',
    },
    why="""
Each end is a classification whose classes are the tokens of the window. Leaving out the
windows without the answer is the simplest choice, but a model trained like this never
learns to say that a window has no answer: it finds one in every window. That is why the
chapter lets these windows point at `[CLS]`.
""",
    hints=(
        "Each end is a classification: the tokens of the window are its classes.",
        "The start is never after the end. Which two comparisons say that the whole "
        "answer is in the window?",
        "`start_logits[inside]`, with a boolean tensor, keeps the rows that count.",
    ),
    mistakes="""
No row is left out. A target outside the window has no logit.
- (starts >= 0) & (ends < length)
+ starts == starts

You left out the rows that start before the window, but not those that end after it.
- (starts >= 0) & (ends < length)
+ starts >= 0

You left out the rows that end after the window, but not those that start before it.
- (starts >= 0) & (ends < length)
+ ends < length

Windows without the answer point at `[CLS]` in your loss. Here they do not count.
- (starts >= 0) & (ends < length)
+ starts == starts
@torch
-     first =
+     real = (starts >= 0) & (ends < length)
+     starts, ends = starts * real, ends * real
+     first =
@tensorflow
-     first =
+     real = (starts >= 0) & (ends < length)
+     starts = tf.where(real, starts, 0)
+     ends = tf.where(real, ends, 0)
+     first =

You moved ends that are outside to the window's edge. Such a row does not count.
- (starts >= 0) & (ends < length)
+ starts == starts
@torch
-     first =
+     starts = starts.clamp(0, length - 1)
+     ends = ends.clamp(0, length - 1)
+     first =
@tensorflow
-     first =
+     starts = tf.clip_by_value(starts, 0, length - 1)
+     ends = tf.clip_by_value(ends, 0, length - 1)
+     first =

Each end is averaged over its own rows. A row counts only if both of its ends are
inside.
-     first =
+     inside = (starts >= 0) & (starts < length)
+     first =
-     last =
+     inside = (ends >= 0) & (ends < length)
+     last =
@tensorflow
- tf.reduce_mean(first + last) / 2
+ (tf.reduce_mean(first) + tf.reduce_mean(last)) / 2

The two losses are added. Their mean is wanted.
- ) / 2
+ )

That is the loss of the start alone.
- first + last
+ first + first

That is the loss of the end alone.
- first + last
+ last + last

The logits of the start are compared with the ends, and those of the end with the
starts.
@torch
- start_logits[inside], starts
+ end_logits[inside], starts
- (end_logits[inside], ends
+ (start_logits[inside], ends
@tensorflow
- starts[inside], start_logits
+ starts[inside], end_logits
- ends[inside], end_logits
+ ends[inside], start_logits

You divide by all rows. Divide by the number of those that count.
@torch
- (first + last) / 2
+ (first + last) / 2 * inside.float().mean()
@tensorflow
- tf.reduce_mean(first + last)
+ tf.reduce_sum(first + last) / len(starts)

That is the sum over the rows. The mean is wanted.
@torch
- (first + last) / 2
+ (first + last) / 2 * inside.sum()
@tensorflow
- reduce_mean
+ reduce_sum

The softmax is applied twice: this cross-entropy takes logits.
@torch
-     length =
+     start_logits = torch.softmax(start_logits, dim=1)
+     end_logits = torch.softmax(end_logits, dim=1)
+     length =
@tensorflow
-     length =
+     start_logits = tf.nn.softmax(start_logits)
+     end_logits = tf.nn.softmax(end_logits)
+     length =

The sign is wrong: a cross-entropy is minus the mean log-probability.
@torch
- return (
+ return -(
@tensorflow
- return 
+ return -

Position 0 is inside the window, too.
- starts >= 0
+ starts > 0

The window's last token is inside, too.
- ends < length
+ ends < length - 1

A position of `length` is already outside: the last token has `length` - 1.
- ends < length
+ ends <= length

The softmax runs over the rows of the batch. It should run over the tokens.
@torch
- = nn.functional.cross_entropy
+ = lambda logits, targets: nn.functional.nll_loss(
+         torch.log_softmax(logits, 0), targets
+     )
@tensorflow
- = tf.nn.sparse_softmax_cross_entropy_with_logits
+ = lambda targets, logits: -tf.gather(
+         tf.nn.log_softmax(logits, 0), targets, batch_dims=1
+     )

You take the logarithm of a mean probability. Take the mean of the logarithms.
@torch
-     return (first + last) / 2
+     places = torch.stack([starts[inside], ends[inside]], 1)
+     both = torch.stack([start_logits[inside], end_logits[inside]], 1)
+     chances = torch.softmax(both, -1).gather(2, places[:, :, None])
+     return -chances.prod(1).mean().log() / 2
@tensorflow
- tf.reduce_mean(first + last) / 2
+ -tf.math.log(tf.reduce_mean(tf.exp(-first - last))) / 2

You look where a row starts, and not where it ends. Both must be inside.
- ends < length
+ starts < length

The two losses are added, and you divide by all rows. The mean over both and over the
rows that count is wanted.
@torch
- (first + last) / 2
+ (first + last) * inside.float().mean()
@tensorflow
- tf.reduce_mean(first + last) / 2
+ tf.reduce_sum(first + last) / len(starts)

The two losses are multiplied. Take their mean.
@torch
- first + last
+ first * last
@tensorflow
- tf.reduce_mean(first + last)
+ tf.reduce_mean(first) * tf.reduce_mean(last)

There is no softmax in your loss: it adds up the right logits alone.
@torch
- = nn.functional.cross_entropy
+ = lambda logits, targets: -logits.gather(1, targets[:, None]).mean()
@tensorflow
- = tf.nn.sparse_softmax_cross_entropy_with_logits
+ = lambda targets, logits: -tf.gather(logits, targets, batch_dims=1)

You leave out only the rows whose start is outside. An end outside counts neither.
@torch
- (starts >= 0) & (ends < length)
+ (starts >= 0) & (starts < length)
- ends[inside])
+ ends[inside].clamp(max=length - 1))
@tensorflow
- (starts >= 0) & (ends < length)
+ (starts >= 0) & (starts < length)
- ends[inside], end_logits
+ tf.minimum(ends[inside], length - 1), end_logits

The last position is `length` - 1, so an end at `length` is outside.
@torch
- (ends < length)
+ (ends <= length)
- ends[inside])
+ ends[inside].clamp(max=length - 1))
@tensorflow
- (ends < length)
+ (ends <= length)
- ends[inside], end_logits
+ tf.minimum(ends[inside], length - 1), end_logits

The loss of the end is computed from the logits of the start.
- (end_logits[inside]
+ (start_logits[inside]
- ends[inside], end_logits
+ ends[inside], start_logits

Your softmax runs over the batch. The probabilities of a row, over its positions, sum to
1.
@torch
- first = cross_entropy(start_logits[inside], starts[inside])
+ def cross_entropy(logits, places):
+         log_p = torch.log_softmax(logits, 0)[inside]
+         return -log_p.gather(1, places[inside, None]).mean()
+
+     first = cross_entropy(start_logits, starts)
- last = cross_entropy(end_logits[inside], ends[inside])
+ last = cross_entropy(end_logits, ends)
@tensorflow
- first = cross_entropy(starts[inside], start_logits[inside])
+ def cross_entropy(places, logits):
+         log_p = tf.nn.log_softmax(logits, 0)[inside]
+         return -tf.gather(log_p, places[inside], batch_dims=1)
+
+     first = cross_entropy(starts, start_logits)
- last = cross_entropy(ends[inside], end_logits[inside])
+ last = cross_entropy(ends, end_logits)

A row counts in your loss if a part of its span is inside, and you moved the other end
to the window's edge. Both ends must be inside.
@torch
- (starts >= 0) & (ends < length)
+ (ends >= 0) & (starts < length)
- starts[inside])
+ starts[inside].clamp(min=0))
- ends[inside])
+ ends[inside].clamp(max=length - 1))
@tensorflow
- (starts >= 0) & (ends < length)
+ (ends >= 0) & (starts < length)
- starts[inside], start_logits
+ tf.maximum(starts[inside], 0), start_logits
- ends[inside], end_logits
+ tf.minimum(ends[inside], length - 1), end_logits

Your `length` is the number of rows. The tokens of a window are the second axis.
- start_logits.shape[1]
+ start_logits.shape[0]

That is one minus the probability. A cross-entropy is minus its logarithm.
@torch
- = nn.functional.cross_entropy
+ = lambda logits, targets: 1 - (
+         torch.softmax(logits, 1).gather(1, targets[:, None]).mean()
+     )
@tensorflow
- = tf.nn.sparse_softmax_cross_entropy_with_logits
+ = lambda targets, logits: 1 - tf.gather(
+         tf.nn.softmax(logits), targets, batch_dims=1
+     )

You return a loss for each row. One number is wanted, their mean.
@torch
- ends[inside])
+ ends[inside], reduction="none")
- starts[inside])
+ starts[inside], reduction="none")
@tensorflow
- tf.reduce_mean(first + last)
+ (first + last)

You add the logits of start and end, and compare the sum with both targets. Each end
has logits of its own.
- start_logits[inside]
+ (start_logits + end_logits)[inside]
@torch
- (end_logits[inside]
+ ((start_logits + end_logits)[inside]
@tensorflow
- ends[inside], end_logits[inside]
+ ends[inside], (start_logits + end_logits)[inside]
""",
    reference=reference,
    cases=cases,
    equivalent={
        "length = end_logits.shape[1]": "Both have a logit for each token.",
    },
)
