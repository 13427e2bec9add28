"""A page for each student: what each answer earned, and what is wrong with it."""

import hashlib
import html
import re
from pathlib import Path

from exercises.engine.registry import TITLES, find, label, number, section_of, stem
from exercises.engine.verdict import NOT_ATTEMPTED, RIGHT
from exercises.marking.github import ADDRESS, published_address
from exercises.marking.mark import NOT_MARKED

_LONGEST = 200  # bytes of a file's name


BOOK = f"{published_address(ADDRESS)}book/"
# Colours and fonts are the book's (book/_assets/book.css); the page loads nothing.
_PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{student}: {total}</title>
<style>
:root {{ color-scheme: light dark; --ground: #fff; --text: #22252b; --muted: #565d6b;
  --link: #0a5c9c; --surface: #f6f5f1; --border: #d6d3cb; --right: #009e73;
  --wrong: #d55e00; }}
@media (prefers-color-scheme: dark) {{ :root {{ --ground: #15181d; --text: #dfe3e8;
  --muted: #a9b1bd; --link: #7cc0f4; --surface: #1f242c; --border: #3a424e; }} }}
body {{ color: var(--text); background: var(--ground); max-width: 46rem;
  margin: 2rem auto; padding: 0 1rem; font: 1.0625rem/1.65 system-ui, -apple-system,
  "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif; }}
h1, h2 {{ letter-spacing: -0.015em; line-height: 1.2; overflow-wrap: anywhere; }}
h1 {{ font-size: clamp(1.9rem, 1.4rem + 2vw, 2.6rem); margin: 0.4rem 0; }}
h2 {{ font-size: 1.22rem; margin: 0; }}
p {{ margin: 0.5rem 0; overflow-wrap: anywhere; }}
small {{ color: var(--muted); font-weight: 400; white-space: nowrap; }}
section {{ border: 1px solid var(--border); border-left: 4px solid var(--muted);
  border-radius: 6px; margin: 1rem 0; padding: 0.9rem; }}
section.right {{ border-left-color: var(--right); }}
section.wrong {{ border-left-color: var(--wrong); }}
code {{ background: var(--surface); border-radius: 0.25rem; font-size: 0.875em;
  padding: 0.1em 0.3em; }}
a, summary {{ color: var(--link); min-height: 1.5rem; }}
a {{ display: inline-block; }}
:focus-visible {{ outline: 0.15rem solid var(--link); outline-offset: 0.1rem; }}
</style>
<main>
<small>The Transformer, Twice</small>
<h1>{student}</h1>
<p>{total}</p>
<p>Notebooks are run once, from top to bottom, in a fresh session. So restart and run
all cells before you hand one in: what fails then fails here, too.</p>
{sections}{notes}
</main>
</html>
"""


def write(folder, results, task):
    """Write the pages of all students into a folder and return it."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for result in results:
        text = page(result, task)
        (folder / page_name(result.student)).write_text(text, encoding="utf-8")
    return folder


def page_name(student):
    """Return the name of a student's page, which every file system can store.

    It identifies the student: no other student of any class has it, and no spreadsheet
    takes it for a number, a date or a formula.

    Example:
        "Ada Lovelace (17)" -> "Ada_Lovelace_17-" and twelve digits, then ".html".
    """
    name = re.sub(r"[^\w.-]+", "_", student).strip("._-") or "student"
    name = name.encode()[:_LONGEST].decode(errors="ignore")
    return f"{name}-{hashlib.sha256(student.encode()).hexdigest()[:12]}.html"


def page(result, task):
    """Return a student's page, in which the student's own words are escaped."""
    out_of = sum(task.points.values())
    variant = task.variant(result.student)
    sections = [
        _section(name, mark, task.points[name], variant)
        for name, mark in result.marks.items()
    ]
    notes = "".join(f"<li>{_text(note)}</li>\n" for note in result.notes)
    return _PAGE.format(
        student=html.escape(result.student),
        total=f"{result.total():g} of {out_of:g} points",
        sections="\n".join(sections),
        notes=f"<h2>What happened in the notebook</h2>\n<ul>\n{notes}</ul>"
        * bool(notes),
    )


def _section(name, mark, most, variant):
    """Return the verdict and, unless it is right, a hint and what to read again."""
    kinds = {RIGHT: "right", NOT_ATTEMPTED: "none", NOT_MARKED: "none"}
    kind = kinds.get(mark.outcome, "wrong")
    sign = {"right": "✓", "none": "·"}.get(kind, "✗")
    exercise = find(name)
    title = html.escape(f"{number(name)} · {exercise.title}")
    body = f"<p>{sign} {_text(mark.message)}</p>\n"
    if kind == "wrong":
        hint = _text(_in_words(exercise.words(exercise.hints[0], variant)))
        body += f"<details><summary>Hint</summary>\n<p>{hint}</p>\n</details>\n"
    if mark.outcome not in (RIGHT, NOT_MARKED):
        chapter = name.partition(".")[0]
        heading, anchor = section_of(name)
        place = f"{label(chapter)} {TITLES[chapter]}, “{_in_words(heading)}”"
        address = f"{BOOK}{stem(chapter)}.html#{anchor}"
        body += f'<a href="{address}">Read again: {html.escape(place)}</a>\n'
    return (
        f'<section class="{kind}">\n'
        f"<h2>{title} <small>{mark.points:g} of {most:g}</small></h2>\n"
        f"{body}</section>"
    )


def _in_words(text):
    """Return a hint or a heading with its formulas as plain text."""

    def plain(formula):
        tex = re.sub(r"\^\{(.*?)\}", r"^(\1)", formula[1])
        return re.sub(r"\\sqrt|\\Phi|\\text|[\\{}]", _sign, tex)

    return re.sub(r"\$(.+?)\$", plain, text)


def _sign(tex):
    return {r"\sqrt": "√", r"\Phi": "Φ"}.get(tex[0], "")


def _text(words):
    parts = html.escape(words).split("`")
    return "".join(
        f"<code>{part}</code>" if place % 2 else part
        for place, part in enumerate(parts)
    )
