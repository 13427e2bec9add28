"""Say what this machine lacks, and what to do, before anything is installed.

A Python of any age must be able to run this file, so that an old one can say it is old.
"""

import os
import sys

OLDEST_PYTHON = (3, 11)
NEWEST_PYTHON = (3, 13)  # the pinned TensorFlow has no wheels for a newer one
# For what building the pages needs, and for the pages.
GIGABYTES_FOR_THE_BOOK = 1
# Half of this is PyPI's PyTorch for Linux, which includes what a GPU needs.
GIGABYTES_WANTED = 9
GIGABYTES_WITH_A_CPU_BUILD = 5
DEBIAN = "on Debian or Ubuntu: sudo apt-get install "
TROUBLE = "https://github.com/transformer-twice/book/blob/main/book/trouble.md"


def python_problem(version):
    """Return what is wrong with this version of Python, or None."""
    version = tuple(version[:2])
    if OLDEST_PYTHON <= version <= NEWEST_PYTHON:
        return None
    too = "old" if version < OLDEST_PYTHON else "new"
    return (
        "Python {0}.{1} is too {too}: the book needs {2}.{3} to {4}.{5}.\n"
        "Name another, for example: make PYTHON=python3.12 book\n"
        "See {trouble}#the-wrong-python"
    ).format(*(version + OLDEST_PYTHON + NEWEST_PYTHON), too=too, trouble=TROUBLE)


def module_problem(name, package):
    """Return how to install a standard module that this Python lacks, or None."""
    try:
        __import__(name)
    except ImportError:
        problem = "This Python has no '{0}' module; {1}{2}\nSee {3}#the-wrong-python"
        return problem.format(name, DEBIAN, package, TROUBLE)
    return None


def disk_problem(free_bytes, wanted):
    """Return what to do if the disk is too full for the packages, or None."""
    free = free_bytes / 1e9
    if free >= wanted:
        return None
    problem = (
        "The disk has {0:.1f} GB free here; the packages need {1} GB.\n"
        "Make room, or move this folder to another disk."
    ).format(free, wanted)
    if wanted > GIGABYTES_WITH_A_CPU_BUILD:
        problem += "\nWithout a GPU, {0} GB do: README.md says how.".format(
            GIGABYTES_WITH_A_CPU_BUILD
        )
    return "{0}\nSee {1}#no-space".format(problem, TROUBLE)


def gigabytes_wanted(book_alone):
    """Return how much room an installation needs, including what is there already."""
    if book_alone:
        return GIGABYTES_FOR_THE_BOOK
    if os.environ.get("TORCH_INDEX"):
        return GIGABYTES_WITH_A_CPU_BUILD
    return GIGABYTES_WANTED


def problems(what):
    """Return all that prevents an installation into this folder.

    Args:
        what: "book" for what building the pages needs, or "everything".
    """
    wrong_python = python_problem(sys.version_info)
    if wrong_python:
        return [wrong_python]
    answers = [
        module_problem("venv", "python3-venv"),
        module_problem("ensurepip", "python3-venv"),
    ]
    stamps = ["installed", "book"] if what == "book" else ["installed"]
    if not any(os.path.exists(os.path.join(".venv", stamp)) for stamp in stamps):
        disk = os.statvfs(".")
        wanted = gigabytes_wanted(what == "book")
        answers.append(disk_problem(disk.f_bavail * disk.f_frsize, wanted))
    return [problem for problem in answers if problem]


if __name__ == "__main__":
    sys.exit("\n".join(problems(*sys.argv[1:])) or 0)
