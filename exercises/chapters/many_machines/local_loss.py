"""Build the loss of each worker, so that their mean is that of the whole batch."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for counts in (
        [[2], [1]],
        [[3, 1], [2, 2]],
        [[1, 4], [0, 0]],
        [[5, 0, 2], [1, 1, 0], [4, 3, 5]],
        [[2, 3], [3, 3], [1, 1], [0, 4]],
        [[4, 2]],
    ):
        counts = np.array(counts)
        longest = counts.max()
        real = np.arange(longest) < counts[:, :, None]
        # What a model gives at padded positions is no loss of anything.
        losses = draw.uniform(0.2, 4, size=real.shape)
        losses[~real] = draw.uniform(5, 30, size=(~real).sum())
        yield losses, real


def reference(losses, real):
    workers, total = len(losses), int(real.sum())
    return np.array(
        [
            sum(one[here]) * workers / total
            for one, here in zip(losses.astype(np.float64), real, strict=True)
        ]
    )


EXERCISE = Exercise(
    title="The mean of the means is wrong",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt="""
A batch is spread over several workers. `losses` holds the cross-entropy of each token,
and `real` says which tokens count; the others are padding. The loss of the whole batch
is the mean over the real tokens of **all** workers.

`DistributedDataParallel` averages: the gradient that it applies is the mean of the
workers' gradients, whatever their numbers of tokens. Return the loss that each worker
has to compute, so that the mean over the workers is the loss of the whole batch.
A worker without real tokens must give 0. (Here you have all workers' numbers at once;
in a real program, each computes its own, and the total count comes from an all-reduce.)
""",
    solution={
        "torch": '''
def worker_losses(losses, real):
    """Return a tensor (workers,), a loss for each worker.

    losses, real (workers, rows, length).
    """
    kept = torch.where(real, losses, 0.0)
    sums = kept.sum((1, 2))  # (workers,)
    return sums * len(losses) / real.sum()
''',
        "tensorflow": '''
def worker_losses(losses, real):
    """Return a tensor (workers,), a loss for each worker.

    losses, real (workers, rows, length).
    """
    kept = tf.where(real, losses, 0.0)
    sums = tf.reduce_sum(kept, (1, 2))  # (workers,)
    count = tf.reduce_sum(tf.cast(real, losses.dtype))
    return sums * len(losses) / count
''',
    },
    why="""
The mean of the workers' means gives each token more weight on a worker with few real
tokens than on one with many. Dividing by the global count gives all tokens the same
weight; the factor, the number of workers, only undoes the division in the averaging. It
makes the losses of single workers look odd, but their mean is right, and so is the
gradient.
""",
    hints=(
        "By what should the sum of all workers' losses be divided?",
        "The mean over the workers divides by their number. What undoes that?",
        "Each worker's sum, times the number of workers, divided by the count of real "
        "tokens of all workers.",
    ),
    mistakes="""
Each worker divides by its own tokens, so the mean of the workers is a mean of means:
tokens of a worker with few of them weigh more. Divide by the count of all workers.
@torch
- len(losses) / real.sum()
+ 1 / real.sum((1, 2)).clamp(min=1)
@tensorflow
- tf.cast(real, losses.dtype))
+ tf.cast(real, losses.dtype), (1, 2))
- sums * len(losses) / count
+ sums / tf.maximum(count, 1)

Each worker divides by its own tokens, and one without any gives NaN. Divide by the
count of all workers.
@torch
- len(losses) / real.sum()
+ 1 / real.sum((1, 2))
@tensorflow
- tf.cast(real, losses.dtype))
+ tf.cast(real, losses.dtype), (1, 2))
- sums * len(losses) / count
+ sums / count

The formula is right, but the mean of a worker without real tokens is NaN, and NaN times
0 is NaN. Use the sums.
@torch
- sums * len(losses) / real.sum()
+ sums / real.sum((1, 2)) * real.sum((1, 2)) * len(losses) / real.sum()
@tensorflow
- return sums * len(losses) / count
+ own = tf.reduce_sum(tf.cast(real, losses.dtype), (1, 2))
+     return sums / own * own * len(losses) / count

The factor is missing. Averaging divides by the number of workers once more, so your
gradient would be too small by that factor.
- sums * len(losses)
+ sums

You divide by the number of workers, which averaging does again. It is a factor here.
- sums * len(losses)
+ sums / len(losses)

You divide by the number of all positions. Padding doesn't count.
@torch
- real.sum()
+ real.numel()
@tensorflow
- tf.reduce_sum(tf.cast(real, losses.dtype))
+ tf.cast(tf.size(real), losses.dtype)

You take the plain mean of each worker: what stands at the padding counts, too.
@torch
- sums * len(losses) / real.sum()
+ losses.mean((1, 2))
@tensorflow
- sums * len(losses) / count
+ tf.reduce_mean(losses, (1, 2))

The losses at the padding are in your sums.
- where(real, losses, 0.0)
+ where(real, losses, losses)

You sum the losses at the padding and leave out the real ones.
- where(real, losses, 0.0)
+ where(real, 0.0, losses)

Those are sums. The mean over the real tokens is wanted.
@torch
- sums * len(losses) / real.sum()
+ sums
@tensorflow
- sums * len(losses) / count
+ sums

Every worker has the loss of the whole batch in your answer. Their mean is right, but a
worker knows the losses of its own tokens only, and can compute gradients of those only.
@torch
- sums * len(losses) / real.sum()
+ sums.sum() / real.sum() + 0 * sums
@tensorflow
- sums * len(losses) / count
+ tf.reduce_sum(sums) / count + 0 * sums

That is the loss of the whole batch, one number. Return one for each worker.
@torch
- sums * len(losses) / real.sum()
+ sums.sum() / real.sum()
@tensorflow
- sums * len(losses) / count
+ tf.reduce_sum(sums) / count

Your factor is the number of rows. It is the number of workers.
- len(losses)
+ losses.shape[1]

Your factor is the number of positions in a row. It is the number of workers.
- len(losses)
+ losses.shape[2]

You multiply by the number of all tokens. Divide by it.
- / real.sum()
+ * real.sum()
- / count
+ * count

You take the mean of each text, then of these. Here every token counts the same.
@torch
-     sums = kept.sum((1, 2))  # (workers,)
-     return sums * len(losses) / real.sum()
+     texts = kept.sum(2) / real.sum(2).clamp(min=1)
+     return texts.mean(1)
@tensorflow
-     sums = tf.reduce_sum(kept, (1, 2))  # (workers,)
-     count = tf.reduce_sum(tf.cast(real, losses.dtype))
-     return sums * len(losses) / count
+     count = tf.reduce_sum(tf.cast(real, losses.dtype), 2)
+     texts = tf.reduce_sum(kept, 2) / tf.maximum(count, 1)
+     return tf.reduce_mean(texts, 1)

You divide by the number of texts. Divide by that of the real tokens.
@torch
- real.sum()
+ (len(losses) * losses.shape[1])
@tensorflow
- tf.reduce_sum(tf.cast(real, losses.dtype))
+ float(len(losses) * losses.shape[1])

Your sums go over the workers. Sum over the rows and the positions of each worker.
- (1, 2)
+ (0, 2)

Each worker's own mean, times the number of workers: divide by the count of all workers
instead of its own.
@torch
- / real.sum()
+ / real.sum((1, 2)).clamp(min=1)
@tensorflow
- tf.cast(real, losses.dtype))
+ tf.cast(real, losses.dtype), (1, 2))
- / count
+ / tf.maximum(count, 1)

You divide by the count of the worker with the most tokens. Divide by that of all
workers, and multiply by their number.
@torch
- sums * len(losses) / real.sum()
+ sums / real.sum((1, 2)).max()
@tensorflow
- tf.reduce_sum(tf.cast(real, losses.dtype))
+ tf.reduce_max(tf.reduce_sum(tf.cast(real, losses.dtype), (1, 2)))
- sums * len(losses)
+ sums
""",
    reference=reference,
    cases=cases,
    equivalent=dict.fromkeys(
        [
            f"return sums * len({name}) / {count}"
            for name in ("real", "kept", "sums")
            for count in ("real.sum()", "count")
        ],
        "All have a part for each worker.",
    )
    | dict.fromkeys(
        [
            f"count = tf.reduce_sum(tf.cast(real, {name}.dtype))"
            for name in ("kept", "sums")
        ],
        "All have the same type.",
    ),
)
