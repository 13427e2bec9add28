"""Every mistake is rejected, with its own sentence."""

import itertools

from exercises.engine.judge import judge
from exercises.engine.known_mistakes import known_mistakes
from exercises.engine.verdict import MISTAKE

import pytest
from helpers.exercise_answers import SEEDS, Rewritten, pairs, variants
from helpers.read_once import one_checkpoint  # noqa: F401

pytestmark = pytest.mark.slow("a mistake that is accepted, or called another")


@pairs("mistaken_in", by_chapter=True)
def test_every_mistake_is_rejected_and_named(exercise, framework):
    """Whatever the seed.

    A mistake that is wrong on the largest question, and there unlike those before it in
    the list, is rejected and named when all are asked, too.
    """
    # A value is asked one question, which no seed changes; another test shows that no
    # draw makes a mistake right. A seed's questions are the same in both frameworks, so
    # the faster one is asked more.
    alike = exercise.kind_of_answer == "value" or framework == "tensorflow"
    seeds = SEEDS[:1] if alike else SEEDS[:2]
    some = variants(exercise, framework)[: 1 if framework == "tensorflow" else 2]
    for variant, seed in itertools.product(some, seeds):
        ways = (False,)
        if framework == "tensorflow" or seed != SEEDS[0]:
            ways = (True, False)
        sentences = [says for says, _ in exercise.mistakes_in(framework, variant)]
        assert len(set(sentences)) == len(sentences)
        for place, says in enumerate(sentences):
            # The judge's own answers keep their replies, so none is asked twice.
            _, known = known_mistakes(exercise, framework, variant, seed)[place]
            answer = Rewritten(known)
            for largest_only in ways:
                how = {"variant": variant, "largest_only": largest_only}
                verdict = judge(exercise, answer, seed, **how)
                if verdict.mistake == says:
                    break
            assert verdict.outcome == MISTAKE, f"{says}\n{verdict}"
            assert verdict.mistake == says, f"{says}\n{verdict}"
