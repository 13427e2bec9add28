"""Predict which answer each of two rewards prefers."""

from exercises.engine.exercise import Exercise
from readymade.data.number_game import NUMBERS


def values(draw):
    """Draw the game a + b and double it, and four answers in a random order."""
    a, b, extra = (int(draw.integers(2, 10)) for _ in range(3))
    c = a + b
    right = (
        f"{NUMBERS[a]} add {NUMBERS[b]} is {NUMBERS[c]} . {NUMBERS[c]} double is "
        f"{NUMBERS[2 * c]} . the answer is {NUMBERS[2 * c]} ."
    )
    direct = f"the answer is {NUMBERS[2 * c]} ."
    step = f"{NUMBERS[2 * c]} add {NUMBERS[extra]} is {NUMBERS[2 * c + extra]} ."
    going_on = right.replace(direct, f"{step} the answer is {NUMBERS[2 * c + extra]} .")
    wrong = f"the answer is {NUMBERS[2 * c - 1]} ."
    answers = [right, direct, going_on, wrong]
    order = draw.permutation(4).tolist()
    shown = [answers[place] for place in order]
    return {
        "question": f"start with {NUMBERS[a]} , add {NUMBERS[b]} , double .",
        "answers": "\n".join(f"{place}. {text}" for place, text in enumerate(shown)),
        "worked": order.index(0),
        "direct": order.index(1),
        "going_on": order.index(2),
        "wrong": order.index(3),
        "price": int(draw.integers(1, 12)) / 100,
        "pay": int(draw.integers(2, 10)) / 4,
    }


def reference(direct, going_on, price, pay, **_):
    return [direct, round(1 - 6 * price, 4), going_on, 4 * pay]


EXERCISE = Exercise(
    title="What does the reward buy?",
    kind="predict",
    difficulty=2,
    minutes=10,
    prompt="""
“{{question}} what do you get ?” is answered in four ways, each followed by `<|end|>`:

```
{{answers}}
```

Reward A pays 1 for the right number, minus {{price}} for each token, `<|end|>`
included. Reward B pays {{pay}} for each time that *is* occurs, if the answer ends.
Which answer gets the most from A, how much does it get, which gets the most from B,
and how much?
""",
    starter="""
best = ...  # the four numbers, such as [3, 0.5, 3, 1.5]
""",
    solution="""
for_a = 1 - 6 * {{price}}  # the shortest right answer: six tokens
for_b = 4 * {{pay}}  # the most statements, one of them about the answer
best = [{{direct}}, for_a, {{going_on}}, for_b]
""",
    why="""
Reward A looks harmless, but with it a model that *can* answer at once stops showing its
steps. If the price is high enough, so does one that can't: a quick guess then earns
more than a long answer that is usually right. Reward B is hacked by going on after the
end of the game: more statements, a wrong number. Before you train on a reward, write
down the cheapest answer that earns it.
""",
    hints=(
        "Which answers give the right number? Which of them is the shortest?",
        "For B it doesn't matter what is right. Count the *is* in each answer.",
    ),
    mistakes="""
B does not ask whether the number is right: count every “is” in each answer.
+ best = [*right[:2], worked, 3 * pay]

Two answers earn the 1 of A; the shorter one loses less for its tokens.
+ best = [worked, round(1 - 16 * price, 4), *right[2:]]

A: being short alone doesn't pay; the number has to be right.
+ best = [wrong, *right[1:]]

You number the answers from 1. They are numbered from 0.
+ best = [right[0] + 1, right[1], right[2] + 1, right[3]]

`<|end|>` is a token, too, and so is the full stop. A takes the price of both.
+ best = [right[0], round(1 - 5 * price, 4), *right[2:]]

The last sentence has an “is” as well.
+ best = [*right[:3], 3 * pay]

A is wrong: you forgot the price of the tokens.
+ best = [right[0], 1, *right[2:]]

B comes after A.
+ best = [*right[2:], *right[:2]]
""",
    reference=reference,
    values=values,
    book={
        "question": "start with two , add three , double .",
        "answers": "0. the answer is nine .\n"
        "1. two add three is five . five double is ten . the answer is ten .\n"
        "2. two add three is five . five double is ten . ten add four is fourteen . "
        "the answer is fourteen .\n"
        "3. the answer is ten .",
        "worked": 1,
        "direct": 3,
        "going_on": 2,
        "wrong": 0,
        "price": 0.015,
        "pay": 0.125,
    },
)
