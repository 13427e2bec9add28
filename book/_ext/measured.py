"""What `make bench` measured: contenders below each other, sizes side by side.

    ```{measured} PyTorch, forward
    ```

A cell holds the time as a multiple of ours, the milliseconds, and the memory.
"""

import csv
from pathlib import Path

from docutils import nodes
from exercise_list import row
from sphinx.util.docutils import SphinxDirective

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results.csv"


class Measured(SphinxDirective):
    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        self.env.note_dependency(str(RESULTS))
        cells = self.cells()
        if not cells:
            raise self.error(f"{RESULTS.name} has nothing on {self.arguments[0]!r}")
        sizes = list(dict.fromkeys(size for size, _ in cells))
        contenders = list(dict.fromkeys(contender for _, contender in cells))
        table, group = nodes.table(), nodes.tgroup(cols=1 + len(sizes))
        table += group
        group += [nodes.colspec(colwidth=1) for _ in range(1 + len(sizes))]
        head, body = nodes.thead(), nodes.tbody()
        # a size may break after its comma only
        names = [size.replace(" × ", "\N{NBSP}×\N{NBSP}") for size in sizes]
        head += row(nodes.Text(""), *map(nodes.Text, names))
        for contender in contenders:
            found = (cells[size, contender] for size in sizes)
            body += row(nodes.Text(contender), *(entry(cell) for cell in found))
        group += [head, body]
        return [table]

    def cells(self):
        """Return {(size, contender): row of the file} of this framework and task."""
        framework, task = self.arguments[0].split(", ", 1)
        with RESULTS.open(newline="", encoding="utf-8") as file:
            return {
                (found["task"].removeprefix(f"{task}, "), found["contender"]): found
                for found in csv.DictReader(file)
                if found["framework"] == framework
                and found["task"].startswith(f"{task}, ")
            }


def entry(cell):
    """Return the ratio, and smaller below it the time and the memory."""
    milliseconds = 1000 * float(cell["seconds"])
    below = f"{milliseconds:.0f} ms, {cell['peak MB']} MB"
    content = nodes.inline()
    content += nodes.strong("", f"{cell['times ours']}×")
    content += nodes.Text(" ")
    content += nodes.inline("", below, classes=["measured"])
    return content


def setup(app):
    app.add_directive("measured", Measured)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
