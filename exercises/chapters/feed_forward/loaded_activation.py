"""Find the bug: a loader that takes the exact GELU where the checkpoint has tanh's."""

import math

from exercises.engine.exercise import Exercise

import numpy as np

NAMES = ("gelu", "gelu_new", "silu", "relu")


def cases(draw):
    for name in NAMES:
        yield np.array([-2.5, -1.0, 0.5, 100.0]), name
    yield draw.normal(size=(2, 3)) * 2, "gelu_new"


def reference(z, name):
    cube = math.sqrt(2 / math.pi) * (z + 0.044715 * z**3)
    return {
        "gelu": z * (1 + np.vectorize(math.erf)(z / math.sqrt(2))) / 2,
        "gelu_new": z * (1 + np.tanh(cube)) / 2,
        "silu": z / (1 + np.exp(-z)),
        "relu": np.maximum(z, 0),
    }[name]


EXERCISE = Exercise(
    title="The wrong GELU",
    kind="find the bug",
    difficulty=2,
    minutes=10,
    prompt="""
A program that loads a published model reads the name of its activation function from
the file `config.json` and looks it up in this table. For GPT-2 the name is `gelu_new`,
which means the tanh approximation (5.3). Nothing crashes, but GPT-2's outputs are
slightly wrong. Fix the table.
""",
    bug="`gelu_new` is still the exact GELU",
    solution={
        "torch": '''
from functools import partial


def activate(z, name):
    """Apply the activation that a config.json calls name."""
    exact = nn.functional.gelu
    tanh_form = partial(exact, approximate="tanh")
    activations = {
        "gelu": exact,
        "gelu_new": tanh_form,
        "silu": nn.functional.silu,
        "relu": nn.functional.relu,
    }
    return activations[name](z)
''',
        "tensorflow": '''
from functools import partial


def activate(z, name):
    """Apply the activation that a config.json calls name."""
    exact = tf.nn.gelu
    tanh_form = partial(exact, approximate=True)
    activations = {
        "gelu": exact,
        "gelu_new": tanh_form,
        "silu": tf.nn.silu,
        "relu": tf.nn.relu,
    }
    return activations[name](z)
''',
    },
    why="""
The two forms differ by at most half a thousandth, so the mistake shows neither in the
shapes nor in an error message, and hardly in the outputs. A comparison with the numbers
of the published model reveals it. nanoGPT replaced its own tanh form with PyTorch's
exact GELU in [this pull request](https://github.com/karpathy/nanoGPT/pull/274), because
the library's function was faster than the one written by hand.
""",
    hints=(
        "Which of the names is looked up for GPT-2, and what does the table return?",
        "Both libraries offer the tanh form as an option of their GELU.",
        "One line of the table is wrong: `gelu_new` should be `tanh_form`.",
    ),
    mistakes="""
`gelu_new` is still the exact GELU. Which form was GPT-2 trained with?
- "gelu_new": tanh_form
+ "gelu_new": exact

Now `gelu` is the tanh form. BERT was trained with the exact one.
- "gelu": exact
+ "gelu": tanh_form

The two forms have changed places: `gelu` is the exact one.
- "gelu": exact
+ "gelu": tanh_form
- "gelu_new": tanh_form
+ "gelu_new": exact

You use the tanh form for every name. It belongs to `gelu_new` only.
- return activations[name](z)
+ return tanh_form(z)

`silu` now returns what `relu` should.
- "silu": nn.functional.silu
+ "silu": nn.functional.relu
- "silu": tf.nn.silu
+ "silu": tf.nn.relu

`gelu_new` is now SiLU, a different function. It should be the tanh form of GELU.
@torch
- "gelu_new": tanh_form
+ "gelu_new": nn.functional.silu
@tensorflow
- "gelu_new": tanh_form
+ "gelu_new": tf.nn.silu

The table no longer knows the name `gelu_new`, which the config of GPT-2 contains.
- "gelu_new": tanh_form
+ "gelu_tanh": tanh_form

`gelu_new` is now z · σ(1.702 z), a rougher approximation than the tanh form.
@torch
- "gelu_new": tanh_form
+ "gelu_new": lambda z: z * torch.sigmoid(1.702 * z)
@tensorflow
- "gelu_new": tanh_form
+ "gelu_new": lambda z: z * tf.sigmoid(1.702 * z)

`gelu_new` is now tanh itself. The tanh form is an approximation of GELU.
@torch
- "gelu_new": tanh_form
+ "gelu_new": torch.tanh
@tensorflow
- "gelu_new": tanh_form
+ "gelu_new": tf.tanh

`gelu_new` is now ReLU, a different function. It should be the tanh form of GELU.
@torch
- "gelu_new": tanh_form
+ "gelu_new": nn.functional.relu
@tensorflow
- "gelu_new": tanh_form
+ "gelu_new": tf.nn.relu

You gave the tanh form to `silu`. It belongs to `gelu_new`, which is still exact.
- "gelu_new": tanh_form
+ "gelu_new": exact
- "silu": nn.functional.silu
+ "silu": tanh_form
- "silu": tf.nn.silu
+ "silu": tanh_form

The cube is missing in your tanh form (5.3). The starter already defines `tanh_form`.
@torch
- "gelu_new": tanh_form
+ "gelu_new": lambda z: z / 2 * (1 + torch.tanh((2 / math.pi) ** 0.5 * z))
@tensorflow
- "gelu_new": tanh_form
+ "gelu_new": lambda z: z / 2 * (1 + tf.tanh((2 / math.pi) ** 0.5 * z))

The exact GELU is used for every name.
- return activations[name](z)
+ return exact(z)

Your tanh form has the root of 2π. It is the root of 2 / π, and the starter already
defines `tanh_form`.
@torch
- tanh_form = partial(exact, approximate="tanh")
+ inner = (2 * math.pi) ** 0.5 * (z + 0.044715 * z**3)
- "gelu_new": tanh_form
+ "gelu_new": lambda z: z / 2 * (1 + torch.tanh(inner))
@tensorflow
- tanh_form = partial(exact, approximate=True)
+ inner = (2 * math.pi) ** 0.5 * (z + 0.044715 * z**3)
- "gelu_new": tanh_form
+ "gelu_new": lambda z: z / 2 * (1 + tf.tanh(inner))

Your tanh form has a square where (5.3) has a cube. The starter already defines
`tanh_form`.
@torch
- tanh_form = partial(exact, approximate="tanh")
+ inner = (2 / math.pi) ** 0.5 * (z + 0.044715 * z**2)
- "gelu_new": tanh_form
+ "gelu_new": lambda z: z / 2 * (1 + torch.tanh(inner))
@tensorflow
- tanh_form = partial(exact, approximate=True)
+ inner = (2 / math.pi) ** 0.5 * (z + 0.044715 * z**2)
- "gelu_new": tanh_form
+ "gelu_new": lambda z: z / 2 * (1 + tf.tanh(inner))
""",
    reference=reference,
    cases=cases,
    tolerance=1e-5,
)
