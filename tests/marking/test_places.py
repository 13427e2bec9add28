"""Notebooks are marked wherever the book, its environment and Python are.

Each test has a mount namespace of its own, in which a copy of the book, its packages
and its Python are at an unusual place, and `grade` marks a class of two there.
"""

import csv
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from exercises.marking.points import write_points

import pytest
from helpers.book import ROOT
from helpers.classroom import SEED, VALUE, code, hand_in, solved

pytestmark = [
    pytest.mark.usefixtures("bubblewrap"),
    pytest.mark.slow("a folder, a user or a system on which marking fails"),
]

IS_ROOT = os.geteuid() == 0
OWNER = 12345 if IS_ROOT else os.geteuid()  # a number that no user has
NAME = 'Zoë\'s "class", $HOME'

# {where: (what brings the folder `base` there, how it is called then, and the book)}.
PLACES = {
    "below /tmp": ("", "{base}", "clone"),
    "among packages in a home folder": (
        """
        mount -t tmpfs -o mode=755 tmpfs /home
        mkdir /home/student
        mount --rbind "$base" /home/student
        """,
        "/home/student",
        "site-packages",
    ),
    "read-only, behind a link": (
        """
        for mounted in "$base/python" "$packages" "$book"; do
            mount -o remount,bind,ro "$mounted"
        done
        """,
        "{base}/link",
        "clone",
    ),
}
MOUNT = """
set -e
mount --rbind "$book" "$book"
mount --rbind "$all_packages" "$packages"
mount --rbind "$all_python" "$base/python"
{move}
cd /
umask 077
exec "$@"
"""


@pytest.fixture
def base():
    """A private folder below /tmp, wherever other tests have theirs."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    yield folder
    shutil.rmtree(folder)


def put(book, python):
    """Put the book there, and an environment that lacks its packages and its Python.

    Args:
        python: where Python's own folder will be.

    Returns:
        Where the environment looks for packages.
    """
    ignored = shutil.ignore_patterns("__pycache__")
    for folder in ("scratch", "readymade", "exercises", "tools"):
        shutil.copytree(ROOT / folder, book / folder, ignore=ignored)
    for name in ("Makefile", "pyproject.toml", "requirements.txt"):
        shutil.copy(ROOT / name, book)
    program = Path(os.path.realpath(sys._base_executable))
    program = python / program.relative_to(os.path.realpath(sys.base_prefix))
    environment = book / ".venv"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "python").symlink_to(program)
    (environment / "pyvenv.cfg").write_text(f"home = {program.parent}\n")
    paths = {"base": environment, "platbase": environment}
    packages = Path(sysconfig.get_path("purelib", "venv", paths))
    packages.mkdir(parents=True)
    return packages


# Reads and writes what it is told of, by its name and from where the book is seen.
ATTACK = """
import os, sys
reached = []
for top, folders, names in os.walk("/"):
    if top in ("/", "/book"):
        folders[:] = set(folders) - {{"usr", "lib", "lib64", "bin", "python"}}
    if top.endswith("/site-packages"):
        folders[:] = set(folders) & {{"scratch", "readymade", "exercises"}}
    reached += [os.path.join(top, name) for name in names if name in {names}]
for folder in ("", "/book", "/book/scratch", "/book/python", "/book/0/site-packages"):
    for path in {paths}:
        path = folder + "/.." * folder.count("/") + path
        for mode in ("r", "r+"):
            try:
                open(path, mode).close()
                reached.append((path, mode))
            except OSError:
                pass
for module in ("scratch", "numpy", "os"):
    path = __import__(module).__file__
    for harm in (lambda: os.chmod(path, 0o666), lambda: open(path, "r+").close()):
        try:
            harm()
            reached.append(path)
        except OSError:
            pass
raise ValueError(f"Python {{sys.version_info[:3]}} reached {{reached}}")
"""


WHO = [("user", where) for where in PLACES]
if IS_ROOT:
    WHO += [("root", "below /tmp"), ("root", "among packages in a home folder")]


@pytest.mark.parametrize(("who", "where"), WHO)
def test_notebooks_are_marked_wherever_the_book_is(base, who, where):
    """And files next to the book, or next to the notebook, are out of reach."""
    move, place, name = PLACES[where]
    place = Path(place.format(base=base))
    book, there = base / NAME / name, place / NAME / name
    packages = put(book, place / "python")
    (base / "python").mkdir()
    (base / "link").symlink_to(base)
    handed_in = base / "handed_in"
    secrets = [base / NAME / "beside.txt", handed_in / "ada.ipynb"]
    secrets[0].write_text("what nobody else may read")
    hand_in(secrets[1], *solved(VALUE))
    paths = [*secrets, *(place / path.relative_to(base) for path in secrets)]
    names = {path.name for path in paths} | {VALUE.partition(".")[2] + ".py"}
    sought = {"paths": [*map(str, paths)], "names": names}
    hand_in(handed_in / "eve.ipynb", code(ATTACK.format(**sought)), *solved(VALUE))
    write_points(base / "points.csv", {VALUE: 2.0})
    before = [path.read_bytes() for path in secrets]

    if "home" not in where:
        subprocess.run(["chmod", "-R", "go=", base], check=True)
    if who == "user" or "home" in where:
        subprocess.run(["chown", "-R", f"{OWNER}:{OWNER}", base], check=True)
    else:
        make_install(book)
    python = there / ".venv" / "bin" / "python"
    grade = [python, "-m", "exercises", "grade", place / "handed_in", "--seed", SEED]
    grade += ["--points", place / "points.csv", "-o", place / "handed_in" / "marks.csv"]
    run = subprocess.run(
        [*apart(), "sh", "-c", MOUNT.format(move=move), "sh", *become(who), *grade],
        env={
            "base": base,
            "book": book,
            "packages": packages,
            "all_python": os.path.realpath(sys.base_prefix),
            "all_packages": sysconfig.get_path("purelib"),
            "PATH": os.environ["PATH"],
            # All that grade needs beside.
            "LC_ALL": "C",
            "PYTHONPATH": there,
            "LD_LIBRARY_PATH": place / "python" / sys.platlibdir,
        },
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    with (handed_in / "marks.csv").open() as file:
        ada, eve = csv.DictReader(file)
    assert (ada["total"], ada["notes"]) == ("2", "")
    assert eve["total"] == "2"
    assert eve["notes"].endswith(f"Python {sys.version_info[:3]} reached []")
    assert [path.read_bytes() for path in secrets] == before


def apart():
    """Return the command that gives a program its own mounts."""
    become = [] if IS_ROOT else ["--user", "--map-current-user", "--keep-caps"]
    return ["unshare", "--mount", *become]


def become(who):
    """Return the command that starts a program as root, or as a user without rights."""
    if who == "root":
        return []
    if IS_ROOT:
        change = f"--reuid {OWNER} --regid {OWNER} --clear-groups"
    else:
        change = "--inh-caps=-all --ambient-caps=-all"
    return ["setpriv", *change.split()]


def make_install(book):
    """Let `make install` do all but install packages."""
    stub = book / "stub"
    stub.mkdir()
    (stub / "python").symlink_to(shutil.which("true"))
    command = ["make", "-C", book, "install", "PYTHON=true", f"BIN={stub.name}"]
    subprocess.run(command, check=True, capture_output=True)
