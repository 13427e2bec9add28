"""The files around marking: points, files next to submissions, odd systems."""

import os
import subprocess
import sys
from pathlib import Path

from exercises.__main__ import main
from exercises.engine.registry import chapter_exercises
from exercises.engine.verdict import MISTAKE, RIGHT
from exercises.marking import report
from exercises.marking.grade import report_of, returned_of
from exercises.marking.mark import Mark, Result
from exercises.marking.points import read_points

import matplotlib
import pytest
from helpers.book import BOOK
from helpers.classroom import FUNCTION, SEED, VALUE, hand_in, solved
from matplotlib import pyplot as plt


@pytest.mark.parametrize(
    "text",
    [
        f"exercise,points\n{VALUE},2.5\n{FUNCTION},3\n",
        f"\ufeffexercise;points\r\n{VALUE};2,5\r\n{FUNCTION};3\r\n",
        f'"exercise";"points"\n"{VALUE}";2.5\n"{FUNCTION}";3\n',
        f"# practice, week 3; marked\n\n{VALUE}, 2.5\n{FUNCTION},3\n;\n,,\n",
    ],
)
def test_points_are_read_as_a_spreadsheet_saves_them(tmp_path, text):
    points = tmp_path / "points.csv"
    points.write_text(text, encoding="utf-8", newline="")
    assert read_points(points) == {VALUE: 2.5, FUNCTION: 3}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("exercise,points\nattention.spraed,3", "line 2: exercise is .*wanted"),
        (
            f"{FUNCTION},3\n\n{VALUE},2\n{VALUE},many",
            "line 4: .* is worth .many.: wanted",
        ),
        (f"{FUNCTION};drei", "line 1: .* is worth .drei.: wanted"),
        (f'{FUNCTION},"2,5"', "line 1: .* is worth .2,5.: wanted"),
        ("# für\n".encode("latin-1"), "not UTF-8: wanted"),
    ],
)
def test_what_is_wrong_with_points_is_said_with_file_and_line(
    tmp_path, text, complaint
):
    points = tmp_path / "points.csv"
    points.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=rf"points\.csv.*{complaint}"):
        read_points(points)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_release_overwrites_no_other(tmp_path, capsys):
    week = tmp_path / "week6"
    released = ["release", "feed_forward", "--seed", "S", "-o", str(week)]
    assert main(released) == 0
    before = contents(week)
    some = ["--only", "feed_forward.gelu"]
    for other in (["release", "encoder", *released[2:]], [*released, *some]):
        assert main(other) == 1
        assert "wanted another folder" in capsys.readouterr().err
        assert contents(week) == before
    # Without the points, the notebook still says which exercises it has.
    (week / "points.csv").unlink()
    assert main([*released, *some]) == 1
    assert "05_feed_forward.ipynb is of other exercises" in capsys.readouterr().err


def test_a_release_again_keeps_the_points_that_were_edited(tmp_path):
    released = ["release", "attention", "--seed", "S", "-o", str(tmp_path)]
    assert main(released) == 0
    points = tmp_path / "points.csv"
    points.write_text(points.read_text().replace(f"{VALUE},1", f"{VALUE},9"))
    assert main([*released, "--framework", "torch"]) == 0
    assert read_points(points)[VALUE] == 9
    assert list(read_points(points)) == list(chapter_exercises("attention"))


def test_a_release_overwrites_no_chapter(tmp_path, capsys):
    chapter = tmp_path / "03_attention.ipynb"
    chapter.write_bytes((BOOK / "03_attention.ipynb").read_bytes())
    assert main(["release", "attention", "--seed", "S", "-o", str(tmp_path)]) == 1
    assert "03_attention.ipynb is of other exercises" in capsys.readouterr().err
    assert chapter.read_bytes() == (BOOK / "03_attention.ipynb").read_bytes()


@pytest.mark.slow("a file of marking's own that becomes a student")
@pytest.mark.usefixtures("bubblewrap")
def test_what_marking_writes_among_submissions_is_no_student(tmp_path, monkeypatch):
    hand_in(tmp_path / "in" / "ada.ipynb", *solved(VALUE))
    monkeypatch.chdir(tmp_path / "in")
    Path("worth.csv").write_text(f"{VALUE},2\n")
    twice = ("week 3.csv", "week 3.csv", "again.csv", "out/marks.csv", "out/marks.csv")
    for output in map(Path, twice):
        command = ["grade", ".", "--seed", SEED, "--points", "worth.csv", "-j", "1"]
        assert main([*command, "-o", str(output)]) == 0
        rows = output.read_text(encoding="utf-8-sig").splitlines()
        assert [row.split(",")[0] for row in rows] == ["student", "ada"]
        if not report_of(output).exists():
            assert main(["report", str(output)]) == 0
            returned_of(output).mkdir()
            (returned_of(output) / "feedback.zip").touch()


def run_as_on_windows(*arguments, **how):
    """Run a command where Python has no module `resource`."""
    program = (
        "import sys; sys.modules['resource'] = None\n"
        "from exercises.__main__ import main; sys.exit(main())"
    )
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, **how)


@pytest.mark.slow("a machine without limits on which marking goes on")
def test_without_limits_it_refuses_with_the_cure_and_reports_all_the_same(tmp_path):
    """About 6 s for three programs: only here does one run as on Windows."""
    hand_in(tmp_path / "in" / "ada.ipynb", *solved(VALUE))
    points, marks = tmp_path / "points.csv", tmp_path / "marks.csv"
    points.write_text(f"{VALUE},2\n")
    command = ["grade", tmp_path / "in", "--seed", SEED, "--points", points]
    command += ["-o", marks, "-j", "1"]
    path = {**os.environ, "PATH": str(tmp_path)}
    done = run_as_on_windows(*command, env=path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "bwrap is not installed" in done.stderr
    assert "mark in Docker" in done.stderr
    done = run_as_on_windows(*command, "--unsafe-no-sandbox", env=path)
    assert done.returncode == 1
    assert "Mark in Docker" in done.stderr
    assert "Traceback" not in done.stderr
    assert not marks.exists()
    # Marks from elsewhere.
    assert main([*map(str, command), "--unsafe-no-sandbox"]) == 0
    done = run_as_on_windows("report", marks)
    assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "marks_report").iterdir())) == 4


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_small_class_is_counted_in_whole_students(size):
    matplotlib.use("Agg")
    marks = {VALUE: Mark(0, MISTAKE, "", "a mistake"), FUNCTION: Mark(3, RIGHT, "")}
    results = [Result(f"student {n}", marks, []) for n in range(size)]
    totals = report._totals([report.Row("Ada", one.total(), 5) for one in results])
    ticks = [totals.axes[0].get_yticks()]
    for draw in (report._outcomes, report._mistakes):
        ticks.append(draw(results).axes[0].get_xticks())
    plt.close("all")
    for of_one in ticks:
        assert all(tick == round(tick) for tick in of_one), of_one
        assert any(0 < tick <= size for tick in of_one), of_one


@pytest.mark.parametrize("text", ["", "student,total,out of,notes\n"])
def test_marks_of_nobody_are_said_to_be_none(tmp_path, capsys, text):
    marks = tmp_path / "marks.csv"
    marks.write_text(text)
    assert main(["report", str(marks)]) == 1
    assert "holds no student's marks" in capsys.readouterr().err
