"""Predict the learning rate of the paper's schedule at one step."""

from exercises.engine.exercise import Exercise


def values(draw):
    return {
        "d_model": int(draw.choice([1024, 256])),
        "warmup": int(draw.choice([100, 400])),
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
The paper's schedule has $d_\text{model} = {{d_model}}$ and a warm-up of {{warmup}}
steps. At the step {{times}} · {{warmup}}, the learning rate is one divided by a whole
number. Which?
""",
    starter="""
whole_number = ...  # the rate is 1 / whole_number
""",
    solution="""
step = {{times}} * {{warmup}}
whole_number = {{d_model}}**0.5 * step**0.5
""",
    why=r"""
After the warm-up the smaller of the two terms is $\text{step}^{-0.5}$: four times as
late, half as fast. Before it, $\text{step} \cdot \text{warmup}^{-1.5}$ is the
smaller, a straight line. They meet at the end of the warm-up, at the highest rate.
""",
    hints=(
        "Is this step on the way up or on the way down?",
        r"After the warm-up, the rate is $d_\text{model}^{-0.5} \cdot "
        r"\text{step}^{-0.5}$.",
        "The root of {{d_model}}, times the root of the step.",
    ),
    mistakes="""
That is the rate on the line upwards, gone on for ever. The formula takes the smaller of
two terms.
- step**0.5
+ {{warmup}}**1.5 / step

That is the highest rate, at the end of the warm-up.
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

That is the rate. Asked for is the whole number that 1 is divided by.
- {{d_model}}**0.5 * step**0.5
+ 1 / ({{d_model}}**0.5 * step**0.5)
""",
    reference=reference,
    values=values,
)
