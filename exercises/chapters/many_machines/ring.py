"""Build the ring all-reduce, step by step."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for workers, size, steps in (
        (1, 2, 0),
        (2, 1, 1),
        (2, 2, 2),
        (3, 1, 1),
        (3, 2, 2),
        (3, 2, 3),
        (3, 1, 4),
        (4, 2, 4),
        (4, 1, 6),
        (5, 1, 7),
    ):
        yield draw.normal(size=(workers, workers, size)).round(2), steps


def reference(held, steps):
    workers = len(held)
    held = held.astype(np.float64)
    for step in range(steps):
        before = held.copy()
        for sender in range(workers):
            receiver, chunk = (sender + 1) % workers, (sender - step) % workers
            adds = step < workers - 1
            held[receiver, chunk] = (
                before[sender, chunk] + adds * before[receiver, chunk]
            )
    return held


EXERCISE = Exercise(
    title="Around the ring",
    kind="build",
    difficulty=3,
    minutes=25,
    prompt=r"""
In a ring all-reduce, worker $w$ sends to worker $w + 1$ only, and the last one to
worker 0. Each of the $n$ workers cuts its gradient into $n$ chunks, numbered from 0. At
every step, each worker sends one chunk, all of them at the same time:

- **At step $s$ (from 0), worker $w$ sends its chunk $(w - s) \bmod n$.**
- In the first $n - 1$ steps, the receiver **adds** what comes to its own chunk of that
  number. After them, each worker has the complete sum of one chunk.
- In the next $n - 1$ steps, the receiver **replaces** its own chunk by what comes.

Return what every worker holds after `steps` of these steps, at most $2(n - 1)$ of them.
""",
    solution={
        "torch": '''
def ring_all_reduce(held, steps):
    """Return a tensor like held: what is held in the end.

    held (workers, chunks, size), as many chunks as workers.
    """
    count = len(held)
    held = [[*chunks] for chunks in held]
    for step in range(steps):
        for sender in range(count):
            receiver = held[(sender + 1) % count]
            place = (sender - step) % count
            came = held[sender][place]
            if step < count - 1:
                came = came + receiver[place]
            receiver[place] = came
    return torch.stack([torch.stack(one) for one in held])
''',
        "tensorflow": '''
def ring_all_reduce(held, steps):
    """Return a tensor like held: what is held in the end.

    held (workers, chunks, size), as many chunks as workers.
    """
    count = len(held)
    held = [[*chunks] for chunks in held]
    for step in range(steps):
        for sender in range(count):
            receiver = held[(sender + 1) % count]
            place = (sender - step) % count
            came = held[sender][place]
            if step < count - 1:
                came = came + receiver[place]
            receiver[place] = came
    return tf.stack([tf.stack(one) for one in held])
''',
    },
    why=r"""
In each step, a worker sends one chunk, an $n$-th of the gradient, and there are
$2(n - 1)$ steps. So each worker sends $2(n - 1)/n$ of a gradient, always less than two:
1.5 with four workers, 1.9995 with four thousand. In every step, all links are in use.
The sums are complete after the first half, each at a different worker, and the second
half copies them around. (The code can deliver one message after another, because no
worker sends the chunk that it receives in the same step.)
""",
    hints=(
        "Work through three workers with one number a chunk on paper.",
        "At a step, worker `sender` sends its chunk `(sender - step) % count` to "
        "worker `(sender + 1) % count`.",
        "If `step < count - 1`, the receiver adds, otherwise it replaces.",
    ),
    mistakes="""
The second half adds, too. After the first workers - 1 steps, the sums are complete and
are only copied.
- if step < count - 1:
+ if step < 2 * count:

The first half replaces. Its chunks have to be added.
- if step < count - 1:
+ if step < 0:

Your first half is one step too long: there are workers - 1 chunks to add, and one's
own.
- if step < count - 1:
+ if step < count:

Your first half is one step too short: a sum needs workers - 1 additions.
- if step < count - 1:
+ if step < count - 2:

You send the same chunk at every step. It moves back by one each time.
- (sender - step) % count
+ sender

The number of the chunk moves the wrong way: it is the sender's number minus the step.
- (sender - step) % count
+ (sender + step) % count

Your steps are counted from 1. At step 0, each worker sends the chunk of its own number.
- (sender - step) % count
+ (sender - step - 1) % count

The chunks move the wrong way around: worker 0 sends to worker 1.
- (sender + 1) % count
+ (sender - 1) % count

That is the receiver's chunk number. The sender's number minus the step is meant.
- place = (sender - step) % count
+ place = (sender + 1 - step) % count

The last worker sends nothing. It sends to worker 0: that closes the ring.
- range(count)
+ range(count - 1)

Whatever `steps` says, you take them all.
- range(steps)
+ range(2 * (count - 1))

One step is missing.
- range(steps)
+ range(steps - 1)

You take one step too many.
- range(steps)
+ range(steps + 1)

You return means. The ring computes sums.
- stack(one) for one in held])
+ stack(one) for one in held]) / count

All chunks are sent at each step. A worker sends one.
@torch
-         for sender in range(count):
-             receiver = held[(sender + 1) % count]
-             place = (sender - step) % count
-             came = held[sender][place]
-             if step < count - 1:
-                 came = came + receiver[place]
-             receiver[place] = came
+         before = [[*one] for one in held]
+         for sender in range(count):
+             for place in range(count):
+                 came = before[sender][place]
+                 receiver = (sender + 1) % count
+                 if step < count - 1:
+                     came = came + before[receiver][place]
+                 held[receiver][place] = came
@tensorflow
-         for sender in range(count):
-             receiver = held[(sender + 1) % count]
-             place = (sender - step) % count
-             came = held[sender][place]
-             if step < count - 1:
-                 came = came + receiver[place]
-             receiver[place] = came
+         before = [[*one] for one in held]
+         for sender in range(count):
+             for place in range(count):
+                 came = before[sender][place]
+                 receiver = (sender + 1) % count
+                 if step < count - 1:
+                     came = came + before[receiver][place]
+                 held[receiver][place] = came

In the second half, a worker sends on the chunk of which it has the sum: the numbers go
on moving back, they don't start again.
- place = (sender - step) % count
+ place = (sender - step % max(count - 1, 1)) % count

In the second half, your chunk number is off by one: it is the sender's number minus the
step, without one more.
- place = (sender - step) % count
+ place = (sender - step + (step >= count - 1)) % count

The first half is right, but the second does nothing.
- range(steps)
+ range(min(steps, count - 1))

The sums arrive at the sender. The receiver adds, and the sender keeps what it had.
-             receiver[place] = came
+             held[sender][place] = came

A worker gives its chunk away and has 0 there afterwards. It keeps a copy.
-             receiver[place] = came
+             receiver[place] = came
+             held[sender][place] = 0 * came

What you return is that of worker 0 alone. Return what all workers hold.
- for one in held])
+ for one in held[:1]])

The receiver adds to the wrong chunk. What comes belongs to its chunk of the number that
it had at the sender.
-         for sender in range(count):
+         before = [[*one] for one in held]
+         for sender in range(count):
- came = held[sender][place]
+ came = before[sender][place]
- came + receiver[place]
+ came + receiver[(place + 1) % count]
- receiver[place] = came
+ receiver[(place + 1) % count] = came

The receiver adds to the chunk that it has to send in the same step. What comes belongs
to its chunk of the number that it had at the sender.
- came + receiver[place]
+ came + receiver[(place + 1) % count]
- receiver[place] = came
+ receiver[(place + 1) % count] = came

Half of the steps add in your answer. The first n - 1 steps add, however many are taken.
- if step < count - 1:
+ if step < steps // 2:

The gradients are passed on whole. A worker sends one chunk at each step.
@torch
-     held = [[*chunks] for chunks in held]
+     sent, held = held, [[*chunks] for chunks in held]
-         for sender in range(count):
-             receiver = held[(sender + 1) % count]
-             place = (sender - step) % count
-             came = held[sender][place]
-             if step < count - 1:
-                 came = came + receiver[place]
-             receiver[place] = came
+         sent = sent.roll(1, 0)
+         if step < count - 1:
+             held = [[*(torch.stack(a) + b)] for a, b in zip(held, sent)]
@tensorflow
-     held = [[*chunks] for chunks in held]
+     sent, held = held, [[*chunks] for chunks in held]
-         for sender in range(count):
-             receiver = held[(sender + 1) % count]
-             place = (sender - step) % count
-             came = held[sender][place]
-             if step < count - 1:
-                 came = came + receiver[place]
-             receiver[place] = came
+         sent = tf.roll(sent, 1, 0)
+         if step < count - 1:
+             held = [[*(tf.stack(a) + b)] for a, b in zip(held, sent)]
""",
    reference=reference,
    cases=cases,
)
