"""An answer of any kind gets one message, and nothing of the reader's is disturbed."""

import dataclasses
import random
import types

from exercises.engine.calls import call
from exercises.engine.exercise import FRAMEWORKS, Exercise
from exercises.engine.judge import judge
from exercises.engine.programs import prelude, run_program
from exercises.engine.registry import find
from exercises.engine.verdict import EXCEPTION, NOT_ATTEMPTED, RIGHT, WRONG
from exercises.worker import LocalAnswer

import keras
import numpy as np
import pytest
import tensorflow as tf
import torch

VALUE, FUNCTION = "attention.weights_by_hand", "attention.causal_mask"


def judged(answer, name=FUNCTION):
    return judge(find(name), LocalAnswer(answer, seconds=0.5), seed=1)


def test_an_exception_is_told_with_the_readers_own_line():
    program = """
def helper(length):
    return length.no_such_thing


def causal_mask(length, key_length):
    return helper(length)
"""
    verdict = judged(run_program(program, "causal_mask", "python"))
    assert verdict.outcome == EXCEPTION
    assert "your line 3, `return length.no_such_thing`" in verdict.message
    assert "'int' object has no attribute 'no_such_thing'" in verdict.message


def test_a_library_s_exception_is_told_at_the_line_that_called_it():
    program = """
import torch

def causal_mask(length, key_length):
    return torch.ones(length) @ torch.ones(length + 1)
"""
    verdict = judged(run_program(program, "causal_mask", "torch"))
    assert "your line 5, `return torch.ones(length) @" in verdict.message


def test_an_ellipsis_that_was_left_is_not_an_exception():
    program = """
def causal_mask(length, key_length):
    mask = ...
    return mask[None]
"""
    verdict = judged(run_program(program, "causal_mask", "python"))
    assert verdict.outcome == NOT_ATTEMPTED
    assert "`...` is still to be filled in" in verdict.message


def test_wrong_in_no_known_way_shows_the_smallest_input_and_both_values():
    def causal_mask(length, key_length):
        ago = torch.arange(key_length - length, key_length)[:, None]
        ago = ago - torch.arange(key_length)
        mask = ((ago >= 0) & (ago < 4))[None, None]
        mask[..., -1, -1] = length < 3
        return mask

    verdict = judged(causal_mask)
    assert verdict.outcome == WRONG
    assert "With length=" in verdict.message
    assert "is False; True is wanted." in verdict.message


@pytest.mark.parametrize("framework", ["torch", "tensorflow"])
def test_the_framework_is_told_where_both_are_at_hand(framework):
    """A chapter's notebook has both, and `tf.nn` is not PyTorch's `nn`."""
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
    """One framework's function may accept the other's tensors and return its own."""
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
    verdict = judge(exercise, LocalAnswer(scope["double"]), 1)
    assert verdict.outcome == RIGHT, verdict
    assert {"torch": "PyTorch", "tensorflow": "TensorFlow"}[
        framework
    ] in verdict.message


def test_an_endless_loop_is_stopped():
    def causal_mask(length, key_length):
        while True:
            pass

    verdict = judged(causal_mask)
    assert verdict.outcome == EXCEPTION
    assert "it ran for more than 0.5 seconds" in verdict.message


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_endless_loop_that_misses_one_stop_gets_another():
    """An exception raised during garbage collection never reaches a loop."""

    def causal_mask(length, key_length):
        class Loop:
            def __del__(self):
                while True:
                    pass

        for _ in range(2):
            Loop()
        while True:
            pass

    assert "it ran for more than" in judged(causal_mask).message


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
    assert words in judged(answer).message


def test_the_books_own_function_is_not_the_readers():
    from scratch.torch import causal_mask

    assert "the book's own" in judged(causal_mask).message


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
    verdict = judged(answer, name)
    if wrapping == "one number" and name != WHOLE:
        assert "number; a list of" in verdict.message
    else:
        assert verdict.outcome == RIGHT, verdict


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
    assert judged(answer, WHOLE).message.startswith(words)


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
    verdict = judged(answer, VALUE)
    assert verdict.outcome == WRONG
    assert words in verdict.message


def test_of_a_library_s_message_the_last_words_are_left_out():
    def causal_mask(length, key_length):
        return tf.ones(length + 1) + tf.ones(length + 2)

    verdict = judged(causal_mask)
    assert verdict.outcome == EXCEPTION
    assert "Incompatible shapes: [2] vs. [3]." in verdict.message


def test_an_exception_that_cannot_tell_its_message_is_told():
    class SilentError(Exception):
        def __str__(self):
            raise ValueError

    def causal_mask(length, key_length):
        raise SilentError

    verdict = judged(causal_mask)
    assert verdict.outcome == EXCEPTION
    assert "SilentError" in verdict.message and "cannot be shown" in verdict.message


def test_random_states_and_prints_are_left_alone(capsys):
    def causal_mask(length, key_length):
        print("noise")
        random.random(), np.random.rand(), torch.rand(1)
        ages = torch.arange(length) + key_length - length
        ago = ages[:, None] - torch.arange(key_length)
        return ((ago >= 0) & (ago < 4))[None, None]

    states = [random.getstate(), np.random.get_state()[1].copy(), torch.get_rng_state()]
    assert judged(causal_mask).outcome == RIGHT
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
            assert judged(causal_mask).outcome == RIGHT
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
    """It might never return there, and that would be reported instead."""
    exercise, answer = doubling("def double(x):\n    raise ValueError(len(x))")
    asked = []

    def reply(case, framework):
        asked.append(case.args[0].size)
        return answer.reply(case, framework)

    verdict = judge(exercise, types.SimpleNamespace(about=answer.about, reply=reply), 1)
    assert verdict.outcome == EXCEPTION
    assert asked == [1]


def test_a_changed_argument_is_named():
    exercise, answer = doubling("def double(x):\n    x *= 2\n    return x")
    verdict = judge(exercise, answer, 1)
    assert verdict.outcome == WRONG
    assert "changed its argument `x` in place" in verdict.message


def test_the_smallest_input_comes_first():
    exercise, answer = doubling("def double(x):\n    return 3 * x")
    assert judge(exercise, answer, 1).message.startswith("With x=[")
