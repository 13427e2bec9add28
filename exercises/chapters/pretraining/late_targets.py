"""Find the bug: the targets are read after the tokens were hidden."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, length, vocab_size, d_model in (
        (1, 3, 4, 2),
        (2, 4, 6, 3),
        (2, 6, 8, 5),
        (3, 5, 9, 4),
    ):
        *words, mask_id = map(int, draw.permutation(vocab_size))
        chosen = np.zeros((batch, length), dtype=bool)
        for row, kept in enumerate(chosen):  # rows with different numbers of them
            places = draw.permutation(length)[: 1 + row % (length - 1)]
            kept[places] = True
        # Each place reads the others, and itself.
        read = draw.uniform(0.2, 1, (batch, length, length))
        yield (
            draw.choice(words, (batch, length)),
            chosen,
            read / read.sum(-1, keepdims=True),
            2 * draw.normal(size=(vocab_size, d_model)),
            mask_id,
        )


def reference(ids, chosen, attention, table, mask_id):
    losses = []
    for row, places, shares in zip(ids, chosen, attention, strict=True):
        logits = shares @ table[np.where(places, mask_id, row)] @ table.T
        for place in np.flatnonzero(places):
            top = logits[place].max()
            total = top + np.log(np.exp(logits[place] - top).sum())
            losses.append(total - logits[place, row[place]])
    return np.mean(losses)


EXERCISE = Exercise(
    title="It always guesses [MASK]",
    kind="find the bug",
    difficulty=2,
    minutes=10,
    prompt="""
This is the loss of a very small masked language model: a table of embeddings, and
attention weights that are given. Every chosen token is hidden. In training the loss
soon falls close to 0. But when the model has to fill in a `[MASK]`, its most likely
token is always `[MASK]`. Find the bug and repair it.
""",
    bug="The target of every chosen place is still",
    solution={
        "torch": '''
def loss_of(ids, chosen, attention, table, mask_id):
    """Return the mean loss over the chosen places.

    ids (batch, length); chosen (batch, length), boolean;
    attention (batch, length, length), query to key;
    table (vocab_size, d_model).
    """
    inputs = torch.where(chosen, mask_id, ids)
    hidden = attention @ table[inputs]
    log_p = torch.log_softmax(hidden @ table.T, dim=-1)
    losses = -log_p.gather(-1, ids[..., None])[..., 0]
    return losses[chosen].mean()
''',
        "tensorflow": '''
def loss_of(ids, chosen, attention, table, mask_id):
    """Return the mean loss over the chosen places.

    ids (batch, length); chosen (batch, length), boolean;
    attention (batch, length, length), query to key;
    table (vocab_size, d_model).
    """
    inputs = tf.where(chosen, mask_id, ids)
    hidden = attention @ tf.gather(table, inputs)
    logits = tf.matmul(hidden, table, transpose_b=True)
    log_p = tf.nn.log_softmax(logits, axis=-1)
    losses = -tf.gather(log_p, ids, batch_dims=2)
    return tf.reduce_mean(losses[chosen])
''',
    },
    why="""
`ids` must still hold the original tokens when the targets are read. The broken version
gave the hidden tokens the same name, so every target was `[MASK]`. Nothing is easier to
learn than one constant answer, which is why the loss falls so fast. A loss that is far
better than that of a good model is a reason to look at the data: print a few inputs and
targets, and read them.
""",
    hints=(
        "Which token is the target of a chosen place? Print it.",
        "Follow the name `ids` from the first line to the last. What does it hold?",
        "Give the tokens that the model reads a name of their own.",
    ),
    mistakes="""
The target of every chosen place is still `[MASK]`. What does `ids` hold when the
targets are read?
- inputs
+ ids

The targets are right now, but nothing is hidden: the model reads the original tokens.
- table[inputs]
+ table[ids]
- tf.gather(table, inputs)
+ tf.gather(table, ids)

The targets are right now, but the loss is the mean over all places. Only the chosen
ones count.
- losses[chosen]
+ losses

Only the places that were not chosen count in your loss.
- losses[chosen]
+ losses[~chosen]

You hid the tokens that were not chosen, and the chosen ones can be read.
- (chosen, mask_id, ids)
+ (chosen, ids, mask_id)

That is the sum of the losses. The mean, as before, was right.
- losses[chosen].mean()
+ losses[chosen].sum()
- tf.reduce_mean(losses[chosen])
+ tf.reduce_sum(losses[chosen])

The sum over the chosen places is divided by the number of all.
@torch
- losses[chosen].mean()
+ (losses * chosen).mean()
@tensorflow
- tf.reduce_mean(losses[chosen])
+ tf.reduce_mean(tf.where(chosen, losses, 0.0))

The sum over the chosen places is divided by the number of texts.
@torch
- losses[chosen].mean()
+ losses[chosen].sum() / len(ids)
@tensorflow
- tf.reduce_mean(losses[chosen])
+ tf.reduce_sum(losses[chosen]) / len(ids)

`[MASK]` no longer takes part in the softmax. That hides the symptom; every token did
before.
@torch
- hidden @ table.T, dim
+ hidden @ table.T - 1e9 * nn.functional.one_hot(
+         torch.tensor(mask_id), len(table)), dim
@tensorflow
- (logits, axis
+ (logits - 1e9 * tf.one_hot(mask_id, len(table)), axis

This is a mean of the rows' means. Every chosen place counts the same.
@torch
- losses[chosen].mean()
+ ((losses * chosen).sum(1) / chosen.sum(1)).mean()
@tensorflow
-     return tf.reduce_mean(losses[chosen])
+     counts = tf.cast(chosen, tf.float32)
+     rows = tf.reduce_sum(losses * counts, 1)
+     return tf.reduce_mean(rows / tf.reduce_sum(counts, 1))

A loss is not negative. The minus sign, as before, was right.
- losses = -
+ losses =

The softmax runs over the places now. It belongs over the vocabulary, as before.
- dim=-1
+ dim=1
- axis=-1
+ axis=1

The logarithm of the softmax is gone: these are logits.
- torch.log_softmax(hidden @ table.T, dim=-1)
+ hidden @ table.T
- tf.nn.log_softmax(logits, axis=-1)
+ logits

The logarithm is gone: these are probabilities.
- torch.log_softmax
+ torch.softmax
- tf.nn.log_softmax
+ tf.nn.softmax

The attention weights are transposed now. They were right.
- attention @ table[inputs]
+ attention.transpose(1, 2) @ table[inputs]
- attention @ tf.gather
+ tf.transpose(attention, (0, 2, 1)) @ tf.gather

Each chosen place reads nothing but `[MASK]`: the attention is gone, or every token is
hidden now.
- attention @ table[inputs]
+ table[inputs]
- attention @ tf.gather
+ tf.gather

The chosen tokens are replaced by id 0. That need not be the id of `[MASK]`.
- (chosen, mask_id, ids)
+ (chosen, 0, ids)

The targets of the chosen places are one place too far to the right.
@torch
- ids[..., None])
+ ids.roll(-1, 1)[..., None])
@tensorflow
- (log_p, ids, batch_dims=2)
+ (log_p, tf.roll(ids, -1, 1), batch_dims=2)

Padding is left out by its id, 0. There is no padding here, and 0 is a token.
- losses[chosen]
+ losses[chosen & (ids != 0)]

You forbid `[MASK]` as a guess, and it is still what the loss asks for. The targets are
the original tokens.
@torch
- inputs = torch.where(chosen, mask_id, ids)
+ inputs = ids = torch.where(chosen, mask_id, ids)
- hidden @ table.T, dim=-1)
+ (hidden @ table.T).index_fill(
+         2, torch.tensor([mask_id]), -1e9
+     ), dim=-1)
@tensorflow
- inputs = tf.where(chosen, mask_id, ids)
+ inputs = ids = tf.where(chosen, mask_id, ids)
- log_p = tf
+ logits = logits - 1e9 * tf.one_hot(mask_id, len(table))
+     log_p = tf

The model reads zeros at a chosen place. It should read the vector of `[MASK]`.
@torch
- inputs = torch.where(chosen, mask_id, ids)
+ inputs = ids
- table[inputs]
+ (table[inputs] * ~chosen[..., None])
@tensorflow
- inputs = tf.where(chosen, mask_id, ids)
+ inputs, kept = ids, tf.cast(~chosen, tf.float32)
- tf.gather(table, inputs)
+ (tf.gather(table, inputs) * kept[..., None])

The model reads the original tokens and is asked for `[MASK]`. It is the other way
round.
- table[inputs]
+ table[ids]
- (-1, ids
+ (-1, inputs
- tf.gather(table, inputs)
+ tf.gather(table, ids)
- (log_p, ids
+ (log_p, inputs
""",
    reference=reference,
    cases=cases,
    equivalent={
        "losses = -log_p.gather(-1, ids[..., None])[..., -1]": "There is one entry.",
    },
)
