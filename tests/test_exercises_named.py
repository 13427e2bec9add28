"""Every mistake of every exercise is rejected, with its own sentence."""

from exercises.engine.judge import MISTAKE, judge

from helpers.exercise_answers import (
    SEEDS,
    Rewritten,
    local,
    one_checkpoint,  # noqa: F401
    pairs,
    variants,
)


@pairs("mistaken_in")
def test_every_mistake_is_rejected_and_named(exercise, framework):
    for variant in variants(exercise):
        mistakes = exercise.mistakes_in(framework, variant)
        assert len({says for says, _ in mistakes}) == len(mistakes)
        for says, program in mistakes:
            answer = Rewritten(local(exercise, program, framework, variant))
            for seed in SEEDS:
                verdict = judge(exercise, answer, seed, variant=variant)
                assert verdict.outcome == MISTAKE, f"{says}\n{verdict}\n{program}"
                assert verdict.mistake == says, f"{says}\n{verdict}\n{program}"
