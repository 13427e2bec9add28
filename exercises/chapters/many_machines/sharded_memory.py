"""Predict the memory of a training, copied to every GPU and divided among them."""

from exercises.engine.exercise import Exercise


def values(draw):
    return {
        "billions": int(draw.choice([3, 5, 7, 9, 11, 13, 15, 18])),
        "workers": int(draw.choice([14, 18, 24, 30, 36, 40, 48, 56, 72])),
    }


def reference(billions, workers):
    copied, divided = 2 + 2, 4 + 4 + 4
    return [
        float(billions * (copied + divided)),
        billions * (copied + divided / workers),
        billions * (copied + divided) / workers,
    ]


EXERCISE = Exercise(
    title="What each GPU has to hold",
    kind="predict",
    difficulty=2,
    minutes=10,
    prompt="""
A model of {{billions}} billion parameters is trained with Adam in mixed precision on
{{workers}} GPUs. For each parameter there are: the weight that is used for computing
and its gradient, both in bfloat16 (2 bytes); the master weight and Adam's two moments,
all three in float32.

How many **gigabytes** (billions of bytes) of these does each GPU hold, if

1. every GPU has all of them (data parallelism as in DDP),
2. only the three float32 numbers are divided evenly among the GPUs (stage 1 of ZeRO),
3. everything is divided evenly (FSDP, stage 3 of ZeRO)?

Activations don't count here. Give three decimals.
""",
    starter="""
gigabytes = ...  # all copied, float32 divided, all divided: [10.5, 5.25, 1.125]
""",
    solution="""
copied = {{billions}} * (2 + 2)  # weights and gradients
divided = {{billions}} * (4 + 4 + 4)  # master weights and two moments
shared = copied + divided / {{workers}}
gigabytes = [copied + divided, shared, (copied + divided) / {{workers}}]
""",
    why="""
A parameter costs 16 bytes in training, and only 2 of them are the weight used for
computing. The 12 bytes in float32 are used once a step, when the weight is updated.
So it is enough if each GPU updates its part, and stage 1 already saves most of the
memory. FSDP divides the rest as well, but then every layer has to be gathered before it
can compute, which costs more communication.
""",
    hints=(
        "float32 is 4 bytes. How many bytes does one parameter need in all?",
        "2 + 2 for computing and 4 + 4 + 4 for updating. Which of them are divided?",
        "A billion parameters with one byte each are one gigabyte.",
    ),
    mistakes="""
You count 12 bytes per parameter. Do you have the master weight and both of Adam's
moments, each of them with 4 bytes?
- (4 + 4 + 4)
+ (4 + 4)

The master weights are in float32, too: 4 bytes.
- (4 + 4 + 4)
+ (2 + 4 + 4)

The gradients are missing.
- (2 + 2)
+ 2

You count the gradients in float32. They are in bfloat16.
- (2 + 2)
+ (2 + 4)

You count everything in float32. Weights and gradients for computing are in bfloat16.
- (2 + 2)
+ (4 + 4)

You count everything in bfloat16. Master weights and moments are in float32.
- (4 + 4 + 4)
+ (2 + 2 + 2)

You count the weights only. Gradients, master weights and moments need memory, too.
- (2 + 2)
+ 2
- (4 + 4 + 4)
+ 0

You count what is computed with, and leave out the float32 numbers.
- (4 + 4 + 4)
+ 0

The second number is the divided part alone. Each GPU has all weights and gradients,
too.
- shared = copied + divided
+ shared = divided

The second number divides weights and gradients instead of the float32 numbers.
- shared = copied + divided / {{workers}}
+ shared = copied / {{workers}} + divided

The first and the last number are right. In the second, all float32 numbers are still
on every GPU.
- shared = copied + divided / {{workers}}
+ shared = copied + divided

The second number is that of stage 2, where the gradients are divided, too.
- shared = copied + divided / {{workers}}
+ shared = copied / 2 + (copied / 2 + divided) / {{workers}}

The second number divides everything. In stage 1, each GPU has all weights and
gradients.
- shared = copied + divided / {{workers}}
+ shared = (copied + divided) / {{workers}}

In the last number, the weights and gradients aren't divided. In FSDP everything is.
- (copied + divided) / {{workers}}]
+ copied + divided / {{workers}}]

In the last number, the weights aren't divided. In FSDP everything is.
- (copied + divided) / {{workers}}]
+ copied / 2 + (copied / 2 + divided) / {{workers}}]

The last number is what all GPUs hold together. How much is it for each?
- (copied + divided) / {{workers}}]
+ copied + divided]

The last number lacks the gradients. In FSDP they are divided, too, but they are there.
- (copied + divided) / {{workers}}]
+ (copied / 2 + divided) / {{workers}}]

The last number is the weights alone. The gradients and the float32 numbers are divided
as well.
- (copied + divided) / {{workers}}]
+ copied / 2 / {{workers}}]

The first number is for all GPUs together. What does each hold?
- [copied + divided, shared
+ [{{workers}} * (copied + divided), shared

Those are bits. A byte has 8 of them.
- copied = {{billions}}
+ copied = 8 * {{billions}}
- divided = {{billions}}
+ divided = 8 * {{billions}}

Those are gibibytes, of 1,073,741,824 bytes. The task counts billions of bytes.
- copied = {{billions}}
+ copied = 1e9 / 2**30 * {{billions}}
- divided = {{billions}}
+ divided = 1e9 / 2**30 * {{billions}}

Those are bytes. Divide by a billion.
- copied = {{billions}}
+ copied = 1e9 * {{billions}}
- divided = {{billions}}
+ divided = 1e9 * {{billions}}

Those are megabytes.
- copied = {{billions}}
+ copied = 1e3 * {{billions}}
- divided = {{billions}}
+ divided = 1e3 * {{billions}}

The order is the wrong way round: all copied comes first and takes most.
- [copied + divided, shared, (copied + divided) / {{workers}}]
+ [(copied + divided) / {{workers}}, shared, copied + divided]

The last two are in the wrong order.
- [copied + divided, shared, (copied + divided) / {{workers}}]
+ [copied + divided, (copied + divided) / {{workers}}, shared]

That is what is saved. How much does each GPU hold?
- [copied + divided, shared, (copied + divided) / {{workers}}]
+ [0, divided - shared + copied, (copied + divided) * (1 - 1 / {{workers}})]

The second number divides the moments only. The master weights are in float32, too.
- shared = copied + divided / {{workers}}
+ shared = copied + divided / 3 + divided * 2 / 3 / {{workers}}

Those are bytes for one parameter. Multiply by the billions of parameters.
- copied = {{billions}} * (2 + 2)
+ copied = 2 + 2
- divided = {{billions}} * (4 + 4 + 4)
+ divided = 4 + 4 + 4

Each of the three float32 numbers has 4 bytes: they have 12 together.
- (4 + 4 + 4)
+ 4

All three are for all GPUs together. What does each hold?
- [copied + divided, shared, (copied + divided) / {{workers}}]
+ [
+     {{workers}} * (copied + divided), {{workers}} * shared, copied + divided
+ ]
""",
    reference=reference,
    values=values,
    tolerance=0.0006,
)
