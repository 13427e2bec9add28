"""Symbols of a formula light up the lines of code that compute with them."""

import pytest
from helpers.book import ROOT

EQUATION = """
<div class="equation"><div class="formula"><math><mi>softmax</mi><mo>(</mo><mfrac><mrow>
<mi>Q</mi><msup><mi>K</mi><mo>⊤</mo></msup></mrow><msqrt><msub><mi>d</mi><mi>k</mi></msub>
</msqrt></mfrac><mo>)</mo><mi>V</mi></math></div>
<a class="number" href="#x">(3.2)</a></div>
"""
CODE = """
<div class="cell_input"><pre><span class="c1"># scores = Q Kᵀ / √d_k</span>
<span class="n">query</span> = query / root
<span class="n">scores</span> = query @ key.T
<span class="c1"># weights = softmax(scores), over the keys</span>
<span class="n">weights</span> = softmax(scores)

<span class="n">other</span> = 1</pre></div>
<div class="cell_input"><pre><span class="c1"># z = Q, of another formula</span>
<span class="n">z</span> = q</pre></div>
"""
LIT = """() => [...CSS.highlights.get("symbol") ?? []].map(
    range => range.toString().trim().split("\\n"))"""


@pytest.fixture(scope="module")
def page(browser):
    page = browser.new_page()
    page.evaluate("html => document.body.innerHTML = html", EQUATION + CODE)
    page.add_script_tag(path=ROOT / "book" / "_assets" / "symbols.js")
    return page


@pytest.mark.parametrize(
    ("symbol", "lines"),
    [
        ("msup", ["# scores = Q Kᵀ / √d_k", "query = query / root"]),
        ("msub", ["# scores = Q Kᵀ / √d_k", "query = query / root"]),
        (
            "mi:text-is('softmax')",
            ["# weights = softmax(scores), over the keys", "weights = softmax(scores)"],
        ),
    ],
)
def test_pointing_at_a_symbol_lights_its_lines(page, symbol, lines):
    assert page.evaluate(LIT) == []
    page.locator(symbol).first.hover()
    (lit,) = page.evaluate(LIT)
    assert lit[: len(lines)] == lines
    assert "other = 1" not in lit
    page.mouse.move(0, 0)
    assert page.evaluate(LIT) == []


def test_symbol_without_a_line_is_not_marked(page):
    marked = page.locator(".linked-symbol").all_inner_texts()
    assert len(marked) == 4
    assert "V" not in marked


def test_number_of_a_formula_lights_all_its_lines(page):
    page.locator(".number").focus()
    lit = page.evaluate(LIT)
    assert [lines[0] for lines in lit] == [
        "# scores = Q Kᵀ / √d_k",
        "# weights = softmax(scores), over the keys",
    ]
