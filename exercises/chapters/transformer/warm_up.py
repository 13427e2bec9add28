"""Predict the learning rate of the paper's schedule at one step."""

from exercises.engine.exercise import Exercise


def values(draw):
    return {
        "d_model": int(draw.choice([256, 484, 784, 1024])),
        "warmup": int(draw.choice([100, 400, 900, 2500, 4900])),
        "times": int(draw.choice([4, 9, 16])),
    }


def reference(d_model, warmup, times):
    step = times * warmup
    return 1 / (d_model**-0.5 * min(step**-0.5, step * warmup**-1.5))


EXERCISE = Exercise(
    title="Up, then down",
    kind="predict",
    difficulty=2,
    minutes=5,
    prompt=r"""
A model with $d_\text{model} = {{d_model}}$ is trained with the paper's schedule and a
warm-up of {{warmup}} steps. At step {{times}} · {{warmup}}, the learning rate is one
divided by a whole number. Which one?
""",
    starter="""
whole_number = ...  # the rate is 1 / whole_number
""",
    solution="""
step = {{times}} * {{warmup}}
whole_number = {{d_model}}**0.5 * step**0.5
""",
    why=r"""
After the warm-up, the smaller of the two terms is $\text{step}^{-0.5}$, so the rate
halves whenever the step becomes four times as large. During the warm-up, the other
term, $\text{step} \cdot \text{warmup}^{-1.5}$, is smaller; its graph is a straight
line. The two meet at the end of the warm-up, where the rate is highest.
""",
    hints=(
        "Is this step on the way up or on the way down?",
        r"After the warm-up, the rate is $d_\text{model}^{-0.5} \cdot "
        r"\text{step}^{-0.5}$.",
        "The root of {{d_model}}, times the root of the step.",
    ),
    mistakes="""
That continues the straight line of the warm-up. The formula takes the smaller of two
terms, and after the warm-up that is the other one.
- step**0.5
+ {{warmup}}**1.5 / step

That is the highest rate, at the end of the warm-up. This step comes later.
- step**0.5
+ {{warmup}}**0.5

That belongs to the step before. Steps count from 1: at step 0 the formula divides by
zero.
- step**0.5
+ (step - 1)**0.5

The factor `d_model**-0.5` is left out.
- {{d_model}}**0.5 * step**0.5
+ step**0.5

The rate falls with the square root of the step, not with the step itself.
- step**0.5
+ step

The formula takes the square root of `d_model`, not `d_model` itself.
- {{d_model}}**0.5
+ {{d_model}}

That is the rate. The question asks for the whole number by which 1 is divided.
- {{d_model}}**0.5 * step**0.5
+ 1 / ({{d_model}}**0.5 * step**0.5)

The step is {{times}} times the warm-up, not {{times}}.
- step = {{times}} * {{warmup}}
+ step = {{times}}

`d_model` is on the wrong side: the rate falls with its root, so the whole number
grows with it.
- {{d_model}}**0.5 * step**0.5
+ step**0.5 / {{d_model}}**0.5

That is the product of `d_model` and the step. Take the square root of each.
- {{d_model}}**0.5 * step**0.5
+ {{d_model}} * step

After its peak, the rate falls with the square root of the step, not with the step
itself.
- step**0.5
+ {{warmup}}**0.5 * {{times}}

The warm-up does not count again: after it, the rate depends on `d_model` and the step
alone.
- step**0.5
+ step**0.5 * {{warmup}}**0.5

That is the step itself. Take its square root, times that of `d_model`.
- {{d_model}}**0.5 * step**0.5
+ step

Steps count from the start of training, not from the end of the warm-up.
- {{times}} * {{warmup}}
+ ({{times}} - 1) * {{warmup}}

The warm-up is added, but the given step already includes it.
- {{times}} * {{warmup}}
+ ({{times}} + 1) * {{warmup}}

`d_model` is left out, and the line of the warm-up is continued.
- {{d_model}}**0.5 * step**0.5
+ {{warmup}}**1.5 / step

In the formula, -0.5 is an exponent, not a factor: take square roots.
- {{d_model}}**0.5 * step**0.5
+ 0.5 * {{d_model}} * 0.5 * step

That is the root of `d_model` alone. The rate also depends on the step.
- {{d_model}}**0.5 * step**0.5
+ {{d_model}}**0.5

You took the root twice.
- {{d_model}}**0.5 * step**0.5
+ ({{d_model}} * step) ** 0.25
""",
    reference=reference,
    values=values,
    book={"d_model": 1024, "warmup": 900, "times": 9},
    tolerance=1e-6,
)
