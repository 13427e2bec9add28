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
A loader reads the name of the activation from a checkpoint's `config.json` and looks it
up in this table. GPT-2 names `gelu_new`, which is the tanh form. With this loader its
logits come out a little wrong: nothing crashes, and the text even reads well. Repair
the table.
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
Both forms differ by at most half a thousandth, so no shape, no crash and no bad
sentence tells on the mistake. Only a comparison of numbers with the published model
does. The same slip was made [in nanoGPT](https://github.com/karpathy/nanoGPT/issues/274).
""",
    hints=(
        "Which of the four names is looked up for GPT-2, and what does the table give?",
        "Both libraries have the tanh form as an option of their GELU.",
        "One line of the table is wrong: `gelu_new` wants `tanh_form`.",
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

Whatever the name, you take the tanh form. Only `gelu_new` names it.
- return activations[name](z)
+ return tanh_form(z)

`silu` gives what `relu` should.
- "silu": nn.functional.silu
+ "silu": nn.functional.relu
- "silu": tf.nn.silu
+ "silu": tf.nn.relu
""",
    reference=reference,
    cases=cases,
    tolerance=1e-5,
)
