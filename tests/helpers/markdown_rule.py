"""Markup that not all of Sphinx, Jupyter and Colab understand, and plain messages."""

import re

# Nothing in code and mathematics is markup.
FENCE = re.compile(
    r"^(`{3,}|~{3,})(?![`~]|\s*\{).*?^\1[`~]*[ \t]*$", re.MULTILINE | re.DOTALL
)
CODE = re.compile(r"(?<!`)(`{1,2})(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
MATHS = re.compile(r"(\$\$).+?\$\$|(\$)[^$\n]+\$", re.DOTALL)

FORBIDDEN = {
    "a directive": r"^(?:`{3,}|~{3,}|:{3,})\s*\{",
    "a colon fence or tab-set": r"^\s*:{3,}",
    "a role": r"\{[\w:.+-]+\}`",
    "a label": r"^\([^)\n]+\)=\s*$",
    "a label of an equation": r"\\(?:label|ref|eqref)\b|\$\$\s*\([\w:.-]+\)\s*$",
    "a footnote": r"\[\^[^\]\n]+\]",
    "a block break": r"^\+\+\+",
    "a GitHub alert": r"^>\s*\[!\w+\]",
    "a MyST comment": r"^%\s",
    "a substitution": r"\{\{.*?\}\}",
    "a definition list": r"^:\s+\S",
    "front matter": r"\A---\s*$",
    "mathematics without dollars": r"\\[(\[]|^\\begin\{",
    "a picture linked as a file": r"!\[[^\]\n]*\]|<img\b",
    "a summary without a blank line after it": r"</summary>(?!\s*?\n[ \t]*\n)",
}

# Marks of Markdown, HTML or a formula, and half a pair of backticks.
MARKS = re.compile(r"[*`<>]|\]\(|(?<!\w)_|_(?!\w)")


def marks_in(message):
    """Return the marks in a message, which is plain text but for code in backticks."""
    return MARKS.findall(re.sub("`[^`]+`", "", message)) + re.findall(r"[$\\]", message)


def complaints(text):
    """Return the kinds of markup in `text` that not all of them would show."""
    for verbatim in (FENCE, CODE, MATHS):
        text = verbatim.sub(hide, text)
    return [
        kind for kind, sign in FORBIDDEN.items() if re.search(sign, text, re.MULTILINE)
    ]


def hide(match):
    """Blank the text between two marks, unless it is mathematics with a label."""
    if match[0].startswith("$") and re.search(r"\\(?:label|ref|eqref)\b", match[0]):
        return match[0]
    mark = re.match(r"\$+|`", match[0])
    return f"{mark[0]}…{mark[0]}" if mark else "…"
