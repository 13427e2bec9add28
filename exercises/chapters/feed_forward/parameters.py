"""Predict how many parameters a feed-forward layer has."""

from exercises.engine.exercise import Exercise


def values(draw):
    d_model = int(draw.choice([6, 10, 12, 20]))
    return {"d_model": d_model, "times": int(draw.choice([3, 4, 5]))}


def reference(d_model, times):
    d_ff = times * d_model
    return 2 * d_model * d_ff + d_ff + d_model


EXERCISE = Exercise(
    title="Count it",
    kind="predict",
    difficulty=1,
    minutes=5,
    prompt=r"""
A `FeedForward` has $d_\text{model} = {{d_model}}$, and its inner vector is {{times}}
times as long. How many parameters does it have, biases included?
""",
    starter="""
parameters = ...  # a whole number
""",
    solution="""
d_ff = {{times}} * {{d_model}}
parameters = 2 * {{d_model}} * d_ff + d_ff + {{d_model}}
""",
    why=r"""
Two matrices of $d_\text{model} \times d_\text{ff}$, and a bias for each number that
comes out of one: $d_\text{ff}$ after the first, $d_\text{model}$ after the second. At
four times the width that is about $8\,d_\text{model}^2$.
""",
    hints=(
        "Which shapes do $W_1$ and $W_2$ have?",
        "A bias has as many numbers as its layer puts out.",
        r"Add $d_\text{model} \cdot d_\text{ff}$ twice, $d_\text{ff}$ and "
        r"$d_\text{model}$.",
    ),
    mistakes="""
These are the two matrices. Each has a bias, too.
- d_ff + d_ff + {{d_model}}
+ d_ff

This is one matrix with its bias. What brings the vector back to its length?
- 2 * {{d_model}} * d_ff + d_ff + {{d_model}}
+ {{d_model}} * d_ff + d_ff

Both biases have the inner length. How long is the vector that comes out?
- d_ff + {{d_model}}
+ d_ff + d_ff

Both biases have the outer length. How long is the inner vector?
- d_ff + {{d_model}}
+ 2 * {{d_model}}
""",
    reference=reference,
    values=values,
)
