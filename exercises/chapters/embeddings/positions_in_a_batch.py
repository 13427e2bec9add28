"""Find the bug: positions tiled over the flattened batch."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, length, d_model, max_len in (
        (1, 2, 1, 3),
        (2, 3, 2, 5),
        (2, 1, 3, 4),
        (3, 4, 2, 5),
        (4, 2, 3, 6),
    ):
        yield (
            draw.normal(size=(batch, length, d_model)),
            draw.normal(size=(max_len, d_model)),
        )


def reference(x, table):
    return x + table[: x.shape[1]]


def equal_sentences_stay_equal(ask, draw):
    x = np.repeat(draw.normal(size=(1, 3, 2)), 2, axis=0).astype(np.float32)
    output = ask(x, draw.normal(size=(4, 2)).astype(np.float32))
    apart = np.abs(output[0] - output[1]).max()
    if apart > 1e-4:
        return (
            "The same sentence was in a batch twice, and its two results differ by "
            f"{apart:.2f}."
        )
    return None


EXERCISE = Exercise(
    title="Only the first sentence is right",
    kind="find the bug",
    difficulty=2,
    minutes=10,
    prompt="""
This function flattens the batch to look up all positions at once. It passes tests with
a single sentence. In a larger batch, the first sentence is right and the others are
wrong. What do they get, and why did the tests not notice it? Repair the function; you
may rewrite it.
""",
    bug="The numbering goes on from one sentence into the next, and starts",
    solution={
        "torch": '''
def add_positions(x, table):
    """Return x plus the row of each token's position.

    x (batch, length, d_model); table (max_len, d_model).
    """
    batch, length, d_model = x.shape
    flat = x.reshape(batch * length, d_model)
    place = torch.arange(batch * length) % length
    flat = flat + table[place]
    return flat.reshape(batch, length, d_model)
''',
        "tensorflow": '''
def add_positions(x, table):
    """Return x plus the row of each token's position.

    x (batch, length, d_model); table (max_len, d_model).
    """
    batch, length, d_model = x.shape
    flat = tf.reshape(x, (batch * length, d_model))
    place = tf.range(batch * length) % length
    flat = flat + tf.gather(table, place)
    return tf.reshape(flat, (batch, length, d_model))
''',
    },
    why="""
In the flattened batch, the second sentence starts at index `length`, but the numbering
continued to the end of the table. It has to start again with every sentence. Without
flattening there is less to get wrong: `x + table[:length]` adds the same rows to all
sentences. Test with at least two sentences, and with a length that differs from the
batch size and from the size of the table.
""",
    hints=(
        "Print `place` for two sentences of three tokens, with a table of five rows.",
        "Where does the numbering start again, and where should it?",
        "The position of a token in its own sentence is its index in the flattened "
        "batch, modulo the length.",
    ),
    mistakes="""
The numbering goes on from one sentence into the next, and starts again where the table
ends. Where should it start again?
- length) % length
+ length) % table.shape[0]

All tokens of a sentence get the same row, that of its number in the batch.
- length) % length
+ length) // length

The numbering starts again after as many tokens as there are sentences.
- length) % length
+ length) % batch

The numbering starts again after `d_model` tokens. It should start again with every
sentence.
- length) % length
+ length) % d_model

Neighbouring tokens share a position: you repeat each number for all sentences. Repeat
the whole numbering instead.
- length) % length
+ length) // batch

All sentences after the first get the last position only.
- torch.arange(batch * length) % length
+ torch.arange(batch * length).clamp(max=length - 1)
- tf.range(batch * length) % length
+ tf.minimum(tf.range(batch * length), length - 1)

All tokens get the row of position 0.
- length) % length
+ length) * 0

The positions count from 1. The first token has position 0.
- length) % length
+ length) % length + 1

You add the last rows of the table. The first `length` rows are needed.
- length) % length
+ length) % length + table.shape[0] - length

The positions run backwards: the last token gets row 0.
- flat + table[place]
+ flat + table[length - 1 - place]
- flat + tf.gather(table, place)
+ flat + tf.gather(table, length - 1 - place)

The numbering still runs through the whole batch, and past the end of the table.
- length) % length
+ length)

You add the whole table. A batch may be shorter: add the rows of its positions.
-     flat = flat + table[place]
-     return flat.reshape(batch, length, d_model)
+     return x + table
-     flat = flat + tf.gather(table, place)
-     return tf.reshape(flat, (batch, length, d_model))
+     return x + table

You flatten the batch column by column, so the numbering no longer fits: neighbours in
the flattened batch are from different sentences.
-     flat = x.reshape(batch * length, d_model)
+     flat = x.transpose(0, 1).reshape(batch * length, d_model)
-     return flat.reshape(batch, length, d_model)
+     return flat.reshape(length, batch, d_model).transpose(0, 1)
-     flat = tf.reshape(x, (batch * length, d_model))
+     flat = tf.reshape(tf.transpose(x, (1, 0, 2)), (batch * length, d_model))
-     return tf.reshape(flat, (batch, length, d_model))
+     return tf.transpose(tf.reshape(flat, (length, batch, d_model)), (1, 0, 2))

You flatten the batch column by column and put it back row by row: the tokens are
shuffled.
-     flat = x.reshape(batch * length, d_model)
+     flat = x.transpose(0, 1).reshape(batch * length, d_model)
-     flat = tf.reshape(x, (batch * length, d_model))
+     flat = tf.reshape(tf.transpose(x, (1, 0, 2)), (batch * length, d_model))

Only the first sentence gets positions. Each sentence has its own.
-     flat = flat + table[place]
-     return flat.reshape(batch, length, d_model)
+     return torch.cat([x[:1] + table[:length], x[1:]])
-     flat = flat + tf.gather(table, place)
-     return tf.reshape(flat, (batch, length, d_model))
+     return tf.concat([x[:1] + table[:length], x[1:]], 0)

You read the table from its end. Position 0 is the first row.
- flat + table[place]
+ flat + table[-1 - place]
- flat + tf.gather(table, place)
+ flat + tf.gather(table, table.shape[0] - 1 - place)

All tokens get the mean of the rows. Each position has a row of its own.
- flat + table[place]
+ flat + table[:length].mean(0)
- flat + tf.gather(table, place)
+ flat + tf.reduce_mean(table[:length], 0)

You multiply by the rows. They are added.
- flat + table[place]
+ flat * table[place]
- flat + tf.gather
+ flat * tf.gather

You return the positions alone. Add them to x.
- flat + table[place]
+ table[place]
- flat + tf.gather
+ tf.gather

Every position is added twice.
- flat + table[place]
+ flat + 2 * table[place]
- flat + tf.gather
+ flat + 2 * tf.gather

The positions are looked up and not added.
- flat + table[place]
+ flat + 0 * table[place]
- flat + tf.gather
+ flat + 0 * tf.gather

The tokens are shuffled: you swapped two axes and reshaped back.
- return flat.reshape(batch, length, d_model)
+ return flat.reshape(length, batch, d_model).transpose(0, 1)
-     return tf.reshape(flat, (batch, length, d_model))
+     flat = tf.reshape(flat, (length, batch, d_model))
+     return tf.transpose(flat, (1, 0, 2))
""",
    reference=reference,
    cases=cases,
    checks=(equal_sentences_stay_equal,),
)
