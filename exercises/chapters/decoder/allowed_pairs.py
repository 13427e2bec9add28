"""Predict how many pairs the masks of a decoder allow."""

from exercises.engine.exercise import Exercise

BOOK = {"real": 3, "length": 6, "source": 5, "width": 7}


def values(draw):
    while True:
        real, source = map(int, draw.integers(3, 9, size=2))
        length = real + int(draw.integers(2, 5))
        width = source + int(draw.integers(1, 5))
        drawn = {"real": real, "length": length, "source": source, "width": width}
        # The padding of the source changes nothing.
        if tell_apart(**drawn) and reference(**drawn) != reference(**BOOK):
            return drawn


def tell_apart(real, length, source, width):
    """Whether other ways to count give other numbers."""
    own, cross = reference(real, length, source, width)
    owns = {
        own,
        own - real,
        length * real,
        length**2,
        causal(length, length),
        causal(real, real),
    }
    crosses = {
        cross,
        length * width,
        length * real,
        real * source,
        width * source,
        causal(length, source),
    }
    return len(owns) == len(crosses) == 6 and own not in (cross, length**2 - own)


def causal(queries, keys):
    """Count the pairs of queries with the first so many keys, none in the future."""
    return sum(min(query, keys) for query in range(1, queries + 1))


def reference(real, length, source, width):
    own = [at >= key for at in range(length) for key in range(real)]
    return [sum(own), source * length]


EXERCISE = Exercise(
    title="How many pairs are allowed?",
    kind="predict",
    difficulty=1,
    minutes=5,
    prompt="""
In a batch, one target has {{real}} tokens and is padded to {{length}}. Its source has
{{source}} tokens and is padded to {{width}}. All padding is on the right. A mask hides
keys only, so a padded query has a row as well, as in figure 8.1.

How many pairs of a query and a key may attend in **self-attention**, whose mask is
causal and hides the padding? And how many in **cross-attention**, whose mask hides the
padding? Count one head.
""",
    starter="""
pairs = ...  # two whole numbers, such as [7, 9]
""",
    solution="""
triangle = {{real}} * ({{real}} + 1) / 2  # 1 + 2 + … + {{real}}
below = ({{length}} - {{real}}) * {{real}}
pairs = [triangle + below, {{length}} * {{source}}]
""",
    why="""
In self-attention, query number i has the first i keys, but never more than the {{real}}
real ones: the squares of a triangle, and below it full rows of {{real}}. In
cross-attention, every one of the {{length}} queries may attend to every real token of
the source, because the whole source is known before the first word is written.
""",
    hints=(
        "Draw a grid for self-attention, with a row for each of the {{length}} queries "
        "and a column for each of the {{length}} keys, and cross out what is hidden.",
        "Query 1 may attend to 1 key, query 2 to 2. Which query is the first that gets "
        "no more than the one before it?",
        "The grid of cross-attention has {{length}} rows and {{width}} columns. Only "
        "the columns of padding are crossed out.",
    ),
    mistakes="""
Your number for self-attention counts padded keys. They are hidden as well.
+ pairs = [causal(length, length), right[1]]

Your number for self-attention counts keys in the future. The mask is causal as well.
+ pairs = [length * real, right[1]]

No mask is applied in your number for self-attention.
+ pairs = [length**2, right[1]]

Padded queries are missing in your number for self-attention. They have rows, too.
+ pairs = [causal(real, real), right[1]]

Padded queries are missing in both numbers. They have rows, too: only keys are hidden.
+ pairs = [causal(real, real), real * source]

A token may attend to itself. That is missing in your number for self-attention.
+ pairs = [right[0] - real, right[1]]

You counted what is hidden. Count what may attend.
+ pairs = [length**2 - right[0], length * (width - source)]

Your number for cross-attention counts the padding of the source.
+ pairs = [right[0], length * width]

Padded queries are missing in your number for cross-attention. They have rows, too.
+ pairs = [right[0], real * source]

In your cross-attention, the mask is the target's. Its keys are the source's.
+ pairs = [right[0], length * real]

Your cross-attention is causal. The whole source may be read from the first word on.
+ pairs = [right[0], causal(length, source)]

Your cross-attention has the source's queries. They are the target's, {{length}} in all.
+ pairs = [right[0], width * source]

No mask is applied in either of your numbers.
+ pairs = [length**2, length * width]

Self-attention comes first, then cross-attention.
+ pairs = right[::-1]

Two numbers are wanted. Cross-attention is missing.
+ pairs = right[0]
""",
    reference=reference,
    values=values,
    book=BOOK,
)
