"""Break the shipped code for a while: edit its text, and let its functions run that.

The functions and classes stay the same objects, whoever imported them; only what they
do is exchanged. So the tests of the healthy code run on the broken code as they are.
"""

import contextlib
import importlib
import inspect
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from helpers.frameworks import kept_twins


@dataclass(frozen=True)
class Mistake:
    """A mistake of the list, as an edit of our code, and the test that catches it.

    number: its place in the list; what: the mistake in a few words; file: the file of
    both packages that is edited; torch, tensorflow: {a text that stands there once:
    what stands there instead}, empty where the mistake cannot be made; caught_by: the
    test that must fail, with these arguments beside the framework.
    """

    number: int
    what: str
    file: str
    torch: dict
    tensorflow: dict
    caught_by: callable
    arguments: dict = field(default_factory=dict)

    def edits(self, framework):
        return getattr(self, str(framework))


@contextlib.contextmanager
def broken(mistake, framework, folder):
    """Make the mistake in a framework's package until the block ends."""
    module = importlib.import_module(f"scratch.{framework}.{mistake.file}")
    path = folder / f"{mistake.file}.py"
    path.write_text(edited(module, mistake.edits(framework)))
    # from a file, so that tracebacks and TensorFlow's tracing find the broken lines
    other = ModuleType(module.__name__)
    exec(compile(path.read_text(), path, "exec"), vars(other))
    instead = functions_of(other)
    healthy = {
        function: (function.__code__, function.__defaults__)
        for function in functions_of(module).values()
    }
    kept_twins.cache_clear()
    try:
        for name, function in functions_of(module).items():
            function.__code__ = instead[name].__code__
            function.__defaults__ = instead[name].__defaults__
        yield
    finally:
        for function, (code, defaults) in healthy.items():
            function.__code__, function.__defaults__ = code, defaults
        kept_twins.cache_clear()


def edited(module, edits):
    """Return a module's text with edits made, each where it fits and nowhere else."""
    text = Path(module.__file__).read_text()
    for old, new in edits.items():
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times"
        text = text.replace(old, new)
    return text


def functions_of(module):
    """Return {name: function} of the functions and methods that a module defines."""
    own = [v for v in vars(module).values() if belongs(v, module)]
    methods = [
        method for one in own if inspect.isclass(one) for method in vars(one).values()
    ]
    # below the decorators of the frameworks
    functions = [inspect.unwrap(one) for one in (*own, *methods) if callable(one)]
    return {
        function.__qualname__: function
        for function in functions
        if inspect.isfunction(function)
    }


def belongs(value, module):
    return getattr(value, "__module__", None) == module.__name__
