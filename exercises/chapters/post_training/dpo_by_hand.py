"""Predict the margin and the loss of one pair of preferences."""

import math

from exercises.engine.exercise import Exercise


def values(draw):
    """Draw four log-probabilities whose changes differ."""
    while True:
        chosen, rejected, before, rejected_before = map(
            float, -draw.integers(4, 30, size=4) / 2
        )
        gained, lost = chosen - before, rejected - rejected_before
        wrong = {gained, lost, gained + lost, chosen - rejected, lost - gained, 0}
        beta = float(draw.choice([0.1, 0.2, 0.5]))
        # a saturated loss would be the same whatever the mistake
        plain = abs(beta * (gained - lost)) < 2 and abs(gained - lost) < 6
        if gained - lost not in wrong and lost and gained and plain:
            return {
                "chosen": chosen,
                "rejected": rejected,
                "before": before,
                "rejected_before": rejected_before,
                "beta": beta,
            }


def reference(chosen, rejected, before, rejected_before, beta):
    margin = beta * ((chosen - before) - (rejected - rejected_before))
    return [margin, math.log(1 + math.exp(-margin))]


EXERCISE = Exercise(
    title="DPO with four numbers",
    kind="predict",
    difficulty=1,
    minutes=10,
    prompt=r"""
For one pair of answers, these are the log-probabilities of the whole answers:

| | chosen | rejected |
|---|---|---|
| the model in training | {{chosen}} | {{rejected}} |
| the reference model | {{before}} | {{rejected_before}} |

What are the margin and the DPO loss with $\beta$ = {{beta}}, to three decimals?
""",
    starter="""
margin_and_loss = ...  # such as [0.125, 0.625]
""",
    solution="""
import math

gained = {{chosen}} - {{before}}
lost = {{rejected}} - {{rejected_before}}
margin = {{beta}} * (gained - lost)
margin_and_loss = [margin, math.log(1 + math.exp(-margin))]
""",
    why=r"""
Only the *changes* since the reference count: an answer may be improbable under both
models. The loss is $-\log \sigma(m) = \log(1 + e^{-m})$, which is $\log 2 = 0.693$ at a
margin of 0, below that for a positive margin and above it for a negative one. Whether
the chosen answer itself has become more probable can't be seen from either number.
""",
    hints=(
        "How much has each answer's log-probability changed since the reference?",
        "The margin is beta times the change of the chosen answer, minus beta times "
        "the change of the rejected one.",
        "The loss is log(1 + exp(-margin)), with the natural logarithm.",
    ),
    mistakes="""
The reference model is missing: take the changes since the reference.
+ import math
+ margin = beta * (chosen - rejected)
+ margin_and_loss = [margin, math.log(1 + math.exp(-margin))]

Beta is missing.
+ import math
+ margin = right[0] / beta
+ margin_and_loss = [margin, math.log(1 + math.exp(-margin))]

Beta is missing in the margin. It is a part of it.
+ margin_and_loss = [right[0] / beta, right[1]]

The margin is right. The minus sign of the loss is missing.
+ margin_and_loss = [right[0], -right[1]]

The margin is right. Beta is missing in the loss.
+ import math
+ margin_and_loss = [right[0], math.log(1 + math.exp(-right[0] / beta))]

Chosen and rejected have changed places.
+ import math
+ margin = -right[0]
+ margin_and_loss = [margin, math.log(1 + math.exp(-margin))]

You add the two changes. The margin is their difference.
+ import math
+ margin = beta * ((chosen - before) + (rejected - rejected_before))
+ margin_and_loss = [margin, math.log(1 + math.exp(-margin))]

The margin is right. Your loss has the wrong sign inside: a larger margin must lower it.
+ import math
+ margin_and_loss = [right[0], math.log(1 + math.exp(right[0]))]

The margin is right. That is the sigmoid of it; the loss is minus its logarithm.
+ import math
+ margin_and_loss = [right[0], math.exp(-right[1])]

The margin is right. The loss is in nats: take the natural logarithm.
+ import math
+ margin_and_loss = [right[0], right[1] / math.log(2)]

The margin is right. The loss is missing.
+ margin_and_loss = right[0]

The numbers are in the wrong order: the margin comes first.
+ margin_and_loss = right[::-1]

You divide by beta. It is a factor.
+ import math
+ margin = right[0] / beta**2
+ margin_and_loss = [margin, math.log(1 + math.exp(-margin))]
""",
    reference=reference,
    values=values,
    book={
        "chosen": -4.0,
        "rejected": -9.0,
        "before": -6.0,
        "rejected_before": -4.0,
        "beta": 0.3,
    },
    tolerance=0.0006,
)
