"""Find the bug: a loader that takes the exact GELU where the checkpoint has tanh's."""

import math

from exercises.engine.exercise import Exercise, Mistake

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


TORCH = '''
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
'''
TENSORFLOW = '''
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
'''


NEW_IS_EXACT = ('"gelu_new": tanh_form', '"gelu_new": exact')
EXACT_IS_NEW = ('"gelu": exact', '"gelu": tanh_form')
BROKEN = Mistake("", NEW_IS_EXACT)

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
    starter={
        "torch": BROKEN.applied_to(TORCH, "torch"),
        "tensorflow": BROKEN.applied_to(TENSORFLOW, "tensorflow"),
    },
    solution={"torch": TORCH, "tensorflow": TENSORFLOW},
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
    mistakes=(
        Mistake(
            "`gelu_new` is still the exact GELU. Which form was GPT-2 trained with?",
            NEW_IS_EXACT,
        ),
        Mistake(
            "Now `gelu` is the tanh form. BERT was trained with the exact one.",
            EXACT_IS_NEW,
        ),
        Mistake(
            "The two forms have changed places: `gelu` is the exact one.",
            (EXACT_IS_NEW, NEW_IS_EXACT),
        ),
        Mistake(
            "Whatever the name, you take the tanh form. Only `gelu_new` names it.",
            ("return activations[name](z)", "return tanh_form(z)"),
        ),
        Mistake(
            "`silu` gives what `relu` should.",
            torch=('"silu": nn.functional.silu', '"silu": nn.functional.relu'),
            tensorflow=('"silu": tf.nn.silu', '"silu": tf.nn.relu'),
        ),
    ),
    reference=reference,
    cases=cases,
    tolerance=1e-5,
)
