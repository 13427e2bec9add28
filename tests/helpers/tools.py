"""The programs of `tools`, for tests that ask one: tests import none of them."""

from functools import cache
from importlib.util import module_from_spec, spec_from_file_location

from helpers.book import ROOT


@cache
def tool(name):
    """Return a program as a module, run as far as its `if __name__ == "__main__"`."""
    spec = spec_from_file_location(f"tool_{name}", ROOT / "tools" / f"{name}.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
