"""Predict how many windows cover a passage."""

import math

from exercises.engine.exercise import Exercise


def values(draw):
    while True:
        drawn = {
            "passage": int(draw.integers(80, 240)),
            "question": int(draw.integers(6, 13)),
            "length": int(draw.choice([32, 40, 48, 56, 64])),
            "stride": int(draw.choice([6, 8, 10, 12])),
        }
        room, windows = reference(**drawn)
        if windows > 3 and tell_apart(room, windows, **drawn):
            return drawn


def tell_apart(room, windows, passage, question, length, stride):
    """Whether other ways to count give other numbers."""
    overlap = room - stride
    others = {
        windows + 1,
        1 + (passage - room) // stride,
        math.ceil(passage / stride),
        math.ceil(passage / room),
        1 + math.ceil((passage - room) / overlap) if overlap > 0 else windows,
        1 + math.ceil((passage - length) / stride),
    }
    firsts = {room, windows, question + 3, overlap}
    return len(others) == 6 and windows not in others and len(firsts) == 4


def reference(passage, question, length, stride):
    """Return how much of the passage fits into a window, and how many there are."""
    room, ends = length - question - 3, []
    while not ends or ends[-1] < passage:
        ends.append(room + stride * len(ends))
    return [room, len(ends)]


EXERCISE = Exercise(
    title="How many windows?",
    kind="predict",
    difficulty=1,
    minutes=5,
    prompt="""
A question of {{question}} tokens is asked about a passage of {{passage}} tokens. The
model reads windows of at most {{length}} tokens, each of the form

`[CLS]` question `[SEP]` part of the passage `[SEP]`

How many tokens of the passage fit into one window? With a stride of {{stride}}, each
window begins {{stride}} tokens of the passage after the one before, and the last window
is the first that reaches the end of the passage. How many windows does the model read?
""",
    starter="""
counted = ...  # two whole numbers, such as [12, 3]
""",
    solution="""
passage, stride = {{passage}}, {{stride}}
room = {{length}} - {{question}} - 3
windows = 1 + math.ceil((passage - room) / stride)
counted = [room, windows]
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
        "What else is in each window? Three special tokens, too.",
        "The first window takes as many tokens of the passage as fit into one. The "
        "second ends {{stride}} tokens later.",
        "How many more steps of {{stride}} tokens reach the end? Round up, and count "
        "the first window.",
    ),
    mistakes="""
You left the question out. Every window repeats it.
- {{length}} - {{question}} - 3
+ {{length}} - 3

You left out the three special tokens, `[CLS]` and two `[SEP]`.
- {{length}} - {{question}} - 3
+ {{length}} - {{question}}

You gave the whole window to the passage. The question and three special tokens are in
it, too.
- {{length}} - {{question}} - 3
+ {{length}}

You counted two special tokens. There is a `[SEP]` after the question and one at the
end.
- {{length}} - {{question}} - 3
+ {{length}} - {{question}} - 2

Your first number is what the question and the special tokens take. What is left?
- [room, windows]
+ [{{question}} + 3, windows]

Your first number is the overlap of two windows. What fits into one?
- [room, windows]
+ [room - stride, windows]

The first number is right. Your last window is not the first that reaches the end: you
counted windows until one begins there.
- 1 + math.ceil((passage - room) / stride)
+ math.ceil(passage / stride)

The first number is right. Your windows lie side by side. With this stride they overlap.
- 1 + math.ceil((passage - room) / stride)
+ math.ceil(passage / room)

The first number is right. Then you took the stride for the overlap. Here it is the way
from one window's beginning to the next one's.
- (passage - room) / stride
+ (passage - room) / (room - stride)

The first number is right. Then you let each window hold {{length}} tokens of the
passage.
- (passage - room)
+ (passage - {{length}})

The first number is right. One window is missing: the first one, or the last one for the
rest of the passage.
- math.ceil((passage - room) / stride)
+ (passage - room) // stride

The first number is right. You counted one window too many.
- 1 + math
+ 2 + math

What fits into one window comes first, then the number of windows.
- [room, windows]
+ [windows, room]

Two numbers are wanted. What fits into one window is missing.
- [room, windows]
+ windows
""",
    reference=reference,
    values=values,
    book={"passage": 69, "question": 9, "length": 40, "stride": 8},
    equivalent=dict.fromkeys(
        ("passage, stride = 70, 8", "passage, stride = 69, 7"),
        "As many windows reach the end.",
    ),
)
