"""Predict the loss of one row: which places count, and with which probability."""

import math

from exercises.engine.exercise import Exercise

import numpy as np

CENT = 100
BOOK = {
    "read": 0.9,
    "hidden": 0.33,
    "kept": 0.72,
    "random": 0.08,
    "shown": 0.39,
    "also_hidden": 0.12,
}


def values(draw):
    while True:
        drawn = {
            "read": int(draw.integers(75, 93)) / CENT,  # not chosen
            "hidden": int(draw.integers(5, 50)) / CENT,
            "kept": int(draw.integers(55, 90)) / CENT,
            "random": int(draw.integers(2, 25)) / CENT,
            "shown": int(draw.integers(26, 70)) / CENT,
            "also_hidden": int(draw.integers(10, 60)) / CENT,
        }
        found = losses(**drawn)
        right, *others = found
        others.append(losses(**BOOK)[0])
        alone = min(abs(right - other) for other in others) > 0.01
        # Of two mistakes, each has a value of its own.
        if alone and min(np.diff(sorted(found))) > 0.006:
            return drawn


def losses(read, hidden, kept, random, shown, also_hidden):
    """Return the right loss, then what some of the mistakes below find."""
    chosen = [hidden, kept, random, also_hidden]
    means = [
        chosen,
        [hidden, also_hidden],
        [hidden, random, also_hidden],
        [hidden, kept, also_hidden],
        [read, *chosen],
        [hidden, kept, shown, also_hidden],
        [read, hidden, kept, shown, also_hidden],
        [random],
        [kept],
        [hidden],
        [read, kept, random],
    ]
    found = [sum(-math.log(p) for p in places) / len(places) for places in means]
    masks = -math.log(hidden * also_hidden)
    weighted = sum(-p * math.log(p) for p in chosen) / 4
    mean = sum(chosen) / 4
    return [*found, -math.log(mean), 1 - mean, mean, weighted, masks, masks / 4]


def reference(**drawn):
    return losses(**drawn)[0]


EXERCISE = Exercise(
    title="Which places count?",
    kind="predict",
    difficulty=2,
    minutes=10,
    prompt="""
A model reads a masked definition. The last column is the probability that it gives to
the **original** token at that place.

| original | the model reads | chosen? | probability of the original |
|---|---|---|---|
| a | a | no | {{read}} |
| large | `[MASK]` | yes | {{hidden}} |
| city | city | yes | {{kept}} |
| in | fish | yes | {{random}} |
| italy | `[MASK]` | yes | {{also_hidden}} |

At the fourth place, it gives the token that it reads there, *fish*, a probability of
{{shown}}. What is the row's loss by equation (10.1), in nats? Three decimals.
""",
    starter="""
loss = ...  # a number
""",
    solution="""
chosen = [{{hidden}}, {{kept}}, {{random}}, {{also_hidden}}]
losses = [-math.log(probability) for probability in chosen]
loss = sum(losses) / len(losses)
""",
    why="""
Four places were chosen, so the mean is over four, whatever the model reads at each of
them. The first place does not count: the model only has to copy what it reads, and that
would make the loss look small. At the fourth place, what counts is the original token:
a model that trusts what it reads there is punished.
""",
    hints=(
        "Which rows of the table have a target?",
        "At every chosen place the target is the original token, and the loss is minus "
        "the natural logarithm of its probability.",
        "Take the mean of four numbers.",
    ),
    mistakes="""
The place that was not chosen is in your mean. It has no target.
- chosen = [{{hidden}}, {{kept}}, {{random}}, {{also_hidden}}]
+ chosen = [{{read}}, {{hidden}}, {{kept}}, {{random}}, {{also_hidden}}]

Only the two places with `[MASK]` are in your mean. All chosen places count.
- chosen = [{{hidden}}, {{kept}}, {{random}}, {{also_hidden}}]
+ chosen = [{{hidden}}, {{also_hidden}}]

The chosen place that shows its own token is left out. The model is asked there, too.
- chosen = [{{hidden}}, {{kept}}, {{random}}, {{also_hidden}}]
+ chosen = [{{hidden}}, {{random}}, {{also_hidden}}]

Only the two places with `[MASK]` are in your sum, which is then divided by four.
- chosen = [{{hidden}}, {{kept}}, {{random}}, {{also_hidden}}]
+ chosen = [{{hidden}}, {{also_hidden}}]
- sum(losses) / len(losses)
+ sum(losses) / 4

That is the sum of the two places with `[MASK]`. Take the mean of all chosen places.
- chosen = [{{hidden}}, {{kept}}, {{random}}, {{also_hidden}}]
+ chosen = [{{hidden}}, {{also_hidden}}]
- sum(losses) / len(losses)
+ sum(losses)

The place with the random token is left out. The model is asked there, too.
- chosen = [{{hidden}}, {{kept}}, {{random}}, {{also_hidden}}]
+ chosen = [{{hidden}}, {{kept}}, {{also_hidden}}]

At the fourth place, the target is the original token, not the one that the model
reads.
- chosen = [{{hidden}}, {{kept}}, {{random}}, {{also_hidden}}]
+ chosen = [{{hidden}}, {{kept}}, {{shown}}, {{also_hidden}}]

The place that was not chosen is in your mean, and at the fourth place you took the
token that the model reads.
- chosen = [{{hidden}}, {{kept}}, {{random}}, {{also_hidden}}]
+ chosen = [{{read}}, {{hidden}}, {{kept}}, {{shown}}, {{also_hidden}}]

Only the places that do not show `[MASK]` are in your mean.
- chosen = [{{hidden}}, {{kept}}, {{random}}, {{also_hidden}}]
+ chosen = [{{read}}, {{kept}}, {{random}}]

Only the place with the random token is in your loss. Take all chosen places.
- chosen = [{{hidden}}, {{kept}}, {{random}}, {{also_hidden}}]
+ chosen = [{{random}}]

That is the sum. The loss is the mean over the chosen places.
- loss = sum(losses) / len(losses)
+ loss = sum(losses)

The sum over the chosen places is divided by all five. Divide it by four.
- loss = sum(losses) / len(losses)
+ loss = sum(losses) / 5

The sum over the chosen places is divided by the two that show `[MASK]`. Divide it by
four.
- loss = sum(losses) / len(losses)
+ loss = sum(losses) / 2

The sum of all five places is divided by the four chosen ones. The first has no target.
- loss = sum(losses) / len(losses)
+ loss = (sum(losses) - math.log({{read}})) / 4

That is the logarithm of the mean probability. Take the logarithm first, then the mean.
- loss = sum(losses) / len(losses)
+ loss = -math.log(sum(chosen) / 4)

That is the mean probability. The loss is the mean of minus its logarithms.
- loss = sum(losses) / len(losses)
+ loss = sum(chosen) / 4

That is one minus the mean probability. The loss uses logarithms.
- loss = sum(losses) / len(losses)
+ loss = 1 - sum(chosen) / 4

A loss is not negative. Where is the minus sign?
- -math.log(probability)
+ math.log(probability)

That is in bits: the logarithm has the base 2. Nats need the natural logarithm.
- -math.log(probability)
+ -math.log2(probability)

The logarithm has the base 10. Nats need the natural logarithm.
- -math.log(probability)
+ -math.log10(probability)

That is the perplexity. The loss is its logarithm.
- loss = sum(losses) / len(losses)
+ loss = math.exp(sum(losses) / 4)

Each logarithm is weighted by its probability, as in an entropy. Each chosen place
counts the same.
- -math.log(probability)
+ -probability * math.log(probability)

You take the probability that the model gives to all other tokens. The loss takes that
of the original.
- -math.log(probability)
+ -math.log(1 - probability)
""",
    reference=reference,
    values=values,
    book=BOOK,
    tolerance=0.0006,
)
