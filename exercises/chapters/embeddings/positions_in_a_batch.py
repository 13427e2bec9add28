"""Find the bug: positions tiled over the flattened batch."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, length, d_model, max_len in (
        (1, 2, 1, 3),
        (2, 3, 2, 5),
        (2, 1, 3, 4),
        (3, 4, 2, 4),
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
            f"The same sentence stood twice in a batch, and came out {apart:.2f} apart."
        )
    return None


EXERCISE = Exercise(
    title="The first row is right",
    kind="find the bug",
    difficulty=2,
    minutes=10,
    prompt="""
To look up all positions at once, this function lays the sentences of a batch end to
end. Tests with one sentence pass. In a real batch, the first sentence comes out right,
and the others do not. What do they get, and why did the tests not notice? Repair the
function; you may rewrite it.
""",
    bug="The numbering goes on from one sentence into the next, and begins",
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
Laid end to end, the second sentence begins at place `length` of the long row, and the
numbering went on until the table was at its end. It has to begin again with every
sentence. Without flattening there is nothing to get wrong: `x + table[:length]` adds
the same rows to all sentences. Test with a batch of at least two, a length that is not
the batch's, and one shorter than the table.
""",
    hints=(
        "Print `place` for two sentences of three tokens, with a table of five rows.",
        "Where does the numbering begin again, and where should it?",
        "The place of a token in its own sentence is its place in the long row, modulo "
        "the length.",
    ),
    mistakes="""
The numbering goes on from one sentence into the next, and begins again where the table
ends. Where should it begin again?
- length) % length
+ length) % table.shape[0]

Now all tokens of a sentence get one row: the sentence's number in the batch.
- length) % length
+ length) // length

The numbering begins again after as many tokens as there are sentences.
- length) % length
+ length) % batch

The positions are looked up and not added.
- flat + table[place]
+ flat + 0 * table[place]
- flat + tf.gather
+ flat + 0 * tf.gather

The batch comes out shuffled: you swapped two axes and reshaped back.
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
