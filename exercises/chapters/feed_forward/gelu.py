"""Build the exact GELU."""

import math

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    yield np.array([0.0, 1.0])
    yield np.array([-2.0, -0.5, 3.0])
    yield np.array([-30.0, -4.0, 7.0, 30.0])
    yield draw.normal(size=(2, 3)) * 2
    yield draw.normal(size=(4, 1, 5)) * 3


def reference(z):
    cumulative = (1 + np.vectorize(math.erf)(z / math.sqrt(2))) / 2
    return z * cumulative


EXERCISE = Exercise(
    title="The exact GELU",
    kind="build",
    difficulty=2,
    minutes=10,
    prompt=r"""
Write the exact GELU, $z\,\Phi(z)$, from its formula. The library's own GELU returns the
same numbers, so the check can't tell it from yours: use it to compare, not to answer.
The cumulative distribution function of the standard normal distribution is

$$ \Phi(z) = \frac{1}{2}\left(1 + \operatorname{erf}\frac{z}{\sqrt 2}\right) $$

where $\operatorname{erf}$, the *error function*, is `torch.erf` or `tf.math.erf`.
""",
    solution={
        "torch": '''
def gelu(z):
    """Return a tensor like z: the GELU of each number."""
    cumulative = (1 + torch.erf(z / 2**0.5)) / 2
    return z * cumulative
''',
        "tensorflow": '''
def gelu(z):
    """Return a tensor like z: the GELU of each number."""
    cumulative = (1 + tf.math.erf(z / 2**0.5)) / 2
    return z * cumulative
''',
    },
    why=r"""
$\Phi(z)$ is the fraction of $z$ that is let through: nearly all of a large number,
about half of a number near 0, and hardly anything of a very negative one. ReLU works in
the same way, but its fraction is either 0 or 1.
""",
    hints=(
        r"First compute $\Phi(z)$. What is it for $z = 0$?",
        r"GELU is not $\Phi(z)$ alone, but $z$ times $\Phi(z)$.",
        "`(1 + erf(z / 2**0.5)) / 2`, times `z`.",
    ),
    mistakes="""
This is the tanh form: close, up to half a thousandth, but not exact.
-     cumulative = (1 + torch.erf(z / 2**0.5)) / 2
-     return z * cumulative
+     inner = (2 / math.pi) ** 0.5 * (z + 0.044715 * z**3)
+     return z / 2 * (1 + torch.tanh(inner))
-     cumulative = (1 + tf.math.erf(z / 2**0.5)) / 2
-     return z * cumulative
+     inner = (2 / math.pi) ** 0.5 * (z + 0.044715 * z**3)
+     return z / 2 * (1 + tf.tanh(inner))

This is Φ(z) alone: GELU is z times it.
- return z * cumulative
+ return cumulative

Is the root of 2 missing inside erf?
- z / 2**0.5
+ z

Your numbers are twice as large as they should be: Φ approaches 1, not 2.
- )) / 2
+ ))

This is SiLU, which multiplies z by the logistic function instead of Φ(z).
@torch
- return z * cumulative
+ return z * torch.sigmoid(z)
@tensorflow
- return z * cumulative
+ return z * tf.sigmoid(z)

This is ReLU.
@torch
- return z * cumulative
+ return torch.relu(z)
@tensorflow
- return z * cumulative
+ return tf.nn.relu(z)

This is z · σ(1.702 z), an even rougher approximation than the tanh form.
@torch
- return z * cumulative
+ return z * torch.sigmoid(1.702 * z)
@tensorflow
- return z * cumulative
+ return z * tf.sigmoid(1.702 * z)

Inside erf, z is divided by the root of 2, not by 2.
- z / 2**0.5
+ z / 2

Inside erf, z is divided by the root of 2, not multiplied.
- z / 2**0.5
+ z * 2**0.5

You divided only erf by 2. The 1 before it has to be divided, too.
@torch
- (1 + torch.erf(z / 2**0.5)) / 2
+ 1 + torch.erf(z / 2**0.5) / 2
@tensorflow
- (1 + tf.math.erf(z / 2**0.5)) / 2
+ 1 + tf.math.erf(z / 2**0.5) / 2

The sign before erf is wrong: your Φ(z) falls where it should rise.
- (1 +
+ (1 -

This has tanh in the place of erf. The two look alike, but are different functions.
@torch
- torch.erf
+ torch.tanh
@tensorflow
- tf.math.erf
+ tf.tanh

The 1 before erf is missing: half of z has to be added.
- (1 + torch.erf(z / 2**0.5)) / 2
+ torch.erf(z / 2**0.5) / 2
- (1 + tf.math.erf(z / 2**0.5)) / 2
+ tf.math.erf(z / 2**0.5) / 2

You multiply z by the density of the normal distribution. Φ is the cumulative
distribution function.
- (1 + torch.erf(z / 2**0.5)) / 2
+ torch.exp(-(z**2) / 2) / (2 * math.pi) ** 0.5
- (1 + tf.math.erf(z / 2**0.5)) / 2
+ tf.exp(-(z**2) / 2) / (2 * math.pi) ** 0.5

You divide erf by the root of 2. Divide z by it, inside erf.
- torch.erf(z / 2**0.5)
+ torch.erf(z) / 2**0.5
- tf.math.erf(z / 2**0.5)
+ tf.math.erf(z) / 2**0.5

This is the tanh form without its cube.
@torch
- (1 + torch.erf(z / 2**0.5)) / 2
+ (1 + torch.tanh((2 / math.pi) ** 0.5 * z)) / 2
@tensorflow
- (1 + tf.math.erf(z / 2**0.5)) / 2
+ (1 + tf.tanh((2 / math.pi) ** 0.5 * z)) / 2

Python computes `z / 2**1/2` from the left: z divided by 2, and again by 2. The root of
2 is `2**0.5`.
- z / 2**0.5
+ z / 2**1/2

You divided only the 1 by 2. The erf has to be divided, too.
- (1 + torch.erf(z / 2**0.5)) / 2
+ 1 / 2 + torch.erf(z / 2**0.5)
- (1 + tf.math.erf(z / 2**0.5)) / 2
+ 1 / 2 + tf.math.erf(z / 2**0.5)
""",
    reference=reference,
    cases=cases,
    learns=True,
    tolerance=1e-5,
)
