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
        "places": [order.index(place) for place in range(4)],
    }


def reference(question, answers, places):
    _, direct, going_on, _ = places
    return [direct, going_on]


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

Reward A pays 1 for the right number, minus 0.01 for each token. Reward B pays 1 for
each time that *is* occurs, up to eight, if the answer ends. Which answer gets the most
from A, and which from B?
""",
    starter="""
best = ...  # two numbers from 0 to 3, such as [3, 3]
""",
    solution="""
_, direct, going_on, _ = {{places}}
best = [direct, going_on]  # the shortest right one, the most statements
""",
    why="""
Reward A looks harmless, but with it a model that *can* answer at once stops showing its
steps; a model that can't loses the right answers with them. Reward B is hacked by going
on after the end of the game: more statements, a wrong number. Before you train on a
reward, write down the cheapest answer that earns it.
""",
    hints=(
        "Which answers give the right number? Which of them is the shortest?",
        "For B it doesn't matter what is right. Count the *is* in each answer.",
    ),
    mistakes="""
A is right. B does not ask whether the number is right: count the statements.
+ best = [places[1], places[0]]

B is right. Two answers earn the 1 of A; the shorter one loses less for its tokens.
+ best = [places[0], places[2]]

Both are wrong. A prefers the shorter of the right answers, and B the most statements.
+ best = [places[0], places[0]]

The answers are in the wrong order: A comes first.
+ best = [places[2], places[1]]

A: being short alone doesn't pay; the number has to be right.
+ best = [places[3], places[2]]

You number the answers from 1. They are numbered from 0.
+ best = [places[1] + 1, places[2] + 1]
""",
    reference=reference,
    values=values,
)
