"""Predict the learning rate of the paper's schedule at one step."""

from exercises.engine.exercise import Exercise


def values(draw):
    return {
        "d_model": int(draw.choice([256, 576, 1024])),
        "warmup": int(draw.choice([100, 400, 900, 1600])),
        "times": int(draw.choice([4, 9])),
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
halves whenever the step becomes four times as large. During the warm-up,
$\text{step} \cdot \text{warmup}^{-1.5}$ is smaller, which is a straight line. They
meet at the end of the warm-up, where the rate is highest.
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

That is the rate one step earlier. Steps count from 1: at a step 0 the formula divides
by zero.
- step**0.5
+ (step - 1)**0.5

The factor `d_model**-0.5` is left out.
- {{d_model}}**0.5 * step**0.5
+ step**0.5

The rate falls with the root of the step, not with the step.
- step**0.5
+ step

`d_model` goes in with its root, not as it is.
- {{d_model}}**0.5
+ {{d_model}}

That is the rate. The question asks for the whole number that 1 is divided by.
- {{d_model}}**0.5 * step**0.5
+ 1 / ({{d_model}}**0.5 * step**0.5)

The step is {{times}} times the warm-up, not {{times}}.
- step = {{times}} * {{warmup}}
+ step = {{times}}

`d_model` is in the wrong place: the rate falls with its root, so the whole number
grows.
- {{d_model}}**0.5 * step**0.5
+ step**0.5 / {{d_model}}**0.5

That is the product of `d_model` and the step. Each goes in with its root.
- {{d_model}}**0.5 * step**0.5
+ {{d_model}} * step

After the highest rate, the fall is with the root of the step, not with the step.
- step**0.5
+ {{warmup}}**0.5 * {{times}}

The warm-up does not count again: after it, the rate depends on `d_model` and the step
alone.
- step**0.5
+ step**0.5 * {{warmup}}**0.5

That is the number of the step. Its root goes in, and so does that of `d_model`.
- {{d_model}}**0.5 * step**0.5
+ step

The steps count from 1, but not from the end of the warm-up: the step is {{times}} times
the warm-up in all.
- {{times}} * {{warmup}}
+ ({{times}} - 1) * {{warmup}}

The warm-up is added: the step given is counted from the first step.
- {{times}} * {{warmup}}
+ ({{times}} + 1) * {{warmup}}

`d_model` is left out, and the line of the warm-up is continued.
- {{d_model}}**0.5 * step**0.5
+ {{warmup}}**1.5 / step

The rate has the roots of both, not their exponents of -0.5 as a factor of 0.5.
- {{d_model}}**0.5 * step**0.5
+ 0.5 * {{d_model}} * 0.5 * step
""",
    reference=reference,
    values=values,
    tolerance=1e-6,
)
