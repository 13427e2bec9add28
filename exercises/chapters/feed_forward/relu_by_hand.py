"""Predict what the smallest feed-forward layer makes of one vector."""

from exercises.engine.exercise import Exercise

import numpy as np


def values(draw):
    # So far apart that the first inner number stays below 0 with its bias, and that its
    # absolute value is not the 1 of a bias that is added after ReLU.
    a = int(draw.integers(2, 10))
    b = a + int(draw.integers(3, 9))
    return {"a": a, "b": b, "c": int(draw.integers(2, 6))}


def reference(a, b, c):
    inner = np.maximum([a - b + 1, c * a, b - 1], 0)
    return np.array([inner[0] + inner[1], inner[1] - inner[2]])


EXERCISE = Exercise(
    title="Through ReLU by hand",
    kind="predict",
    difficulty=1,
    minutes=5,
    prompt=r"""
A feed-forward layer with ReLU takes $x = ({{a}}, {{b}})$. Its weights are

$$ W_1 = \begin{pmatrix} 1 & {{c}} & 0 \\ -1 & 0 & 1 \end{pmatrix}, \quad
b_1 = (1, 0, -1), \quad
W_2 = \begin{pmatrix} 1 & 0 \\ 1 & 1 \\ 0 & -1 \end{pmatrix}, \quad
b_2 = (0, 0). $$

Which two numbers does it return? Work them out by hand before you run anything.
""",
    starter="""
output = ...  # two numbers, such as (1, 2)
""",
    solution="""
inner = [{{a}} - {{b}} + 1, {{c}} * {{a}}, {{b}} - 1]
inner = [max(0, number) for number in inner]
output = (inner[0] + inner[1], inner[1] - inner[2])
""",
    why="""
Each column of $W_1$ gives one number of the inner vector. The first is negative, so
ReLU sets it to 0, and it contributes nothing for this input. The columns of $W_2$ say
which of the others are added and which are subtracted.
""",
    hints=(
        "The inner vector has three numbers, one for each column of $W_1$.",
        "Which of the three is negative, and what does ReLU do with it?",
        "After ReLU, the inner vector is 0, {{c}} · {{a}}, {{b}} − 1. Now use $W_2$.",
    ),
    mistakes="""
A negative inner number went through. What does ReLU replace it with?
- max(0, number)
+ number

The bias `b_1` is left out.
- {{a}} - {{b}} + 1
+ {{a}} - {{b}}
- {{b}} - 1
+ {{b}}

Two mistakes at once: a negative inner number went through, and the bias `b_1` is left
out.
- max(0, number)
+ number
- {{a}} - {{b}} + 1
+ {{a}} - {{b}}
- {{b}} - 1
+ {{b}}

The bias `b_1` is added after ReLU. It belongs inside: ReLU gets the sum.
- {{a}} - {{b}} + 1
+ {{a}} - {{b}}
- max(0, number) for number in inner
+ max(0, number) + bias for number, bias in zip(inner, (1, 0, 0))

These are the right numbers in the wrong order: the first column of `W_2` gives the
first one.
- (inner[0] + inner[1], inner[1] - inner[2])
+ (inner[1] - inner[2], inner[0] + inner[1])

You took the absolute value of the negative number. ReLU replaces it by 0.
- max(0, number)
+ abs(number)

ReLU keeps what is above 0. You kept what is below.
- max(0, number)
+ min(0, number)

The bias of the third inner number is −1. You added 1.
- {{b}} - 1
+ {{b}} + 1

You read x in the other order. It is ({{a}}, {{b}}).
- [{{a}} - {{b}} + 1, {{c}} * {{a}}, {{b}} - 1]
+ [{{b}} - {{a}} + 1, {{c}} * {{b}}, {{a}} - 1]

The first column of `W_1` is (1, −1): the second number of x is subtracted, not added.
- {{a}} - {{b}} + 1
+ {{a}} + {{b}} + 1

The last row of `W_2` is (0, −1): the third inner number is subtracted, not added.
- inner[1] - inner[2]
+ inner[1] + inner[2]

The third inner number is left out. The second column of `W_2` subtracts it.
- inner[1] - inner[2]
+ inner[1]

That is the inner vector after ReLU. `W_2` makes two numbers of it.
- (inner[0] + inner[1], inner[1] - inner[2])
+ tuple(inner)

You added x to the output. That residual connection is not part of this layer
(chapter 6).
- (inner[0] + inner[1], inner[1] - inner[2])
+ (inner[0] + inner[1] + {{a}}, inner[1] - inner[2] + {{b}})
""",
    reference=reference,
    values=values,
    book={"a": 7, "b": 11, "c": 2},
    equivalent=dict.fromkeys(
        (
            "inner = [7 - 12 + 1, 2 * 7, 11 - 1]",
            "inner = [7 - 10 + 1, 2 * 7, 11 - 1]",
            "inner = [7 - 11 + 2, 2 * 7, 11 - 1]",
            "inner = [7 - 11 + 0, 2 * 7, 11 - 1]",
            "inner = [7 - 11 - 1, 2 * 7, 11 - 1]",
            "inner = [6 - 11 + 1, 2 * 7, 11 - 1]",
            "inner = [8 - 11 + 1, 2 * 7, 11 - 1]",
            "inner = [max(number, 0) for number in inner]",
        ),
        "After ReLU it is the same: the first inner number is not above 0.",
    ),
)
