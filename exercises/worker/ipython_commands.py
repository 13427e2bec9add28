"""In the sandbox: make plain Python of a cell that holds IPython's commands."""

import ast
import re

# They measure or silence what stands below them: without them it does the same.
_AROUND = re.compile(r"(\s*%%(time|timeit|capture|prun)\b.*)+")
# The set-up cell of every notebook has one; importing IPython for it takes a while.
_INSTALLING = re.compile(r"(?m)^([ \t]*)%pip[ \t].*$")
# At a line's start, or before what the line assigns to a name, a place or several.
_BEFORE = re.compile(r"(?m)^((?:(?:[\w.,:* \t]|\[[^\]\n]*\])+=)?[ \t]*)%time[ \t]+")


def as_python(source):
    """Return a cell as Python, its lines where they were; commands call `Commands`."""
    first = _AROUND.match(source)
    if first:
        source = "\n" * first[0].count("\n") + source[first.end() :]
    for text in (source, _INSTALLING.sub(r"\1pass", source)):
        if _is_python(text):
            return text
    from IPython.core.inputtransformer2 import TransformerManager

    return TransformerManager().transform_cell(_BEFORE.sub(r"\1", source))


def _is_python(source):
    try:
        ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


class Commands:
    """Stands in for IPython: what shows, installs or asks the system does nothing."""

    def run_cell_magic(self, name, line, cell):
        """Run no cell that is not Python, and say so: others may need what it did."""
        raise NotImplementedError(f"a cell under %%{name} is skipped")

    def run_line_magic(self, name, line, *depth):
        """Do nothing."""

    def system(self, command):
        """Do nothing."""

    def getoutput(self, command):
        """Return what a command printed: no line."""
        return []
