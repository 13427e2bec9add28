"""Marking while files change, disks are full and commands are mistyped."""

import csv
import errno
import json
import os
import subprocess
import sys
import time

from exercises.__main__ import main
from exercises.marking.grade import journal_of
from exercises.marking.points import read_points
from exercises.marking.report import Row, read_marks
from exercises.marking.results_journal import results
from exercises.marking.submissions import find

import pytest
from helpers.classroom import (
    FUNCTION,
    SEED,
    VALUE,
    code,
    fork_servers_and_workers,
    hand_in,
    mistaken,
    solved,
)

pytestmark = [
    pytest.mark.usefixtures("bubblewrap"),
    pytest.mark.slow("a full disk or a changed file that costs marks"),
]


@pytest.fixture
def course(tmp_path):
    """Return the command that grades a folder `in`, which is still empty."""
    points = tmp_path / "points.csv"
    points.write_text(f"{VALUE},2\n")
    command = ["grade", str(tmp_path / "in"), "--seed", SEED, "--points", str(points)]
    return [*command, "-o", str(tmp_path / "marks.csv"), "-j", "1"]


def marks(path):
    """Return {student: (total, notes)} of a file of marks."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        return {
            row["student"]: (float(row["total"]), row["notes"])
            for row in csv.DictReader(file)
        }


def wait_until(condition, process):
    while not condition():
        assert process.poll() is None, "it ended too soon"
        time.sleep(0.01)


def test_what_changes_while_it_is_marked_is_marked_the_next_time(course, tmp_path):
    folder, journal = tmp_path / "in", journal_of(tmp_path / "marks.csv")
    right, wrong = solved(VALUE), mistaken(VALUE, 0)[0]
    ada = hand_in(folder / "ada.ipynb", *right).path
    bea = hand_in(folder / "bea.ipynb", code("import time; time.sleep(2)"), *wrong).path
    cleo = hand_in(folder / "cleo.ipynb", *right).path
    dora = hand_in(folder / "dora.ipynb", *right).path
    whole, before = dora.read_bytes(), find(folder)[1].digest()
    command = [sys.executable, "-m", "exercises", *course]

    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as first:
        wait_until(lambda: journal.exists() and journal.read_bytes(), first)
        ada.unlink()  # after it was marked
        # A worker has started, so the notebook has been read.
        wait_until(lambda: fork_servers_and_workers(first.pid)[1], first)
        hand_in(bea, *right)  # while it is marked
        cleo.unlink()  # before it is marked
        dora.write_bytes(whole[: len(whole) // 2])  # as during synchronisation
        errors = first.communicate()[1]
    assert first.returncode == 0, errors
    rows = marks(tmp_path / "marks.csv")
    assert {name: total for name, (total, _) in rows.items()} == {
        "ada": 2,
        "bea": 0,
        "cleo": 0,
        "dora": 0,
    }
    assert "the file is gone" in rows["cleo"][1]
    assert "the file is not a notebook: it is no JSON at line" in rows["dora"][1]
    assert "Not marked as they now are: ada, bea." in errors
    (of_bea,) = [one for one in results(journal) if one.student == "bea"]
    assert of_bea.digest == before

    dora.write_bytes(whole)
    hand_in(cleo, *right)
    again = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "Not marked" not in again.stderr
    everyone = dict.fromkeys(("bea", "cleo", "dora"), (2, ""))
    assert marks(tmp_path / "marks.csv") == everyone


def test_nothing_is_overwritten_that_is_no_file_of_these_marks(
    course, tmp_path, capsys
):
    ada = hand_in(tmp_path / "in" / "ada.ipynb", *solved(VALUE)).path
    output, points = tmp_path / "marks.csv", tmp_path / "points.csv"
    other = tmp_path / "other.csv"
    other.write_text(f"student,total,out of,{FUNCTION},notes\nada,1,1,1,\n")
    for path in (points, ada, other, tmp_path):
        before = path.read_bytes() if path.is_file() else b""
        assert main([*course, "-o", str(path)]) == 1
        assert not path.is_file() or path.read_bytes() == before
        assert not journal_of(path).exists()
    assert "wanted another file" in capsys.readouterr().err
    output.write_text(f'\ufeff"student";"total";"out of";"{VALUE}";"notes"\n')
    assert main(course) == 0
    assert marks(output) == {"ada": (2, "")}


REFUSED = [
    (["--seconds", "nan"], "seconds is nan: wanted"),
    (["--seconds", "inf"], "seconds is inf: wanted"),
    (["--seconds", "0"], "seconds is 0.0: wanted"),
    (["--cell-seconds", "-1"], "cell_seconds is -1.0: wanted"),
    (["--cell-seconds", "nan"], "cell_seconds is nan: wanted"),
    (["--cell-seconds", "400"], "cell_seconds is 400: wanted at most"),
    (["--notebook-seconds", "0"], "notebook_seconds is 0.0: wanted"),
    (["--notebook-seconds", "59"], "cell_seconds is 60: wanted at most"),
    (["--megabytes", "499"], "megabytes is 499: wanted"),
    (["--megabytes", "9" * 30], "megabytes is 9+: wanted"),
    (["-j", "0"], "jobs is 0: wanted"),
    (["-o", "/proc/marks.csv"], "/proc"),
    (["-o", "/dev/null/marks.csv"], "/dev/null"),
]


@pytest.mark.parametrize(("mistyped", "complaint"), REFUSED)
def test_what_cannot_be_is_said_before_anything_is_marked(
    course, tmp_path, capfd, mistyped, complaint
):
    hand_in(tmp_path / "in" / "ada.ipynb", *solved(VALUE))
    assert main([*course, *mistyped]) == 1
    errors = capfd.readouterr().err
    assert complaint.replace("9+", "9" * 30) in errors
    assert "Marking" not in errors
    assert not list(tmp_path.glob("*.jsonl"))


@pytest.mark.parametrize("place", ["marks.journal.jsonl", "marks_feedback"])
def test_a_place_that_is_taken_is_said_before_anything_is_marked(
    course, tmp_path, capfd, place
):
    hand_in(tmp_path / "in" / "ada.ipynb", *solved(VALUE))
    taken = tmp_path / place
    taken.mkdir() if place.endswith("jsonl") else taken.write_text("mine")
    assert main(course) == 1
    errors = capfd.readouterr().err
    assert place in errors
    assert "Marking" not in errors


@pytest.mark.parametrize("command", ["release", "grade"])
def test_a_seed_is_the_same_however_it_is_spaced_and_never_empty(
    course, tmp_path, capsys, command
):
    release = ["release", "attention", "-o", str(tmp_path / "week3")]
    arguments = {"release": release, "grade": course}[command]
    for empty in ("", " \t"):
        with pytest.raises(SystemExit):
            main([*arguments, "--seed", empty])
        assert "--seed: it is empty: wanted" in capsys.readouterr().err
    hand_in(tmp_path / "in" / "ada.ipynb", *solved(VALUE))
    written = []
    for seed in (SEED, f" {SEED.replace(' ', '  ')} "):
        assert main([*arguments, "--seed", seed]) == 0
        files = [*tmp_path.glob("*.jsonl"), *tmp_path.glob("week3/*")]
        written.append([path.read_bytes() for path in files])
    assert written[0] == written[1] != []


def test_a_folder_that_may_not_be_read_costs_its_student_alone(course, tmp_path):
    hand_in(tmp_path / "in" / "ada.ipynb", *solved(VALUE))
    closed = {}
    for mode in (0o000, 0o400, 0o100):
        for student, folder in ((f"bea{mode}", "."), (f"cleo{mode}", "week 3")):
            path = tmp_path / "in" / student / folder / "answers.ipynb"
            closed[student] = hand_in(path, *solved(VALUE)).path.parent
            closed[student].chmod(mode)
    command = [sys.executable, "-m", "exercises", *course, "--unsafe-no-sandbox"]
    if os.geteuid() == 0:  # root may read everything until it gives that up
        command = ["setpriv", "--inh-caps=-all", "--bounding-set=-all", *command]
    done = subprocess.run(command, capture_output=True, text=True)
    for folder in closed.values():
        folder.chmod(0o700)
    assert done.returncode == 0, done.stderr
    problem = "handed in a folder that may not be read"
    everyone = {"ada": (2, ""), **dict.fromkeys(closed, (0, problem))}
    assert marks(tmp_path / "marks.csv") == everyone


def test_lines_of_a_journal_that_hold_no_result_are_left_out(course, tmp_path):
    hand_in(tmp_path / "in" / "ada.ipynb", *solved(VALUE))
    journal = journal_of(tmp_path / "marks.csv")
    assert main(course) == 0
    (line,) = journal.read_text().splitlines()
    entry = json.loads(line)
    others = [None, {}, 7, [entry], {**entry, "result": {}}, {**entry, "digest": {}}]
    entry["result"]["marks"][VALUE]["points"] = "many"
    lines = [line, *map(json.dumps, [*others, entry]), "[" * 10_000, "\ud800", ""]
    journal.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
    before = journal.read_bytes()
    assert main(course) == 0
    assert journal.read_bytes() == before
    assert marks(tmp_path / "marks.csv") == {"ada": (2, "")}
    assert main(["report", str(tmp_path / "marks.csv")]) == 0


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_marks_are_read_as_a_spreadsheet_saves_them(tmp_path, separator):
    lines = [
        ["student", "total", "out of", VALUE, "feedback"],
        ["Zoë", "1,5", "2,5"],
        [],
    ]
    with (tmp_path / "marks.csv").open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, delimiter=separator).writerows(lines)
        file.write(separator * 4)
    journal_of(tmp_path / "marks.csv").touch()
    assert read_marks(tmp_path / "marks.csv") == [Row("Zoë", 1.5, 2.5)]


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"\xff\xfe\n", "not UTF-8"),
        (b"student,total\nada,1\n", "lacks the columns out of, feedback"),
        (b"student,total,out of,feedback\nada,nan,2\n", "ada has total 'nan': wanted"),
        (b"student,total,out of,feedback\nada,1\n", "ada has out of '': wanted"),
    ],
)
def test_marks_that_are_damaged_are_said_to_be(tmp_path, data, complaint):
    (tmp_path / "marks.csv").write_bytes(data)
    journal_of(tmp_path / "marks.csv").touch()
    with pytest.raises(ValueError, match=rf"marks\.csv.*{complaint}"):
        read_marks(tmp_path / "marks.csv")


@pytest.mark.parametrize(
    ("worth", "given"),
    [
        ("1,5", "'1,5'"),
        ("nan", "'nan'"),
        ("inf", "'inf'"),
        ("-3", "'-3'"),
        ("3,attention", "'3,attention'"),
        (f"1\n{VALUE},2", "twice"),
    ],
)
def test_points_that_are_none_are_refused(tmp_path, worth, given):
    points = tmp_path / "points.csv"
    points.write_text(f"{FUNCTION},1\n{VALUE},{worth}\n")
    with pytest.raises(ValueError, match=rf"points\.csv, line [23]: .*{given}.*wanted"):
        read_points(points)


# A small disk is mounted over the folder. A file fills it and is removed.
FULL = """
head -c 12288 /dev/zero > {folder}/full
cat /dev/zero > {folder}/rest 2> /dev/null
rm {folder}/full
"{python}" -m exercises release attention --seed S -o {folder} && exit 1
rm {folder}/rest
test -z "$(ls -A {folder})" || exit 2
"{python}" -m exercises release attention --seed S -o {folder} || exit 3
test "$(ls -A {folder} | wc -l)" = 2 || exit 4
"""


def test_a_full_disk_leaves_no_half_release(tmp_path):
    script = FULL.format(folder=tmp_path, python=sys.executable)
    disk = ["--dev-bind", "/", "/", "--size", str(2**18), "--tmpfs", str(tmp_path)]
    command = ["bwrap", *disk, "sh", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, (done.returncode, done.stderr)
    assert os.strerror(errno.ENOSPC) in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_the_list_is_printed_in_any_alphabet(encoding):
    command = [sys.executable, "-m", "exercises", "list", "attention"]
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    done = subprocess.run(command, capture_output=True, env=environment)
    assert done.returncode == 0, done.stderr
    row = next(row for row in done.stdout.splitlines() if VALUE.encode() in row)
    assert b"  *--  " in row
