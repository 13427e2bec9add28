"""Predict bits per character from a perplexity per token."""

import math

from exercises.engine.exercise import Exercise


def values(draw):
    # Every token has more bits than characters.
    return {
        "perplexity": int(draw.integers(20, 121)),
        "characters": int(draw.integers(26, 43)) / 10,
    }


def reference(perplexity, characters):
    return math.log(perplexity) / math.log(2) / characters


EXERCISE = Exercise(
    title="From perplexity to bits",
    kind="predict",
    difficulty=1,
    minutes=5,
    prompt="""
On held-out text, a language model has a perplexity of {{perplexity}} per token. Its
tokens are {{characters}} characters long on average. How many bits per character does
it need? Give three decimals.
""",
    starter="""
bits = ...  # a number
""",
    solution="""
loss = math.log({{perplexity}})  # in nats per token
bits_per_token = loss / math.log(2)
bits = bits_per_token / {{characters}}
""",
    why=r"""
The perplexity is $e^{\text{loss}}$: the number of equally likely tokens that would be
as hard to guess. So the loss is its natural logarithm, and one bit is $\ln 2$ nats.
Perplexities and losses per token can be compared only between models with the same
tokens, because longer tokens are fewer and harder to guess. Bits per character divide
by the length of the text itself, whatever its tokens are.
""",
    hints=(
        "The perplexity is e to the power of the loss. What is the loss?",
        "One bit is ln 2 ≈ 0.693 nats, so a loss is a larger number in bits.",
        "A token's bits are shared out among its {{characters}} characters.",
    ),
    mistakes="""
That is in nats per character. Divide by ln 2 to have bits.
- loss / math.log(2)
+ loss

That is in bits per token. Divide it by the characters of a token.
- bits_per_token / {{characters}}
+ bits_per_token

That is the loss, in nats per token. Bits per character are asked for.
- bits_per_token / {{characters}}
+ loss

You multiplied by ln 2. A bit is less than a nat, so the number of bits is larger.
- loss / math.log(2)
+ loss * math.log(2)

Your logarithm of the perplexity has the base 10. Nats are natural logarithms.
- math.log({{perplexity}})
+ math.log10({{perplexity}})

Both of your logarithms are wanted in the same base. That of 2 has the base 10.
- math.log(2)
+ math.log10(2)

That is in digits per character, with the base 10. Bits have the base 2.
- bits_per_token / {{characters}}
+ math.log10({{perplexity}}) / {{characters}}

You multiplied by the number of characters. A token's bits are shared out among them.
- bits_per_token / {{characters}}
+ bits_per_token * {{characters}}

That is characters per bit. Bits per character are the other way round.
- bits_per_token / {{characters}}
+ {{characters}} / bits_per_token

You divided the perplexity by the number of characters. What they share are bits, and
those are its logarithm.
- bits_per_token / {{characters}}
+ {{perplexity}} / {{characters}}

You divided the perplexity first and took its logarithm afterwards. The characters share
the bits, not the choices.
- bits_per_token / {{characters}}
+ math.log2({{perplexity}} / {{characters}})

That is the perplexity per character. Bits are its logarithm with base 2.
- bits_per_token / {{characters}}
+ {{perplexity}} ** (1 / {{characters}})

You took the logarithm twice. The logarithm of the perplexity is the loss already.
- loss / math.log(2)
+ math.log2(loss)

You took the perplexity for the loss. The loss is its logarithm.
- math.log({{perplexity}})
+ {{perplexity}}

The number of bits is not negative. A probability has a negative logarithm, and the loss
is minus that.
- bits_per_token / {{characters}}
+ -bits_per_token / {{characters}}
""",
    reference=reference,
    values=values,
    book={"perplexity": 50, "characters": 3.7},
    tolerance=0.0006,
)
