"""Predict the loss of a model that knows nothing yet."""

import math

from exercises.engine.exercise import Exercise


def values(draw):
    return {"vocab_size": int(draw.choice([24, 30, 60, 80]))}


def reference(vocab_size):
    return math.log(vocab_size)


EXERCISE = Exercise(
    title="The loss before the first step",
    kind="predict",
    difficulty=1,
    minutes=5,
    prompt="""
A Transformer with a target vocabulary of {{vocab_size}} tokens has not been trained.
All its logits are about 0. What is its cross-entropy, in nats a token? Three decimals
will do.
""",
    starter="""
loss = ...  # a number
""",
    solution="""
probability = 1 / {{vocab_size}}
loss = -math.log(probability)
""",
    why=r"""
Equal logits are equal probabilities, $1/V$ each, and $-\ln(1/V) = \ln V$. It is the
cheapest test there is: a first loss far above $\ln V$ says that the logits start too
large, one far below it that the answer leaks in.
""",
    hints=(
        "Which probability does each token get, when all logits are equal?",
        "The loss of a token is minus the natural logarithm of its probability.",
        r"It is $\ln V$.",
    ),
    mistakes="""
That is in bits. A nat is measured with the natural logarithm.
- math.log(probability)
+ math.log2(probability)

A loss is not negative. Where is the minus sign?
- -math.log
+ math.log

That is the probability. The loss is minus its logarithm.
- -math.log(probability)
+ probability

That is the number of tokens to choose from. The loss is its logarithm.
- -math.log(probability)
+ 1 / probability
""",
    reference=reference,
    values=values,
    tolerance=0.0002,
)
