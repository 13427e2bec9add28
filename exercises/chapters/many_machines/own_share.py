"""Build the sampler: what one worker reads at each step."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for texts, length, batch_size, rank, world in (
        (2, 1, 2, 1, 2),
        (4, 2, 2, 0, 2),
        (5, 3, 4, 1, 2),
        (7, 2, 3, 2, 3),
        (9, 2, 4, 1, 3),
        (10, 3, 5, 3, 4),
        (8, 2, 8, 2, 3),
        (6, 2, 4, 0, 1),
        (9, 2, 6, 0, 2),
    ):
        order = draw.permutation(texts)
        ids = draw.permutation(texts * length * 3)[: texts * length]
        yield ids.reshape(texts, length), order, batch_size, rank, world


def reference(ids, order, batch_size, rank, world):
    batches = [[] for _ in range(-(-len(order) // batch_size))]
    for place, row in enumerate(order):
        step, within = divmod(place, batch_size)
        if within % world == rank:
            batches[step].append(row)
    return [ids[np.array(rows, dtype=int)] for rows in batches]


EXERCISE = Exercise(
    title="Every text once",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt="""
In data parallelism, `world` workers take each step together. `batch_size` is the size
of the **global** batch, which they share: the first batch is the first `batch_size`
texts of `order`, a shuffled list of row numbers that is the same for all workers, the
second batch the next `batch_size`, and so on. The last one may be smaller. Within a
global batch, the worker with number `rank` (counted from 0) gets the texts `rank`,
`rank + world`, `rank + 2 * world` and so on.

Return what this worker gets at each step. A worker may get no text at a step, but it
has to take part in it, because the others wait for its gradients. So the list needs an
entry for every step, even if it has no rows.
""",
    solution={
        "torch": '''
def worker_batches(ids, order, batch_size, rank, world):
    """Return a list of tensors (rows, length), one a step.

    ids (texts, length); order (texts,).
    """
    batches = []
    for start in range(0, len(order), batch_size):
        rows = order[start : start + batch_size]
        batches.append(ids[rows[rank::world]])
    return batches
''',
        "tensorflow": '''
def worker_batches(ids, order, batch_size, rank, world):
    """Return a list of tensors (rows, length), one a step.

    ids (texts, length); order (texts,).
    """
    batches = []
    for start in range(0, len(order), batch_size):
        rows = order[start : start + batch_size]
        batches.append(tf.gather(ids, rows[rank::world]))
    return batches
''',
    },
    why="""
All workers cut the same shuffled list, so together they read each text exactly once an
epoch, and each step's texts are those that one machine would have read: that is why the
weights come out the same. Samplers of libraries often repeat a few texts, or drop some,
to make all parts equally long. That is fine for training, but it makes a measured score
slightly wrong.
""",
    hints=(
        "Cut `order` into global batches first, then take your part of each.",
        "`rows[start::step]` takes every `step`-th entry from place `start` on.",
        "The part of a batch is `rows[rank::world]`. Look up these rows of `ids`.",
    ),
    mistakes="""
You split the texts among the workers first, with a share of the batch size each. Near
the end, or where the batch can't be divided evenly, the steps then differ from those
of one machine.
@torch
- range(0, len(order), batch_size):
-         rows = order[start : start + batch_size]
-         batches.append(ids[rows[rank::world]])
+ range(0, len(order[rank::world]), max(1, batch_size // world)):
+         end = start + max(1, batch_size // world)
+         batches.append(ids[order[rank::world][start:end]])
@tensorflow
- range(0, len(order), batch_size):
-         rows = order[start : start + batch_size]
-         batches.append(tf.gather(ids, rows[rank::world]))
+ range(0, len(order[rank::world]), max(1, batch_size // world)):
+         end = start + max(1, batch_size // world)
+         batches.append(tf.gather(ids, order[rank::world][start:end]))

Every worker gets the whole batch. Together they compute each gradient `world` times.
- rows[rank::world]
+ rows

Your steps have too many texts: `batch_size` is the size of the global batch that all
workers share, not that of a worker's part.
@torch
- range(0, len(order), batch_size):
-         rows = order[start : start + batch_size]
+ range(0, len(order), world * batch_size):
+         rows = order[start : start + world * batch_size]
@tensorflow
- range(0, len(order), batch_size):
-         rows = order[start : start + batch_size]
+ range(0, len(order), world * batch_size):
+         rows = order[start : start + world * batch_size]

A worker gets whole batches in turn. At each step, all workers share one global batch.
@torch
- range(0, len(order), batch_size):
-         rows = order[start : start + batch_size]
-         batches.append(ids[rows[rank::world]])
+ range(rank * batch_size, len(order), world * batch_size):
+         batches.append(ids[order[start : start + batch_size]])
@tensorflow
- range(0, len(order), batch_size):
-         rows = order[start : start + batch_size]
-         batches.append(tf.gather(ids, rows[rank::world]))
+ range(rank * batch_size, len(order), world * batch_size):
+         rows = order[start : start + batch_size]
+         batches.append(tf.gather(ids, rows))

You leave out steps at which this worker has no text. The others would wait for it
forever: give it an entry without rows.
-         batches.append
+         if len(rows) > rank:
+             batches.append

The last batch is missing, because it is smaller than the others. Its texts count too.
- range(0, len(order), batch_size)
+ range(0, len(order) - batch_size + 1, batch_size)

You take neighbouring texts of a batch. The worker gets every `world`-th, beginning with
`rank`.
@torch
- rows[rank::world]
+ rows[
+             rank * -(-len(rows) // world) : (rank + 1) * -(-len(rows) // world)
+         ]
@tensorflow
- rows[rank::world]
+ rows[
+             rank * -(-len(rows) // world) : (rank + 1) * -(-len(rows) // world)
+         ]

You take neighbouring texts of a batch, the same number for each worker, and drop the
rest. The worker gets every `world`-th, beginning with `rank`.
- rows[rank::world]
+ rows[
+             rank * (len(rows) // world) : (rank + 1) * (len(rows) // world)
+         ]

You take neighbouring texts of a batch. The worker gets every `world`-th, beginning with
`rank`, and the last one doesn't get all that is left over.
- rows[rank::world]
+ rows[
+             rank * (len(rows) // world) : (
+                 len(rows) if rank == world - 1 else (rank + 1) * (len(rows) // world)
+             )
+         ]

You take neighbouring texts of a batch. The worker gets every `world`-th, beginning with
`rank`, and the part of the last batch is smaller for all workers.
- rows[rank::world]
+ rows[
+             rank * (batch_size // world) : (rank + 1) * (batch_size // world)
+         ]

You drop texts so that all workers get the same number. No text may be lost.
- rows[rank::world]
+ rows[: len(rows) // world * world][rank::world]

You repeat texts so that all workers get the same number, as some samplers do. Each text
counts once.
@torch
- rows[rank::world]
+ torch.cat([rows] * world)[: -(-len(rows) // world) * world][rank::world]
@tensorflow
- rows[rank::world]
+ tf.concat([rows] * world, 0)[: -(-len(rows) // world) * world][rank::world]

`order` is not used: the texts are in their old order.
- order[start : start + batch_size]
+ np.arange(len(order))[start : start + batch_size]

The rank is counted from 0: the first worker begins with the first text.
- [rank::world]
+ [rank - 1 :: world]

You take every text from `rank` on. The other workers get theirs, too: take every
`world`-th.
- [rank::world]
+ [rank:]

You swapped `rank` and `world`: begin at place `rank` and take every `world`-th.
- [rank::world]
+ [world :: rank + 1]

Your count goes on from batch to batch. Within each global batch it begins at 0 again.
- rows[rank::world]
+ rows[(rank - start) % world :: world]

Those are row numbers. Return the ids of these texts.
@torch
- ids[rows[rank::world]]
+ rows[rank::world]
@tensorflow
- tf.gather(ids, rows[rank::world])
+ rows[rank::world]

That is everything in one piece. Return a list with an entry for each step.
@torch
- return batches
+ return torch.cat(batches)
@tensorflow
- return batches
+ return tf.concat(batches, 0)

Those are the parts of all workers. Return that of the worker `rank`.
@torch
- ids[rows[rank::world]]
+ [ids[rows[one::world]] for one in range(world)]
@tensorflow
- tf.gather(ids, rows[rank::world])
+ [tf.gather(ids, rows[one::world]) for one in range(world)]

The order is the wrong way round: `order[0]` is the row that comes first, not the place
to which row 0 goes.
@torch
- order[start : start + batch_size]
+ torch.argsort(order)[start : start + batch_size]
@tensorflow
- order[start : start + batch_size]
+ tf.argsort(order)[start : start + batch_size]

You repeat texts at the end of the epoch so that all workers get the same number, as
some samplers do. Each text counts once.
@torch
-     batches = []
+     batches = []
+     order = torch.cat([order] * world)[: -(-len(order) // world) * world]
@tensorflow
-     batches = []
+     batches = []
+     order = tf.concat([order] * world, 0)[: -(-len(order) // world) * world]

You always take the texts of worker 0. Begin at the place `rank`.
- [rank::world]
+ [::world]
""",
    reference=reference,
    cases=cases,
    equivalent={
        "for start in range(0, len(ids), batch_size):": (
            "There is a row for each entry of the order."
        ),
    },
)
