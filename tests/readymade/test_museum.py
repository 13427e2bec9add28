"""Every mistake that others made is in the museum, and every exhibit is guarded.

`tests/scratch/test_broken_attention.py` and its neighbours show that a test catches
each.
"""

import scratch.torch.attention as module
from readymade.museum import (
    CANNOT,
    EXHIBITS,
    INSIDE,
    PICTURES,
    POST_TRAINING,
    SERVING,
    broken,
    exhibit,
    functions_of,
)

import pytest
from broken import GUARDED
from broken.catching import FRAMEWORKS

MADE = [*EXHIBITS, *POST_TRAINING, *INSIDE, *SERVING, *PICTURES]


def test_every_mistake_is_made_in_both_frameworks_or_cannot_be():
    for framework in FRAMEWORKS:
        numbers = {one.number for one in MADE if str(framework) in one.texts}
        cannot = {number for number, name in CANNOT if name == str(framework)}
        assert not numbers & cannot
        assert sorted(numbers | cannot) == list(range(1, 50))
    assert all(reason for reason in CANNOT.values())


def test_every_exhibit_is_guarded_by_a_test():
    guarded = [one.mistake.what for one in GUARDED]
    assert sorted(guarded) == sorted(one.what for one in MADE)


def test_the_code_is_restored_after_a_mistake():
    def codes():
        return {name: f.__code__ for name, f in functions_of(module).items()}

    before = codes()
    with broken(exhibit("scale left out"), "torch"):
        assert codes() != before
    assert codes() == before


def test_an_exhibit_shows_its_changes():
    shown = exhibit("scale left out").changes("torch")
    assert shown == "- query = query / math.sqrt(d_k)\n+ query = query / 1"


def test_impossible_mistakes_and_unknown_exhibits_are_named():
    in_place = exhibit("the residual is added in place")
    with pytest.raises(ValueError, match="framework is 'tensorflow'"):
        broken(in_place, "tensorflow").__enter__()
    with pytest.raises(KeyError, match="what is 'a typo'"):
        exhibit("a typo")
