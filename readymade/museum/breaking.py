"""Break the shipped code for a while: its functions run an edited version of it.

Functions and classes stay the same objects, whoever imported them; only their code is
exchanged. So a notebook, or a test of the healthy code, runs on the broken code
unchanged.
"""

import contextlib
import importlib
import inspect
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from readymade.museum.exhibits import Exhibit


@contextlib.contextmanager
def broken(exhibit: Exhibit, framework: str) -> Iterator[None]:
    """Make the mistake in a framework's package until the block ends.

    Args:
        exhibit: the mistake.
        framework: "torch" or "tensorflow".

    Raises:
        ValueError: if the mistake cannot be made in this framework.
    """
    if framework not in exhibit.texts:
        raise ValueError(
            f"framework is {framework!r}: wanted one in which the mistake can be made, "
            f"{', '.join(exhibit.texts)}"
        )
    module = importlib.import_module(f".{exhibit.file}", f"scratch.{framework}")
    with tempfile.TemporaryDirectory() as folder:
        # from a file, so that tracebacks and TensorFlow's tracing find the broken lines
        path = Path(folder, f"{exhibit.file}.py")
        path.write_text(exhibit.texts[framework], encoding="utf-8")
        other = ModuleType(module.__name__)
        exec(compile(exhibit.texts[framework], path, "exec"), vars(other))
        edited = functions_of(other)
        healthy = {
            function: (function.__code__, function.__defaults__)
            for function in functions_of(module).values()
        }
        try:
            for name, function in functions_of(module).items():
                function.__code__ = edited[name].__code__
                function.__defaults__ = edited[name].__defaults__
            yield
        finally:
            for function, (code, defaults) in healthy.items():
                function.__code__, function.__defaults__ = code, defaults


def functions_of(module: ModuleType) -> dict:
    """Return {name: function} of the functions and methods that a module defines."""
    own = [v for v in vars(module).values() if _belongs(v, module)]
    methods = [
        method for one in own if inspect.isclass(one) for method in vars(one).values()
    ]
    # without the decorators of the frameworks, or what saves a layer
    functions = [inspect.unwrap(one) for one in (*own, *methods) if callable(one)]
    return {
        function.__qualname__: function
        for function in functions
        if inspect.isfunction(function) and _belongs(function, module)
    }


def _belongs(value, module):
    return getattr(value, "__module__", None) == module.__name__
