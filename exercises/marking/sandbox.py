"""Start a worker in a sandbox: bubblewrap, no network, a private home, limits."""

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import scratch
from exercises.marking.system_calls import filter_program

_EXERCISES = Path(__file__).resolve().parents[1]
_INSIDE = "/book"  # where the worker finds `worker` and `scratch`
_SPACE = 64 * 2**20  # bytes of files that a worker may write


@dataclass(frozen=True)
class Limits:
    """What one submission may take."""

    seconds: float = 20  # for all questions to one answer
    cell_seconds: float = 60  # for one cell: importing a framework takes a while
    notebook_seconds: float = 300  # for all cells
    megabytes: int = 3000
    sandbox: bool = True


class NoSandboxError(ValueError):
    """There is no sandbox here; the message says why, and what to do."""


_CURE = """\
cannot start a sandbox: {reason}

Students' code is marked inside bubblewrap, which keeps it away from your files, your
network and the marks. To get it:
  - Debian, Ubuntu:  sudo apt install bubblewrap
  - Fedora:          sudo dnf install bubblewrap
  - Ubuntu 24.04 refuses it to programs without a profile: see "Without bubblewrap" on
    the page "Teaching with this book" for the lines that allow it.
  - macOS, Windows:  mark in Docker or on a Linux server; the same page says how.
To run every submission unprotected, with all your rights: --unsafe-no-sandbox."""


def require_sandbox():
    """Raise `NoSandboxError` unless bubblewrap is here and works."""
    if not shutil.which("bwrap"):
        raise NoSandboxError(_CURE.format(reason="the program bwrap is not installed"))
    trial = ["bwrap", *_walls(), *_program("-c", "")]
    done = subprocess.run(trial, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NoSandboxError(_CURE.format(reason=done.stderr.strip() or "bwrap fails"))


def require_limits():
    """Raise `NoSandboxError` where a worker cannot be limited, sandbox or none."""
    if importlib.util.find_spec("resource") is None:
        raise NoSandboxError(
            "this system cannot limit what a submission takes, so nothing is marked "
            "here, with a sandbox or without. Mark in Docker or on a Linux server: see "
            "“Without bubblewrap” on the page “Teaching with this book”."
        )


def start(limits):
    """Start a worker and return its process, to talk to by its pipes."""
    arguments = (str(limits.seconds), str(limits.megabytes))
    if not limits.sandbox:
        command = [sys.executable, "-m", "worker", *arguments]
        path = {"PYTHONPATH": str(_EXERCISES)}
        return _open(command, env={**os.environ, **_SETTINGS, **path})
    reading, writing = os.pipe()
    try:
        rules = filter_program()
        os.write(writing, rules or b"")
        os.close(writing)
        extra = ["--seccomp", str(reading)] if rules else []
        worker = _program("-m", "worker", *arguments)
        # The environment of bwrap itself can be read inside: let there be none.
        command = [shutil.which("bwrap"), *_walls(), *extra, *worker]
        return _open(command, env={}, pass_fds=(reading,))
    finally:
        os.close(reading)


def _open(command, **how):
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        **how,
    )


# One submission keeps to one core, so that many can be marked side by side.
_SETTINGS = {
    "OMP_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
    "TF_NUM_INTRAOP_THREADS": "1",
    "TF_NUM_INTEROP_THREADS": "1",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TOKENIZERS_PARALLELISM": "false",
    "PYTHONDONTWRITEBYTECODE": "1",
}


def _walls():
    """Return bwrap's arguments: all that the worker may see, and nothing else."""
    home = "/home/student"
    command = [
        *("--unshare-all", "--die-with-parent", "--new-session", "--clearenv"),
        *("--uid", "1000", "--gid", "1000", "--hostname", "worker"),
        *("--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"),
    ]
    # Before the binds: the book itself may have been put below /tmp.
    for folder in ("/tmp", home):
        command += ["--size", str(_SPACE), "--tmpfs", folder]
    for folder in _folders():
        command += ["--ro-bind", str(folder), str(folder)]
    # The book's module and the worker; the exercises hold the answers.
    module = Path(scratch.__file__).resolve().parent
    for folder in (module, _EXERCISES / "worker"):
        command += ["--ro-bind", str(folder), f"{_INSIDE}/{folder.name}"]
    # Where the book was installed among the packages, they are in sight: hide them.
    if any(_EXERCISES.is_relative_to(folder) for folder in _folders()):
        command += ["--tmpfs", str(_EXERCISES), "--remount-ro", str(_EXERCISES)]
    for name, value in {**_SETTINGS, "HOME": home, "PATH": "/usr/bin"}.items():
        command += ["--setenv", name, value]
    path = os.pathsep.join([_INSIDE, *map(str, _packages())])
    command += ["--setenv", "PYTHONPATH", path]
    return [*command, "--remount-ro", "/", "--chdir", home]


def _program(*arguments):
    """Return the interpreter itself, not the virtual environment's link to it."""
    python = getattr(sys, "_base_executable", None) or sys.executable
    return [os.path.realpath(python), "-s", *arguments]


def _packages():
    """Return the folders of installed packages."""
    paths = sysconfig.get_paths()
    return list(dict.fromkeys(Path(paths[key]) for key in ("purelib", "platlib")))


def _folders():
    """Return the folders that Python and the packages' libraries live in."""
    system = ["/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache"]
    wanted = [*map(Path, system), Path(sys.base_prefix), *_packages()]
    return [path for path in dict.fromkeys(wanted) if path.exists()]
