"""In the sandbox: turn a cell with IPython's commands into plain Python."""

import ast
import re

# These only measure or silence the cell, which does the same without them.
_AROUND = re.compile(r"(\s*%%(time|timeit|capture|prun)\b.*)+")
# Every notebook's set-up cell has one, and importing IPython for it would be slow.
_INSTALLING = re.compile(r"(?m)^([ \t]*)%pip[ \t].*$")
# At the start of a line, or of the value that it assigns to one or more targets.
_BEFORE = re.compile(r"(?m)^((?:(?:[\w.,:* \t]|\[[^\]\n]*\])+=)?[ \t]*)%time[ \t]+")


def as_python(source):
    """Return a cell as Python with the same line numbers; commands call `Commands`."""
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
    """Stands in for IPython: showing, installing and shell commands do nothing."""

    def run_cell_magic(self, name, line, cell):
        """Refuse a cell that is not Python, because later cells may depend on it."""
        raise NotImplementedError(f"a cell under %%{name} is skipped")

    def run_line_magic(self, name, line, *depth):
        """Do nothing."""

    def system(self, command):
        """Do nothing."""

    def getoutput(self, command):
        """Return the lines that a command printed: none."""
        return []
