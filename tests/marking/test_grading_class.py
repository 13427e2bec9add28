"""Many submissions, killed half way and resumed: every mark right."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time

from exercises.__main__ import main
from exercises.engine.verdict import RIGHT
from exercises.marking.grade import journal_of
from exercises.marking.points import read_points
from exercises.marking.report import count_mistakes, count_outcomes
from exercises.marking.results_journal import results

import pytest
from helpers.classroom import (
    FUNCTION,
    POINTS,
    SEED,
    VALUE,
    answered,
    code,
    hand_in,
    imports,
    mistaken,
    solved,
    untouched,
)

pytestmark = pytest.mark.usefixtures("bubblewrap")
HALF_WAY = 8


def function(body):
    return answered(FUNCTION, f"def causal_mask(length, key_length):\n    {body}\n")


def solved_in(framework):
    return [imports(framework), *solved(FUNCTION, framework), *solved(VALUE)]


def mistaken_in(framework, place):
    cells, _ = mistaken(FUNCTION, place, framework)
    return [imports(framework), *cells, *solved(VALUE)]


# How many students hand in what, and the points that it earns. A framework takes
# seconds to start, so few need one; other tests judge each framework.
CLASS = {
    "right": (5, 2, lambda n: solved(VALUE)),
    "right_in_pytorch": (1, 5, lambda n: solved_in("torch")),
    "right_in_tensorflow": (1, 5, lambda n: solved_in("tensorflow")),
    "wrong": (8, 0, lambda n: [code("import math"), *mistaken(VALUE, n % 4)[0]]),
    "wrong_in_pytorch": (1, 2, lambda n: mistaken_in("torch", n)),
    "untouched": (2, 0, lambda n: untouched()),
    "broken": (1, 2, lambda n: [code("1 / 0"), code("def ("), *solved(VALUE)]),
    "raises": (1, 2, lambda n: [*function("return 1 / 0"), *solved(VALUE)]),
    "exits": (1, 2, lambda n: [*function("import os; os._exit(0)"), *solved(VALUE)]),
    "forks": (1, 2, lambda n: [*function("import os; os.fork()"), *solved(VALUE)]),
    "hangs": (1, 2, lambda n: [*function("while True: pass"), *solved(VALUE)]),
}
NO_NOTEBOOK = 2
TWICE = 2


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory):
    """Return the folder, and {student: points that they earn}."""
    folder, earned = tmp_path_factory.mktemp("handed_in"), {}
    for kind, (number, points, cells) in CLASS.items():
        for n in range(number):
            hand_in(folder / f"{kind}_{n}.ipynb", *cells(n))
            earned[f"{kind}_{n}"] = points
    for n in range(NO_NOTEBOOK):
        (folder / f"empty_{n}.ipynb").write_text("not JSON" * n)
        earned[f"empty_{n}"] = 0
    for n in range(TWICE):
        hand_in(folder / f"twice_{n}.ipynb", *solved(VALUE))
        hand_in(folder / f"Twice_{n}" / "again.ipynb", *solved(VALUE), code("1"))
        earned[f"Twice_{n}"] = 0
    assert len(earned) == 27
    return folder, earned


def test_a_class_is_marked_in_two_goes(handed_in, tmp_path):
    """About 10 s: only here is a class's marking killed and continued."""
    folder, earned = handed_in
    points, output = tmp_path / "points.csv", tmp_path / "marks.csv"
    lines = [f"{name},{worth:g}" for name, worth in POINTS.items()]
    points.write_text("\n".join(["exercise,points", *lines]))
    assert read_points(points) == POINTS
    command = [sys.executable, "-m", "exercises", "grade", str(folder)]
    command += ["--seed", SEED, "--points", str(points), "-o", str(output)]
    command += ["-j", "2", "--seconds", "4"]
    command += ["--cell-seconds", "900", "--notebook-seconds", "900"]
    journal = journal_of(output)

    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as first:
        while not journal.exists() or len(journal.read_bytes().splitlines()) < HALF_WAY:
            assert first.poll() is None, "it ended before it was half way"
            time.sleep(0.1)
        os.kill(first.pid, signal.SIGKILL)
    done = journal.read_text().splitlines()
    assert HALF_WAY <= len(done) < len(earned)
    assert not output.exists()
    # A line that was being written when the power failed.
    journal.write_text("\n".join([*done, done[0][: len(done[0]) // 2]]))

    second = subprocess.run(command, capture_output=True, text=True, check=True)
    assert f"{len(done)}/{len(earned)}" in second.stderr
    entries = journal.read_text().splitlines()
    assert entries[: len(done)] == done
    assert len(entries) == len(earned) + 1  # with the incomplete one

    with output.open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert {row["student"]: float(row["total"]) for row in rows} == earned
    columns = {"student", "total", "out of", *POINTS, "notes", "feedback"}
    assert rows[0].keys() == columns
    pages = {path.name for path in (tmp_path / "marks_feedback").glob("*.html")}
    assert pages == {row["feedback"] for row in rows}

    _the_report_counts(output, tmp_path, earned)


def _the_report_counts(output, tmp_path, earned):
    kept = results(journal_of(output))
    assert len(kept) == len(earned)
    right = sum(points >= 2 for points in earned.values())
    assert count_outcomes(kept)[VALUE][RIGHT] == right
    counts = dict(count_mistakes(kept))
    for mistake in range(4):
        _, says = mistaken(VALUE, mistake)
        assert counts[VALUE, says] == 2
    assert main(["report", str(output), "-o", str(tmp_path / "pictures")]) == 0
    names = {path.name for path in (tmp_path / "pictures").iterdir()}
    assert names == {"totals.png", "outcomes.png", "mistakes.png", "unnamed.png"}


@pytest.mark.slow("a class that is marked anew for one submission")
def test_marking_again_marks_only_what_is_new(tmp_path, monkeypatch):
    folder, output = tmp_path / "in", tmp_path / "marks.csv"
    hand_in(folder / "ada.ipynb", *solved(VALUE))
    points = tmp_path / "points.csv"
    points.write_text(f"{VALUE},2\n")
    arguments = ["--seed", SEED, "--points", str(points), "-o", str(output), "-j", "1"]
    assert main(["grade", str(folder), *arguments]) == 0
    first = journal_of(output).read_text()
    assert main(["grade", str(folder), *arguments]) == 0
    assert journal_of(output).read_text() == first
    hand_in(folder / "ada.ipynb", *mistaken(VALUE, 0)[0])  # handed in anew
    assert main(["grade", str(folder), *arguments]) == 0
    again = [json.loads(line) for line in journal_of(output).read_text().splitlines()]
    assert [entry["result"]["marks"][VALUE]["points"] for entry in again] == [2, 0]
    assert "2" not in output.read_text().splitlines()[1].split(",")[1]
    # A corrected book or another PyTorch may mark differently.
    monkeypatch.setattr("exercises.marking.results_journal._programs", lambda: "mended")
    assert main(["grade", str(folder), *arguments]) == 0
    assert len(journal_of(output).read_text().splitlines()) == len(again) + 1


@pytest.mark.slow("two notebooks on one core")
@pytest.mark.skipif(
    len(os.sched_getaffinity(0)) < 2, reason="there is one core for all"
)
@pytest.mark.usefixtures("bubblewrap")
def test_a_notebook_takes_no_core_on_which_another_is_marked(tmp_path):
    """Hundreds of its threads there would each count as much as the other's one."""
    tells_its_cores = "import os\nassert False, sorted(os.sched_getaffinity(0))"
    for name in ("ada", "bob"):
        hand_in(
            tmp_path / "in" / f"{name}.ipynb", code(tells_its_cores), *solved(VALUE)
        )
    points, output = tmp_path / "points.csv", tmp_path / "marks.csv"
    points.write_text(f"{VALUE},2\n")
    arguments = ["--seed", SEED, "--points", str(points), "-o", str(output), "-j", "2"]
    assert main(["grade", str(tmp_path / "in"), *arguments]) == 0
    notes = [result.notes for result in results(journal_of(output))]
    assert all(re.search(r"AssertionError: \[\d+\]$", note) for (note,) in notes), notes


@pytest.mark.slow("a seed that is mistyped, and nobody is told")
def test_a_mistyped_seed_is_told_at_the_end(tmp_path, capsys):
    folder, points = tmp_path / "in", tmp_path / "points.csv"
    for name in ("ada", "grace"):
        hand_in(folder / f"{name}.ipynb", *solved(VALUE))
    hand_in(folder / "alan.ipynb", code("1"))
    points.write_text(f"{VALUE},2\n")
    roster = tmp_path / "class.csv"  # most of whom are missing
    roster.write_text("id,name\n" + "".join(f"s{n},Miss {n}\n" for n in range(5)))
    for seed, told in ((SEED, False), (f"{SEED}x", True)):
        output = tmp_path / f"{told}.csv"
        command = ["--seed", seed, "--points", str(points), "-o", str(output)]
        command += ["--roster", str(roster)]
        assert main(["grade", str(folder), *command]) == 0
        said = "2 of 3 notebooks were released with another seed"
        assert (said in capsys.readouterr().err) == told
        assert output.read_text().count("another seed") == 2 * told


@pytest.mark.slow("a report of marks that are no longer")
def test_the_report_is_of_the_last_marking(tmp_path):
    """Of the marks that the file shows, even if none of them is new."""
    folder, output = tmp_path / "in", tmp_path / "marks.csv"
    hand_in(folder / "ada.ipynb", *solved(VALUE))
    points = tmp_path / "points.csv"
    for worth in (2, 3, 2):
        points.write_text(f"{VALUE},{worth}\n")
        command = ["--seed", SEED, "--points", str(points), "-o", str(output)]
        assert main(["grade", str(folder), *command]) == 0
        (result,) = results(journal_of(output))
        assert result.total() == worth


def test_without_bubblewrap_it_refuses_with_reason_and_cure(
    tmp_path, monkeypatch, capsys
):
    hand_in(tmp_path / "in" / "ada.ipynb", *solved(VALUE))
    points = tmp_path / "points.csv"
    points.write_text(f"{VALUE},2\n")
    arguments = ["grade", str(tmp_path / "in"), "--seed", SEED]
    arguments += ["--points", str(points), "-o", str(tmp_path / "marks.csv")]
    arguments += ["-j", "1"]
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(arguments) == 1
    errors = capsys.readouterr().err
    assert "bwrap is not installed" in errors
    assert "sudo apt install bubblewrap" in errors
    assert "/book/trouble.md#no-bubblewrap" in errors
    assert not (tmp_path / "marks.csv").exists()
    # A bwrap that the system refuses gets another message than a missing one.
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho no permission >&2; exit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert main(arguments) == 1
    assert "no permission" in capsys.readouterr().err
    # It marks without walls only on demand.
    assert main([*arguments, "--unsafe-no-sandbox"]) == 0
    assert "ada,2,2" in (tmp_path / "marks.csv").read_text()
