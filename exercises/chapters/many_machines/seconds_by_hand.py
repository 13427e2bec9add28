"""Predict how long an all-reduce takes, and what is left for computing."""

from exercises.engine.exercise import Exercise


def values(draw):
    while True:
        drawn = {
            "workers": int(draw.choice([6, 10, 12, 8, 9])),
            "millions": int(draw.choice([330, 470, 710, 1300])),
            "ms": int(draw.choice([130, 170, 230, 310])),
            "bandwidth": int(draw.choice([11, 23, 41])),
        }
        sending, share = reference(**drawn)
        # The ratio of the times and the share of sending are mistakes: other numbers.
        if min(abs(sending / drawn["ms"] - share), abs(1 - 2 * share)) > 0.02:
            return drawn


def reference(workers, millions, ms, bandwidth):
    gradient = 2 * millions * 1e6
    sent = 2 * (workers - 1) / workers * gradient
    sending = 1000 * sent / (bandwidth * 1e9)
    return [sending, ms / (ms + sending)]


EXERCISE = Exercise(
    title="Computing or waiting?",
    kind="predict",
    difficulty=2,
    minutes=10,
    prompt="""
A model with {{millions}} million parameters is trained on {{workers}} GPUs. Each needs
{{ms}} ms to compute the gradients of its part of the batch, 2 bytes per parameter. Then
a ring all-reduce adds them up. Each GPU can send {{bandwidth}} GB (billions of bytes) a
second, and receive as much at the same time. Nothing else takes time, and no gradient
is sent before all are computed.

How many **milliseconds** does the all-reduce take? And what **share** of a step is
spent on computing, as a number from 0 to 1? Give four digits of each, such as 123.4
and 0.4567.
""",
    starter="""
step = ...  # milliseconds, share, such as [123.4, 0.4567]
""",
    solution="""
gradient = 2 * {{millions}} / 1000  # gigabytes
sent = 2 * ({{workers}} - 1) / {{workers}} * gradient
sending = 1000 * sent / {{bandwidth}}
step = [sending, {{ms}} / ({{ms}} + sending)]
""",
    why="""
The number of GPUs hardly matters: with six GPUs, each sends 1.67 gradients, and with a
thousand nearly two. What matters is the ratio of the computing time to the size of the
gradient. Larger batches per GPU make computing longer and leave the gradient as it is,
so the share rises. And real programs begin to send the gradients of the upper layers
while those of the lower ones are still being computed, which hides part of the wait.
""",
    hints=(
        "How many bytes is the gradient? {{millions}} million numbers, 2 bytes each.",
        "In a ring, each GPU sends 2 · (workers − 1) / workers times the gradient.",
        "The share is the computing time divided by the sum of both times.",
    ),
    mistakes="""
That is half as long as it takes. A parameter has 2 bytes, and the ring has two halves:
the sums have to come back to all, so each GPU sends 2 (n - 1) / n of the gradient.
- sent = 2 * (
+ sent = (

You send the gradient once. In a ring, each worker sends 2 (n - 1) / n of it.
- 2 * ({{workers}} - 1) / {{workers}} * gradient
+ gradient

You count two whole gradients. One's own chunk needn't be sent: it is 2 (n - 1) / n.
- 2 * ({{workers}} - 1) / {{workers}} * gradient
+ 2 * gradient

Each worker sends a chunk, an n-th of the gradient, at each of the 2 (n - 1) steps. You
send all of it each time.
- / {{workers}} * gradient
+ * gradient

You let every GPU send its gradient to each of the others. In a ring, it sends
2 (n - 1) / n of it, to one neighbour.
- 2 * ({{workers}} - 1) / {{workers}} * gradient
+ ({{workers}} - 1) * gradient

You let one GPU receive the gradients of all. In a ring, each sends 2 (n - 1) / n of
one.
- 2 * ({{workers}} - 1) / {{workers}} * gradient
+ {{workers}} * gradient

You divide the gradient among the GPUs, but there are n - 1 steps in each half.
- 2 * ({{workers}} - 1) / {{workers}} * gradient
+ 2 * gradient / {{workers}}

That is twice as long as it takes. A parameter has 2 bytes, not 4, and a GPU receives
while it sends.
- gradient = 2 *
+ gradient = 4 *

That is eight times as long as it takes. Both the gradient and the bandwidth are in
bytes, not in bits.
- gradient = 2 *
+ gradient = 16 *

The factor is upside down: it is 2 (n - 1) / n.
- ({{workers}} - 1) / {{workers}}
+ {{workers}} / ({{workers}} - 1)

The factor for n workers is 2 (n - 1) / n, not 2 (n + 1) / n.
- ({{workers}} - 1)
+ ({{workers}} + 1)

The milliseconds are right. The second number is the share of sending; the rest is
computing.
- {{ms}} / ({{ms}} + sending)]
+ sending / ({{ms}} + sending)]

The milliseconds are right. The second number is the ratio of the two times. A share is
part of the sum.
- {{ms}} / ({{ms}} + sending)]
+ {{ms}} / sending]

The milliseconds are right. The second number is the ratio of the two times. A share is
part of the sum, and that of computing is asked for.
- {{ms}} / ({{ms}} + sending)]
+ sending / {{ms}}]

The milliseconds are right. The share is given in percent: from 0 to 1 is asked for.
- {{ms}} / ({{ms}} + sending)]
+ 100 * {{ms}} / ({{ms}} + sending)]

The share is right. The first number is in seconds; milliseconds are asked for.
- step = [sending,
+ step = [sending / 1000,

The share is right. The first number is a whole step. How long does the all-reduce take?
- step = [sending,
+ step = [{{ms}} + sending,

The first number is in seconds, and you add it to milliseconds.
- 1000 * sent
+ sent

The two are right, in the wrong order.
- [sending, {{ms}} / ({{ms}} + sending)]
+ [{{ms}} / ({{ms}} + sending), sending]

The milliseconds are right. The GPUs compute their parts at the same time: don't divide
the computing time by their number.
- {{ms}} / ({{ms}} + sending)]
+ {{ms}} / ({{ms}} + {{workers}} * sending)]

The milliseconds are right. The GPUs compute their parts at the same time: don't
multiply the computing time by their number.
- {{ms}} / ({{ms}} + sending)]
+ {{ms}} / ({{ms}} + sending / {{workers}})]

The milliseconds are right. The sending isn't hidden behind the computing here: a step
takes the sum of both times.
- {{ms}} / ({{ms}} + sending)]
+ 1.0]

The milliseconds are right. The second number is how long a step takes. What share of it
is computing?
- {{ms}} / ({{ms}} + sending)]
+ {{ms}} + sending]

You divide the time by the number of GPUs. All of them send all the time, each its own.
- 1000 * sent
+ 1000 / {{workers}} * sent

You multiply by the bandwidth. Divide by it.
- sent / {{bandwidth}}
+ sent * {{bandwidth}}

You count gibibytes, of 1,073,741,824 bytes. A GB is a billion bytes here.
- / 1000  #
+ * 1e6 / 2**30  #

""",
    reference=reference,
    values=values,
    tolerance=0.00041,  # half of the fourth digit, of numbers that begin with 1
)
