"""Predict the probabilities of three tokens at another temperature."""

from exercises.engine.exercise import Exercise

import numpy as np

# Probabilities in percent at temperature 1, unlike enough to tell all mistakes apart.
AT_ONE = [
    (first, second, 100 - first - second)
    for first in (56, 62, 65, 70)
    for second in (20, 23, 26)
]


def values(draw):
    least, some, most = sorted(n / 100 for n in AT_ONE[draw.integers(len(AT_ONE))])
    orders = (some, most, least), (least, most, some), (some, least, most)
    shares = list(orders[draw.integers(3)])  # none is sorted
    temperature = float(draw.choice([0.4, 0.5, 0.8, 1.25, 2.0]))
    return {"probabilities": shares, "temperature": temperature}


def shared(numbers):
    """Return numbers divided by their sum."""
    numbers = np.asarray(numbers)
    return numbers / numbers.sum()


def reference(probabilities, temperature):
    logits = np.log(probabilities) / temperature
    return shared(np.exp(logits))


def they_sum_to_one(ask, draw):
    total = np.sum(ask())
    if abs(total - 1) > 0.02:
        return f"Your probabilities sum to {total:.3g}. They should sum to 1."
    return None


EXERCISE = Exercise(
    title="Three tokens at another temperature",
    kind="predict",
    difficulty=2,
    minutes=10,
    prompt="""
A vocabulary has three tokens. At temperature 1, a model gives them the probabilities
{{probabilities}}. Which probabilities do they have at temperature {{temperature}}?
Three decimals.
""",
    starter="""
probabilities = ...  # three numbers, such as [0.512, 0.345, 0.143]
""",
    solution="""
powers = [p ** (1 / {{temperature}}) for p in {{probabilities}}]
probabilities = [power / sum(powers) for power in powers]
""",
    why=r"""
The logits are unknown, but not needed: up to a constant, which the softmax ignores,
they are the logarithms of the probabilities at temperature 1. Since
$e^{(\ln p) / T} = p^{1/T}$, dividing the logits by $T$ raises each probability to the
power $1/T$, and all are then divided by their sum. Below 1, a temperature makes the
likeliest token more likely still; above 1, it makes all more alike. The order never
changes.
""",
    hints=(
        "The probabilities are the softmax of the logits. Which logits would do?",
        r"Use $\ln p$ as logits: its softmax is $p$. Divide it by the temperature.",
        r"$e^{(\ln p)/T} = p^{1/T}$, and then divide by the sum.",
    ),
    mistakes="""
Those are the probabilities at temperature 1.
- p ** (1 / {{temperature}})
+ p

You multiply the logits by the temperature. They are divided by it.
- 1 / {{temperature}}
+ {{temperature}}

Your numbers do not sum to 1: divide them by their sum.
- power / sum(powers)
+ power

You multiply by the temperature and forget to divide by the sum.
- 1 / {{temperature}}
+ {{temperature}}
- power / sum(powers)
+ power

You divide the probabilities themselves by the temperature. It divides the logits.
+ probabilities = [p / {{temperature}} for p in {{probabilities}}]

You multiply the probabilities themselves by the temperature. It divides the logits.
+ probabilities = [p * {{temperature}} for p in {{probabilities}}]

That is the softmax of probabilities divided by the temperature. The logits are their
logarithms.
- p ** (1 / {{temperature}})
+ math.exp(p / {{temperature}})

That is the softmax of the probabilities multiplied by the temperature.
- p ** (1 / {{temperature}})
+ math.exp(p * {{temperature}})

That is a softmax of the probabilities. The temperature plays no part in it, and a
probability is no logit.
- p ** (1 / {{temperature}})
+ math.exp(p)

Those are logits, divided by the temperature. Take their softmax.
- power / sum(powers)
+ math.log(power)

You use logarithms of base 2, and the softmax uses e.
- p ** (1 / {{temperature}})
+ math.exp(math.log2(p) / {{temperature}})

You use logarithms of base 10, and the softmax uses e.
- p ** (1 / {{temperature}})
+ math.exp(math.log10(p) / {{temperature}})

The logits have the wrong sign: the likeliest token is now the least likely.
- p ** (1 / {{temperature}})
+ p ** (-1 / {{temperature}})

That is greedy, a temperature of almost 0: the likeliest token has everything.
- power / sum(powers)
+ float(power == max(powers))

That is an infinite temperature: all tokens are equally likely.
- p ** (1 / {{temperature}})
+ 1

You divide by the largest of the powers. Divide by their sum.
- / sum(powers)
+ / max(powers)

You put the likeliest token first. Give the probabilities in the order of the task.
- for power in powers]
+ for power in sorted(powers)[::-1]]

The order is turned round. Give the probabilities in the order of the task.
- for power in powers]
+ for power in powers[::-1]]

You put the likeliest token last. Give the probabilities in the order of the task.
- for power in powers]
+ for power in sorted(powers)]

You take the softmax of the new probabilities once more. Once is enough.
- probabilities = [power / sum(powers) for power in powers]
+ powers = [math.exp(power / sum(powers)) for power in powers]
+ probabilities = [power / sum(powers) for power in powers]

You divide twice by the temperature.
- 1 / {{temperature}}
+ 1 / {{temperature}} ** 2

You subtract the temperature from the probabilities. It divides the logits.
+ probabilities = [p - {{temperature}} for p in {{probabilities}}]

You divide logits by their sum. The softmax takes e to the power of each of them first.
- p ** (1 / {{temperature}})
+ math.log(p) / {{temperature}}

You use natural logarithms as logits, but take powers of 2. The softmax takes powers of
e.
- p ** (1 / {{temperature}})
+ 2 ** (math.log(p) / {{temperature}})
""",
    reference=reference,
    values=values,
    checks=(they_sum_to_one,),
    tolerance=0.0006,
)
