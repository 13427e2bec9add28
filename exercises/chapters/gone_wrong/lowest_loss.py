"""Predict the loss below which a doubled softmax cannot fall."""

import math

from exercises.engine.exercise import Exercise


def values(draw):
    return {"vocab_size": int(draw.integers(30, 200))}


def reference(vocab_size):
    return math.log(math.e + vocab_size - 1) - 1


EXERCISE = Exercise(
    title="A loss that cannot fall",
    kind="predict",
    difficulty=2,
    minutes=10,
    prompt="""
A model ends with a softmax over {{vocab_size}} tokens, and the loss function, which
expects logits, applies another one. What is the lowest loss per token, in nats, that
training can ever reach? Give three decimals.
""",
    starter="""
lowest = ...  # a number
""",
    solution="""
total = math.exp(1) + {{vocab_size}} - 1
lowest = math.log(total) - 1
""",
    why=r"""
After the first softmax, every number lies between 0 and 1. The best that the model can
do is 1 for the correct token and 0 for all others. The loss takes these for logits, so
the correct token gets the probability $e / (e + V - 1)$, however good the model is:

$$ \mathcal{L} = \ln(e + V - 1) - 1 $$

That is only about 1 below $\ln V$, the loss of a model that knows nothing. A loss that
falls a little and then stays there is the mark of this mistake.
""",
    hints=(
        "What are the best probabilities that the first softmax can give?",
        "The loss takes these probabilities for logits: one is 1, the others are 0.",
        "A softmax of 1 and many zeros gives the correct token e / (e + V - 1).",
    ),
    mistakes="""
A single softmax could come as close to 0 as it likes. The second one cannot.
- math.log(total) - 1
+ 0

That is the loss of a model that knows nothing. The best one does a little better.
- math.log(total) - 1
+ math.log({{vocab_size}})

The correct token is counted twice: there are V - 1 wrong ones.
- + {{vocab_size}} - 1
+ + {{vocab_size}}

A loss is not negative. Where is the minus sign?
- math.log(total) - 1
+ 1 - math.log(total)

That is the probability of the correct token. The loss is minus its logarithm.
- math.log(total) - 1
+ math.exp(1) / total

The logarithm has the base 2. Nats need the natural logarithm.
- math.log(total) - 1
+ math.log2(total / math.exp(1))

The logarithm has the base 10. Nats need the natural logarithm.
- math.log(total) - 1
+ math.log10(total / math.exp(1))

The correct token's exponential is missing from the sum below the fraction line.
- math.exp(1) + {{vocab_size}} - 1
+ {{vocab_size}} - 1

That is the logarithm of the sum. The correct token's own number, 1, is subtracted.
- math.log(total) - 1
+ math.log(total)

The correct token's logit is subtracted twice.
- math.log(total) - 1
+ math.log(total) - 2

After a perfect first softmax, the correct token has 1 and the others 0: you have it the
other way round.
- math.log(total) - 1
+ math.log(1 + ({{vocab_size}} - 1) * math.exp(1))

That is the perplexity. The loss is its logarithm.
- math.log(total) - 1
+ total / math.exp(1)

The wrong tokens have the number 0, and e to the power of 0 is 1, not e.
- math.exp(1) + {{vocab_size}} - 1
+ math.exp(1) * {{vocab_size}}
- math.log(total) - 1
+ math.log(total)

That is ln V - 1. In the sum below the fraction line, the correct token has e and each
of the V - 1 others has 1.
- math.exp(1) + {{vocab_size}} - 1
+ {{vocab_size}}

That is 1 / V, the probability that every token has in a model that knows nothing.
- math.log(total) - 1
+ 1 / {{vocab_size}}

That is the lowest loss with a vocabulary of two tokens. There are V - 1 wrong ones.
- {{vocab_size}} - 1
+ 1
""",
    reference=reference,
    values=values,
    tolerance=0.0004,
)
