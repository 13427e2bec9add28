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
    title="The exact bend",
    kind="build",
    difficulty=2,
    minutes=10,
    prompt=r"""
Write the formula of the exact GELU, $z\,\Phi(z)$. (The library's own would be right
too, and teach you nothing.) The normal distribution function is

$$ \Phi(z) = \frac{1}{2}\left(1 + \operatorname{erf}\frac{z}{\sqrt 2}\right) $$

and `erf` is `torch.erf` or `tf.math.erf`.
""",
    solution={
        "torch": '''
def gelu(z):
    """Return the exact GELU of every number of z."""
    cumulative = (1 + torch.erf(z / 2**0.5)) / 2
    return z * cumulative
''',
        "tensorflow": '''
def gelu(z):
    """Return the exact GELU of every number of z."""
    cumulative = (1 + tf.math.erf(z / 2**0.5)) / 2
    return z * cumulative
''',
    },
    why=r"""
$\Phi(z)$ says how much of $z$ is let through: nearly all of a large number, half of a
small one, nearly nothing of a very negative one. ReLU asks the same question, and only
knows the answers 0 and 1.
""",
    hints=(
        r"First compute $\Phi(z)$. What is it for $z = 0$?",
        r"GELU is not $\Phi$: it weighs $z$ with it.",
        "`(1 + erf(z / 2**0.5)) / 2`, times `z`.",
    ),
    mistakes="""
This is the tanh form: close, up to half a thousandth, and not exact.
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

Your numbers are twice too large: Φ ends at 1, not at 2.
- )) / 2
+ ))

This is SiLU, which weighs z with the logistic function.
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

This is the logistic form, z · σ(1.702 z): a rougher approximation still.
@torch
- return z * cumulative
+ return z * torch.sigmoid(1.702 * z)
@tensorflow
- return z * cumulative
+ return z * tf.sigmoid(1.702 * z)
""",
    reference=reference,
    cases=cases,
    tolerance=1e-5,
)
