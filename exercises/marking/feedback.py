"""A page for each student: what each answer earned, and what is wrong with it."""

import html
import re
from pathlib import Path

from exercises.engine.judge import NOT_ATTEMPTED, RIGHT
from exercises.engine.registry import find, number

_LONGEST = 200  # bytes of a file's name
_PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{student}: {total}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto;
        padding: 0 1rem; }}
section {{ border-left: 4px solid gray; padding: 0.1rem 1rem; margin: 1rem 0; }}
section.right {{ border-color: #009e73; }}
section.wrong {{ border-color: #d55e00; }}
h2 {{ font-size: 1.1rem; margin: 0.4rem 0; }}
p {{ overflow-wrap: anywhere; }}
</style>
<h1>{student}</h1>
<p>{total}</p>
{sections}{notes}
</html>
"""


def write(folder, results, task):
    """Write the pages of all students into a folder and return it."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    taken = set()
    for result in results:
        name = _file_name(result.student)
        while name.casefold() in taken:
            name += "_"
        taken.add(name.casefold())
        text = page(result, task)
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return folder


def _file_name(student):
    """Return a name that every file system takes."""
    name = re.sub(r"[^\w.-]+", "_", student).strip(".") or "student"
    return name.encode()[:_LONGEST].decode(errors="ignore")


def page(result, task):
    """Return the page of one student. Every word of theirs is escaped."""
    out_of = sum(task.points.values())
    sections = [
        _section(name, mark, task.points[name]) for name, mark in result.marks.items()
    ]
    notes = "".join(f"<li>{_text(note)}</li>\n" for note in result.notes)
    return _PAGE.format(
        student=html.escape(result.student),
        total=f"{result.total():g} of {out_of:g} points",
        sections="\n".join(sections),
        notes=f"<h2>What happened in the notebook</h2>\n<ul>\n{notes}</ul>"
        * bool(notes),
    )


def _section(name, mark, most):
    kinds = {RIGHT: "right", NOT_ATTEMPTED: "none"}
    title = html.escape(f"{number(name)} · {find(name).title}")
    return (
        f'<section class="{kinds.get(mark.outcome, "wrong")}">\n'
        f"<h2>{title}: {mark.points:g} of {most:g}</h2>\n"
        f"<p>{_text(mark.message)}</p>\n</section>"
    )


def _text(words):
    parts = html.escape(words).split("`")
    return "".join(
        f"<code>{part}</code>" if place % 2 else part
        for place, part in enumerate(parts)
    )
