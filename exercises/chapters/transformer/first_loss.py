"""Predict the loss of a model that finds all tokens equally likely."""

import math

from exercises.engine.exercise import Exercise


def values(draw):
    return {"vocab_size": int(draw.integers(20, 100))}


def reference(vocab_size):
    return math.log(vocab_size)


EXERCISE = Exercise(
    title="The loss before the first step",
    kind="predict",
    difficulty=1,
    minutes=5,
    prompt="""
A model with a target vocabulary of {{vocab_size}} tokens gives all of them, special
tokens included, the same logit. What is its cross-entropy per token, in nats? Give
three decimals.
""",
    starter="""
loss = ...  # a number
""",
    solution="""
probability = 1 / {{vocab_size}}
loss = -math.log(probability)
""",
    why=r"""
Equal logits mean equal probabilities, $1/V$ each, and $-\ln(1/V) = \ln V$. This is a
cheap test of a new model: a first loss far above $\ln V$ suggests that its logits start
too large, and one far below it that the answer leaks into the input. Ours was somewhat
above it, because it preferred the token that it had just read.
""",
    hints=(
        "Which probability does each token get if all logits are equal?",
        "The loss of a token is minus the natural logarithm of its probability.",
        r"It is $\ln V$.",
    ),
    mistakes="""
That is in bits: the logarithm has the base 2. Nats need the natural logarithm.
- math.log(probability)
+ math.log2(probability)

A loss is not negative. Where is the minus sign?
- -math.log
+ math.log

That is the probability of one token. The loss is minus its logarithm.
- -math.log(probability)
+ probability

That is the perplexity, the number of tokens to choose from. The loss is its logarithm.
- -math.log(probability)
+ 1 / probability

One token is left out. Padding has a logit, too, and takes its share of the probability.
- 1 / {{vocab_size}}
+ 1 / ({{vocab_size}} - 1)

Two tokens are left out. Special tokens have logits, too, and take part in the softmax.
- 1 / {{vocab_size}}
+ 1 / ({{vocab_size}} - 2)

Three tokens are left out. The special tokens have logits, too, and take part in the
softmax.
- 1 / {{vocab_size}}
+ 1 / ({{vocab_size}} - 3)

The logarithm has the base 10. Nats need the natural logarithm.
- math.log(probability)
+ math.log10(probability)

The logarithm is divided by the number of tokens. The mean is over the tokens of a text,
and each of them has the same loss.
- -math.log(probability)
+ -math.log(probability) / {{vocab_size}}

A loss of 0 would need a model that is certain of the right token.
- -math.log(probability)
+ 0

That is one minus the probability. The cross-entropy is minus its logarithm.
- -math.log(probability)
+ 1 - probability

That is the loss of a coin toss, two equally likely tokens.
- -math.log(probability)
+ math.log(2)

That is p · ln p, one term of the entropy. The loss is minus the logarithm alone.
- -math.log(probability)
+ probability * math.log(probability)

The logarithm is multiplied by the number of tokens. Only the correct token counts.
- -math.log(probability)
+ -math.log(probability) * {{vocab_size}}

That is twice the loss: the correct token's logarithm counts once.
- -math.log(probability)
+ -2 * math.log(probability)

One token too many is counted.
- 1 / {{vocab_size}}
+ 1 / ({{vocab_size}} + 1)

You added a term for each of the wrong tokens, as in a binary cross-entropy. Only the
correct token counts.
- -math.log(probability)
+ -math.log(probability) - (1 / probability - 1) * math.log(1 - probability)
""",
    reference=reference,
    values=values,
    book={"vocab_size": 88},
    tolerance=0.0002,
)
