"""Assemble a whole Transformer, from two texts to the loss that trains it."""

from exercises.engine.exercise import Exercise

import numpy as np

PAD, BOS = 0, 1


def cases(draw):
    for lengths, targets, sizes, d_model in (
        ((2,), (1,), (5, 4), 2),
        ((3,), (3,), (4, 6), 3),
        ((4, 2), (3, 5), (7, 6), 4),
        ((1, 3, 2), (4, 2, 1), (6, 8), 3),
    ):
        yield (
            padded(draw, lengths, sizes[0]),
            padded(draw, targets, sizes[1]),
            draw.normal(size=(sizes[0], d_model)),
            draw.normal(size=(sizes[1], d_model)),
        )
    yield surprised(draw)


def surprised(draw):
    """Draw tables so large that a target's probability is 0 in single precision."""
    while True:
        tables = 8 * draw.normal(size=(2, 5, 3))
        case = np.array([[2, 3]]), draw.integers(2, 5, (1, 2)), *tables
        if reference(*case) > 150:
            return case


def padded(draw, lengths, vocab_size):
    """Draw a row of ids for each length, all padded to one column more than needed."""
    ids = np.zeros((len(lengths), max(lengths) + (len(lengths) > 1)), dtype=np.int64)
    for row, length in zip(ids, lengths, strict=True):
        row[:length] = draw.integers(2, vocab_size, length)
    return ids


def attend(query, key, value, mask):
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])
    scores = np.where(mask, scores, -np.inf)
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    return shares / shares.sum(-1, keepdims=True) @ value


def reference(source_ids, target_ids, source_table, target_table):
    losses = []
    for source, target in zip(source_ids, target_ids, strict=True):
        # One row at a time, without its padding: no padding mask is needed.
        source, target = source[source != PAD], target[target != PAD]
        x = source_table[source]
        memory = x + attend(x, x, x, np.ones((len(x), len(x)), dtype=bool))
        y = target_table[np.concatenate([[BOS], target[:-1]])]
        y = y + attend(y, y, y, np.tri(len(y), dtype=bool))
        y = y + attend(y, memory, memory, np.ones((len(y), len(x)), dtype=bool))
        logits = y @ target_table.T
        logits = logits - logits.max(-1, keepdims=True)
        log_p = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
        losses += [-row[token] for row, token in zip(log_p, target, strict=True)]
    return np.mean(losses)


SAME_WIDTH = "All vectors have the same length."

EXERCISE = Exercise(
    title="The smallest Transformer",
    kind="build",
    difficulty=3,
    minutes=30,
    prompt=r"""
Assemble a whole Transformer, from the ids of two texts to the training loss. It has one
layer in each half and no weights but two embedding tables; positions, projections,
feed-forward, norms and the factor $\sqrt{d_\text{model}}$ of the embeddings are left
out. The starter defines `attend`; which mask each call needs is for you to find out.

- The encoder computes $m = x + \text{attend}(x, x, x)$ from the source's embeddings
  $x$.
- The decoder reads the shifted target's embeddings $y$. It computes
  $y' = y + \text{attend}(y, y, y)$, which must be causal, then
  $z = y' + \text{attend}(y', m, m)$.
- The logits are the dot products of $z$ with the target's table.

Return the mean cross-entropy over all target tokens but padding. Padding is id 0 and
follows each text, and `[BOS]` is id 1. You may use the chapter's functions from
`scratch.torch` or `scratch.tensorflow`.
""",
    solution={
        "torch": '''
def loss_of(
    source_ids, target_ids, source_table, target_table
):
    """Return the loss, a scalar tensor.

    source_ids and target_ids (batch, length);
    source_table and target_table (vocab_size, d_model).
    """

    def attend(query, key, value, mask):
        # mask: True = attend, (batch, queries, keys)
        scores = query @ key.transpose(1, 2)
        scores = scores / query.shape[-1] ** 0.5
        scores = scores.masked_fill(~mask, -torch.inf)
        return torch.softmax(scores, dim=-1) @ value

    x = source_table[source_ids]
    real = (source_ids != 0)[:, None]
    memory = x + attend(x, x, x, real)
    first = torch.full_like(target_ids[:, :1], 1)
    read = torch.cat([first, target_ids[:, :-1]], dim=1)
    y = target_table[read]
    length = read.shape[1]
    causal = torch.ones(1, length, length).tril() > 0
    y = y + attend(y, y, y, causal)
    y = y + attend(y, memory, memory, real)
    logits = y @ target_table.T
    log_p = torch.log_softmax(logits, dim=-1)
    losses = -log_p.gather(-1, target_ids[..., None])[..., 0]
    return losses[target_ids != 0].mean()
''',
        "tensorflow": '''
def loss_of(
    source_ids, target_ids, source_table, target_table
):
    """Return the loss, a scalar tensor.

    source_ids and target_ids (batch, length);
    source_table and target_table (vocab_size, d_model).
    """

    def attend(query, key, value, mask):
        # mask: True = attend, (batch, queries, keys)
        scores = query @ tf.transpose(key, (0, 2, 1))
        scores = scores / query.shape[-1] ** 0.5
        scores = tf.where(mask, scores, -math.inf)
        return tf.nn.softmax(scores, axis=-1) @ value

    x = tf.gather(source_table, source_ids)
    real = (source_ids != 0)[:, None]
    memory = x + attend(x, x, x, real)
    first = tf.ones_like(target_ids[:, :1])
    read = tf.concat([first, target_ids[:, :-1]], axis=1)
    y = tf.gather(target_table, read)
    square = tf.ones((1, read.shape[1], read.shape[1]))
    causal = tf.linalg.band_part(square, -1, 0) > 0
    y = y + attend(y, y, y, causal)
    y = y + attend(y, memory, memory, real)
    logits = y @ tf.transpose(target_table)
    log_p = tf.nn.log_softmax(logits, axis=-1)
    losses = -tf.gather(log_p, target_ids, batch_dims=2)
    return tf.reduce_mean(losses[target_ids != 0])
''',
    },
    starter={
        "torch": '''
def loss_of(
    source_ids, target_ids, source_table, target_table
):
    """Return the loss, a scalar tensor.

    source_ids and target_ids (batch, length);
    source_table and target_table (vocab_size, d_model).
    """

    def attend(query, key, value, mask):
        # mask: True = attend, (batch, queries, keys)
        scores = query @ key.transpose(1, 2)
        scores = scores / query.shape[-1] ** 0.5
        scores = scores.masked_fill(~mask, -torch.inf)
        return torch.softmax(scores, dim=-1) @ value

    ...
''',
        "tensorflow": '''
def loss_of(
    source_ids, target_ids, source_table, target_table
):
    """Return the loss, a scalar tensor.

    source_ids and target_ids (batch, length);
    source_table and target_table (vocab_size, d_model).
    """

    def attend(query, key, value, mask):
        # mask: True = attend, (batch, queries, keys)
        scores = query @ tf.transpose(key, (0, 2, 1))
        scores = scores / query.shape[-1] ** 0.5
        scores = tf.where(mask, scores, -math.inf)
        return tf.nn.softmax(scores, axis=-1) @ value

    ...
''',
    },
    why="""
This is the skeleton of the model: two tables, three attentions, two masks, the shift
and a loss without padding. The target's padding needs no mask of its own here, because
it follows the text: the causal mask already hides it from all real positions, and the
loss leaves out the positions of padding. The full model adds positions, projections,
feed-forward networks and norms. To train this small one, let the optimizer change the
two tables.
""",
    hints=(
        "Write the lines of the task in order. Which tokens may each of the three "
        "attentions read?",
        "`(source_ids != 0)[:, None]` hides the source's padding, in the encoder and "
        "in the cross-attention. The causal mask is a lower triangle.",
        "The decoder reads `[BOS]` and then all targets but the last. Compare its "
        "log-probabilities with the targets as they are.",
    ),
    mistakes="""
The decoder reads the very tokens that it must predict: the shift is missing.
- y = target_table[read]
+ y = target_table[target_ids]
- y = tf.gather(target_table, read)
+ y = tf.gather(target_table, target_ids)

The target is shifted to the left: each position reads the token after its answer.
@torch
- torch.cat([first, target_ids[:, :-1]], dim=1)
+ torch.cat([target_ids[:, 1:], first], dim=1)
@tensorflow
- tf.concat([first, target_ids[:, :-1]], axis=1)
+ tf.concat([target_ids[:, 1:], first], axis=1)

The target is shifted twice: the decoder never reads the token just before.
- first, target_ids[:, :-1]
+ first, first, target_ids[:, :-2]

The target is rolled: its last token comes first, where `[BOS]` belongs.
- first, target_ids[:, :-1]
+ target_ids[:, -1:], target_ids[:, :-1]

The decoder begins with padding (id 0) instead of `[BOS]` (id 1).
- torch.full_like(target_ids[:, :1], 1)
+ torch.full_like(target_ids[:, :1], 0)
- tf.ones_like(target_ids[:, :1])
+ tf.zeros_like(target_ids[:, :1])

The decoder's self-attention is not causal: each position can read its answer.
- .tril() > 0
+ > 0
- , -1, 0) > 0
+ , -1, -1) > 0

The decoder's self-attention hides padding but not the future: each position can read
its answer.
- attend(y, y, y, causal)
+ attend(y, y, y, (read != 0)[:, None])

The causal mask is the other triangle: each position sees only itself and the future.
- .tril()
+ .triu()
- , -1, 0) > 0
+ , 0, -1) > 0

The encoder reads the source's padding.
- attend(x, x, x, real)
+ attend(x, x, x, real | ~real)

The cross-attention reads the source's padding.
- attend(y, memory, memory, real)
+ attend(y, memory, memory, real | ~real)

Nothing hides the source's padding, in the encoder or in the cross-attention.
- real = (source_ids != 0)
+ real = (source_ids >= 0)

The source's mask is inverted: `True` means attend.
- real = (source_ids != 0)
+ real = (source_ids == 0)

The decoder never reads the memory: its second attention must.
- attend(y, memory, memory, real)
+ attend(y, y, y, causal)

The decoder reads the source's embeddings instead of the encoder's output.
- attend(y, memory, memory, real)
+ attend(y, x, x, real)

The cross-attention is turned round: queries come from the decoder, keys and values from
the memory.
- y = y + attend(y, memory, memory, real)
+ y = memory + attend(memory, y, y, (read != 0)[:, None])

The embeddings are multiplied by the root of d_model. This exercise leaves that out.
- memory = x + attend
+ x = x * x.shape[-1] ** 0.5
+     memory = x + attend
- y = y + attend(y, y, y, causal)
+ y = y * y.shape[-1] ** 0.5
+     y = y + attend(y, y, y, causal)

The decoder's input is one token too long: which token is never read?
@tensorflow
- [first, target_ids[:, :-1]]
+ [first, target_ids]

The encoder's residual connection is missing: add `x`.
- memory = x + attend
+ memory = attend

The residual connection around the decoder's self-attention is missing.
- y = y + attend(y, y, y, causal)
+ y = attend(y, y, y, causal)

The residual connection around the cross-attention is missing.
- y = y + attend(y, memory, memory, real)
+ y = attend(y, memory, memory, real)

No residual connection is left in the decoder.
- y = y + attend(y, y, y, causal)
+ y = attend(y, y, y, causal)
- y = y + attend(y, memory, memory, real)
+ y = attend(y, memory, memory, real)

The cross-attention reads the decoder's input, before its self-attention.
-     y = y + attend(y, y, y, causal)
-     y = y + attend(y, memory, memory, real)
+     z = y + attend(y, y, y, causal)
+     y = z + attend(y, memory, memory, real)

The cross-attention comes before the self-attention. In a decoder it comes after.
- y = y + attend(y, y, y, causal)
+ y = y + attend(y, memory, memory, real)
- y = y + attend(y, memory, memory, real)
-     logits
+ y = y + attend(y, y, y, causal)
+     logits

Padding counts in the loss like any other token.
- losses[target_ids != 0]
+ losses[target_ids >= 0]

The loss is the sum over the tokens. Take the mean.
- [target_ids != 0].mean()
+ [target_ids != 0].sum()
- tf.reduce_mean(losses[target_ids != 0])
+ tf.reduce_sum(losses[target_ids != 0])

Padding is left out of the sum but counted in the mean.
- return losses[target_ids != 0].mean()
+ return (losses * (target_ids != 0)).mean()
- return tf.reduce_mean(losses[target_ids != 0])
+ return tf.reduce_mean(tf.where(target_ids != 0, losses, 0.0))

This is a mean of the rows' means: tokens of short rows weigh too much.
@torch
-     return losses[target_ids != 0].mean()
+     real = (target_ids != 0).float()
+     return ((losses * real).sum(1) / real.sum(1)).mean()
@tensorflow
-     return tf.reduce_mean(losses[target_ids != 0])
+     real = tf.cast(target_ids != 0, tf.float32)
+     rows = tf.reduce_sum(losses * real, 1) / tf.reduce_sum(real, 1)
+     return tf.reduce_mean(rows)

The prediction is compared with what the decoder reads, not with the targets.
- log_p.gather(-1, target_ids[..., None])
+ log_p.gather(-1, read[..., None])
- tf.gather(log_p, target_ids, batch_dims=2)
+ tf.gather(log_p, read, batch_dims=2)

These are logits, not log-probabilities: the softmax is missing.
- torch.log_softmax(logits, dim=-1)
+ logits
- tf.nn.log_softmax(logits, axis=-1)
+ logits

The softmax is there, but not its logarithm.
- torch.log_softmax
+ torch.softmax
- tf.nn.log_softmax
+ tf.nn.softmax

A loss is not negative. Where is the minus sign?
- losses = -
+ losses =

The logits come from the source's table; the target's has a row for each possible token.
- y @ target_table.T
+ y @ source_table.T
- y @ tf.transpose(target_table)
+ y @ tf.transpose(source_table)

No gradient leads from your loss back to the tables, so nothing would be learned: it is
a plain number, or a tensor was detached.
@torch
- .mean()
+ .mean().item()
@tensorflow
- return tf.reduce_mean(losses[target_ids != 0])
+ return float(tf.reduce_mean(losses[target_ids != 0]))

The logarithm has the base 2. The cross-entropy is measured in nats.
@torch
- torch.log_softmax(logits, dim=-1)
+ torch.log_softmax(logits, dim=-1) / math.log(2)
@tensorflow
- tf.nn.log_softmax(logits, axis=-1)
+ tf.nn.log_softmax(logits, axis=-1) / math.log(2)

The logarithm of a softmax fails on large logits: a probability becomes 0 and its
logarithm minus infinity. `log_softmax` does not.
- torch.log_softmax(logits, dim=-1)
+ torch.log(torch.softmax(logits, dim=-1))
- tf.nn.log_softmax(logits, axis=-1)
+ tf.math.log(tf.nn.softmax(logits, axis=-1))

The first target is never predicted: you took it for `[BOS]`. The target's ids do not
hold `[BOS]`: put it in front.
@torch
- torch.cat([first, target_ids[:, :-1]], dim=1)
+ target_ids[:, :-1]
- target_ids[..., None])
+ target_ids[:, 1:, None])
- losses[target_ids != 0]
+ losses[target_ids[:, 1:] != 0]
@tensorflow
- tf.concat([first, target_ids[:, :-1]], axis=1)
+ target_ids[:, :-1]
- tf.gather(log_p, target_ids, batch_dims=2)
+ tf.gather(log_p, target_ids[:, 1:], batch_dims=2)
- losses[target_ids != 0]
+ losses[target_ids[:, 1:] != 0]

The target is shifted to the left, with padding at its end: each position reads the
token after its answer.
@torch
- torch.cat([first, target_ids[:, :-1]], dim=1)
+ torch.cat([target_ids[:, 1:], 0 * first], dim=1)
@tensorflow
- tf.concat([first, target_ids[:, :-1]], axis=1)
+ tf.concat([target_ids[:, 1:], 0 * first], axis=1)

The source's padding is hidden as queries, too. These rows have no key left, become NaN,
and are read by the cross-attention. Hide keys only.
@torch
- attend(x, x, x, real)
+ attend(x, x, x, real & real.transpose(1, 2))
@tensorflow
- attend(x, x, x, real)
+ attend(x, x, x, real & tf.transpose(real, (0, 2, 1)))

A position may not even attend to itself: the first has no key left, and its softmax is
NaN. The target is shifted already.
- .tril() > 0
+ .tril(-1) > 0
@tensorflow
- tf.linalg.band_part(square, -1, 0) > 0
+ tf.linalg.band_part(square, 0, -1) < 1

The softmax is applied twice.
- torch.log_softmax(logits, dim=-1)
+ torch.log_softmax(torch.softmax(logits, dim=-1), dim=-1)
- tf.nn.log_softmax(logits, axis=-1)
+ tf.nn.log_softmax(tf.nn.softmax(logits))

The loss leaves out the positions at which the decoder reads padding. Those are one too
few: leave out the targets that are padding.
- losses[target_ids != 0]
+ losses[read != 0]

The cross-attention is added to the embeddings. Add it to what the self-attention has
made of them.
-     y = y + attend(y, y, y, causal)
-     y = y + attend(y, memory, memory, real)
+     first = y + attend(y, y, y, causal)
+     y = y + attend(first, memory, memory, real)

The encoder is causal. It may read the whole source, except its padding.
@torch
- attend(x, x, x, real)
+ attend(x, x, x, real & (torch.ones(x.shape[1], x.shape[1]).tril() > 0))
@tensorflow
- attend(x, x, x, real)
+ attend(x, x, x, real & (tf.range(x.shape[1]) <= tf.range(x.shape[1])[:, None]))

The cross-attention is causal. The whole source is known before the first word is
written.
@torch
- attend(y, memory, memory, real)
+ attend(y, memory, memory, real & (torch.ones(length, x.shape[1]).tril() > 0))
@tensorflow
-     y = y + attend(y, memory, memory, real)
+     real &= tf.range(x.shape[1]) <= tf.range(y.shape[1])[:, None]
+     y = y + attend(y, memory, memory, real)
""",
    reference=reference,
    cases=cases,
    learns=True,
    equivalent={
        "scores = scores / value.shape[-1] ** 0.5": SAME_WIDTH,
        "scores = scores / key.shape[-1] ** 0.5": SAME_WIDTH,
        "return tf.nn.softmax(scores, axis=-1) @ key": "Every value is the key.",
        "return torch.softmax(scores, dim=-1) @ key": "Every value is the key.",
        "length = y.shape[1]": "There is one vector for each id.",
    },
)
