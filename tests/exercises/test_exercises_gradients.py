"""Where a gradient must arrive and does not, the weight or argument is named."""

from exercises.engine.calls import call
from exercises.engine.exercise import FRAMEWORKS, Exercise
from exercises.engine.judge import judge
from exercises.engine.programs import run_program
from exercises.engine.registry import find
from exercises.engine.verdict import EXCEPTION, RIGHT
from exercises.worker import LocalAnswer

import pytest

SCALE = """
class Scale(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.factor = nn.Parameter(torch.ones(size))

    def forward(self, x):
        return x * self.factor
"""
TF_SCALE = """
class Scale(keras.layers.Layer):
    def __init__(self, size):
        super().__init__()
        self.factor = self.add_weight(shape=(size,))

    def call(self, x):
        return x * self.factor
"""


@pytest.mark.parametrize(
    ("framework", "wrong", "words"),
    [
        ("torch", "self.factor.detach()", "`factor` cannot learn"),
        ("torch", "self.factor.data", "`factor` cannot learn"),
        ("torch", "self.factor.requires_grad_(False)", "`factor` cannot learn"),
        ("tensorflow", "tf.stop_gradient(self.factor)", "`factor` cannot learn"),
        ("torch", "self.factor.data.mul_(2) / 2", "changed its weight `factor`"),
        (
            "tensorflow",
            "self.factor.assign(2 * self.factor) / 2",
            "changed its weight `factor`",
        ),
    ],
)
def test_a_weight_that_cannot_learn_or_does_not_stay_is_named(framework, wrong, words):
    exercise = Exercise(
        title="Scale",
        kind="build",
        difficulty=1,
        minutes=1,
        prompt="Scale x.",
        starter="class Scale:\n    ...",
        solution={"torch": SCALE, "tensorflow": TF_SCALE},
        why="",
        hints=("",),
        mistakes="",
        cases=lambda draw: [
            call(
                draw.normal(size=(2, 3)),
                new={"size": 3},
                weights={"factor": draw.normal(size=3)},
            )
        ],
        reference=lambda x, weights, size: x * weights["factor"],
    )
    program = exercise.solution_in(framework)
    verdicts = [
        judge(exercise, LocalAnswer(run_program(text, "Scale", framework)), 1)
        for text in (program, program.replace("x * self.factor", f"x * {wrong}"))
    ]
    assert verdicts[0].outcome == RIGHT, verdicts[0]
    assert words in verdicts[1].message, verdicts[1]


@pytest.mark.parametrize(
    ("exercise_id", "framework", "old", "new", "name"),
    [
        ("encoder.layer_norm", "torch", "+ bias", "+ bias.detach()", "bias"),
        (
            "decoder.cached_step",
            "tensorflow",
            "weights @ values",
            "tf.stop_gradient(weights @ values)",
            "query",
        ),
        (
            "transformer.smallest_transformer",
            "torch",
            ".mean()",
            ".mean().item()",
            "source_table",
        ),
        (
            "todays_decoder.even_load",
            "tensorflow",
            "tf.nn.softmax(scores, axis=-1)",
            "tf.constant(tf.nn.softmax(scores).numpy())",
            "scores",
        ),
    ],
)
def test_an_argument_that_no_gradient_reaches_is_named(
    exercise_id, framework, old, new, name
):
    exercise = find(exercise_id)
    program = exercise.solution_in(framework)
    assert old in program
    answer = run_program(program.replace(old, new), exercise.name, framework)
    verdict = judge(exercise, LocalAnswer(answer), 1)
    assert verdict.outcome not in (RIGHT, EXCEPTION)
    assert f"`{name}` cannot learn" in verdict.message


@pytest.mark.slow("a right loss whose gradient is NaN")
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_gradient_that_is_nan_is_told_though_the_loss_is_right(framework):
    exercise = find("transformer.smallest_transformer")
    program = exercise.solution_in(framework)
    keys = "attend(y, memory, memory, real"
    assert keys in program
    hidden = program.replace(keys, f"{keys} & (target_ids != 0)[:, :, None]")
    answer = run_program(hidden, exercise.name, framework)
    assert "`source_table` is NaN" in judge(exercise, LocalAnswer(answer), 1).message


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_where_a_gradient_must_arrive_a_forgotten_return_is_told_as_that(framework):
    exercise = find("decoder.cached_step")
    program = exercise.solution_in(framework).replace("return ", "result = ")
    answer = run_program(program, exercise.name, framework)
    assert "it returns None" in judge(exercise, LocalAnswer(answer), 1).message
