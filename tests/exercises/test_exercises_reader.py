"""What a reader meets: light imports, one message, nothing of theirs disturbed."""

import dataclasses
import random
import re
import subprocess
import sys
import types
from collections import Counter

from exercises import check, hint, solution
from exercises.engine import check_hint_solution
from exercises.engine.calls import call
from exercises.engine.check_hint_solution import Markdown, Message
from exercises.engine.exercise import FRAMEWORKS, NAMES, Exercise
from exercises.engine.judge import judge
from exercises.engine.programs import prelude, run_program
from exercises.engine.registry import find
from exercises.engine.solution_lock import locked_variant
from exercises.engine.verdict import EXCEPTION, NOT_ATTEMPTED, RIGHT, WRONG
from exercises.marking.release import release, variant
from exercises.worker import LocalAnswer

import keras
import nbformat
import numpy as np
import pytest
import tensorflow as tf
import torch
from nbclient import NotebookClient

VALUE, FUNCTION = "attention.weights_by_hand", "attention.causal_mask"


@pytest.fixture
def shown(monkeypatch):
    """Collect what is shown instead of showing it."""
    messages = []
    monkeypatch.setattr(check_hint_solution, "_show", messages.append)
    monkeypatch.setattr(check_hint_solution, "_hints_given", Counter())
    monkeypatch.setattr(check_hint_solution, "_variants", {})
    return messages


def verdict(answer, name=FUNCTION):
    return judge(find(name), LocalAnswer(answer, seconds=0.5), seed=1)


def test_the_three_functions_load_no_framework():
    program = """
import sys
from exercises import check, hint, solution
hint("attention.causal_mask")
check("attention.weights_by_hand", [0.1, 0.2, 0.7])
print(sorted({"torch", "tensorflow", "keras", "matplotlib"} & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    first, second, third = done.stdout.splitlines()
    assert first == f"Hint 1 of 3: {find(FUNCTION).hints[0]}"
    assert second.startswith("✗ Entry [0] is 0.1, and that is not right.")
    assert third == "[]"


def test_a_released_notebook_runs_quietly_and_says_not_attempted(tmp_path):
    path, _ = release("attention", "S", tmp_path, only=[VALUE])
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    NotebookClient(notebook, timeout=900, startup_timeout=900).execute()
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", [])]
    (only,) = outputs
    assert only.data["text/plain"] == "· Not attempted yet."
    assert "· Not attempted yet.</div>" in only.data["text/html"]


def test_an_exception_is_told_with_the_readers_own_line():
    program = """
def helper(length):
    return length.no_such_thing


def causal_mask(length, key_length):
    return helper(length)
"""
    found = verdict(run_program(program, "causal_mask", "python"))
    assert found.outcome == EXCEPTION
    assert "your line 3, `return length.no_such_thing`" in found.message
    assert "'int' object has no attribute 'no_such_thing'" in found.message


def test_a_library_s_exception_is_told_at_the_line_that_called_it():
    program = """
import torch

def causal_mask(length, key_length):
    return torch.ones(length) @ torch.ones(length + 1)
"""
    found = verdict(run_program(program, "causal_mask", "torch"))
    assert "your line 5, `return torch.ones(length) @" in found.message


def test_an_ellipsis_that_was_left_is_not_an_exception():
    program = """
def causal_mask(length, key_length):
    mask = ...
    return mask[None]
"""
    found = verdict(run_program(program, "causal_mask", "python"))
    assert found.outcome == NOT_ATTEMPTED
    assert "`...` is still to be filled in" in found.message


def test_wrong_in_no_known_way_shows_the_smallest_input_and_both_values():
    def causal_mask(length, key_length):
        ago = torch.arange(key_length - length, key_length)[:, None]
        ago = ago - torch.arange(key_length)
        mask = ((ago >= 0) & (ago < 4))[None, None]
        mask[..., -1, -1] = length < 3
        return mask

    found = verdict(causal_mask)
    assert found.outcome == WRONG
    assert "With length=" in found.message
    assert "is False; True is wanted." in found.message


@pytest.mark.parametrize("framework", ["torch", "tensorflow"])
def test_the_framework_is_told_where_both_are_at_hand(framework):
    """A chapter's notebook has both, and `tf.nn` is not the `nn` of PyTorch."""
    programs = {
        "torch": "def f(x):\n    return nn.functional.relu(x)",
        "tensorflow": "def f(x):\n    return tf.nn.relu(x)",
    }
    scope = {}
    both = prelude("torch") + prelude("tensorflow")
    exec(both + programs[framework], scope)
    assert LocalAnswer(scope["f"]).about().frameworks == (framework,)


@pytest.mark.parametrize("framework", ["torch", "tensorflow"])
def test_a_function_that_names_no_framework_is_tried(framework):
    """A function of one framework may take the other's tensors, and return its own."""
    exercise, _ = doubling("def double(x):\n    return x")
    code = {"torch": "torch.as_tensor", "tensorflow": "tf.convert_to_tensor"}[framework]
    exercise = dataclasses.replace(
        exercise,
        solution=dict.fromkeys(FRAMEWORKS, "def double(x):\n    return x + x"),
    )
    scope = {}
    exec(prelude("torch") + prelude("tensorflow"), scope)
    exec(
        f"tools = [{code}]\ndef double(x):\n    x = tools[0](x)\n    return x + x",
        scope,
    )
    found = judge(exercise, LocalAnswer(scope["double"]), 1)
    assert found.outcome == RIGHT, found
    assert {"torch": "PyTorch", "tensorflow": "TensorFlow"}[framework] in found.message


def test_an_endless_loop_is_stopped():
    def causal_mask(length, key_length):
        while True:
            pass

    found = verdict(causal_mask)
    assert found.outcome == EXCEPTION
    assert "it ran for more than 0.5 seconds" in found.message


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_endless_loop_that_misses_one_stop_gets_another():
    """Of what is raised where Python tidies up, a loop does not hear."""

    def causal_mask(length, key_length):
        class Loop:
            def __del__(self):
                while True:
                    pass

        for _ in range(2):
            Loop()
        while True:
            pass

    assert "it ran for more than" in verdict(causal_mask).message


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (torch.ones(2), "A function is asked for, and this is a value"),
        (torch.nn.Linear, "A function is asked for, and this is a class"),
        (torch.nn.Linear(2, 2), "A function is asked for, and this is a layer"),
        (lambda length, key_length: None, "it returns None. Is a `return` reached"),
        (lambda length, key_length: np.eye(length) > 0, "You return a NumPy array"),
        (lambda length, key_length: [[[[True]]]], "it is a list; a tensor is wanted"),
        (lambda length, key_length: ..., "Not finished yet"),
    ],
)
def test_what_is_no_answer_is_said_to_be_none(answer, words):
    assert words in verdict(answer).message


def test_the_books_own_function_is_not_the_readers():
    from scratch.torch import causal_mask

    assert "the book's own" in verdict(causal_mask).message


WHOLE, SEVERAL, MIXED = "multi_head.parameters", VALUE, "attention.score_spread"
WRAPPINGS = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "tensor": torch.tensor,
    "single precision": lambda right: np.array(right, np.float32),
    "tensor of floats": lambda right: torch.tensor(right, dtype=torch.float32),
    "NumPy's numbers": lambda right: [np.float32(one) for one in right],
    "floats": lambda right: [float(one) for one in right],
    "one number": lambda right: float(right[0]),
}


@pytest.mark.parametrize("wrapping", WRAPPINGS)
@pytest.mark.parametrize("name", [WHOLE, SEVERAL, MIXED])
def test_a_value_may_come_in_any_wrapping(name, wrapping):
    right = find(name).reference(**find(name).drawn())
    several = np.atleast_1d(right).tolist()
    answer = WRAPPINGS[wrapping](several)
    found = verdict(answer, name)
    if wrapping == "one number" and name != WHOLE:
        assert "number; a list of" in found.message
    else:
        assert found.outcome == RIGHT, found


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("144", "It is a string; a whole number is wanted."),
        (True, "It is True; a whole number is wanted."),
        (461.5, "It is 461.5; a whole number is wanted."),
        ([1, 2], "It is a list; a whole number is wanted."),
        (461, "It is 461, and that is not right."),
    ],
)
def test_a_value_that_is_wrong_is_not_told_what_is_right(answer, words):
    assert verdict(answer, WHOLE).message.startswith(words)


def itself():
    """Return a list that contains itself."""
    items = []
    items.append(items)
    return items


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (["0.5", "0.5", "0"], "In item [0], it is a string; a number is wanted."),
        ([0.5, None, 0], "In item [1], it is None; a number is wanted."),
        ([[0.5, 0.5], [0]], "It has parts of different lengths; a list of 3 numbers"),
        (torch.eye(3).to_sparse(), "Your value cannot be read"),
        (itself(), "Your value cannot be read"),
    ],
)
def test_a_value_that_holds_something_else_is_told_what(answer, words):
    found = verdict(answer, VALUE)
    assert found.outcome == WRONG
    assert words in found.message


def test_of_a_library_s_message_the_last_words_are_left_out():
    def causal_mask(length, key_length):
        return tf.ones(length + 1) + tf.ones(length + 2)

    found = verdict(causal_mask)
    assert found.outcome == EXCEPTION
    assert "Incompatible shapes: [2] vs. [3]." in found.message


def test_an_exception_that_cannot_tell_its_message_is_told():
    class SilentError(Exception):
        def __str__(self):
            raise ValueError

    def causal_mask(length, key_length):
        raise SilentError

    found = verdict(causal_mask)
    assert found.outcome == EXCEPTION
    assert "SilentError" in found.message and "cannot be shown" in found.message


def test_random_states_and_prints_are_left_alone(capsys):
    def causal_mask(length, key_length):
        print("noise")
        random.random(), np.random.rand(), torch.rand(1)
        ages = torch.arange(length) + key_length - length
        ago = ages[:, None] - torch.arange(key_length)
        return ((ago >= 0) & (ago < 4))[None, None]

    states = [random.getstate(), np.random.get_state()[1].copy(), torch.get_rng_state()]
    assert verdict(causal_mask).outcome == RIGHT
    assert random.getstate() == states[0]
    assert (np.random.get_state()[1] == states[1]).all()
    assert (torch.get_rng_state() == states[2]).all()
    assert capsys.readouterr().out == ""


def test_what_keras_draws_next_is_left_alone():
    def causal_mask(length, key_length):
        keras.random.normal((1,))
        ages = tf.range(length)[:, None] - tf.range(key_length) + key_length - length
        return ((ages >= 0) & (ages < 4))[None, None]

    drawn = []
    for _ in range(2):
        keras.utils.set_random_seed(3)
        keras.random.normal((1,))
        if drawn:
            assert verdict(causal_mask).outcome == RIGHT
        drawn.append(float(keras.random.normal(())))
    assert drawn[0] == drawn[1]


def doubling(program):
    """Return an exercise and an answer: a function that doubles."""
    exercise = Exercise(
        title="Double",
        kind="build",
        difficulty=1,
        minutes=1,
        prompt="Double x.",
        starter="def double(x):\n    ...",
        solution="def double(x):\n    return x + x",
        why="",
        hints=("",),
        mistakes="You return what came in.\n- x + x\n+ x",
        cases=lambda draw: [call(draw.normal(size=n)) for n in (3, 1)],
        reference=lambda x: 2 * x,
    )
    return exercise, LocalAnswer(run_program(program, "double", "python"))


def test_an_answer_that_failed_is_asked_nothing_larger():
    """There it may never end, and then it would be told that instead."""
    exercise, answer = doubling("def double(x):\n    raise ValueError(len(x))")
    asked = []

    def reply(case, framework):
        asked.append(case.args[0].size)
        return answer.reply(case, framework)

    found = judge(exercise, types.SimpleNamespace(about=answer.about, reply=reply), 1)
    assert found.outcome == EXCEPTION
    assert asked == [1]


def test_a_changed_argument_is_named():
    exercise, answer = doubling("def double(x):\n    x *= 2\n    return x")
    found = judge(exercise, answer, 1)
    assert found.outcome == WRONG
    assert "changed its argument `x` in place" in found.message


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
    found = [
        judge(exercise, LocalAnswer(run_program(text, "Scale", framework)), 1)
        for text in (program, program.replace("x * self.factor", f"x * {wrong}"))
    ]
    assert found[0].outcome == RIGHT, found[0]
    assert words in found[1].message, found[1]


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
    found = judge(exercise, LocalAnswer(answer), 1)
    assert found.outcome not in (RIGHT, EXCEPTION)
    assert f"`{name}` cannot learn" in found.message


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


def test_the_smallest_input_comes_first():
    exercise, answer = doubling("def double(x):\n    return 3 * x")
    assert judge(exercise, answer, 1).message.startswith("With x=[")


def test_hints_come_one_by_one(shown):
    for _ in range(4):
        hint(VALUE)
    texts = [message.text for message in shown]
    assert [text[:9] for text in texts[:3]] == ["Hint 1 of", "Hint 2 of", "Hint 3 of"]
    assert "solution(" in texts[3]


DRAWN = "embeddings.unscaled_logits"  # its first hint holds what was drawn


def d_model(variant=0):
    return find(DRAWN).drawn(variant)["d_model"]


# Those whose number is not the book's.
SEED = next(seed for seed in "ABCDEFGH" if d_model(variant(seed)) != d_model())
OTHER = next(number for number in range(1, 99) if d_model(number) != d_model())


def test_the_first_hint_of_a_release_is_of_its_own_task(tmp_path, shown):
    path, _ = release("embeddings", SEED, tmp_path, only=[DRAWN])
    welcome, _, helpers, *_ = nbformat.read(path, as_version=4).cells
    scope = {}
    exec(helpers.source, scope)
    eval(re.search(r"`(hint\(.*?\))`", welcome.source)[1], scope)
    assert f"sum of {d_model(variant(SEED))} products" in shown[0].text
    solution(DRAWN)
    assert f"d_model = {d_model(variant(SEED))}" in shown[1].text


def test_hint_and_solution_are_of_the_task_that_was_checked(shown):
    check(DRAWN, ..., variant=locked_variant(OTHER))
    hint(DRAWN)
    solution(DRAWN)
    assert f"sum of {d_model(OTHER)} products" in shown[1].text
    assert f"d_model = {d_model(OTHER)}" in shown[2].text
    check(DRAWN, ...)
    solution(DRAWN)
    assert f"d_model = {d_model()}" in shown[4].text


def test_a_locked_solution_opens_with_its_word_and_no_other(shown):
    locked = locked_variant(OTHER, "Autumn plum")
    check(DRAWN, ..., variant=locked)
    hint(DRAWN)
    assert f"sum of {d_model(OTHER)} products" in shown[-1].text
    # Nor without the lock, with that of an open release, or with another number's.
    for other in (
        None,
        OTHER,
        locked_variant(OTHER),
        locked_variant(OTHER + 1, "Autumn plum"),
    ):
        solution(DRAWN, other, word="autumn pear")
        assert "opens with the word" in shown[-1].text
        assert str(d_model(OTHER)) not in shown[-1].text
    solution(DRAWN, locked)
    assert "opens with the word" in shown[-1].text
    solution(DRAWN, locked, word=" autumn PLUM")
    assert f"d_model = {d_model(OTHER)}" in shown[-1].text


def test_the_solution_shows_both_frameworks_and_why(shown):
    solution(FUNCTION)
    (text,) = (message.text for message in shown)
    assert "def causal_mask(" in text and "def tf_causal_mask(" in text
    assert text.endswith(find(FUNCTION).why.strip())
    assert shown[0]._repr_markdown_() == text


def test_a_wrong_name_finds_the_nearest():
    with pytest.raises(ValueError, match=r"wanted .*attention\.causal_mask"):
        check("attention.casual_mask", 1)


@pytest.mark.parametrize("asked", FRAMEWORKS)
@pytest.mark.parametrize("written", FRAMEWORKS)
def test_a_release_in_one_framework_takes_that_one_alone(
    tmp_path, shown, asked, written
):
    path, _ = release("attention", "S", tmp_path, only=[FUNCTION], framework=asked)
    exercise = find(FUNCTION)
    *_, cell = nbformat.read(path, as_version=4).cells
    program = exercise.solution_in(written)
    name = exercise.name_in(asked)
    scope = {name: run_program(program, exercise.name, written)}
    exec(cell.source, scope)
    (message,) = shown
    assert (message.sign == "✓") == (asked == written)
    if asked != written:
        assert message.text.endswith(f"here {NAMES[asked]} is asked for.")


def test_a_release_in_one_framework_names_it(tmp_path):
    """A prediction is made in none: its check asks for none."""
    for framework in FRAMEWORKS:
        path, _ = release("attention", "S", tmp_path / framework, framework=framework)
        cells = [cell.source for cell in nbformat.read(path, as_version=4).cells]
        assert f"in {NAMES[framework]}," in cells[0]
        (check_cell,) = (text for text in cells if f'check("{VALUE}"' in text)
        assert "framework" not in check_cell


def test_a_message_is_escaped_and_its_code_set():
    text = Message("✗", "`a < b` is <wrong>")._repr_html_()
    assert "<code>a &lt; b</code> is &lt;wrong&gt;" in text
    assert repr(Markdown("*x*")) == "*x*"


def test_checks_are_drawn_anew(shown, monkeypatch):
    seeds = []

    def note(exercise, answer, seed, **how):
        seeds.append(seed)
        return types.SimpleNamespace(outcome=RIGHT, message="")

    monkeypatch.setattr(check_hint_solution, "judge", note)
    for _ in range(3):
        check(VALUE, 1)
    assert len(set(seeds)) == 3
