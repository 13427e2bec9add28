"""Find the bug: a pair of texts that is cut to length and loses its end."""

from exercises.engine.exercise import Exercise


def cases(draw):
    for one, other, max_length in (
        (1, 1, 5),
        (1, 1, 4),
        (2, 1, 4),
        (2, 1, 3),
        (2, 2, 6),
        (3, 2, 6),
        (2, 3, 6),
        (3, 3, 8),
        (5, 4, 8),
        (4, 5, 8),
        (6, 1, 8),
        (1, 6, 8),
        (2, 7, 7),
        (7, 2, 8),
        (4, 4, 20),
    ):
        letters = [chr(97 + int(i)) for i in draw.permutation(26)]
        yield letters[:one], letters[one : one + other], max_length
    yield [], list("abc"), 5
    yield list("abc"), [], 5
    yield list("ab"), list("baa"), 8  # the same tokens in both


def reference(first, second, max_length):
    one, other = len(first), len(second)
    first_is_longer = one > other
    while one + other > max_length - 3:
        # The longer one gives way; of two that have become equal, the shorter one.
        if one > other or (one == other and not first_is_longer):
            one -= 1
        else:
            other -= 1
    tokens = ["[CLS]", *first[:one], "[SEP]", *second[:other], "[SEP]"]
    return tokens, [0] * (one + 2) + [1] * (other + 1)


EXERCISE = Exercise(
    title="Room for two",
    kind="find the bug",
    difficulty=2,
    minutes=10,
    prompt="""
A question and a text make a pair for the model, cut to what it can take. With long
texts the answers become poor, and with a long first one, hopeless. Look at what comes
out, and repair the function so that it does what its docstring says.
""",
    bug="The pair is still cut at its end",
    solution='''
def pair(first, second, max_length):
    """Return tokens and segment ids, at most max_length.

    first and second: lists of tokens. Too long together,
    they lose tokens at their ends. The shorter one keeps
    up to half of the places for both, rounded down; of
    two equally long ones the first counts as the shorter.
    """
    first, second = list(first), list(second)
    room = max_length - 3
    short = min(len(first), len(second), room // 2)
    if len(first) > len(second):
        first, second = first[: room - short], second[:short]
    else:
        first, second = first[:short], second[: room - short]
    head = ["[CLS]", *first, "[SEP]"]
    tail = [*second, "[SEP]"]
    segments = [0] * len(head) + [1] * len(tail)
    return head + tail, segments
''',
    why="""
Cut at the end, a long pair loses its last `[SEP]`, which the model has seen at the end
of every text it was trained on, and perhaps all of its second text. So make room first:
three places are for the special tokens, and of the others the shorter text gets at most
half. A short question stays whole beside a long text.
""",
    hints=(
        "Print what comes out for two texts of five tokens and a `max_length` of 8.",
        "How many places are left for the two texts, once `[CLS]` and both `[SEP]` "
        "have theirs?",
        "Before anything is joined: the shorter text keeps at most `room // 2` tokens, "
        "and the longer gets what is left of the room.",
    ),
    mistakes="""
The pair is still cut at its end. Which token is lost first?
-     room = max_length - 3
-     short = min(len(first), len(second), room // 2)
-     if len(first) > len(second):
-         first, second = first[: room - short], second[:short]
-     else:
-         first, second = first[:short], second[: room - short]

- return head + tail, segments
+ return (head + tail)[:max_length], segments[:max_length]

A `[SEP]` stands at the end again. But the end alone was cut: a long first text leaves
nothing of the second.
-     room = max_length - 3
-     short = min(len(first), len(second), room // 2)
-     if len(first) > len(second):
-         first, second = first[: room - short], second[:short]
-     else:
-         first, second = first[:short], second[: room - short]

-     return head + tail, segments
+     tokens = head + tail
+     if len(tokens) > max_length:
+         tokens = [*tokens[: max_length - 1], "[SEP]"]
+     return tokens, segments[:max_length]

Only the second text gives way. A first one that is too long by itself stays so.
-     room = max_length - 3
-     short = min(len(first), len(second), room // 2)
-     if len(first) > len(second):
-         first, second = first[: room - short], second[:short]
-     else:
-         first, second = first[:short], second[: room - short]
+     room = max_length - 3
+     second = second[: max(0, room - len(first))]

Only the second text gives way, even when the first is the longer.
-     room = max_length - 3
-     short = min(len(first), len(second), room // 2)
-     if len(first) > len(second):
-         first, second = first[: room - short], second[:short]
-     else:
-         first, second = first[:short], second[: room - short]
+     for _ in range(len(first) + len(second) - max_length + 3):
+         if not second:
+             first.pop()
+         else:
+             second.pop()

Only the first text gives way. A question should stay whole beside a long text.
-     room = max_length - 3
-     short = min(len(first), len(second), room // 2)
-     if len(first) > len(second):
-         first, second = first[: room - short], second[:short]
-     else:
-         first, second = first[:short], second[: room - short]
+     for _ in range(len(first) + len(second) - max_length + 3):
+         if first:
+             first.pop()
+         else:
+             second.pop()

The shorter text gives way. Which one should?
-     room = max_length - 3
-     short = min(len(first), len(second), room // 2)
-     if len(first) > len(second):
-         first, second = first[: room - short], second[:short]
-     else:
-         first, second = first[:short], second[: room - short]
+     for _ in range(len(first) + len(second) - max_length + 3):
+         if second == [] or 0 < len(first) <= len(second):
+             first.pop()
+         else:
+             second.pop()

Only the longer text gives way. It should not become the shorter: from there on, both
lose tokens.
-     room = max_length - 3
-     short = min(len(first), len(second), room // 2)
-     if len(first) > len(second):
-         first, second = first[: room - short], second[:short]
-     else:
-         first, second = first[:short], second[: room - short]
+     over = max(0, len(first) + len(second) - max_length + 3)
+     if len(first) > len(second):
+         first = first[: max(0, len(first) - over)]
+     else:
+         second = second[: max(0, len(second) - over)]

Each text gets half of the places, even where the other needs fewer.
-     room = max_length - 3
-     short = min(len(first), len(second), room // 2)
-     if len(first) > len(second):
-         first, second = first[: room - short], second[:short]
-     else:
-         first, second = first[:short], second[: room - short]
+     room = max_length - 3
+     first, second = first[: room // 2], second[: room - room // 2]

Each text gets half of the places, the first one more where their number is odd. What if
the other needs fewer?
-     room = max_length - 3
-     short = min(len(first), len(second), room // 2)
-     if len(first) > len(second):
-         first, second = first[: room - short], second[:short]
-     else:
-         first, second = first[:short], second[: room - short]
+     room = max_length - 3
+     first, second = first[: room - room // 2], second[: room // 2]

Of two equally long texts the first counts as the shorter, and yours takes the second.
- len(first) > len(second)
+ len(first) >= len(second)

Half of the places is rounded up, and the shorter text gets one more than the longer.
- room // 2
+ (room + 1) // 2

Where both are cut and one place is left, your first text always gets it. It belongs to
the longer, and to the second of two equal ones.
-     room = max_length - 3
-     short = min(len(first), len(second), room // 2)
-     if len(first) > len(second):
-         first, second = first[: room - short], second[:short]
-     else:
-         first, second = first[:short], second[: room - short]
+     for _ in range(len(first) + len(second) - max_length + 3):
+         if len(first) > len(second):
+             first.pop()
+         else:
+             second.pop()

Where both are cut and one place is left, your second text always gets it. It belongs to
the one that was longer.
-     room = max_length - 3
-     short = min(len(first), len(second), room // 2)
-     if len(first) > len(second):
-         first, second = first[: room - short], second[:short]
-     else:
-         first, second = first[:short], second[: room - short]
+     for _ in range(len(first) + len(second) - max_length + 3):
+         if len(first) >= len(second):
+             first.pop()
+         else:
+             second.pop()

You keep two places for special tokens. There are three.
- room = max_length - 3
+ room = max_length - 2

You keep no places for the special tokens.
- room = max_length - 3
+ room = max_length

The texts lose their beginnings. They should lose their ends.
- first, second = list(first), list(second)
+ before = first, second
-     head = ["[CLS]",
+     first = before[0][len(before[0]) - len(first) :]
+     second = before[1][len(before[1]) - len(second) :]
+     head = ["[CLS]",

A second text that is empty keeps its `[SEP]`: the model was trained with two.
- [*second, "[SEP]"]
+ [*second, "[SEP]"] if second else []

The `[SEP]` between the texts belongs to the first one's segment.
- [0] * len(head) + [1] * len(tail)
+ [0] * (len(head) - 1) + [1] * (len(tail) + 1)
""",
    reference=reference,
    cases=cases,
    equivalent=dict.fromkeys(
        (
            "room, second = list(first), list(second)",
            "second, second = list(first), list(second)",
        ),
        "A slice of a list is a new list already.",
    )
    | dict.fromkeys(
        (
            "short = min(len(first), room // 2, len(second))",
            "short = min(len(second), len(first), room // 2)",
        ),
        "The smallest of three has no order.",
    ),
)
