"""The programs in `tools`, for the tests of one: no test imports them."""

from functools import cache
from importlib.util import module_from_spec, spec_from_file_location

from helpers.book import ROOT


@cache
def tool(name):
    """Return a program as a module, run up to its `if __name__ == "__main__"`."""
    (path,) = (ROOT / "tools").rglob(f"{name}.py")
    spec = spec_from_file_location(f"tool_{name}", path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
