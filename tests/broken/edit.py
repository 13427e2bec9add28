"""Break the shipped code for a while: edit its text, and let its functions run that.

The functions and classes stay the same objects, whoever imported them; only what they
do is exchanged. So the tests of the healthy code run on the broken code as they are.
"""

import contextlib
import functools
import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from exercises.engine.diffs import mistakes_from

import keras
from helpers import frameworks

PACKAGES = ("torch", "tensorflow")


@dataclass(frozen=True)
class Broken:
    """A mistake of the list, made in our code, and the test that catches it.

    number: its place in the list; what: the mistake in a few words; file: the file of
    both packages that is edited; texts: {framework: the edited text}, without those in
    which the mistake cannot be made; caught_by: the test that must fail, with these
    arguments beside the framework.
    """

    number: int
    what: str
    file: str
    texts: dict[str, str]
    caught_by: Callable
    arguments: dict


class Guard:
    """A test of ours, with its arguments, that guards a file of both packages."""

    def __init__(self, test, file, **arguments):
        self.test, self.file, self.arguments = test, file, arguments

    def catch(self, text):
        """Return the mistakes of a text, in which each is "number: what" and a diff."""
        healthy = {name: text_of(name, self.file) for name in PACKAGES}
        found = []
        for mistake in mistakes_from(text):
            number, what = mistake.says.split(": ", 1)
            texts = mistake.made_in(healthy)
            found.append(
                Broken(int(number), what, self.file, texts, self.test, self.arguments)
            )
        return found


def text_of(framework, file):
    """Return the text of a file of one package."""
    return Path(module_of(framework, file).__file__).read_text()


def module_of(framework, file):
    return importlib.import_module(f"scratch.{framework}.{file}")


@contextlib.contextmanager
def broken(mistake, framework, folder):
    """Make the mistake in a framework's package until the block ends."""
    module = module_of(framework, mistake.file)
    path = folder / f"{mistake.file}.py"
    path.write_text(mistake.texts[str(framework)])
    # from a file, so that tracebacks and TensorFlow's tracing find the broken lines
    other = ModuleType(module.__name__)
    registered = dict(keras.saving.get_custom_objects())
    exec(compile(path.read_text(), path, "exec"), vars(other))
    # Keras loads the healthy classes, not the broken ones of the same names.
    keras.saving.get_custom_objects().update(registered)
    instead = functions_of(other)
    healthy = {
        function: (function.__code__, function.__defaults__)
        for function in functions_of(module).values()
    }
    # Models that were made before are kept for later, and not used meanwhile.
    kept, frameworks.kept_twins = (
        frameworks.kept_twins,
        functools.cache(frameworks.twins),
    )
    try:
        for name, function in functions_of(module).items():
            function.__code__ = instead[name].__code__
            function.__defaults__ = instead[name].__defaults__
        yield
    finally:
        for function, (code, defaults) in healthy.items():
            function.__code__, function.__defaults__ = code, defaults
        frameworks.kept_twins = kept


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
