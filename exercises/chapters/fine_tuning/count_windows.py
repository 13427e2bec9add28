"""Predict how many windows cover a passage, and how much is read in all."""

import math

from exercises.engine.exercise import Exercise


def values(draw):
    while True:
        drawn = {
            "passage": int(draw.integers(300, 900)),
            "question": int(draw.integers(6, 15)),
            "length": int(draw.choice([96, 128, 160, 192, 256])),
            "stride": int(draw.choice([24, 32, 40, 48, 64])),
        }
        windows, _ = reference(**drawn)
        room = drawn["length"] - drawn["question"] - 3
        # No other way to count gives the same number, or one more.
        others = {
            math.ceil(drawn["passage"] / drawn["stride"]),
            math.ceil(drawn["passage"] / room),
            1 + math.ceil((drawn["passage"] - room) / max(1, room - drawn["stride"])),
        }
        last = (drawn["passage"] - room) % drawn["stride"]
        if windows >= 4 and last and not others & {windows, windows + 1}:
            return drawn


def reference(passage, question, length, stride):
    """Return the number of windows, and of tokens in all of them."""
    room, begin, total = length - question - 3, 0, []
    while not total or total[-1][1] < passage:
        total.append((begin, min(begin + room, passage)))
        begin += stride
    return [len(total), sum(end - start + question + 3 for start, end in total)]


EXERCISE = Exercise(
    title="How many windows?",
    kind="predict",
    difficulty=2,
    minutes=10,
    prompt="""
A question of {{question}} tokens is asked about a passage of {{passage}} tokens. The
model reads windows of at most {{length}} tokens, each of the form

`[CLS]` question `[SEP]` part of the passage `[SEP]`

With a stride of {{stride}}, each window begins {{stride}} tokens of the passage after
the one before. The last window is the first that reaches the end of the passage. How
many windows does the model read? And how many tokens is that in all, counting every
token in every window, but no padding?
""",
    starter="""
counted = ...  # two whole numbers, such as [3, 250]
""",
    solution="""
passage, stride = {{passage}}, {{stride}}
used = {{question}} + 3
room = {{length}} - used
windows = 1 + math.ceil((passage - room) / stride)
again = (windows - 1) * (room - stride)
counted = [windows, passage + again + windows * used]
""",
    why="""
Every window repeats the question and its three special tokens, so a long question costs
room in each. The first window takes `room` tokens of the passage, and every further one
reaches {{stride}} tokens further and reads the rest of its room again.
This overlap is the price for not cutting an answer in two: an answer that a window's
end cuts is whole in a later window if it is not longer than the overlap. In
`transformers`, the argument `stride` is the overlap itself.
""",
    hints=(
        "How many tokens of the passage fit into one window? Three special tokens are "
        "in it, too.",
        "After the first window, each further one reaches {{stride}} tokens further. "
        "Round up.",
        "Every window but the first reads `room - stride` tokens again. Add these to "
        "the passage, and the question with its special tokens for every window.",
    ),
    mistakes="""
You left the question out. Every window repeats it.
- used = {{question}} + 3
+ used = 3

You left out the three special tokens, `[CLS]` and two `[SEP]`.
- used = {{question}} + 3
+ used = {{question}}

You gave the whole window to the passage. The question and three special tokens are in
it, too.
- used = {{question}} + 3
+ used = 0

You counted two special tokens. There is a `[SEP]` after the question and one at the
end.
- {{question}} + 3
+ {{question}} + 2

The number of windows is right. In all, the question and three special tokens are read
in every window.
- again + windows * used
+ again

The number of windows is right. In all, three special tokens are read in every window,
too.
- windows * used
+ windows * (used - 3)

The number of windows is right. In all, the question is read in every window, too.
- windows * used
+ windows * 3

The number of windows is right. In all, question and special tokens are read in every
window, not once.
- windows * used
+ used

The number of windows is right. In all, it is less than so many full windows, because
the last one is shorter.
- passage + again + windows * used
+ windows * {{length}}

The number of windows is right. In all, the overlaps are read twice.
- passage + again
+ passage

The number of windows is right. There is one overlap less than there are windows.
- (windows - 1) * (room
+ windows * (room

The number of windows is right. Each overlap is the room of a window less the stride.
- (room - stride)
+ stride

Your last window is not the first that reaches the end: you counted windows until one
begins there.
- 1 + math.ceil((passage - room) / stride)
+ math.ceil(passage / stride)

Your windows lie side by side. With this stride they overlap.
- passage, stride = {{passage}}, {{stride}}
+ passage, stride = {{passage}}, {{length}} - {{question}} - 3

You took the stride for the overlap. Here it is the way from one window's beginning to
the next one's.
- passage, stride = {{passage}}, {{stride}}
+ passage, stride = {{passage}}, {{length}} - {{question}} - 3 - {{stride}}

One window is missing: the first one, or the last one for the rest of the passage.
- math.ceil((passage - room) / stride)
+ (passage - room) // stride

You counted one window too many.
- 1 + math
+ 2 + math

The number of all tokens is right. The first window is missing in your number.
- [windows,
+ [windows - 1,

The number of all tokens is right. You counted one window too many.
- [windows,
+ [windows + 1,

The number of all tokens is right. For the number of windows, you took the stride for
the overlap.
- [windows,
+ [1 + math.ceil((passage - room) / (room - stride)),

The number of windows comes first.
- [windows, passage + again + windows * used]
+ [passage + again + windows * used, windows]

Your last window is not the first that reaches the end. You go on until no window
can begin in the passage.
- 1 + math.ceil((passage - room) / stride)
+ math.ceil(passage / stride)
- passage + again + windows * used
+ sum(
+     min(room, passage - stride * i) + used for i in range(windows)
+ )

You rounded down, and took every window for a full one.
- 1 + math.ceil((passage - room) / stride)
+ 1 + (passage - room) // stride
- passage + again + windows * used
+ windows * {{length}}

The number of windows is right. In all, every window has its own question and special
tokens, and the overlaps are read again.
- passage + again + windows * used
+ passage + used

You let a window begin every {{stride}} tokens until the passage ends, and took each for
a full one. The last window is the first that reaches the end.
- 1 + math.ceil((passage - room) / stride)
+ math.ceil(passage / stride)
- passage + again + windows * used
+ windows * {{length}}
""",
    reference=reference,
    values=values,
)
