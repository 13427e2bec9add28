"""Run the test that must catch a mistake, with the mistake made."""

import functools
import inspect

from readymade.museum import broken

import pytest
from helpers import frameworks
from helpers.frameworks import TENSORFLOW, TORCH
from hypothesis import HealthCheck, Phase, settings

FRAMEWORKS = [TORCH, TENSORFLOW]
# Any counterexample is enough: no time is spent on shrinking it.
QUICK = {
    "phases": [Phase.generate],
    "derandomize": True,
    "database": None,
    "deadline": None,
    "report_multiple_bugs": False,
    "suppress_health_check": list(HealthCheck),
}
NOT_KEPT = (
    AssertionError,
    pytest.fail.Exception,
)  # the latter: an expected error was not raised


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
    """Its test must fail with the mistake made.

    With the code as it is, it passes: it is a test of the suite, as it stands there.
    """
    assert is_case(guarded.caught_by, guarded.arguments)
    with pytest.MonkeyPatch.context() as patch, pytest.raises(NOT_KEPT):
        # Models that were made before are kept for later, and not used meanwhile.
        make = frameworks.twins if framework is TENSORFLOW else only_torch
        patch.setattr(frameworks, "kept_twins", functools.cache(make))
        with broken(guarded.mistake, str(framework)):
            keep(guarded, framework)


def only_torch(*arguments, **named):
    """Return what `twins` does, but PyTorch's alone, which is quicker to make."""
    return (frameworks.in_torch(*arguments, **named),)


def is_case(test, arguments):
    """Whether pytest calls a test with these arguments, beside the framework."""
    named = set()
    for mark in getattr(test, "pytestmark", ()):
        if mark.name == "parametrize":
            names, rows = mark.args
            names = names.split(", ") if isinstance(names, str) else names
            wanted = repr([arguments.get(name) for name in names])
            rows = [getattr(row, "values", row) for row in rows]
            rows = [list(row) if len(names) > 1 else [row] for row in rows]
            if names != ["framework"] and wanted not in map(repr, rows):
                return False
            named |= {*names} - {"framework"}
    return named == arguments.keys()


def keep(guarded, framework):
    """Run the test that is to catch the mistake, with its own number of examples."""
    test = guarded.caught_by
    with pytest.MonkeyPatch.context() as patch:
        if hasattr(test, "hypothesis"):
            name = "_hypothesis_internal_use_settings"
            quick = settings(getattr(test, name), **QUICK)
            patch.setattr(test, name, quick)
        if "framework" in inspect.signature(test).parameters:
            test = functools.partial(test, framework=framework)
        test(**guarded.arguments)
