"""Build rotary positions that pair neighbours, for keys that follow a cache."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    yield np.array([[[[1.0, 0.5]]]]), 1, 10_000.0
    for batch, heads, length, d_k, start, base in (
        (1, 1, 2, 2, 0, 10_000.0),
        (1, 2, 3, 4, 0, 100.0),
        (2, 3, 4, 6, 5, 100.0),
        (2, 2, 5, 10, 3, 5_000.0),
        (3, 2, 1, 8, 7, 20.0),
    ):
        yield draw.normal(size=(batch, heads, length, d_k)), start, base


def long_cases(draw):
    yield draw.normal(size=(1, 2, 300, 4)), 0, 1_000.0
    yield draw.normal(size=(1, 2, 3, 4)), 700, 1_000.0


def reference(x, start, base):
    d_k = x.shape[3]
    out = np.empty(x.shape)
    for pair in range(d_k // 2):
        angle = (start + np.arange(x.shape[2])) / base ** (2 * pair / d_k)
        turned = x[..., 2 * pair] + 1j * x[..., 2 * pair + 1]
        turned = turned * np.exp(1j * angle)
        out[..., 2 * pair], out[..., 2 * pair + 1] = turned.real, turned.imag
    return out


def lengths_stay(ask, draw):
    x = draw.normal(size=(1, 2, 3, 6)).astype(np.float32)
    before, after = (
        np.linalg.norm(vectors, axis=-1)[0, 1, 2] for vectors in (x, ask(x, 4, 100.0))
    )
    if abs(before - after) > 1e-3:
        return (
            f"A vector of length {before:.2f} has length {after:.2f} afterwards. A "
            "rotation changes no length."
        )
    return None


def scores_keep_their_distance(ask, draw):
    query, key = draw.normal(size=(2, 1, 1, 1, 6)).astype(np.float32)

    def score(at, key_at):
        return float(np.sum(ask(query, at, 100.0) * ask(key, key_at, 100.0)))

    near, far = score(5, 2), score(9, 6)
    if abs(near - far) > 1e-3:
        return (
            f"The score of a query at position 5 and a key at position 2 is {near:.2f}"
            f", and {far:.2f} at positions 9 and 6. It should depend on the distance "
            "only."
        )
    return None


EXERCISE = Exercise(
    title="Rotate neighbours",
    kind="build",
    difficulty=3,
    minutes=20,
    prompt=r"""
The paper pairs neighbours, and so do GPT-J and some published checkpoints: number $2i$
of a query or key and number $2i + 1$ are a pair, for $i = 0, \dots, d_k/2 - 1$. At
position $t$, the pair is rotated by the angle $\alpha = t \cdot \text{base}^{-2i/d_k}$:

$$ (a, b) \to (a \cos\alpha - b \sin\alpha,\; b \cos\alpha + a \sin\alpha) $$

Write the rotation. Every number stays in its place. With a cache, only the newest
positions are computed, so the first position in `x` is `start`, and not always 0.
""",
    solution={
        "torch": '''
def rotate_neighbours(x, start, base):
    """Return x with its pairs rotated.

    x and the result (batch, heads, length, d_k);
    start is the position of the first vector.
    """
    length, half = x.shape[2], x.shape[3] // 2
    speed = base ** (-torch.arange(half) / half)
    at = torch.arange(start, start + length)
    angle = at[:, None] * speed  # (length, d_k / 2)
    cos, sin = torch.cos(angle), torch.sin(angle)
    a, b = x[..., ::2], x[..., 1::2]
    pairs = (a * cos - b * sin, b * cos + a * sin)
    return torch.stack(pairs, dim=-1).reshape(x.shape)
''',
        "tensorflow": '''
def rotate_neighbours(x, start, base):
    """Return x with its pairs rotated.

    x and the result (batch, heads, length, d_k);
    start is the position of the first vector.
    """
    length, half = x.shape[2], x.shape[3] // 2
    speed = base ** (-tf.range(half, dtype=x.dtype) / half)
    at = tf.range(start, start + length, dtype=x.dtype)
    angle = at[:, None] * speed  # (length, d_k / 2)
    cos, sin = tf.cos(angle), tf.sin(angle)
    a, b = x[..., ::2], x[..., 1::2]
    pairs = (a * cos - b * sin, b * cos + a * sin)
    return tf.reshape(tf.stack(pairs, axis=-1), x.shape)
''',
    },
    why=r"""
Positions go down, pairs across, and their product is a table of angles
(length, $d_k/2$), which serves every head and every text of the batch. Slices with a
step give all first and all second members of the pairs at once. `stack` puts the two
results side by side in a new last axis, and the reshape makes neighbours of them.

Weights that were trained with one pairing are wrong with the other. Programs that
convert checkpoints therefore put the rows of the query and key matrices in another
order, or the model keeps a switch.
""",
    hints=(
        "The angles are a table with a row for each position and a column for each "
        "pair, as the sinusoids of chapter 2 were.",
        "`x[..., ::2]` holds the first members of all pairs, `x[..., 1::2]` the second "
        "ones.",
        "The exponent −2i / d_k is −i / half, with half = d_k / 2. Number the "
        "positions from `start` to `start + length - 1`. Stack the two results in a "
        "new last axis, and reshape to the shape of `x`.",
    ),
    mistakes="""
Your pairs are halves, numbers i and i + d_k / 2, as in the chapter. Here neighbours are
paired, numbers 2i and 2i + 1.
@torch
- x[..., ::2], x[..., 1::2]
+ x[..., :half], x[..., half:]
- torch.stack(pairs, dim=-1).reshape(x.shape)
+ torch.cat(pairs, dim=-1)
@tensorflow
- x[..., ::2], x[..., 1::2]
+ x[..., :half], x[..., half:]
- tf.reshape(tf.stack(pairs, axis=-1), x.shape)
+ tf.concat(pairs, axis=-1)

You read halves as pairs, but write neighbours. A rotation leaves every number in its
place.
- x[..., ::2], x[..., 1::2]
+ x[..., :half], x[..., half:]

You read neighbours as pairs, but write all first numbers and then all second ones.
- torch.stack(pairs, dim=-1).reshape(x.shape)
+ torch.cat(pairs, dim=-1)
- tf.reshape(tf.stack(pairs, axis=-1), x.shape)
+ tf.concat(pairs, axis=-1)

You rotate in the other direction: a sign is wrong in both numbers of a pair.
- (a * cos - b * sin, b * cos + a * sin)
+ (a * cos + b * sin, b * cos - a * sin)

You use `start` for nothing: every text begins at position 0.
- (start, start + length
+ (length

You subtract `start` from the positions. The first vector is at position `start`.
- (start, start + length
+ (-start, length - start

All your vectors are at position `start`. Each one is a position further than the one
before.
- at[:, None] * speed
+ 0 * at[:, None] * speed + start * speed

Your positions begin one too late: the first vector is at position `start`.
- (start, start + length
+ (start + 1, start + length + 1

Your speeds fall half as fast as they should. The exponent is −2i / d_k.
- / half)
+ / half / 2)

Your speeds fall twice as fast as they should: is the 2 in the exponent there twice?
- / half)
+ / half * 2)

Your speeds grow from pair to pair. Is the minus in the exponent missing?
- (-torch.arange(half) / half)
+ (torch.arange(half) / half)
- (-tf.range(half, dtype=x.dtype) / half)
+ (tf.range(half, dtype=x.dtype) / half)

All your pairs rotate at the same speed, one radian a position.
- at[:, None] * speed
+ at[:, None] * speed**0

The first pair, i = 0, rotates by one radian a position. You begin with i = 1.
- (-torch.arange(half) / half)
+ (-torch.arange(1, half + 1) / half)
- (-tf.range(half, dtype=x.dtype) / half)
+ (-tf.range(1, half + 1, dtype=x.dtype) / half)

Your slowest pair comes first. The first pair has i = 0.
@torch
-     at = torch
+     speed = speed.flip(0)
+     at = torch
@tensorflow
-     at = tf
+     speed = speed[::-1]
+     at = tf

Whatever base is given, you use 10,000. Models for long texts have a larger one.
- speed = base **
+ speed = 10_000.0 **

Sine and cosine have changed places.
- cos, sin = torch.cos(angle), torch.sin(angle)
+ cos, sin = torch.sin(angle), torch.cos(angle)
- cos, sin = tf.cos(angle), tf.sin(angle)
+ cos, sin = tf.sin(angle), tf.cos(angle)

Both numbers of your pairs have the same sign in front of the sine. One of them is
negative in a rotation.
- (a * cos - b * sin,
+ (a * cos + b * sin,

Both numbers of your pairs have a minus in front of the sine. Only the first one has it.
- b * cos + a * sin
+ b * cos - a * sin

You multiply by the cosine only. The other number of the pair is missing.
- (a * cos - b * sin, b * cos + a * sin)
+ (a * cos, b * cos)

The second number of each pair is computed from the first one after its rotation. It
needs the numbers as they were.
-     pairs = (a * cos - b * sin, b * cos + a * sin)
+     a = a * cos - b * sin
+     pairs = (a, b * cos + a * sin)

The two numbers of each pair have changed places at the end.
- (a * cos - b * sin, b * cos + a * sin)
+ (b * cos + a * sin, a * cos - b * sin)

Sine and cosine are added to the numbers, as positions are in chapter 2. Here the
numbers are rotated.
- (a * cos - b * sin, b * cos + a * sin)
+ (a + sin, b + cos)

Only the first number of each pair is rotated. The second one is returned as it was.
- , b * cos + a * sin)
+ , b)

Your rotation is the identity: you return `x` as it is.
@torch
- torch.stack(pairs, dim=-1).reshape(x.shape)
+ x + 0 * angle.sum()
@tensorflow
- tf.reshape(tf.stack(pairs, axis=-1), x.shape)
+ x + 0 * tf.reduce_sum(angle)

Your vectors count backwards: the last one is at position `start`.
@torch
-     angle = at[:, None]
+     at = at.flip(0)
+     angle = at[:, None]
@tensorflow
-     angle = at[:, None]
+     at = at[::-1]
+     angle = at[:, None]

Your exponent is divided by d_k − 2, as if the last pair had to have the speed
1 / base. Divide −2i by d_k.
- / half)
+ / max(half - 1, 1))

Your angles are in degrees: they are meant in radians, as `cos` and `sin` take them.
- at[:, None] * speed
+ at[:, None] * speed * math.pi / 180

You count turns: a speed of 1 is one radian a position, not one full turn.
- at[:, None] * speed
+ at[:, None] * speed * 2 * math.pi

You rotate by angles of a table that has one fixed size.
@torch
-     angle = at
+     at = at.clamp(max=127)
+     angle = at
@tensorflow
-     angle = at
+     at = tf.minimum(at, 127.0)
+     angle = at

Your positions run over the heads, axis 1. They belong to axis 2.
- length, half = x.shape[2]
+ length, half = x.shape[1]
- at[:, None] * speed
+ at[:, None, None] * speed

Your pairs are halves, and each angle is repeated for two neighbours. Pair neighbours.
@torch
-     a, b = x[
+     cos, sin = cos.repeat_interleave(2, -1), sin.repeat_interleave(2, -1)
+     a, b = x[
- x[..., ::2], x[..., 1::2]
+ x[..., :half], x[..., half:]
- (a * cos - b * sin, b * cos + a * sin)
+ (a * cos[:, :half] - b * sin[:, :half], b * cos[:, half:] + a * sin[:, half:])
- torch.stack(pairs, dim=-1).reshape(x.shape)
+ torch.cat(pairs, dim=-1)
@tensorflow
-     a, b = x[
+     cos, sin = tf.repeat(cos, 2, axis=1), tf.repeat(sin, 2, axis=1)
+     a, b = x[
- x[..., ::2], x[..., 1::2]
+ x[..., :half], x[..., half:]
- (a * cos - b * sin, b * cos + a * sin)
+ (a * cos[:, :half] - b * sin[:, :half], b * cos[:, half:] + a * sin[:, half:])
- tf.reshape(tf.stack(pairs, axis=-1), x.shape)
+ tf.concat(pairs, axis=-1)

Two numbers of a pair have different angles: you have d_k speeds. There are d_k / 2, one
for each pair.
@torch
- (-torch.arange(half) / half)
+ (-torch.arange(2 * half) / half / 2)
- (a * cos - b * sin, b * cos + a * sin)
+ (a * cos[:, ::2] - b * sin[:, ::2], b * cos[:, 1::2] + a * sin[:, 1::2])
@tensorflow
- (-tf.range(half, dtype=x.dtype) / half)
+ (-tf.range(2 * half, dtype=x.dtype) / half / 2)
- (a * cos - b * sin, b * cos + a * sin)
+ (a * cos[:, ::2] - b * sin[:, ::2], b * cos[:, 1::2] + a * sin[:, 1::2])

You multiply the positions by `start`. They begin with it: add it.
- torch.arange(start, start + length)
+ start * torch.arange(length)
- tf.range(start, start + length, dtype=x.dtype)
+ start * tf.range(length, dtype=x.dtype)

Your positions end at `length`. There are `length` of them, from `start` on.
- start + length
+ length

Your positions begin one too early: the first vector is at position `start`.
- (start, start + length
+ (start - 1, start + length - 1

Two mistakes at once: your pairs are halves instead of neighbours, and every text begins
at position 0.
@torch
- (start, start + length)
+ (length)
- x[..., ::2], x[..., 1::2]
+ x[..., :half], x[..., half:]
- torch.stack(pairs, dim=-1).reshape(x.shape)
+ torch.cat(pairs, dim=-1)
@tensorflow
- (start, start + length
+ (length
- x[..., ::2], x[..., 1::2]
+ x[..., :half], x[..., half:]
- tf.reshape(tf.stack(pairs, axis=-1), x.shape)
+ tf.concat(pairs, axis=-1)

You multiply the first numbers by the cosine and the second ones by the sine. Each of
the two results needs both.
- (a * cos - b * sin, b * cos + a * sin)
+ (a * cos, b * sin)

Your positions fall from `start` on. They grow by one from vector to vector.
@torch
- torch.arange(start, start + length)
+ start - torch.arange(length)
@tensorflow
- tf.range(start, start + length, dtype=x.dtype)
+ start - tf.range(length, dtype=x.dtype)

Two mistakes at once: your pairs are halves instead of neighbours, and they rotate in
the other direction.
- x[..., ::2], x[..., 1::2]
+ x[..., :half], x[..., half:]
- (a * cos - b * sin, b * cos + a * sin)
+ (a * cos + b * sin, b * cos - a * sin)
- torch.stack(pairs, dim=-1).reshape(x.shape)
+ torch.cat(pairs, dim=-1)
- tf.reshape(tf.stack(pairs, axis=-1), x.shape)
+ tf.concat(pairs, axis=-1)

You multiply the base by the exponent. It is raised to that power.
- base ** (
+ base * (

Two mistakes at once: you rotate in the other direction, and every text begins at
position 0.
- (start, start + length
+ (length
- (a * cos - b * sin, b * cos + a * sin)
+ (a * cos + b * sin, b * cos - a * sin)

The second number of a pair is b cos α + a sin α. In yours, a and b have changed places.
- b * cos + a * sin
+ a * cos + b * sin

The first number of a pair is a cos α − b sin α. In yours, a and b have changed places.
- (a * cos - b * sin
+ (b * cos - a * sin

The first number of each pair lacks its sine. It is a cos α − b sin α.
- (a * cos - b * sin
+ (a * cos

The second number of each pair lacks its sine. It is b cos α + a sin α.
- b * cos + a * sin
+ b * cos

The two results have an axis of their own. Reshape them to the shape of `x`.
- torch.stack(pairs, dim=-1).reshape(x.shape)
+ torch.stack(pairs, dim=-1)
- tf.reshape(tf.stack(pairs, axis=-1), x.shape)
+ tf.stack(pairs, axis=-1)

Two numbers of a pair have different angles: your angles are laid out for halves.
@torch
-     a, b = x[
+     cos, sin = torch.cat((cos, cos), 1), torch.cat((sin, sin), 1)
+     a, b = x[
- (a * cos - b * sin, b * cos + a * sin)
+ (a * cos[:, ::2] - b * sin[:, ::2], b * cos[:, 1::2] + a * sin[:, 1::2])
@tensorflow
-     a, b = x[
+     cos, sin = tf.concat((cos, cos), 1), tf.concat((sin, sin), 1)
+     a, b = x[
- (a * cos - b * sin, b * cos + a * sin)
+ (a * cos[:, ::2] - b * sin[:, ::2], b * cos[:, 1::2] + a * sin[:, 1::2])

`start` is the position of the first vector. In yours, all positions come before it.
- (start, start + length
+ (start - length, start

`roll` by one swaps no neighbours: it moves every number on by a place, across the
borders of the pairs.
@torch
-     a, b = x[..., ::2], x[..., 1::2]
-     pairs = (a * cos - b * sin, b * cos + a * sin)
-     return torch.stack(pairs, dim=-1).reshape(x.shape)
+     cos = cos.repeat_interleave(2, 1)
+     sin = torch.stack((-sin, sin), -1).flatten(1)
+     return x * cos + x.roll(1, -1) * sin
@tensorflow
-     a, b = x[..., ::2], x[..., 1::2]
-     pairs = (a * cos - b * sin, b * cos + a * sin)
-     return tf.reshape(tf.stack(pairs, axis=-1), x.shape)
+     cos = tf.repeat(cos, 2, axis=1)
+     sin = tf.reshape(tf.stack((-sin, sin), -1), cos.shape)
+     return x * cos + tf.roll(x, 1, -1) * sin

You shift by one with `roll`, which crosses the borders of the pairs, and your angles
are laid out for halves.
@torch
-     a, b = x[..., ::2], x[..., 1::2]
-     pairs = (a * cos - b * sin, b * cos + a * sin)
-     return torch.stack(pairs, dim=-1).reshape(x.shape)
+     cos, sin = torch.cat((cos, cos), 1), torch.cat((-sin, sin), 1)
+     return x * cos + x.roll(1, -1) * sin
@tensorflow
-     a, b = x[..., ::2], x[..., 1::2]
-     pairs = (a * cos - b * sin, b * cos + a * sin)
-     return tf.reshape(tf.stack(pairs, axis=-1), x.shape)
+     cos, sin = tf.concat((cos, cos), 1), tf.concat((-sin, sin), 1)
+     return x * cos + tf.roll(x, 1, -1) * sin

Your angles are laid out for neighbours, but `roll` still swaps the halves.
@torch
-     a, b = x[..., ::2], x[..., 1::2]
-     pairs = (a * cos - b * sin, b * cos + a * sin)
-     return torch.stack(pairs, dim=-1).reshape(x.shape)
+     cos = cos.repeat_interleave(2, 1)
+     sin = torch.stack((-sin, sin), -1).flatten(1)
+     return x * cos + x.roll(half, -1) * sin
@tensorflow
-     a, b = x[..., ::2], x[..., 1::2]
-     pairs = (a * cos - b * sin, b * cos + a * sin)
-     return tf.reshape(tf.stack(pairs, axis=-1), x.shape)
+     cos = tf.repeat(cos, 2, axis=1)
+     sin = tf.reshape(tf.stack((-sin, sin), -1), cos.shape)
+     return x * cos + tf.roll(x, half, -1) * sin
""",
    reference=reference,
    cases=cases,
    long_cases=long_cases,
    checks=(lengths_stay, scores_keep_their_distance),
    equivalent={
        "at = tf.range(start, start + length, dtype=speed.dtype)": "Both are floats.",
        "length, half = x.shape[2], x.shape[3] / 2": "d_k is even.",
    },
)
