"""Find the bugs: a reader of pictures whose training loss is too good."""

from exercises.engine.exercise import Exercise

import numpy as np

PAD, BOS = 0, 1


def cases(draw):
    for batch, length, patches, d, words in (
        (1, 2, 2, 2, 4),
        (2, 3, 3, 3, 5),
        (2, 4, 4, 4, 6),
        (3, 5, 6, 4, 7),
    ):
        ids = draw.integers(2, words, (batch, length))
        rows = draw.random((batch, patches, d))
        for row in range(batch):
            ids[row, length - row :] = PAD
            rows[row, : 1 + row % (patches - 1)] = 0  # blank paper on the left
        yield (
            rows,
            ids,
            draw.normal(size=(d, d)),
            draw.normal(size=(patches, d)),
            draw.normal(size=(words, d)),
        )


def reference(rows, ids, E, places, table):
    rows, E, places, table = (
        one.astype(np.float64) for one in (rows, E, places, table)
    )
    losses = []
    for picture, word in zip(rows, ids, strict=True):
        memory = picture @ E + places
        before = BOS
        for token in word[word != PAD]:
            query = table[before]
            powers = np.exp(memory @ query / len(query) ** 0.5)
            context = powers / powers.sum() @ memory
            logits = table @ (query + context)
            losses.append(np.log(np.exp(logits).sum()) - logits[token])
            before = token
    return np.float32(np.mean(losses))


EXERCISE = Exercise(
    title="A reader that looks too good",
    kind="find the bug",
    difficulty=2,
    minutes=15,
    prompt="""
`word_loss` is the training loss of a tiny reader of pictures. Its encoder is the patch
embeddings alone, and its decoder has one layer: the vector of the last word that was
written attends to the patches, and the sum of both gives the logits of the next word.
`ids` are the words to write, and id 0 is padding. The decoder begins with [BOS], id 1.

In training the loss falls quickly, but then the reader writes nonsense. And if a digit
is erased, its patches vanish from attention, although the reader should see that the
place is empty. Two things are wrong: what the decoder gets to read, and what happens to
blank patches. The model should see all patches, because an empty place is information,
too. Fix both.
""",
    bug="Nothing is fixed yet",
    solution={
        "torch": '''
from scratch.torch import cross_entropy, shift_right


def word_loss(rows, ids, E, places, table):
    """Return the loss, a tensor ().

    rows (batch, patches, pixels); ids (batch, length);
    E (pixels, d); places (patches, d), the positions;
    table (words, d).
    """
    memory = rows @ E + places
    query = table[shift_right(ids, 1)]
    scores = query @ memory.transpose(1, 2)
    scores = scores / E.shape[1] ** 0.5
    weights = torch.softmax(scores, dim=-1)
    x = query + weights @ memory
    return cross_entropy(x @ table.T, ids, 0)
''',
        "tensorflow": '''
from scratch.tensorflow import tf_cross_entropy
from scratch.tensorflow import tf_shift_right


def word_loss(rows, ids, E, places, table):
    """Return the loss, a tensor ().

    rows (batch, patches, pixels); ids (batch, length);
    E (pixels, d); places (patches, d), the positions;
    table (words, d).
    """
    memory = rows @ E + places
    query = tf.gather(table, tf_shift_right(ids, 1))
    scores = tf.matmul(query, memory, transpose_b=True)
    scores = scores / E.shape[1] ** 0.5
    weights = tf.nn.softmax(scores, axis=-1)
    x = query + weights @ memory
    return tf_cross_entropy(x @ tf.transpose(table), ids, 0)
''',
    },
    why="""
Without the shift, the decoder reads the very word that it has to write, so the loss can
fall without a look at the picture. When it writes on its own, that word isn't there.

The mask was brought along from texts. There, id 0 is padding, and means nothing. In a
picture, 0 is paper, and paper says where a number ends and which strokes are missing. A
mask made of `pixels == 0` hides just that. Pictures of one size need no padding mask;
where sizes differ, make it of the sizes, never of the pixels.
""",
    hints=(
        "Write down for one word of three tokens what the decoder reads at each place, "
        "and what it has to write there.",
        "`shift_right` puts [BOS] in front and drops the last id.",
        "Which patches have no score above −1e9, and what do their positions say?",
    ),
    mistakes="""
Nothing is fixed yet: the decoder reads the words that it has to write, and blank
patches are hidden.
@torch
- shift_right(ids, 1)
+ ids

- weights = torch
+ blank = (rows == 0).all(dim=-1)[:, None]
+     scores = scores.masked_fill(blank, -1e9)
+     weights = torch
@tensorflow
- tf_shift_right(ids, 1)
+ ids

- weights = tf
+ blank = tf.reduce_all(rows == 0, axis=-1)[:, None]
+     scores = tf.where(blank, -1e9, scores)
+     weights = tf

The decoder's input is right now. Blank patches are still hidden.
@torch
- weights = torch
+ blank = (rows == 0).all(dim=-1)[:, None]
+     scores = scores.masked_fill(blank, -1e9)
+     weights = torch
@tensorflow
- weights = tf
+ blank = tf.reduce_all(rows == 0, axis=-1)[:, None]
+     scores = tf.where(blank, -1e9, scores)
+     weights = tf

The model sees all patches now. But the decoder still reads the words that it has to
write.
- query = table[shift_right(ids, 1)]
+ query = table[ids]
- tf_shift_right(ids, 1))
+ ids)

You have turned the mask around: now patches with ink are hidden. Hide none.
@torch
- weights = torch
+ ink = (rows != 0).any(dim=-1)[:, None]
+     scores = scores.masked_fill(ink, -1e9)
+     weights = torch
@tensorflow
- weights = tf
+ ink = tf.reduce_any(rows != 0, axis=-1)[:, None]
+     scores = tf.where(ink, -1e9, scores)
+     weights = tf

You shift to the left: the decoder reads the word after the one that it has to write.
@torch
- shift_right(ids, 1)
+ torch.cat([ids[:, 1:], 0 * ids[:, :1] + 1], 1)
@tensorflow
- tf_shift_right(ids, 1)
+ tf.concat([ids[:, 1:], 0 * ids[:, :1] + 1], 1)

You shift twice: the decoder misses the last word that was written.
@torch
- shift_right(ids, 1)
+ shift_right(shift_right(ids, 1), 1)
@tensorflow
- tf_shift_right(ids, 1)
+ tf_shift_right(tf_shift_right(ids, 1), 1)

Your decoder begins with id 0, which is padding. [BOS] is id 1.
- shift_right(ids, 1)
+ shift_right(ids, 0)

You have shifted the targets, not what the decoder reads.
@torch
- table[shift_right(ids, 1)]
+ table[ids]
- x @ table.T, ids, 0
+ x @ table.T, shift_right(ids, 1), 0
@tensorflow
- tf.gather(table, tf_shift_right(ids, 1))
+ tf.gather(table, ids)
- tf.transpose(table), ids, 0
+ tf.transpose(table), tf_shift_right(ids, 1), 0

You drop the first word from the targets, so the model never learns to begin. What it
reads before the first word is [BOS].
@torch
- table[shift_right(ids, 1)]
+ table[ids[:, :-1]]
- x @ table.T, ids, 0
+ x @ table.T, ids[:, 1:], 0
@tensorflow
- tf.gather(table, tf_shift_right(ids, 1))
+ tf.gather(table, ids[:, :-1])
- tf.transpose(table), ids, 0
+ tf.transpose(table), ids[:, 1:], 0

Decoder's input and targets are both shifted, so it reads what it has to write once
more.
@torch
- x @ table.T, ids, 0
+ x @ table.T, shift_right(ids, 1), 0
@tensorflow
- tf.transpose(table), ids, 0
+ tf.transpose(table), tf_shift_right(ids, 1), 0

The decoder reads raw patches. Its memory is what the encoder makes of them.
- memory = rows @ E + places
+ memory = rows

The positions are gone: all blank patches look alike.
- memory = rows @ E + places
+ memory = rows @ E

Padding of the words counts in the loss.
@torch
- x @ table.T, ids, 0
+ x @ table.T, ids, None
@tensorflow
- tf.transpose(table), ids, 0
+ tf.transpose(table), ids, None

Blank patches become zeros in the memory in place of being hidden. Their positions
should be seen.
@torch
- memory = rows @ E + places
+ memory = (rows @ E + places) * (rows != 0).any(-1, keepdim=True)
@tensorflow
- memory = rows @ E + places
+ ink = tf.reduce_any(rows != 0, axis=-1, keepdims=True)
+     memory = (rows @ E + places) * tf.cast(ink, tf.float32)
""",
    reference=reference,
    cases=cases,
    learns=True,
)
