"""Build the choice of a span: the best start and end that may go together."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    yield (
        np.array([[1.0, 2.0, 4.0]]) + draw.uniform(size=(1, 3)) / 2,
        np.array([[1.0, 3.0, 2.0]]) + draw.uniform(size=(1, 3)) / 2,
        np.array([[False, True, True]]),
        2,
    )
    for length, max_length, centre in ((9, 2, 0), (10, 3, -9), (12, 4, 1), (11, 1, 0)):
        begin = int(draw.integers(2, 4))
        end = length - int(draw.integers(1, 3))  # the last of the passage is end - 1
        rows = 7
        start_logits = draw.uniform(0, 2, size=(rows, length))
        end_logits = draw.uniform(0, 2, size=(rows, length))
        at = int(draw.integers(begin, end - max_length))
        # The best of all would be one token too long…
        start_logits[0, at] += 3.1
        end_logits[0, at + max_length] += 3.3
        # …or is just as long as it may be…
        start_logits[1, at + 1] += 4
        end_logits[1, at + max_length] += 4
        # …or begins in the question, or ends behind the passage…
        start_logits[2, begin - 1] += 4.2
        end_logits[2, begin] += 3.4
        start_logits[3, end - 1] += 3.2
        end_logits[3, end] += 4.1
        # …or would end before it begins…
        start_logits[4, at + 1] += 3.5
        end_logits[4, at] += 3.6
        # …or reaches over the whole passage…
        start_logits[5, begin] += 3.8
        end_logits[5, end - 1] += 3.7
        # …or has the likeliest start, where no end of the passage is likely.
        start_logits[6, [begin, end - 1]] += 7, 4
        end_logits[6, [0, end - 1]] += 16, 8
        passage = np.zeros((rows, length), bool)
        passage[:, begin:end] = True
        yield start_logits + centre, end_logits + centre, passage, max_length


def reference(start_logits, end_logits, passage, max_length):
    best = []
    rows = zip(start_logits, end_logits, passage, strict=True)
    for start_row, end_row, allowed in rows:
        spans = [
            (start_row[start] + end_row[end], start, end)
            for start in range(len(allowed))
            for end in range(start, min(start + max_length, len(allowed)))
            if allowed[start] and allowed[end]
        ]
        best.append(max(spans)[1:])
    return np.array(best)


EXERCISE = Exercise(
    title="The best span that is allowed",
    kind="build",
    difficulty=3,
    minutes=20,
    prompt="""
Choose one span for each row of a batch. Of all the spans that are **allowed**, return
the one with the largest sum of its start's and its end's logit. A span is allowed if it
starts and ends in the passage, does not end before it starts, and has at most
`max_length` tokens. Loops over rows, starts and ends give the right answer, too, but
slowly: it can be done without any.
""",
    solution={
        "torch": '''
def best_spans(
    start_logits, end_logits, passage, max_length
):
    """Return (batch, 2): the first token and the last.

    start_logits, end_logits (batch, length);
    passage (batch, length), True = in the passage.
    """
    length = start_logits.shape[1]
    scores = start_logits[:, :, None] + end_logits[:, None]
    ordered = torch.ones(length, length).triu()
    ordered = ordered.tril(max_length - 1) > 0
    inside = passage[:, :, None] & passage[:, None]
    scores = scores.where(ordered & inside, -torch.inf)
    best = scores.flatten(1).argmax(1)
    return torch.stack([best // length, best % length], 1)
''',
        "tensorflow": '''
def best_spans(
    start_logits, end_logits, passage, max_length
):
    """Return (batch, 2): the first token and the last.

    start_logits, end_logits (batch, length);
    passage (batch, length), True = in the passage.
    """
    length = start_logits.shape[1]
    scores = start_logits[:, :, None] + end_logits[:, None]
    ordered = tf.ones((length, length))
    ordered = tf.linalg.band_part(ordered, 0, max_length - 1)
    inside = passage[:, :, None] & passage[:, None]
    allowed = (ordered > 0) & inside
    scores = tf.where(allowed, scores, -math.inf)
    best = tf.argmax(tf.reshape(scores, (-1, length**2)), 1)
    return tf.stack([best // length, best % length], 1)
''',
    },
    why="""
A table of all starts (rows) and all ends (columns) turns the search into one maximum.
The order and the length are a band of that table, which is the same for every row of
the batch; the passage is a rectangle in it. The logits, not their softmax, are added:
the probability of a span is the product of two softmax values, and its logarithm
differs from this sum only by a number that is the same for all spans.
""",
    hints=(
        "A table (batch, starts, ends) of all sums needs one addition with two new "
        "axes.",
        "Which cells of the table have an end that is not before the start, and not "
        "`max_length` or more behind it? `triu` and `tril`, or `band_part`, cut out "
        "such a band.",
        "Hide what is not allowed by minus infinity. Then flatten the table, and "
        "divide the place of the maximum by `length`: quotient and remainder are "
        "start and end.",
    ),
    mistakes="""
You chose both ends separately. Then the end may come before the start, or too far
behind it.
@torch
-     best =
+     starts = start_logits.where(passage, -torch.inf).argmax(1)
+     ends = end_logits.where(passage, -torch.inf).argmax(1)
+     return torch.stack([starts, ends], 1)
+     best =
@tensorflow
-     best =
+     starts = tf.argmax(tf.where(passage, start_logits, -math.inf), 1)
+     ends = tf.argmax(tf.where(passage, end_logits, -math.inf), 1)
+     return tf.stack([starts, ends], 1)
+     best =

You chose both ends separately, and from the whole window.
@torch
-     best =
+     starts, ends = start_logits.argmax(1), end_logits.argmax(1)
+     return torch.stack([starts, ends], 1)
+     best =
@tensorflow
-     best =
+     starts, ends = tf.argmax(start_logits, 1), tf.argmax(end_logits, 1)
+     return tf.stack([starts, ends], 1)
+     best =

You took the best start first and then the best end for it. The best sum may have
another start.
@torch
-     best =
+     starts = start_logits.where(passage, -torch.inf).argmax(1)
+     ends = scores[torch.arange(len(scores)), starts].argmax(1)
+     return torch.stack([starts, ends], 1)
+     best =
@tensorflow
-     best =
+     starts = tf.argmax(tf.where(passage, start_logits, -math.inf), 1)
+     ends = tf.argmax(tf.gather(scores, starts, batch_dims=1), 1)
+     return tf.stack([starts, ends], 1)
+     best =

You took the best end first and then the best start for it. The best sum may have
another end.
@torch
-     best =
+     ends = end_logits.where(passage, -torch.inf).argmax(1)
+     starts = scores[torch.arange(len(scores)), :, ends].argmax(1)
+     return torch.stack([starts, ends], 1)
+     best =
@tensorflow
-     best =
+     ends = tf.argmax(tf.where(passage, end_logits, -math.inf), 1)
+     turned = tf.transpose(scores, (0, 2, 1))
+     starts = tf.argmax(tf.gather(turned, ends, batch_dims=1), 1)
+     return tf.stack([starts, ends], 1)
+     best =

Your spans may have any length. At most `max_length` tokens are allowed.
- max_length - 1
+ length - 1

Your spans may be one token too long: a span from 2 to 4 has three tokens.
- max_length - 1
+ min(max_length, length - 1)

Your spans are one token too short: a span of `max_length` tokens is allowed.
- max_length - 1
+ max(max_length - 2, 0)

Some of your spans end before they start.
@torch
- .triu()
+ .triu(1 - max_length)
@tensorflow
- , 0, max_length - 1
+ , max_length - 1, max_length - 1

You allow any end before the start, and none behind it.
@torch
- .triu()
+ .tril()
@tensorflow
- , 0, max_length - 1
+ , -1, 0

A span of one token is allowed: its start and its end are equal.
@torch
- .triu()
+ .triu(1)
- max_length - 1
+ max_length
@tensorflow
-     inside =
+     ordered = tf.linalg.band_part(tf.ones((length, length)), 0, max_length)
+     ordered -= tf.eye(length)
+     inside =

Some of your spans lie outside the passage.
- passage[:, :, None] & passage[:, None]
+ passage[:, None] == passage[:, None]

Some of your spans end behind the passage.
- passage[:, :, None] & passage[:, None]
+ passage[:, :, None]

Some of your spans start before the passage.
- passage[:, :, None] & passage[:, None]
+ passage[:, None]

You allow a span if one of its ends is in the passage. Both must be.
- passage[:, :, None] & passage[:, None]
+ passage[:, :, None] | passage[:, None]

Your mask is inverted: your spans lie outside the passage.
@torch
-     inside =
+     passage = ~passage
+     inside =
@tensorflow
-     inside =
+     passage = ~passage
+     inside =

What is not allowed scores 0 in your table. Where all logits are negative, that wins.
- -torch.inf
+ 0.0
- -math.inf
+ 0.0

You multiply the two logits. Add them.
- start_logits[:, :, None] + end_logits[:, None]
+ start_logits[:, :, None] * end_logits[:, None]

Start and end are swapped in what you return.
@torch
- [best // length, best % length]
+ [best % length, best // length]
@tensorflow
- [best // length, best % length]
+ [best % length, best // length]

The second number is one too large: the last token itself is wanted, not the one behind
it.
- best % length]
+ best % length + 1]

You return the first token and the number of tokens. The last token is wanted.
- best % length]
+ best % length - best // length + 1]

You count from the beginning of the passage. Count from the beginning of the window.
@torch
-     return torch
+     begin = passage.int().argmax(1)
+     return -begin[:, None] + torch
@tensorflow
-     return tf
+     begin = tf.argmax(tf.cast(passage, tf.int32), 1)
+     return -begin[:, None] + tf

That is the worst span that is allowed.
@torch
- -torch.inf
+ torch.inf
- argmax(1)
+ argmin(1)
@tensorflow
- -math.inf
+ math.inf
- tf.argmax
+ tf.argmin

Both ends are chosen separately, and an end before the start is moved onto it.
@torch
-     best =
+     starts = start_logits.where(passage, -torch.inf).argmax(1)
+     ends = end_logits.where(passage, -torch.inf).argmax(1)
+     return torch.stack([starts, torch.maximum(starts, ends)], 1)
+     best =
@tensorflow
-     best =
+     starts = tf.argmax(tf.where(passage, start_logits, -math.inf), 1)
+     ends = tf.argmax(tf.where(passage, end_logits, -math.inf), 1)
+     return tf.stack([starts, tf.maximum(starts, ends)], 1)
+     best =

Starts and ends are swapped in your table: with starts in the rows, `[:, :, None]`
belongs to the starts.
- start_logits[:, :, None] + end_logits[:, None]
+ start_logits[:, None] + end_logits[:, :, None]

You add probabilities. Those of start and end are multiplied, so their logits are added.
@torch
- start_logits[:, :, None] + end_logits[:, None]
+ start_logits.softmax(1)[:, :, None]
+     scores = scores + end_logits.softmax(1)[:, None]
@tensorflow
- start_logits[:, :, None] + end_logits[:, None]
+ tf.nn.softmax(start_logits)[:, :, None]
+     scores = scores + tf.nn.softmax(end_logits)[:, None]

Both ends are chosen separately, and swapped where they are in the wrong order.
@torch
-     best =
+     starts = start_logits.where(passage, -torch.inf).argmax(1)
+     ends = end_logits.where(passage, -torch.inf).argmax(1)
+     both = torch.stack([starts, ends], 1)
+     return both.sort(1).values
+     best =
@tensorflow
-     best =
+     starts = tf.argmax(tf.where(passage, start_logits, -math.inf), 1)
+     ends = tf.argmax(tf.where(passage, end_logits, -math.inf), 1)
+     return tf.sort(tf.stack([starts, ends], 1), 1)
+     best =

Both ends are chosen separately, and the end is then moved to where it is allowed. That
is not the best span.
@torch
-     best =
+     starts = start_logits.where(passage, -torch.inf).argmax(1)
+     ends = end_logits.where(passage, -torch.inf).argmax(1)
+     ends = torch.maximum(starts, ends)
+     ends = torch.minimum(ends, starts + max_length - 1)
+     return torch.stack([starts, ends], 1)
+     best =
@tensorflow
-     best =
+     starts = tf.argmax(tf.where(passage, start_logits, -math.inf), 1)
+     ends = tf.argmax(tf.where(passage, end_logits, -math.inf), 1)
+     ends = tf.maximum(starts, ends)
+     ends = tf.minimum(ends, starts + (max_length - 1))
+     return tf.stack([starts, ends], 1)
+     best =

Your spans have two tokens at least. One is enough.
@torch
- .triu()
+ .triu(1)
@tensorflow
-     inside =
+     ordered -= tf.eye(length)
+     inside =

Before the start, you allow any end. After it, the limit is right.
@torch
- .triu()
+ * 1
@tensorflow
- ordered, 0, max_length
+ ordered, -1, max_length

Rows and columns are swapped in your band: it allows an end up to `max_length` - 1
before the start.
@torch
- .triu()
+ .triu(1 - max_length)
- max_length - 1) > 0
+ 0) > 0
@tensorflow
- 0, max_length - 1
+ max_length - 1, 0

What is not allowed scores highest in your table.
@torch
- -torch.inf
+ torch.inf
@tensorflow
- -math.inf
+ math.inf

Your spans are one token too short, and with a `max_length` of 1 none is left.
@torch
- .tril(max_length - 1)
+ .tril(max_length - 2)
@tensorflow
- tf.linalg.band_part(ordered, 0, max_length - 1)
+ ordered * float(max_length > 1)
-     inside = passage
+     ordered = tf.linalg.band_part(ordered, 0, max(max_length - 2, 0))
+     inside = passage
""",
    reference=reference,
    cases=cases,
    equivalent={
        "length = end_logits.shape[1]": "Both have a logit for each token.",
        "length = passage.shape[1]": "It has an entry for each token.",
        "return tf.stack([best // length, best % length], -1)": "The last axis is 1.",
    },
)
