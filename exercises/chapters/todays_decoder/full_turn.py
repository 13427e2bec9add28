"""Predict how many positions a rotary pair needs for a full turn."""

import math

from exercises.engine.exercise import Exercise

LENGTHS = (1024, 2048, 4096, 8192, 16384, 32768)
# Half of a second decimal, from 1.5 turns on: it is relative and absolute.
TOLERANCE = 0.002


def values(draw):
    base = int(draw.choice([500_000, 1_000_000]))
    d_k = int(draw.choice([64, 96, 128]))
    choices = [
        (pair, length)
        for pair in range(d_k // 5, d_k // 3)
        for length in LENGTHS
        if tells_mistakes_apart(base, d_k, pair, length)
    ]
    pair, length = choices[draw.integers(len(choices))]
    return {"base": base, "d_k": d_k, "pair": pair, "length": length}


def tells_mistakes_apart(base, d_k, pair, length):
    """Whether no mistake is right, and one decimal is too few where two are right."""
    turn = turn_of(base, d_k, pair)
    turns = length / turn
    other_base = turn / 2 / math.pi / turn_of(10_000, d_k, pair)
    return (
        1.5 < turns < 8
        and 0.08 < turns % 1 < 0.92
        and abs(turns - round(turns, 1)) > TOLERANCE * (1 + turns)
        and abs(turns - 2 * math.pi) > 0.1
        and abs(other_base - 1) > 0.02
        and 4 * pair != d_k  # as in the book
    )


def turn_of(base, d_k, pair):
    return 2 * math.pi * math.exp(2 * pair / d_k * math.log(base))


def reference(base, d_k, pair, length):
    turn = turn_of(base, d_k, pair)
    return [turn, length / turn]


EXERCISE = Exercise(
    title="How long is a turn?",
    kind="predict",
    difficulty=2,
    minutes=10,
    prompt=r"""
A model with rotary positions has heads with $d_k = {{d_k}}$ and was trained with the
base {{base}} on texts of {{length}} tokens. From one position to the next, pair $i$ is
rotated by $\text{base}^{-2i/d_k}$ radians. Look at the pair $i = {{pair}}$:

1. After how many positions has it made a full turn? (Round to a whole number.)
2. How many turns does it make in a text of {{length}} tokens? (Two decimals.)
""",
    starter="""
turns = ...  # positions of a turn, and turns of a text, such as [628, 1.23]
""",
    solution="""
angle = {{base}} ** (-2 * {{pair}} / {{d_k}})
one_turn = 2 * math.pi / angle
turns = [one_turn, {{length}} / one_turn]
""",
    why="""
A full turn is 2π radians. The first pair needs 6.28 positions for it, and every later
pair a constant factor more than the one before, like the sinusoids of chapter 2. A pair
that never completes a turn in training meets angles in longer texts that the model has
never seen. This is one reason why such a model can fail beyond its length. A larger
base, given afterwards, slows these pairs down.
""",
    hints=(
        "How many radians are there in a full turn?",
        "Divide the full turn by the angle of one position.",
        "The angle of one position is `{{base}} ** (-2 * {{pair}} / {{d_k}})`. Divide "
        "2π by it, and then the length by that.",
    ),
    mistakes="""
A full turn has 2π radians. You count until the angle is 1.
- 2 * math.pi / angle
+ 1 / angle

That is half a turn. A full one has 2π radians.
- 2 * math.pi
+ math.pi

You took 360 degrees for the full turn, but the angle is in radians.
- 2 * math.pi
+ 360

The exponent is −2i / d_k. In yours, the 2 is missing.
- -2 * {{pair}}
+ -{{pair}}

In your exponent, the 2 is there twice: 2i is divided by d_k, not by its half.
- -2 * {{pair}}
+ -4 * {{pair}}

Your base is 10,000, the paper's. This model was trained with {{base}}.
- {{base}} **
+ 10_000 **

You counted the pairs from 1. The first one has i = 0, and {{pair}} is used as it is.
- {{pair}} / {{d_k}}
+ ({{pair}} - 1) / {{d_k}}

You took the next pair: the first one has i = 0, and {{pair}} is used as it is.
- {{pair}} / {{d_k}}
+ ({{pair}} + 1) / {{d_k}}

Your pair turns faster than the first one. The exponent is negative, and the full turn
is divided by the angle.
- (-2 * {{pair}} / {{d_k}})
+ (2 * {{pair}} / {{d_k}})

The first number is right. The second is its inverse: divide the length by the
positions of a turn.
- {{length}} / one_turn
+ one_turn / {{length}}

The first number is right. The second is the angle at the end of the text in radians:
how many full turns is that?
- {{length}} / one_turn
+ {{length}} * angle

The first number is right. The second counts only complete turns: give two decimals.
- {{length}} / one_turn
+ {{length}} // one_turn

The two numbers are right, in the wrong order.
- [one_turn, {{length}} / one_turn]
+ [{{length}} / one_turn, one_turn]

The second number is right. The first tells what happens from one position to the next:
how many positions make a full turn?
- [one_turn,
+ [angle,

You divided the angle by the full turn: that is the part of a turn at one position.
How many positions make a whole one?
- 2 * math.pi / angle
+ angle / 2 / math.pi

Your exponent has the natural base e. The base here is {{base}}.
- {{base}} **
+ math.e **

That is the slowest pair. Look at pair {{pair}}.
- -2 * {{pair}} / {{d_k}}
+ -2 * ({{d_k}} / 2 - 1) / {{d_k}}

That is the fastest pair. Look at pair {{pair}}.
- -2 * {{pair}} / {{d_k}}
+ -0 * {{pair}} / {{d_k}}
""",
    reference=reference,
    values=values,
    book={"base": 1_000_000, "d_k": 96, "pair": 24, "length": 16384},
    tolerance=TOLERANCE,
    equivalent=dict.fromkeys(
        (
            "angle = 999999 ** (-2 * 24 / 96)",
            "angle = 1000001 ** (-2 * 24 / 96)",
            "turns = [one_turn, 16383 / one_turn]",
            "turns = [one_turn, 16385 / one_turn]",
        ),
        "One more or less changes nothing that is asked for.",
    ),
)
