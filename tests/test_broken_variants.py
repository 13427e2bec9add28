"""Every mistake that others made is made in our code too, and a test of ours fails.

The table is in `broken`. Each test of it first passes with the code as it is, then has
to fail, by a promise that is not kept, with the code broken.
"""

import pytest
from broken import CANNOT, MISTAKES
from broken.edit import broken, edited, functions_of
from helpers.frameworks import TENSORFLOW, TORCH
from hypothesis import HealthCheck, Phase, settings

FRAMEWORKS = [TORCH, TENSORFLOW]
# Finding a counterexample is enough here: no time is spent on the smallest.
QUICK = settings(
    max_examples=15,
    phases=[Phase.generate],
    derandomize=True,
    database=None,
    deadline=None,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)
NOT_KEPT = (AssertionError, pytest.fail.Exception)  # the latter: it did not raise


@pytest.fixture
def keep(monkeypatch):
    """keep(mistake, framework): run the test that is to catch it."""

    def run(mistake, framework):
        test = mistake.caught_by
        if hasattr(test, "hypothesis"):
            monkeypatch.setattr(test, "_hypothesis_internal_use_settings", QUICK)
        test(framework=framework, **mistake.arguments)

    return run


@pytest.mark.parametrize(
    ("mistake", "framework"),
    [
        pytest.param(
            mistake, framework, id=f"{framework} {mistake.number}: {mistake.what}"
        )
        for mistake in MISTAKES
        for framework in FRAMEWORKS
        if mistake.edits(framework)
    ],
)
def test_a_mistake_is_caught(mistake, framework, keep, tmp_path):
    keep(mistake, framework)
    with broken(mistake, framework, tmp_path), pytest.raises(NOT_KEPT):
        keep(mistake, framework)


def test_every_mistake_is_made_in_both_frameworks_or_cannot_be():
    for framework in FRAMEWORKS:
        made = {m.number for m in MISTAKES if m.edits(framework)}
        cannot = {number for number, name in CANNOT if name == str(framework)}
        assert not made & cannot
        assert sorted(made | cannot) == list(range(1, 36))
    assert all(reason for reason in CANNOT.values())


def test_after_a_mistake_the_code_is_what_it_was(tmp_path):
    mistake = MISTAKES[0]
    import scratch.torch.attention as module

    def codes():
        return {name: f.__code__ for name, f in functions_of(module).items()}

    before = codes()
    with broken(mistake, TORCH, tmp_path):
        assert codes() != before
    assert codes() == before


def test_an_edit_that_does_not_fit_is_an_error():
    import scratch.torch.attention as module

    with pytest.raises(AssertionError, match="'no such text' stands 0 times"):
        edited(module, {"no such text": ""})
    with pytest.raises(AssertionError, match="'return' stands"):
        edited(module, {"return": ""})
