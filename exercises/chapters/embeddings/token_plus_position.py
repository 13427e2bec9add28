"""Predict one row of the sum of token and position."""

from exercises.engine.exercise import Exercise

import numpy as np


def values(draw):
    # Tokens are larger than positions, and far apart in the first column, so that no
    # wrong row, sign or factor gives the right sum.
    tokens = draw.integers(3, 7, size=(4, 4)) * draw.choice([-1, 1], size=(4, 4))
    tokens[:, 0] = draw.permutation([-6, -3, 3, 6])
    positions = np.zeros((4, 4), int)
    while len(np.unique([*positions, *-positions], axis=0)) < 8:
        positions = draw.integers(-1, 2, size=(4, 4))
    # No token has the number of its position, or of another's.
    second = int(draw.choice([2, 3]))
    ids = [int(draw.choice([0, 5 - second])), second, 1]
    return task(tokens.tolist(), positions.tolist(), ids)


def task(tokens, positions, ids):
    rows = "\n".join(
        f"| {n} | {in_words(token)} | {in_words(position)} |"
        for n, (token, position) in enumerate(zip(tokens, positions, strict=True))
    )
    return {
        "tokens": tokens,
        "positions": positions,
        "ids": ids,
        "id": ids[1],
        "token": tokens[ids[1]],
        "position": positions[1],
        "rows": rows,
    }


def in_words(vector):
    return f"({', '.join(map(str, vector))})".replace("-", "−")


def reference(tokens, positions, ids, **_):
    return 2 * np.array(tokens)[ids[1]] + positions[1]


def added(token, position, factor=2):
    return [factor * one + other for one, other in zip(token, position, strict=True)]


EXERCISE = Exercise(
    title="Token plus position",
    kind="predict",
    difficulty=1,
    minutes=5,
    prompt=r"""
A model with $d_\text{model} = 4$ has these vectors for its four tokens and for its
first four positions:

| number $n$ | token, $E_n$ | position, $P_n$ |
|---|---|---|
{{rows}}

It reads the ids {{ids}}. Which vector is $x_1$ in equation (2.2)? Work it out by hand.
""",
    starter="""
x = ...  # four whole numbers, such as [1, 2, 3, 4]
""",
    solution="""
token = {{token}}  # of id {{id}}
position = {{position}}  # number 1
x = [math.sqrt(4) * one + other for one, other in zip(token, position)]
""",
    why=r"""
Positions count from 0, so $x_1$ belongs to the second token, whose id is {{id}}. The id
selects the row of the token, and the place in the text that of the position. The factor
$\sqrt{4} = 2$ multiplies the token alone. At another place the same token would have
the same row, plus another position.
""",
    hints=(
        "Positions count from 0. Which id stands at position 1?",
        "The id selects a row of E, the position a row of P.",
        r"Multiply the row of the token by $\sqrt{4}$, and add that of the position as "
        "it is.",
    ),
    mistakes="""
The factor is left out: the token's row is multiplied by the root of `d_model`.
+ x = added(token, position, 1)

You multiplied by `d_model`. The factor is its root.
+ x = added(token, position, 4)

The factor multiplies the token alone. You multiplied the position as well.
+ x = [2 * number for number in added(token, position, 1)]

You multiplied the position instead of the token.
+ x = added(position, token)

You divided the token by the factor. Multiply it.
+ x = added(token, position, 0.5)

The position is left out.
+ x = added(token, [0, 0, 0, 0])

That is the position alone. The token's row is added to it.
+ x = position

You subtracted the position. Add it.
+ x = added(token, [-number for number in position])

That is the vector of the first token. Its position is 0, so the next one is wanted.
+ x = added(tokens[ids[0]], positions[0])

That is the vector of the third token. Positions count from 0.
+ x = added(tokens[ids[2]], positions[2])

You took the token's row by its position. The id selects it.
+ x = added(tokens[1], position)

You took the position's row by the token's id. The place in the text selects it.
+ x = added(token, positions[ids[1]])

The token is right, but its position isn't: you took that of the first token.
+ x = added(token, positions[0])

The position is right, but its token isn't: you took the first one.
+ x = added(tokens[ids[0]], position)

You put the two vectors side by side. They are added, entry by entry.
+ x = [*added(token, [0, 0, 0, 0]), *position]
""",
    reference=reference,
    values=values,
    book=task(
        [[3, 5, -4, 6], [-6, 4, 3, -5], [6, -3, 5, 4], [-3, 6, -5, 3]],
        [[0, 1, 0, 1], [1, 0, -1, 1], [1, -1, 0, 1], [0, -1, 1, 1]],
        [3, 2, 1],
    ),
)
