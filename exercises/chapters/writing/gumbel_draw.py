"""Build the Gumbel-max trick: a draw that takes no softmax and no running total."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, vocab_size, middle, temperature, filtered in (
        (1, 3, 0.0, 1.0, 0),
        (30, 6, -2.0, 0.6, 0),
        (40, 9, 2.0, 1.7, 3),
        (50, 7, 1.0, 0.8, 2),
    ):
        yield drawn(draw, batch, vocab_size, middle, temperature, filtered)


def drawn(draw, batch, vocab_size, middle, temperature, filtered):
    """Draw rows in which the best token is clearly the best."""
    logits = middle + 1.5 * draw.normal(size=(batch, vocab_size))
    logits[:, draw.permutation(vocab_size)[:filtered]] = -np.inf
    uniform = draw.random(size=(batch, vocab_size))
    for row in range(batch):
        while not clear(logits[row], uniform[row], temperature):
            uniform[row] = draw.uniform(0.001, 0.999, size=vocab_size)
    return logits, uniform, temperature


def clear(logits, uniform, temperature):
    """Whether the best token is better than the next by more than rounding."""
    best = np.sort(logits / temperature - np.log(-np.log(uniform)))
    return best[-1] - best[-2] > 0.01


def reference(logits, uniform, temperature):
    # A race: each token arrives after a time -ln u / p, and the first is drawn.
    p = np.exp((logits - logits.max(1, keepdims=True)).astype(np.float64) / temperature)
    with np.errstate(divide="ignore"):
        return (-np.log(uniform) / p).argmin(1)


def the_noise_is_given(ask, draw):
    logits = draw.normal(size=(60, 5)).astype("float32")
    uniform = draw.uniform(0.01, 0.99, size=(60, 5)).astype("float32")
    first, again = (ask(logits, uniform, 1.0) for _ in range(2))
    if (moved := np.sum(first != again)) > 0:
        return f"Asked twice with the same numbers, {moved} of 60 rows draw another id."
    if (first == ask(logits, 1 - uniform, 1.0)).all():
        return "With other numbers in `uniform`, you draw the same 60 ids."
    return None


EXERCISE = Exercise(
    title="Draw without a softmax",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt=r"""
Tokens can be drawn without a softmax. Draw a number $u$ between 0 and 1 for every token
of the vocabulary, turn it into noise, $g = -\ln(-\ln u)$, and add this to the logits
divided by the temperature. The token with the largest sum is the one drawn, and each
token is drawn as often as its probability says. This is the **Gumbel-max trick**. The
numbers $u$ are given, so that your draw can be checked. Logits of $-\infty$ occur:
those tokens were filtered out.
""",
    solution={
        "torch": '''
def gumbel_draw(logits, uniform, temperature):
    """Return the ids drawn, (batch,).

    logits and uniform, from 0 to 1: (batch, vocab_size).
    """
    noise = -torch.log(-torch.log(uniform))
    return torch.argmax(logits / temperature + noise, dim=1)
''',
        "tensorflow": '''
def gumbel_draw(logits, uniform, temperature):
    """Return the ids drawn, (batch,).

    logits and uniform, from 0 to 1: (batch, vocab_size).
    """
    noise = -tf.math.log(-tf.math.log(uniform))
    return tf.argmax(logits / temperature + noise, axis=1)
''',
    },
    why=r"""
Give each token a clock that rings after a random time, with a rate proportional to its
probability $p$: such a time is $-\ln u / p$. The clock of a token rings first with
probability $p$. The smallest time is the largest $-\ln(-\ln u / p)$, which is
$\ln p - \ln(-\ln u)$, and $\ln p$ is the logit divided by $T$, up to a constant that
all tokens share. Nothing has to be summed over the vocabulary, which helps when that is
split over several machines.
""",
    hints=(
        "There are two logarithms and two minus signs in the noise.",
        "The temperature divides the logits, and not the noise.",
        "`argmax(logits / temperature + noise)` over the vocabulary.",
    ),
    mistakes="""
One logarithm of the noise is missing.
- -torch.log(-torch.log(uniform))
+ -torch.log(uniform)
- -tf.math.log(-tf.math.log(uniform))
+ -tf.math.log(uniform)

Your noise is ln u, with one logarithm: you draw the largest product of p and u. The
likely tokens come out too often.
- -torch.log(-torch.log(uniform))
+ torch.log(uniform)
- -tf.math.log(-tf.math.log(uniform))
+ tf.math.log(uniform)

The noise has the wrong sign: it is subtracted where it should be added.
- + noise
+ - noise

The temperature changes nothing in your draw. Does it divide the noise, too, or is it
left out?
- logits / temperature
+ logits

You multiply the logits by the temperature, or divide the noise by it. Divide the logits
only.
- logits / temperature
+ logits * temperature

You divide the logits by the temperature twice, or multiply the noise by it as well.
- + noise
+ + temperature * noise

The noise is added to probabilities. It belongs to the logits.
@torch
- logits / temperature + noise
+ torch.softmax(logits / temperature, 1) + noise
@tensorflow
- logits / temperature + noise
+ tf.nn.softmax(logits / temperature, 1) + noise

The noise is added to probabilities, and those have no temperature.
@torch
- logits / temperature + noise
+ torch.softmax(logits, 1) + noise
@tensorflow
- logits / temperature + noise
+ tf.nn.softmax(logits, 1) + noise

The noise is added to probabilities, which are divided by the temperature.
@torch
- logits / temperature + noise
+ torch.softmax(logits, 1) / temperature + noise
@tensorflow
- logits / temperature + noise
+ tf.nn.softmax(logits, 1) / temperature + noise

You multiply the probabilities by the noise. Add it to the logits.
@torch
- logits / temperature + noise
+ torch.softmax(logits / temperature, 1) * noise
@tensorflow
- logits / temperature + noise
+ tf.nn.softmax(logits / temperature, 1) * noise

Your noise is u itself. A token that is more than 1 below the best is then never drawn.
- -torch.log(-torch.log(uniform))
+ uniform
- -tf.math.log(-tf.math.log(uniform))
+ uniform

That is greedy. Is the noise left out, or the same for all tokens of a row?
- + noise
+ + 0 * uniform

The logits are not used: every token is drawn equally often.
- logits / temperature + noise
+ noise

You use 1 - u in the noise. It is as random, but the task says u.
- log(uniform)
+ log(1 - uniform)

The outer logarithm is of 1 - u: that is other noise.
- -torch.log(-torch.log(uniform))
+ -torch.log(1 - uniform)
- -tf.math.log(-tf.math.log(uniform))
+ -tf.math.log(1 - uniform)

Your noise is the logarithm of the odds of u. That belongs to a choice between two.
@torch
- -torch.log(-torch.log(uniform))
+ torch.logit(uniform)
@tensorflow
- -tf.math.log(-tf.math.log(uniform))
+ tf.math.log(uniform) - tf.math.log(1 - uniform)

You take logarithms of base 2. The softmax uses e, and so does its noise.
- -torch.log(-torch.log(uniform))
+ -torch.log2(-torch.log2(uniform))
@tensorflow
- tf.math.log(-tf.math.log(uniform))
+ tf.math.log(-tf.math.log(uniform) / math.log(2)) / math.log(2)

You take the smallest sum. The largest one wins.
- argmax
+ argmin

You multiply the logits by the noise. Add it.
- temperature + noise
+ temperature * noise

Every row gets the noise of the first. Each text needs its own.
- + noise
+ + noise[0]

You look for the largest sum within a column. Each row draws one token.
- dim=1
+ dim=0
- axis=1
+ axis=0

That is a draw by the running total of the probabilities. The Gumbel-max trick needs
neither a softmax nor a running total.
@torch
- torch.argmax(logits / temperature + noise, dim=1)
+ (
+         torch.softmax(logits / temperature, 1).cumsum(1) <= uniform[:, :1]
+     ).sum(1)
@tensorflow
- tf.argmax(logits / temperature + noise, axis=1)
+ tf.reduce_sum(
+         tf.cast(
+             tf.cumsum(tf.nn.softmax(logits / temperature, 1), 1) <= uniform[:, :1],
+             tf.int32,
+         ),
+         1,
+     )

You return the sums. The ids of the tokens drawn are wanted.
- torch.argmax(logits / temperature + noise, dim=1)
+ logits / temperature + noise
- tf.argmax(logits / temperature + noise, axis=1)
+ logits / temperature + noise

You return the largest sums. The ids where they stand are wanted.
@torch
- torch.argmax(logits / temperature + noise, dim=1)
+ torch.amax(logits / temperature + noise, dim=1)
@tensorflow
- tf.argmax(logits / temperature + noise, axis=1)
+ tf.reduce_max(logits / temperature + noise, axis=1)

You return one token for the whole batch. Each row draws its own.
@torch
- , dim=1)
+ )
@tensorflow
- tf.argmax(logits / temperature + noise, axis=1)
+ tf.argmax(tf.reshape(logits / temperature + noise, [-1]))

You add u itself to the probabilities. The noise belongs to the logits, and it is not u.
@torch
- logits / temperature + noise
+ torch.softmax(logits / temperature, 1) + uniform
@tensorflow
- logits / temperature + noise
+ tf.nn.softmax(logits / temperature, 1) + uniform

You return the largest sums and their places. Only the places are wanted.
@torch
- torch.argmax(logits / temperature + noise, dim=1)
+ torch.max(logits / temperature + noise, dim=1)
@tensorflow
- tf.argmax(logits / temperature + noise, axis=1)
+ tf.math.top_k(logits / temperature + noise, 1)

You return every token's place in the order of the sums. The one with the largest is
wanted.
@torch
- torch.argmax(
+ torch.argsort(
@tensorflow
- tf.argmax(
+ tf.argsort(

You keep the axis of the vocabulary: return one id for each row, (batch,).
@torch
- dim=1)
+ dim=1, keepdim=True)
@tensorflow
- tf.argmax(logits / temperature + noise, axis=1)
+ tf.argmax(logits / temperature + noise, axis=1)[:, None]

A minus sign is missing: ln u is negative, and has no logarithm. Every noise is NaN.
- -torch.log(uniform)
+ torch.log(uniform)
- -tf.math.log(uniform)
+ tf.math.log(uniform)

You draw numbers of your own. Those to use are given in `uniform`.
@torch
- torch.log(uniform)
+ torch.log(torch.rand(logits.shape))
@tensorflow
- tf.math.log(uniform)
+ tf.math.log(np.random.uniform(size=logits.shape).astype("f"))

You draw by the probabilities with numbers of your own. Those to use are given in
`uniform`.
@torch
-     noise = -torch.log(-torch.log(uniform))
-     return torch.argmax(logits / temperature + noise, dim=1)
+     shares = torch.softmax(logits / temperature, dim=1)
+     return torch.multinomial(shares, 1)[:, 0]
@tensorflow
- return tf.argmax(logits / temperature + noise, axis=1)
+ seed = (1, 2)
+     drawn = tf.random.stateless_categorical
+     return drawn(logits / temperature, 1, seed)[:, 0]

Tokens that were filtered out get a logit of 0 in your sum, so they can be drawn. Leave
minus infinity as it is.
@torch
- logits / temperature
+ logits.where(logits > -torch.inf, 0) / temperature
@tensorflow
- logits / temperature
+ tf.where(logits > -np.inf, logits, 0.0) / temperature

You take logarithms of base 10. The softmax uses e, and so does its noise.
@torch
- -torch.log(-torch.log(uniform))
+ -torch.log10(-torch.log10(uniform))
@tensorflow
- tf.math.log(-tf.math.log(uniform))
+ tf.math.log(-tf.math.log(uniform) / math.log(10)) / math.log(10)

You return a row of zeros with a single 1. The id, where the 1 stands, is wanted.
@torch
- return torch.argmax(logits / temperature + noise, dim=1)
+ best = torch.argmax(logits / temperature + noise, dim=1)
+     return nn.functional.one_hot(best, logits.shape[1])
@tensorflow
- return tf.argmax(logits / temperature + noise, axis=1)
+ best = tf.argmax(logits / temperature + noise, axis=1)
+     return tf.one_hot(best, logits.shape[1])
""",
    reference=reference,
    cases=cases,
    checks=(the_noise_is_given,),
)
