"""The Markdown of the notebooks reads well in the book, in Jupyter and in Colab."""

from exercises.engine.cells import section
from exercises.engine.registry import CHAPTERS

import pytest
from helpers import markdown_rule
from helpers.book import NOTEBOOKS, markdown_cells, read


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_reader_understands_every_cell(path):
    kinds_of = {
        cell.source: kinds
        for cell in markdown_cells(read(path))
        if (kinds := markdown_rule.complaints(cell.source))
    }
    assert not kinds_of


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_reader_understands_every_exercise(chapter):
    kinds_of = {
        text: kinds
        for kind, text, _ in section(chapter)
        if kind == "markdown" and (kinds := markdown_rule.complaints(text))
    }
    assert not kinds_of


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("a directive", "```{note}\nRead this.\n```"),
        ("a directive", "````{tab-set}\n````"),
        ("a colon fence or tab-set", ":::{note}\nRead this.\n:::"),
        ("a colon fence or tab-set", "::::\nplain\n::::"),
        ("a role", "See {doc}`index` for more."),
        ("a label", "(attention)=\n## Attention"),
        ("a label of an equation", "$$ x \\label{eq:x} $$"),
        ("a label of an equation", "$$ x $$ (eq:x)"),
        ("a label of an equation", "By $\\eqref{x}$ it follows."),
        ("a footnote", "Softmax[^1] is smooth."),
        ("a footnote", "[^1]: A smooth maximum."),
        ("a block break", "One.\n\n+++\n\nTwo."),
        ("a GitHub alert", "> [!NOTE]\n> Read this."),
        ("a MyST comment", "% not shown\nShown."),
        ("a substitution", "Version {{ version }}."),
        ("a definition list", "Query\n: what a token asks"),
        ("front matter", "---\ntitle: Attention\n---\n# Attention"),
        ("mathematics without dollars", "\\[ x^2 \\]"),
        ("mathematics without dollars", "so \\(x^2\\) grows"),
        ("mathematics without dollars", "\\begin{align}\nx &= y\n\\end{align}"),
        ("a picture linked as a file", "![heads](heads.png)"),
        ("a picture linked as a file", "<img src='heads.png'>"),
        (
            "a summary without a blank line after it",
            "<details><summary>Hint</summary>\nUse `tril`.\n\n</details>",
        ),
        (
            "a summary without a blank line after it",
            "<details><summary>Hint</summary>Use `tril`.</details>",
        ),
    ],
)
def test_names_what_only_one_reader_understands(kind, text):
    assert kind in markdown_rule.complaints(text)


@pytest.mark.parametrize(
    "text",
    [
        "# 3 Attention\n\n- One.\n- Two.\n- Three.",
        "> **Note.** The scores are not weights yet.",
        "$$ \\text{softmax}(QK^\\top) \\tag{3.1} $$",
        "Shapes $n \\times d_k$ (keys) and $x^{(i)}$.",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "<details><summary>Hint</summary>\n\nUse `tril`.\n\n</details>",
        "```python\nnames = {'a': [^1]}\n::: {note}\n+++\n```",
        "The markers `[^1]`, `{doc}` and `+++` mean nothing here.",
        "``a ` b`` and a [link](https://arxiv.org/abs/1706.03762).",
        "$$\n\\begin{aligned} x &= y \\\\[2pt] z &= w \\end{aligned}\n$$",
    ],
)
def test_accepts_what_all_readers_understand(text):
    assert markdown_rule.complaints(text) == []
