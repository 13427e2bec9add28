"""Whether an answer is right does not depend on the seed's draws.

A reader's check draws anew each time, and a teacher's seed draws once more: what was
right at home has to be right in marking, and a mistake is one everywhere.
"""

from exercises.engine.judge import judge
from exercises.engine.verdict import RIGHT
from exercises.worker import LocalAnswer
from readymade.mistake_language import mistakes_from

import pytest
from helpers.exercise_answers import EXERCISES, local

pytestmark = pytest.mark.slow("an answer that one seed finds right, another wrong")

# The questions are the same in both frameworks, so most are asked in one.
MANY = {"torch": range(60), "tensorflow": range(5)}
FEW = {"torch": range(5), "tensorflow": range(2)}

# (exercise, words of the mistake, the mistaken text, other texts of readers)
NEARLY_RIGHT = [
    (
        "attention.padded_attention",
        "score of 300 still",
        "- 100",
        ("- 20", "- 30", "- 200"),
    ),
    ("attention.softmax_axis", "What you subtract", "- 100", ("- 20", "- 30", "- 200")),
    ("attention.softmax_axis", "not low enough", "-100", ("-20", "-50")),
    ("attention.softmax_axis", "renormalize after", "", ()),
    ("attention.causal_mask", "one fixed size", "64", ("12", "512", "1024")),
    ("decoder.target_mask", "one fixed size", "64", ("8", "40", "512")),
    ("decoder.mask_only_in_training", "one fixed size", "64", ("16", "512")),
    ("encoder.lost_mask", "hidden score of −20", "", ()),
    ("decoder.mask_only_in_training", "hidden score of −20", "", ()),
    ("decoder.write_on", "hidden score of −20", "", ()),
    (
        "decoder.cross_attention",
        "A hidden score of −100",
        "-100.0",
        ("-20.0", "-200.0"),
    ),
    ("decoder.cached_step", "exponential of a large", "", ()),
    ("decoder.cached_step", "cache's length", "64", ("8", "512", "1024")),
]


def listed(exercise_id, words, framework):
    """Return (sentence, program) of the mistake that these words name."""
    mistakes = EXERCISES[exercise_id].mistakes_in(framework)
    (named,) = (mistake for mistake in mistakes if words in mistake[0])
    return named


def never_right(exercise, answer, seeds):
    """The largest question finds most mistakes; all are asked for the others."""

    def is_right(seed, **how):
        verdict = judge(exercise, answer, seed, name_mistakes=False, **how)
        return verdict.outcome == RIGHT

    for seed in seeds:
        assert not (is_right(seed, largest_only=True) and is_right(seed)), seed


def names(exercise, answer, framework):
    """Yield the name of an answer's mistake for each seed."""
    for seed in MANY[framework]:
        yield judge(exercise, answer, seed).mistake


@pytest.mark.parametrize("framework", MANY)
@pytest.mark.parametrize(
    ("exercise_id", "words"), [nearly[:2] for nearly in NEARLY_RIGHT]
)
def test_a_mistake_is_one_for_every_seed(exercise_id, words, framework):
    exercise = EXERCISES[exercise_id]
    _, program = listed(exercise_id, words, framework)
    answer = local(exercise, program, framework)
    never_right(exercise, answer, MANY[framework])


@pytest.mark.parametrize("framework", MANY)
@pytest.mark.parametrize(
    ("exercise_id", "words", "number", "others"),
    [nearly for nearly in NEARLY_RIGHT if nearly[3]],
)
def test_it_is_named_with_another_number_too(
    exercise_id, words, number, others, framework
):
    exercise = EXERCISES[exercise_id]
    says, program = listed(exercise_id, words, framework)
    for other in others:
        answer = local(exercise, program.replace(number, other), framework)
        never_right(exercise, answer, FEW[framework])
        # In some draws a smaller number is also too small elsewhere.
        assert says in names(exercise, answer, framework), other


(SHARED_OUT_AGAIN,) = mistakes_from("""
The weights are shared out again after a softmax that hid nothing.
@torch
- torch.where(real, scores, -1e30)
+ scores
- weights @ value
+ weights / (weights.sum(2, True) + 1e-9) @ value
@tensorflow
- tf.where(real, scores, -1e30)
+ scores
- weights @ value
+ weights / (tf.reduce_sum(weights, 2, True) + 1e-9) @ value
""")


@pytest.mark.parametrize("framework", MANY)
def test_weights_that_are_shared_out_again_are_never_right(framework):
    exercise = EXERCISES["attention.padded_attention"]
    solutions = {name: exercise.solution_in(name) for name in MANY}
    program = SHARED_OUT_AGAIN.made_in(solutions)[framework]
    answer = local(exercise, program, framework)
    never_right(exercise, answer, MANY[framework])
    # Like a score that is not hidden enough, it leaves nothing for the rest.
    says, _ = listed("attention.padded_attention", "score of 300 still", framework)
    assert says in names(exercise, answer, framework)


# Ways to hide a score that are as good as the solution's.
LOW_ENOUGH = {
    "torch": (
        "scores.masked_fill(~KEEP, -torch.inf)",
        "scores.masked_fill(~KEEP, -1e9)",
        "scores - 1e9 * (1 - KEEP.float())",
        "scores + torch.where(KEEP, 0.0, -1e4)",
    ),
    "tensorflow": (
        "tf.where(KEEP, scores, -np.inf)",
        "tf.where(KEEP, scores, -1e9)",
        "scores - 1e9 * (1 - tf.cast(KEEP, tf.float32))",
        "scores + tf.where(KEEP, 0.0, -1e4)",
    ),
}


@pytest.mark.parametrize("framework", MANY)
@pytest.mark.parametrize(
    ("exercise_id", "keep"),
    [("attention.padded_attention", "real"), ("attention.softmax_axis", "mask")],
)
def test_what_is_low_enough_is_right(exercise_id, keep, framework):
    exercise = EXERCISES[exercise_id]
    where = {"torch": "torch", "tensorflow": "tf"}[framework]
    solution = exercise.solution_in(framework)
    for way in LOW_ENOUGH[framework]:
        hidden = way.replace("KEEP", keep)
        program = solution.replace(f"{where}.where({keep}, scores, -1e30)", hidden)
        assert program != solution
        answer = local(exercise, program, framework)
        for seed in FEW[framework]:
            verdict = judge(exercise, answer, seed)
            assert verdict.outcome == RIGHT, (way, verdict)


@pytest.mark.parametrize(
    "exercise_id", ["encoder.lost_mask", "decoder.mask_only_in_training"]
)
def test_a_hidden_score_of_100_below_0_is_right_where_no_score_is_negative(exercise_id):
    """A token's score with itself is never negative, as the solution says."""
    exercise = EXERCISES[exercise_id]
    program = exercise.solution_in("torch").replace("-1e30", "-100.0")
    answer = local(exercise, program, "torch")
    for seed in FEW["torch"]:
        assert judge(exercise, answer, seed).outcome == RIGHT


def test_one_decimal_is_too_few_where_two_are_asked_for():
    exercise = EXERCISES["todays_decoder.full_turn"]
    for variant in (0, *range(1000, 1060)):
        turn, turns = exercise.right(variant)
        for decimals in (1, 2):
            answer = LocalAnswer([round(turn), round(turns, decimals)])
            verdict = judge(exercise, answer, 1, variant=variant, name_mistakes=False)
            case = f"{exercise.drawn(variant)}: {turns} to {decimals} decimals"
            assert (verdict.outcome == RIGHT) == (decimals == 2), case
