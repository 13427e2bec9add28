"""What stays on one line: numbers, words, formulas and the punctuation around them."""

import mathml
import pytest
import tables
import unbroken
from docutils import nodes


def test_a_number_keeps_its_per_cent_and_code_its_space():
    words = nodes.paragraph("", "up to 85 % of them")
    code = nodes.literal("", "7 % 3")
    unbroken.keep_together(nodes.container("", words, code))
    assert words.astext() == "up to 85\N{NO-BREAK SPACE}% of them"
    assert code.astext() == "7 % 3"


def test_a_word_with_a_hyphen_stays_whole_in_a_heading_only():
    heading = nodes.title("", "4 Multi-head attention")
    text = nodes.paragraph("", "Multi-head attention")
    unbroken.keep_together(nodes.container("", heading, text))
    (word,) = heading.findall(nodes.inline)
    assert word.astext() == "Multi-head" and word["classes"] == ["together"]
    assert heading.astext() == "4 Multi-head attention"
    assert not list(text.findall(nodes.inline))


def test_marks_go_into_a_formula_that_may_be_broken():
    formula = nodes.math("", "abcdefg = hijklmn + opqrstu")
    paragraph = nodes.paragraph("", "So (", formula, nodes.Text("), too."))
    mathml.keep_marks(nodes.container("", paragraph))
    assert paragraph.astext() == "So abcdefg = hijklmn + opqrstu too."
    markup = mathml.convert(formula)
    assert '<mrow><mtext class="punctuation">(</mtext><mi>a</mi>' in markup
    assert markup.endswith('<mtext class="punctuation">),</mtext></mrow></math>')


@pytest.mark.parametrize(
    ("cells", "roomy"),
    [(["a", "score", "of two"], False), (["MultiHeadAttention"] * 3, True)],
)
def test_a_table_too_wide_for_a_phone_gets_wide_columns(cells, roomy):
    row = nodes.row("", *(nodes.entry("", nodes.paragraph("", c)) for c in cells))
    widths = tables.widths_of_columns(nodes.table("", nodes.tgroup("", row)))
    assert widths == [max(map(len, cell.split())) for cell in cells]
    assert (sum(widths) + tables.CELL * 3 > tables.ROOMY) is roomy


def test_a_long_name_of_a_row_may_break_and_stays_one_name():
    name = nodes.literal("", "encoder.layer.0.word_embeddings(ids)")
    row = nodes.row("", nodes.entry("", nodes.paragraph("", "", name)))
    table = nodes.table("", nodes.tgroup("", nodes.tbody("", row)))
    tables.let_names_break(table)
    parts = ["encoder.", "layer.", "0.", "word_", "embeddings(", "ids)"]
    assert [part.astext() for part in name] == parts
    assert name.astext() == "".join(parts)


def test_the_name_of_the_next_page_does_not_break_at_its_hyphen():
    context = {"prev": None, "next": {"title": "4 Multi-head attention"}}
    unbroken.keep_together_beside(None, None, None, context, None)
    title = '4 <span class="together">Multi-head</span> attention'
    assert context == {"prev": None, "next": {"title": title}}
