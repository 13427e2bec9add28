"""Predict perplexity and bits per character from a loss in nats per token."""

import math

from exercises.engine.exercise import Exercise

import numpy as np


def values(draw):
    return {
        "loss": int(draw.integers(271, 480)) / 100,
        "characters": int(draw.integers(26, 43)) / 10,
    }


def reference(loss, characters):
    return np.array([math.exp(loss), loss / math.log(2) / characters])


EXERCISE = Exercise(
    title="From nats to bits",
    kind="predict",
    difficulty=1,
    minutes=10,
    prompt="""
On held-out text, a language model has a cross-entropy of {{loss}} nats per token. Its
tokens are {{characters}} characters long on average. What is its perplexity per token,
and how many bits per character does it need? Give two decimals of the first and three
of the second.
""",
    starter="""
perplexity_and_bits = ...  # such as [12.34, 5.678]
""",
    solution="""
perplexity = math.exp({{loss}})
bits_per_token = {{loss}} / math.log(2)
perplexity_and_bits = [perplexity, bits_per_token / {{characters}}]
""",
    why=r"""
A loss in nats is a natural logarithm, so the perplexity is $e^{\text{loss}}$: the
number of equally likely tokens that would be as hard to guess. One bit is $\ln 2$ nats.
Perplexities and losses per token can be compared only between models with the same
tokens, because longer tokens are fewer and harder to guess. Bits per character divide
by the length of the text itself, whatever its tokens are.
""",
    hints=(
        "The loss is the mean of $-\\ln p$. The perplexity undoes the logarithm.",
        "One bit is ln 2 ≈ 0.693 nats, so a loss is a larger number in bits.",
        "A token's bits are shared out among its {{characters}} characters.",
    ),
    mistakes="""
That is 2 to the power of a loss in nats. The base of the perplexity is the base of the
logarithm, e.
- math.exp({{loss}})
+ 2 ** {{loss}}

The perplexity is not 10 to the power of the loss: the loss is a natural logarithm.
- math.exp({{loss}})
+ 10 ** {{loss}}

Your first number is the mean probability of a token. The perplexity is its reciprocal.
- math.exp({{loss}})
+ math.exp(-{{loss}})

Your first number is the perplexity per character. The one per token is asked for.
- math.exp({{loss}})
+ math.exp({{loss}} / {{characters}})

Your first number is the loss itself. The perplexity is its exponential.
- math.exp({{loss}})
+ {{loss}}

You take e to the power of the bits. The loss in bits belongs to the base 2.
- math.exp({{loss}})
+ math.exp({{loss}} / math.log(2))

The perplexity of a loss in nats needs no further logarithm: your first number is the
loss in bits per token.
- math.exp({{loss}})
+ {{loss}} / math.log(2)

Your second number is in nats per character. Divide by ln 2 to have bits.
- bits_per_token / {{characters}}
+ {{loss}} / {{characters}}

Your second number is in bits per token. Divide it by the characters of a token.
- bits_per_token / {{characters}}
+ bits_per_token

You multiply by ln 2. A bit is less than a nat, so the number of bits is larger.
- {{loss}} / math.log(2)
+ {{loss}} * math.log(2)

You multiply by the number of characters. A token's bits are shared out among them.
- bits_per_token / {{characters}}
+ bits_per_token * {{characters}}

You neither convert to bits nor share them out correctly: that is nats times characters.
- bits_per_token / {{characters}}
+ {{loss}} * {{characters}}

You divide the characters by the bits. Bits per character are the other way round.
- bits_per_token / {{characters}}
+ {{characters}} / bits_per_token

Your logarithm of 2 has the base 10. A nat is converted by the natural one.
- math.log(2)
+ math.log10(2)

You divide the perplexity by the number of characters. Divide the loss in bits.
- bits_per_token / {{characters}}
+ perplexity / {{characters}}

You take the logarithm of the loss. It is a logarithm already.
- {{loss}} / math.log(2)
+ math.log2({{loss}})

Your second number is the perplexity per character. Bits are its logarithm with base 2.
- bits_per_token / {{characters}}
+ math.exp({{loss}} / {{characters}})

You divide the perplexity first and take its logarithm afterwards. The characters share
the bits, not the choices.
- bits_per_token / {{characters}}
+ math.log2(perplexity / {{characters}})

The perplexity comes first, then the bits per character.
- [perplexity, bits_per_token / {{characters}}]
+ [bits_per_token / {{characters}}, perplexity]

Two numbers are asked for. The bits per character are missing.
- [perplexity, bits_per_token / {{characters}}]
+ perplexity

Two numbers are asked for. The perplexity is missing.
- [perplexity, bits_per_token / {{characters}}]
+ bits_per_token / {{characters}}

You divide the perplexity by the number of characters. It is asked for per token, and
what characters share are bits.
- math.exp({{loss}})
+ math.exp({{loss}}) / {{characters}}

Both numbers take the loss to be in bits. It is in nats.
- math.exp({{loss}})
+ 2 ** {{loss}}
- {{loss}} / math.log(2)
+ {{loss}}

You divide the loss by the number of characters first, so the perplexity is that of a
character, and your second number is in nats.
- math.exp({{loss}})
+ math.exp({{loss}} / {{characters}})
- {{loss}} / math.log(2)
+ {{loss}}
""",
    reference=reference,
    values=values,
    tolerance=0.0006,
)
