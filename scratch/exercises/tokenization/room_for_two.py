"""Find the bug: a pair of texts that is cut to length and loses its end."""

from scratch.exercises import Exercise, Mistake


def cases(draw):
    yield ["a"], ["b"], 5
    yield ["a", "b"], ["c", "d"], 6
    yield ["a", "b", "c"], ["d", "e", "f"], 7
    for one, other, room in ((6, 1, 8), (2, 7, 7), (5, 4, 9), (4, 4, 20), (3, 8, 6)):
        letters = [chr(97 + int(i)) for i in draw.integers(0, 26, size=one + other)]
        yield letters[:one], letters[one:], room


def reference(first, second, max_length):
    one, other = len(first), len(second)
    while one + other > max_length - 3:
        if one > other:
            one -= 1
        else:
            other -= 1
    tokens = ["[CLS]", *first[:one], "[SEP]", *second[:other], "[SEP]"]
    return tokens, [0] * (one + 2) + [1] * (other + 1)


SOLUTION = '''
def pair(first, second, max_length):
    """Return tokens and segment ids, at most max_length.

    first and second: lists of tokens. What is too long
    loses tokens at its end: the longer text first, and of
    two equally long ones the second.
    """
    first, second = list(first), list(second)
    room = max_length - 3
    for _ in range(len(first) + len(second) - room):
        if len(first) > len(second):
            first.pop()
        else:
            second.pop()
    head = ["[CLS]", *first, "[SEP]"]
    tail = [*second, "[SEP]"]
    segments = [0] * len(head) + [1] * len(tail)
    return head + tail, segments
'''
CUT_AT_THE_END = (
    (
        """    room = max_length - 3
    for _ in range(len(first) + len(second) - room):
        if len(first) > len(second):
            first.pop()
        else:
            second.pop()
""",
        "",
    ),
    (
        "return head + tail, segments",
        "return (head + tail)[:max_length], segments[:max_length]",
    ),
)
BROKEN = Mistake("", CUT_AT_THE_END)

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
    starter=BROKEN.applied_to(SOLUTION, "python"),
    solution=SOLUTION,
    why="""
Cut at the end, a long pair loses its last `[SEP]`, which the model has seen at the end
of every text it was trained on, and perhaps all of its second text. So make room first:
three places are for the special tokens, and the longer text gives way, token by token,
until both fit. A short question stays whole beside a long text.
""",
    hints=(
        "Print what comes out for two texts of five tokens and a `max_length` of 8.",
        "How many places are left for the two texts, once `[CLS]` and both `[SEP]` "
        "have theirs?",
        "Before anything is joined: while both are too long together, take the last "
        "token of the longer.",
    ),
    mistakes=(
        Mistake(
            "The pair is still cut at its end. Which token is lost first?",
            CUT_AT_THE_END,
        ),
        Mistake(
            "Only the second text gives way, even when the first is the longer.",
            (
                "if len(first) > len(second):",
                "if not second:",
            ),
        ),
        Mistake(
            "Only the first text gives way. A question should stay whole beside a "
            "long text.",
            ("if len(first) > len(second):", "if first:"),
        ),
        Mistake(
            "The shorter text gives way. Which one should?",
            (
                "if len(first) > len(second):",
                "if second == [] or 0 < len(first) <= len(second):",
            ),
        ),
        Mistake(
            "Of two equally long texts, the second loses a token first.",
            ("len(first) > len(second)", "len(first) >= len(second)"),
        ),
        Mistake(
            "You keep two places for special tokens. There are three.",
            ("room = max_length - 3", "room = max_length - 2"),
        ),
        Mistake(
            "You keep no places for the special tokens.",
            ("room = max_length - 3", "room = max_length"),
        ),
        Mistake(
            "The texts lose their beginnings. They should lose their ends.",
            (("first.pop()", "first.pop(0)"), ("second.pop()", "second.pop(0)")),
        ),
        Mistake(
            "The `[SEP]` between the texts belongs to the first one's segment.",
            (
                "[0] * len(head) + [1] * len(tail)",
                "[0] * (len(head) - 1) + [1] * (len(tail) + 1)",
            ),
        ),
    ),
    reference=reference,
    cases=cases,
    equivalent=dict.fromkeys(
        (
            "for room in range(len(first) + len(second) - room):",
            "for max_length in range(len(first) + len(second) - room):",
        ),
        "Neither is needed any more.",
    ),
)
