"""Build the loss of a masked language model, from the chosen places alone."""

from exercises.engine.exercise import Exercise

import numpy as np

IGNORED = -100


def cases(draw):
    for batch, length, vocab_size, d_model, counted in (
        (1, 2, 3, 2, (0,)),
        (1, 3, 4, 2, (1,)),
        (2, 4, 6, 3, (1, 3)),
        (3, 6, 7, 5, (4, 0, 2)),
        (2, 5, 8, 4, (0, 0)),
        (3, 7, 9, 6, (3, 1, 5)),
    ):
        # In the last case the logits are large.
        size = 20 if length == 7 else 1
        columns = max(counted) + (1 if batch > 1 else 0) or 2
        places = np.zeros((batch, columns), dtype=np.int64)
        targets = np.full((batch, columns), IGNORED)
        for row, number in enumerate(counted):
            chosen = draw.permutation(length)
            places[row, :number] = chosen[:number]
            targets[row, :number] = draw.integers(0, vocab_size, number)
        yield (
            size * draw.normal(size=(batch, length, d_model)),
            draw.normal(size=(vocab_size, d_model)),
            places,
            targets,
        )


def reference(hidden, table, places, targets):
    losses = []
    for row, column in zip(*np.nonzero(targets != IGNORED), strict=True):
        logits = hidden[row, places[row, column]].astype(np.float64) @ table.T
        logits = logits - logits.max()
        target = targets[row, column]
        losses.append(np.log(np.exp(logits).sum()) - logits[target])
    return np.float32(np.mean(losses) if losses else 0)


def padding_changes_nothing(ask, draw):
    """More columns that do not count must not change the loss."""
    hidden = draw.normal(size=(2, 4, 3)).astype(np.float32)
    table = draw.normal(size=(5, 3)).astype(np.float32)
    places, targets = np.array([[2, 1], [3, 0]]), np.array([[4, 1], [0, 2]])
    narrow = ask(hidden, table, places, targets)
    wide = ask(
        hidden,
        table,
        np.pad(places, ((0, 0), (0, 3))),
        np.pad(targets, ((0, 0), (0, 3)), constant_values=IGNORED),
    )
    if abs(wide - narrow) > 1e-4:
        return (
            f"The loss of two rows is {narrow:.3f}, and {wide:.3f} when three more "
            "columns with target −100 are added."
        )
    return None


EXERCISE = Exercise(
    title="Only where something is hidden",
    kind="build",
    difficulty=3,
    minutes=20,
    prompt=r"""
Write the loss (10.1) of a masked language model. Row $b$ of `places` lists the chosen
places of text $b$, and `targets` the original tokens there. Rows with fewer places are
filled up: where the target is **−100**, the place does not count, whatever its number.

The logits at a chosen place are the dot products of its hidden vector with the table.
They are needed at these places **only**, which saves most of that work: in the
chapter's model, the product with the vocabulary costs more than both layers together.
Return the mean cross-entropy over the places that count, and 0 if none does. It must
also work for logits of 100.
""",
    solution={
        "torch": '''
def masked_loss(hidden, table, places, targets):
    """Return the mean loss, one number.

    hidden (batch, length, d_model);
    table (vocab_size, d_model);
    places, targets (batch, count), integers.
    """
    rows = torch.arange(len(hidden))[:, None]
    chosen = hidden[rows, places]
    log_p = torch.log_softmax(chosen @ table.T, dim=-1)
    counts = targets != -100
    wanted = torch.where(counts, targets, 0)
    found = log_p.gather(-1, wanted[..., None])[..., 0]
    total = (found * counts).sum()
    return -total / counts.sum().clamp(min=1)
''',
        "tensorflow": '''
def masked_loss(hidden, table, places, targets):
    """Return the mean loss, one number.

    hidden (batch, length, d_model);
    table (vocab_size, d_model);
    places, targets (batch, count), integers.
    """
    chosen = tf.gather(hidden, places, batch_dims=1)
    logits = tf.matmul(chosen, table, transpose_b=True)
    log_p = tf.nn.log_softmax(logits, axis=-1)
    counts = tf.cast(targets != -100, tf.float32)
    wanted = tf.where(targets != -100, targets, 0)
    found = tf.gather(log_p, wanted, batch_dims=2)
    total = tf.reduce_sum(found * counts)
    return -total / tf.maximum(tf.reduce_sum(counts), 1)
''',
    },
    why="""
With 15 % of the places chosen, the product with the vocabulary is computed for one
place in seven. A target of −100 is not the index of a token, so it is replaced by 0
before the look-up, and its loss is multiplied by 0 afterwards. The sum is divided by
the number of places that count, in all rows together: divided by the width of
`targets`, the loss would depend on how many columns were filled up. For a batch in
which nothing is hidden, the lower bound of 1 turns 0 / 0 into 0 / 1.
""",
    hints=(
        "Three steps: take the hidden vectors at `places`, compute the "
        "log-probabilities there, and pick that of each target.",
        "−100 cannot be looked up. Look up 0 there instead, and keep the result out of "
        "the sum.",
        "PyTorch: `hidden[rows, places]` with `rows` as a column. TensorFlow: "
        "`tf.gather(hidden, places, batch_dims=1)`. Divide by the number of targets "
        "that are not −100, but at least by 1.",
    ),
    mistakes="""
Where no place counts, your loss is 0 / 0. It should be 0.
- counts.sum().clamp(min=1)
+ counts.sum()
- tf.maximum(tf.reduce_sum(counts), 1)
+ tf.reduce_sum(counts)

Places with target −100 count as if token 0 were their target.
- (found * counts).sum()
+ found.sum()
- counts.sum().clamp(min=1)
+ targets.numel()
- counts = tf.cast(targets != -100, tf.float32)
+ counts = tf.ones_like(targets, tf.float32)

Places with target −100 are left out of the sum but counted in the mean.
- counts.sum().clamp(min=1)
+ targets.numel()
- tf.maximum(tf.reduce_sum(counts), 1)
+ tf.size(targets, tf.float32)

Targets of 0 are left out as well. 0 is the id of a token.
- counts = targets != -100
+ counts = targets > 0
- tf.cast(targets != -100, tf.float32)
+ tf.cast(targets > 0, tf.float32)

Places with the number 0 are left out. What does not count has the target −100.
- counts = targets != -100
+ counts = places != 0
- tf.cast(targets != -100, tf.float32)
+ tf.cast(places != 0, tf.float32)

Only the places that do not count are in your loss: the condition is inverted.
- counts = targets != -100
+ counts = targets == -100
- tf.cast(targets != -100, tf.float32)
+ tf.cast(targets == -100, tf.float32)

−100 was looked up as it is. It is not the id of a token: replace it before the look-up.
- torch.where(counts, targets, 0)
+ targets
- tf.where(targets != -100, targets, 0)
+ targets

This is a mean of the rows' means: in a row with few places, each weighs too much.
@torch
-     total = (found * counts).sum()
-     return -total / counts.sum().clamp(min=1)
+     total = (found * counts).sum(1)
+     return -(total / counts.sum(1).clamp(min=1)).mean()
@tensorflow
-     total = tf.reduce_sum(found * counts)
-     return -total / tf.maximum(tf.reduce_sum(counts), 1)
+     total = tf.reduce_sum(found * counts, 1)
+     number = tf.maximum(tf.reduce_sum(counts, 1), 1)
+     return -tf.reduce_mean(total / number)

That is the sum. The loss is the mean over the places that count.
- return -total / counts.sum().clamp(min=1)
+ return -total
- return -total / tf.maximum(tf.reduce_sum(counts), 1)
+ return -total

The sum is divided by the number of texts. Divide it by the number of places that count.
- counts.sum().clamp(min=1)
+ len(hidden)
- tf.maximum(tf.reduce_sum(counts), 1)
+ len(hidden)

You took the first places of each text instead of those that `places` lists.
- hidden[rows, places]
+ hidden[rows, torch.arange(places.shape[1])]
- tf.gather(hidden, places, batch_dims=1)
+ hidden[:, : places.shape[1]]

All rows are read at the places of the first.
- hidden[rows, places]
+ hidden[rows, places[:1]]
- tf.gather(hidden, places, batch_dims=1)
+ tf.gather(hidden, places[0], axis=1)

Each place is read from the first text. Row b of `places` belongs to text b.
- hidden[rows, places]
+ hidden[0][places]
- tf.gather(hidden, places, batch_dims=1)
+ tf.gather(hidden[0], places)

A loss is not negative. Where is the minus sign?
- return -total
+ return total

These are logits, not log-probabilities: the softmax is missing.
- torch.log_softmax(chosen @ table.T, dim=-1)
+ chosen @ table.T
- tf.nn.log_softmax(logits, axis=-1)
+ logits

The softmax is there, but not its logarithm.
- torch.log_softmax
+ torch.softmax
- tf.nn.log_softmax
+ tf.nn.softmax

The softmax is applied twice.
- torch.log_softmax(chosen @ table.T, dim=-1)
+ torch.log_softmax(torch.softmax(chosen @ table.T, -1), -1)
- tf.nn.log_softmax(logits, axis=-1)
+ tf.nn.log_softmax(tf.nn.softmax(logits))

The softmax runs over the places. It must run over the vocabulary, the last axis.
- dim=-1)
+ dim=1)
- axis=-1)
+ axis=1)

Your softmax fails on large logits: a probability becomes 0, whose logarithm is minus
infinity, or an exponential overflows. `log_softmax` is safe.
- torch.log_softmax(chosen @ table.T, dim=-1)
+ torch.log(torch.softmax(chosen @ table.T, dim=-1))
- tf.nn.log_softmax(logits, axis=-1)
+ tf.math.log(tf.nn.softmax(logits, axis=-1))

A small number inside the logarithm limits the loss of large logits. `log_softmax` needs
none.
- torch.log_softmax(chosen @ table.T, dim=-1)
+ torch.log(torch.softmax(chosen @ table.T, dim=-1) + 1e-9)
- tf.nn.log_softmax(logits, axis=-1)
+ tf.math.log(tf.nn.softmax(logits, axis=-1) + 1e-9)

You look up the numbers of the places. The tokens to predict are in `targets`.
- wanted[..., None]
+ places[..., None]
- tf.gather(log_p, wanted
+ tf.gather(log_p, places

Places with target −100 are in your sum, but not in the number that divides it.
- (found * counts).sum()
+ found.sum()
- tf.reduce_sum(found * counts)
+ tf.reduce_sum(found)

The logarithm has the base 2. The cross-entropy is measured in nats.
@torch
- return -total
+ return -total / math.log(2)
@tensorflow
- return -total
+ return -total / math.log(2)

The loss is returned for each place. Return its mean, one number.
- return -total / counts.sum().clamp(min=1)
+ return -found * counts
- return -total / tf.maximum(tf.reduce_sum(counts), 1)
+ return -found * counts

The loss is returned for each row. Return the mean over all rows, one number.
@torch
-     total = (found * counts).sum()
-     return -total / counts.sum().clamp(min=1)
+     return -(found * counts).sum(1) / counts.sum(1).clamp(min=1)
@tensorflow
-     total = tf.reduce_sum(found * counts)
-     return -total / tf.maximum(tf.reduce_sum(counts), 1)
+     number = tf.maximum(tf.reduce_sum(counts, 1), 1)
+     return -tf.reduce_sum(found * counts, 1) / number

The places with target −100 are the ones that count in your loss. Leave them out.
@torch
- counts = targets != -100
+ counts = targets == -100
- torch.where(counts, targets, 0)
+ targets.clamp(min=0)

You divide the dot products by the square root of `d_model`. That belongs to attention:
these logits are the dot products themselves.
@torch
- chosen @ table.T
+ chosen @ table.T / hidden.shape[-1] ** 0.5
@tensorflow
- log_p =
+ logits = logits / hidden.shape[-1] ** 0.5
+     log_p =

You add 1 to the number of places that count. It is only the least that the sum is
divided by.
- counts.sum().clamp(min=1)
+ (counts.sum() + 1)
- tf.maximum(tf.reduce_sum(counts), 1)
+ (tf.reduce_sum(counts) + 1)
""",
    reference=reference,
    cases=cases,
    checks=(padding_changes_nothing,),
    equivalent={
        "rows = torch.arange(len(places))[:, None]": "It has a row for each text.",
        "rows = torch.arange(len(targets))[:, None]": "It has a row for each text.",
        "found = log_p.gather(-1, wanted[..., None])[..., -1]": "There is one entry.",
    },
)
