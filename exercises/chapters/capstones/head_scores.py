"""Build the measure of a claim about heads: the weight given to a neighbour."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for layers, heads, lengths, step in (
        (1, 1, [3], 1),
        (2, 1, [3, 2], -1),
        (1, 3, [2, 5, 4], 1),
        (2, 3, [5, 3], 2),
        (3, 2, [4, 1, 6], -2),
        (2, 2, [3, 4, 1], 0),
        (2, 2, [4, 6, 2], -1),
    ):
        yield maps_of(draw, layers, heads, lengths), np.array(lengths), step


def maps_of(draw, layers, heads, lengths):
    """Return attention maps in which padding gets no weight, but gives some."""
    longest = max(lengths)
    shares = draw.random((layers, len(lengths), heads, longest, longest)) ** 3
    shares *= (np.arange(longest) < np.array(lengths)[:, None])[:, None, None]
    return shares / shares.sum(-1, keepdims=True)


def reference(maps, lengths, step):
    total, count = np.zeros((maps.shape[0], maps.shape[2])), 0
    for sentence, length in enumerate(lengths):
        for query in range(length):
            if 0 <= query + step < length:
                total += maps[:, sentence, :, query, query + step]
                count += 1
    return total / count


EXERCISE = Exercise(
    title="The score of every head",
    kind="build",
    difficulty=2,
    minutes=20,
    prompt="""
Write the measure for a claim such as “head 4.9 attends to the next token”. You get the
attention `maps` of all layers for a padded batch of sentences, their `lengths`
(padding is at the end), and a `step`: 1 for the next token, -1 for the previous one, 2
for the token after the next.

Take the weight that each query gives to the token `step` places after it. The score of
a head is the mean over all queries of all sentences for which both the query and that
token are real. Return the scores of all heads. Every query counts the same, so a long
sentence counts more than a short one.
""",
    solution={
        "torch": '''
def head_scores(maps, lengths, step):
    """Return (layers, heads).

    maps (layers, batch, heads, queries, keys);
    lengths (batch,), integers; step, an integer.
    """
    place = torch.arange(maps.shape[4])
    real = place < lengths[:, None]  # (batch, length)
    pair = place == place[:, None] + step  # (queries, keys)
    pair = pair & real[:, :, None] & real[:, None, :]
    given = torch.where(pair[:, None], maps, 0.0)
    return given.sum((1, 3, 4)) / pair.sum()
''',
        "tensorflow": '''
def head_scores(maps, lengths, step):
    """Return (layers, heads).

    maps (layers, batch, heads, queries, keys);
    lengths (batch,), integers; step, an integer.
    """
    place = tf.range(maps.shape[4])
    real = place < lengths[:, None]  # (batch, length)
    pair = place == place[:, None] + step  # (queries, keys)
    pair = pair & real[:, :, None] & real[:, None, :]
    given = tf.where(pair[:, None], maps, 0.0)
    count = tf.reduce_sum(tf.cast(pair, maps.dtype))
    return tf.reduce_sum(given, (1, 3, 4)) / count
''',
    },
    why="""
In a map of queries by keys, the wanted weights are a diagonal, `step` places beside the
main one. The mask of lengths matters twice: padded queries have weights too, which mean
nothing, and the last token of a sentence has no next one. Without it, the score of a
head depends on how long the other sentences of its batch are.
""",
    hints=(
        "Number the positions. For which pairs of query and key is the key `step` "
        "places after the query?",
        "A pair counts if both of its positions are below the sentence's length.",
        "Sum the weights of the pairs that count over sentences, queries and keys, and "
        "divide by the number of pairs.",
    ),
    mistakes="""
That is the other direction: with a step of 1 the key comes after its query. Queries are
the rows.
- place[:, None] + step
+ place[:, None] - step

Padding counts, too: its queries give weights that mean nothing.
- real[:, :, None] & real[:, None, :]
+ (real | True)[:, None, :]

The query is checked, the key is not: the last token of a sentence has no next one, but
you count it.
- pair & real[:, :, None] & real[:, None, :]
+ pair & real[:, :, None]

The key is checked, the query is not: a padded query counts.
- pair & real[:, :, None] & real[:, None, :]
+ pair & real[:, None, :]

You divide by the number of tokens. Not every token has a neighbour at that distance.
- pair.sum()
+ lengths.sum()
- tf.reduce_sum(tf.cast(pair, maps.dtype))
+ tf.cast(tf.reduce_sum(lengths), maps.dtype)

You divide by all pairs of real tokens. How many of them are `step` places apart?
- pair.sum()
+ (real[:, :, None] & real[:, None, :]).sum()
- tf.cast(pair, maps.dtype)
+ tf.cast(real[:, :, None] & real[:, None, :], maps.dtype)

You divide by the number of positions, padding included.
- pair.sum()
+ real.numel()
- tf.reduce_sum(tf.cast(pair, maps.dtype))
+ tf.cast(tf.size(real), maps.dtype)

You divide by all pairs of positions. How many of them are `step` places apart, and
real?
- given.sum((1, 3, 4)) / pair.sum()
+ given.mean((1, 3, 4))
- tf.reduce_sum(given, (1, 3, 4)) / count
+ tf.reduce_mean(given, (1, 3, 4))

A sentence of n tokens has n - 1 neighbours, but never fewer than none: one that is
shorter than the step counts as negative in your sum.
- pair.sum()
+ (lengths - abs(step)).sum()
- tf.reduce_sum(tf.cast(pair, maps.dtype))
+ tf.cast(tf.reduce_sum(lengths - abs(step)), maps.dtype)

You take the largest weight of each sentence. The score is the mean over its queries.
@torch
- given.sum((1, 3, 4)) / pair.sum()
+ given.amax((3, 4)).mean(1)
@tensorflow
- tf.reduce_sum(given, (1, 3, 4)) / count
+ tf.reduce_mean(tf.reduce_max(given, (3, 4)), 1)

That is the largest of all weights. The score is their mean.
@torch
- given.sum((1, 3, 4)) / pair.sum()
+ given.amax((1, 3, 4))
@tensorflow
- tf.reduce_sum(given, (1, 3, 4)) / count
+ tf.reduce_max(given, (1, 3, 4))

Padding counts, too, and you divide by the number of tokens. Not every token has a
neighbour at that distance.
- real[:, :, None] & real[:, None, :]
+ (real | True)[:, None, :]
- pair.sum()
+ lengths.sum()
- tf.reduce_sum(tf.cast(pair, maps.dtype))
+ tf.cast(tf.reduce_sum(lengths), maps.dtype)

That is the sum of the weights. The score is their mean.
- given.sum((1, 3, 4)) / pair.sum()
+ given.sum((1, 3, 4))
- tf.reduce_sum(given, (1, 3, 4)) / count
+ tf.reduce_sum(given, (1, 3, 4))

You take the mean of each sentence first, then the mean of those. Here every query
counts the same.
@torch
- given.sum((1, 3, 4)) / pair.sum()
+ (given.sum((3, 4)) / pair.sum((1, 2)).clamp(1)[:, None])[
+         :, pair.any(2).any(1)
+     ].mean(1)
@tensorflow
-     count = tf.reduce_sum(tf.cast(pair, maps.dtype))
-     return tf.reduce_sum(given, (1, 3, 4)) / count
+     count = tf.reduce_sum(tf.cast(pair, maps.dtype), (1, 2))
+     given = tf.reduce_sum(given, (3, 4))
+     given = given / tf.maximum(count, 1)[:, None]
+     has = tf.reduce_any(pair, (1, 2))
+     return tf.reduce_mean(tf.boolean_mask(given, has, axis=1), 1)

You take the mean of each sentence first, and a sentence without any such pair counts as
0. Here every query counts the same.
@torch
- given.sum((1, 3, 4)) / pair.sum()
+ (given.sum((3, 4)) / pair.sum((1, 2)).clamp(1)[:, None]).mean(1)
@tensorflow
-     count = tf.reduce_sum(tf.cast(pair, maps.dtype))
-     return tf.reduce_sum(given, (1, 3, 4)) / count
+     count = tf.reduce_sum(tf.cast(pair, maps.dtype), (1, 2))
+     given = tf.reduce_sum(given, (3, 4))
+     given = given / tf.maximum(count, 1)[:, None]
+     return tf.reduce_mean(given, 1)

You divide by 0 where a sentence has no such pair. Sum over all sentences before you
divide: every query counts the same.
@torch
- given.sum((1, 3, 4)) / pair.sum()
+ (given.sum((3, 4)) / pair.sum((1, 2))[:, None]).mean(1)
@tensorflow
-     count = tf.reduce_sum(tf.cast(pair, maps.dtype))
-     return tf.reduce_sum(given, (1, 3, 4)) / count
+     count = tf.reduce_sum(tf.cast(pair, maps.dtype), (1, 2))
+     given = tf.reduce_sum(given, (3, 4)) / count[:, None]
+     return tf.reduce_mean(given, 1)

You count how often that token gets the largest weight. The score is the mean weight.
@torch
- torch.where(pair[:, None], maps, 0.0)
+ 1.0 * (
+         pair[:, None] & (maps == maps.amax(4, True))
+     )
@tensorflow
- tf.where(pair[:, None], maps, 0.0)
+ tf.cast(
+         pair[:, None]
+         & (maps == tf.reduce_max(maps, 4, True)),
+         maps.dtype,
+     )

Your step wraps around: the token after the last one is not the first.
- place == place[:, None] + step
+ place == (place[:, None] + step) % maps.shape[4]

Your step is always 1, whatever `step` says.
- + step
+ + 1

You ignore the sign of the step.
- + step
+ + abs(step)

You take both neighbours, before and after. `step` names one of them.
- place == place[:, None] + step
+ abs(place - place[:, None]) == abs(step)

The first and the last token, `[CLS]` and `[SEP]`, are left out. Here they count.
- real[:, :, None] & real[:, None, :]
+ real[:, :, None] & real[:, None, :] & (
+         (place > 0) & (place < lengths[:, None] - 1)
+     )[:, :, None]

The sentences are kept apart. Sum over them as well: the result is (layers, heads).
- given.sum((1, 3, 4)) / pair.sum()
+ given.sum((3, 4)) / pair.sum((1, 2))[:, None]
@tensorflow
-     count = tf.reduce_sum(tf.cast(pair, maps.dtype))
-     return tf.reduce_sum(given, (1, 3, 4)) / count
+     count = tf.reduce_sum(tf.cast(pair, maps.dtype), (1, 2))
+     return tf.reduce_sum(given, (3, 4)) / count[:, None]

You sum over the heads. Each head has a score of its own: sum over sentences, queries
and keys.
- (1, 3, 4)
+ (2, 3, 4)

You divide by the lengths less the step. Before the first token there are as few tokens
as after the last, so a step of -1 takes one pair from each sentence, too.
- pair.sum()
+ (lengths - step).sum()
- tf.reduce_sum(tf.cast(pair, maps.dtype))
+ tf.cast(tf.reduce_sum(lengths - step), maps.dtype)

That is the mean of the heads. Each head has a score of its own.
- given.sum((1, 3, 4)) / pair.sum()
+ given.sum((1, 3, 4)).mean(1) / pair.sum()
- tf.reduce_sum(given, (1, 3, 4)) / count
+ tf.reduce_mean(tf.reduce_sum(given, (1, 3, 4)), 1) / count

The axes are swapped: the layers come first, then the heads.
- given.sum((1, 3, 4)) / pair.sum()
+ given.sum((1, 3, 4)).T / pair.sum()
- tf.reduce_sum(given, (1, 3, 4)) / count
+ tf.transpose(tf.reduce_sum(given, (1, 3, 4))) / count

One token of padding counts as real. The last token has the number `length - 1`.
- place < lengths[:, None]
+ place <= lengths[:, None]

That is the weight that each token gives to itself. Take the one `step` places on.
- place == place[:, None] + step
+ place == place[:, None]

You divide by the number of sentences. Divide by that of the queries.
- given.sum((1, 3, 4)) / pair.sum()
+ given.sum((1, 3, 4)) / maps.shape[1]
- tf.reduce_sum(given, (1, 3, 4)) / count
+ tf.reduce_sum(given, (1, 3, 4)) / maps.shape[1]

You take all tokens up to `step` places away. Only the one that far away counts.
- place == place[:, None] + step
+ abs(place - place[:, None]) <= abs(step)

The first and the last token, `[CLS]` and `[SEP]`, are left out, as queries and as keys.
Here they count.
-     real = place < lengths[:, None]  # (batch, length)
+     real = (place > 0) & (place < lengths[:, None] - 1)

The first token, `[CLS]`, is left out. Here it counts.
-     real = place < lengths[:, None]  # (batch, length)
+     real = (place > 0) & (place < lengths[:, None])
""",
    reference=reference,
    cases=cases,
    equivalent=dict.fromkeys(
        ("place = torch.arange(maps.shape[3])", "place = tf.range(maps.shape[3])"),
        "There are as many queries as keys.",
    )
    | {
        "count = tf.reduce_sum(tf.cast(pair, given.dtype))": "Both have the same type.",
    },
)
