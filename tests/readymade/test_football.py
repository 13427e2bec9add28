"""Football reports, the check of their facts, and the words that a model reads."""

import ast
import re
from collections import Counter
from functools import cache

from readymade.data.football import (
    FAMILIES,
    UNSEEN,
    ReportWords,
    clubs_exchanged,
    football_reports,
    invented,
    stated_facts,
    summary_of,
    text_of,
    words_of,
    wrong_facts,
)

import pytest
from helpers.book import ROOT, code_cells, read, tags
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

CHAPTER = ROOT / "book" / "12_in_the_world.ipynb"


def crowds(reports):
    return {int(one.facts["crowd"].replace(",", "")) for one in reports}


def clubs(reports):
    return {one.facts[name] for one in reports for name in ("first", "second")}


def test_what_a_summary_states_is_in_its_report_except_for_the_verb():
    for report in football_reports(500, seed=1):
        facts = report.facts
        assert stated_facts(report.summary) == facts
        assert wrong_facts(report.summary, facts) == []
        assert invented(report.summary, report.text) == set()
        scores = {facts["score"], "-".join(reversed(facts["score"].split("-")))}
        assert any(score in report.text for score in scores)
        goals = [*map(int, facts["score"].split("-"))]
        verb = ("drew with", "edged", "beat", "thrashed")[min(goals[0] - goals[1], 3)]
        assert facts["verb"] == verb


def test_held_out_reports_have_other_crowds_and_names():
    known = football_reports(500, seed=1)
    assert not crowds(known) & crowds(football_reports(500, seed=1, held_out=True))
    for names in ("new", "strange"):
        assert not clubs(known) & clubs(football_reports(100, names=names))
    assert {one.family for one in known} == {*FAMILIES} - {UNSEEN}
    assert {one.family for one in football_reports(3, family=UNSEEN)} == {UNSEEN}


WIN = {
    "first": "Norwick",
    "verb": "beat",
    "second": "Hallbury",
    "score": "3-1",
    "day": "Friday",
    "crowd": "8,242",
    "scorer": "Dello",
}
DRAW = WIN | {"verb": "drew with", "score": "1-1"}
TURNED = {"first": "Hallbury", "second": "Norwick"}


@pytest.mark.parametrize(
    ("facts", "summary", "wrong", "exchanged"),
    [
        (WIN, summary_of(WIN), [], False),
        (WIN, summary_of(WIN | TURNED), ["first", "second"], True),
        (DRAW, summary_of(DRAW | TURNED), [], False),
        (DRAW, summary_of(DRAW | {"second": "Kirkham"}), ["second"], False),
        (DRAW, summary_of(WIN | {"score": "1-1"}), ["verb"], False),
        (WIN, summary_of(WIN | {"crowd": "824"}), ["crowd"], False),
        (WIN, "Norwick won.", [*WIN], False),
        (WIN, "", [*WIN], False),
    ],
)
def test_the_check_names_wrong_facts_and_ignores_the_order_in_a_draw(
    facts, summary, wrong, exchanged
):
    assert wrong_facts(summary, facts) == wrong
    assert clubs_exchanged(summary, facts) is exchanged


def test_invented_facts_are_those_that_the_report_lacks():
    summary = summary_of(WIN | {"first": "[UNK]", "crowd": "8,243"})
    text = "On Friday, Hallbury lost 1-3, Dello scored. 8,242 saw it."
    assert invented(summary, text) == {"[UNK]", "8,243"}


@pytest.mark.parametrize("numbered", [False, True])
def test_summaries_survive_encoding_and_decoding(numbered):
    reports = football_reports(400, seed=3)
    words = ReportWords(reports, numbered)
    _, ids = words.batch(reports)
    assert [words.text(row, one) for row, one in zip(ids, reports, strict=True)] == [
        one.summary for one in reports
    ]
    assert all(text_of(words_of(one.text)) == one.text for one in reports)


def test_an_unseen_name_can_be_written_only_as_a_number():
    reports = football_reports(400, seed=3)
    strange = football_reports(20, names="strange")
    for numbered in (False, True):
        words = ReportWords(reports, numbered)
        _, ids = words.batch(strange)
        written = [words.text(row, one) for row, one in zip(ids, strange, strict=True)]
        assert [
            text == one.summary for text, one in zip(written, strange, strict=True)
        ] == [numbered] * len(strange)
        assert all(("[UNK]" in text) is not numbered for text in written)


@cache
def rouge_of_the_chapter():
    """Return rouge_n and rouge_l as the chapter's cells define them."""
    scope = {"re": re, "Counter": Counter}
    for cell in code_cells(read(CHAPTER)):
        if "def rouge_" in cell.source and "exercise" not in tags(cell):
            for node in ast.parse(cell.source).body:
                if isinstance(node, ast.FunctionDef):
                    exec(compile(ast.Module([node], []), cell.id, "exec"), scope)
    return scope["rouge_n"], scope["rouge_l"]


SOME_WORDS = st.lists(
    st.sampled_from(["beat", "Beat", "2-1", "8,242", "on", "it's", "ß", "."]),
    max_size=9,
).map(" ".join)


@given(SOME_WORDS, SOME_WORDS)
def test_the_chapters_rouge_equals_the_packages(reference, summary):
    rouge_n, rouge_l = rouge_of_the_chapter()
    kinds = {
        "rouge1": rouge_n(1, reference, summary),
        "rouge2": rouge_n(2, reference, summary),
        "rougeL": rouge_l(reference, summary),
    }
    theirs = RougeScorer([*kinds]).score(reference, summary)
    for kind, ours in kinds.items():
        assert ours == pytest.approx(theirs[kind].fmeasure, abs=1e-12)
