"""What the tests of broken variants share: run the test that is to catch a mistake."""

from broken.edit import broken

import pytest
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


def each(mistakes):
    """Parametrise over mistakes, each in the frameworks in which it can be made."""
    return pytest.mark.parametrize(
        ("mistake", "framework"),
        [
            pytest.param(
                mistake, framework, id=f"{framework} {mistake.number}: {mistake.what}"
            )
            for mistake in mistakes
            for framework in FRAMEWORKS
            if str(framework) in mistake.texts
        ],
    )


def must_catch(mistake, framework, folder):
    """Its test must pass with the code as it is, and fail with the mistake made."""
    passes = repr((mistake.caught_by, mistake.arguments, str(framework)))
    if passes not in _PASSED:
        keep(mistake, framework)
        _PASSED.add(passes)
    with broken(mistake, framework, folder), pytest.raises(NOT_KEPT):
        keep(mistake, framework)


_PASSED = set()  # with the code as it is; several mistakes are caught by one test


def keep(mistake, framework):
    """Run the test that is to catch the mistake."""
    test = mistake.caught_by
    with pytest.MonkeyPatch.context() as patch:
        if hasattr(test, "hypothesis"):
            patch.setattr(test, "_hypothesis_internal_use_settings", QUICK)
        test(framework=framework, **mistake.arguments)
