"""What the tests of broken variants share: run the test that is to catch a mistake."""

import functools

from readymade.museum import broken

import pytest
from helpers import frameworks
from helpers.frameworks import TENSORFLOW, TORCH
from hypothesis import HealthCheck, Phase, settings

FRAMEWORKS = [TORCH, TENSORFLOW]
# Finding a counterexample is enough here: no time is spent on the smallest.
QUICK = {
    "phases": [Phase.generate],
    "derandomize": True,
    "database": None,
    "deadline": None,
    "report_multiple_bugs": False,
    "suppress_health_check": list(HealthCheck),
}
NOT_KEPT = (AssertionError, pytest.fail.Exception)  # the latter: it did not raise


def each(guarded):
    """Parametrise over mistakes, each in the frameworks in which it can be made.

    TensorFlow's functions run untraced: a mistake is in the code that is traced.
    """
    cases = pytest.mark.parametrize(
        ("guarded", "framework"),
        [
            pytest.param(
                one,
                framework,
                id=f"{framework} {one.mistake.number}: {one.mistake.what}",
            )
            for one in guarded
            for framework in FRAMEWORKS
            if str(framework) in one.mistake.texts
        ],
    )
    return lambda test: pytest.mark.usefixtures("untraced")(cases(test))


def must_catch(guarded, framework):
    """Its test must pass with the code as it is, and fail with the mistake made."""
    passes = repr((guarded.caught_by, guarded.arguments, str(framework)))
    if passes not in _PASSED:
        # That one example passes shows that the arguments fit. The test itself, which
        # is run with the code as it is, too, looks at more.
        keep(guarded, framework, max_examples=1)
        _PASSED.add(passes)
    with pytest.MonkeyPatch.context() as patch, pytest.raises(NOT_KEPT):
        # Models that were made before are kept for later, and not used meanwhile.
        patch.setattr(frameworks, "kept_twins", functools.cache(frameworks.twins))
        with broken(guarded.mistake, str(framework)):
            keep(guarded, framework)


_PASSED = set()  # with the code as it is; several mistakes are caught by one test


def keep(guarded, framework, **limits):
    """Run the test that is to catch the mistake, with its own number of examples.

    limits: settings of Hypothesis to use instead of its own.
    """
    test = guarded.caught_by
    with pytest.MonkeyPatch.context() as patch:
        if hasattr(test, "hypothesis"):
            name = "_hypothesis_internal_use_settings"
            quick = settings(getattr(test, name), **{**QUICK, **limits})
            patch.setattr(test, name, quick)
        test(framework=framework, **guarded.arguments)
