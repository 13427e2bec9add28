"""Start workers in a sandbox: bubblewrap, no network, a private home, limits.

Inside it runs a `ForkServer`, which forks a worker for each notebook. No procfs is
mounted inside, so a worker reaches neither another process's memory nor the kernel's
settings, and a container that masks parts of its own /proc can start workers, too.
"""

import contextlib
import importlib.util
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import readymade
import scratch
from exercises.marking.github import TROUBLE
from exercises.marking.sandbox_user import start_as_nobody, start_as_user
from exercises.marking.system_calls import filter_program

_EXERCISES = Path(__file__).resolve().parents[1]
_HOME = "/home/student"
_OWN = ("/tmp", _HOME)  # each worker's own folders, empty at first
_INSIDE = Path("/book")  # where the worker sees folders that may be anywhere outside
_SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache")
_SPACE = 64 * 2**20  # bytes of files that a worker may write
_MOST_SECONDS = 86_400
_LEAST_MEGABYTES, _MOST_MEGABYTES = 500, 2**20
TO_START = 600  # seconds for Python and imports, on a busy machine
_THREADS = 512  # as many stacks of the usual size as fit into a worker's memory


@dataclass(frozen=True)
class Limits:
    """What one submission may take."""

    seconds: float = 20  # for all questions to one answer
    cell_seconds: float = 60  # for one cell, because importing a framework is slow
    notebook_seconds: float = 300  # for all cells: see `_Marking._seconds`
    megabytes: int = 3000
    sandbox: bool = True

    def __post_init__(self):
        for name in ("seconds", "cell_seconds", "notebook_seconds"):
            if not 0 < getattr(self, name) <= _MOST_SECONDS:
                raise ValueError(
                    f"{name} is {getattr(self, name)}: wanted a number above 0, of at "
                    f"most {_MOST_SECONDS}"
                )
        if self.cell_seconds > self.notebook_seconds:
            raise ValueError(
                f"cell_seconds is {self.cell_seconds:g}: wanted at most what the whole "
                f"notebook may take, notebook_seconds, which is "
                f"{self.notebook_seconds:g}"
            )
        if not _LEAST_MEGABYTES <= self.megabytes <= _MOST_MEGABYTES:
            raise ValueError(
                f"megabytes is {self.megabytes}: wanted {_LEAST_MEGABYTES} to "
                f"{_MOST_MEGABYTES}"
            )


class NoSandboxError(ValueError):
    """There is no sandbox here; the message says why and what to do."""


_CURE = f"""\
cannot start a sandbox: {{reason}}

Students' code is marked inside bubblewrap, which keeps it away from your files, your
network and the marks. To get it:
  - Debian, Ubuntu:  sudo apt install bubblewrap
  - Fedora:          sudo dnf install bubblewrap
  - Ubuntu 24.04 refuses it to programs without a profile, Docker to all.
  - macOS, Windows:  mark in Docker or on a Linux server.
  - Root:  submissions run as nobody, so everyone must be able to read Python and this
    module; if not, install them anew under `umask 022`.
Each cure in full: {TROUBLE}#no-bubblewrap
To run every submission unprotected, with all your rights: --unsafe-no-sandbox."""


def require_sandbox():
    """Check that a worker starts in the sandbox.

    Raises:
        NoSandboxError: when it does not.
    """
    if not shutil.which("bwrap"):
        raise NoSandboxError(_CURE.format(reason="the program bwrap is not installed"))
    if filter_program() is None:
        reason = f"which system calls to refuse is not known for {platform.machine()}"
        raise NoSandboxError(_CURE.format(reason=reason))
    with tempfile.TemporaryFile() as complaints:
        try:
            server = ForkServer(stderr=complaints)
            reading, writing = server.begin(Limits())
            os.close(writing)  # then the worker ends by itself
            os.read(reading, 1)
            os.close(reading)
            ended = server.end(TO_START)
            server.stop()
        except OSError as error:
            ended = str(error).encode()
        complaints.seek(0)
        complaint = complaints.read().decode(errors="replace").strip()
    if ended != b"0":
        reason = complaint or ended.decode() or "bwrap fails"
        raise NoSandboxError(_CURE.format(reason=reason))


def require_limits():
    """Check that a worker's resources can be limited, with a sandbox or without.

    Raises:
        NoSandboxError: when it cannot.
    """
    if importlib.util.find_spec("resource") is None:
        raise NoSandboxError(
            "this system cannot limit what a submission takes, so nothing is marked "
            "here, with a sandbox or without. Mark in Docker or on a Linux server: "
            f"see {TROUBLE}#no-bubblewrap"
        )


class ForkServer:
    """A process in the sandbox that forks a worker for each notebook in turn.

    Its workers need not import again what it has imported.
    `exercises/worker/fork_server.py` says what separates it from them.

    Raises:
        OSError: when its user cannot be set up.
    """

    def __init__(self, modules=(), stderr=subprocess.DEVNULL):
        self.control, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
        streams = {"stdin": theirs, "stdout": subprocess.DEVNULL, "stderr": stderr}
        start_as = start_as_nobody if os.geteuid() == 0 else start_as_user
        with theirs:
            program = _program("-m", "worker.fork_server", *modules)
            self.process = start_as(program, partial(_enter, streams))

    def begin(self, limits):
        """Fork a worker; return the ends of its pipes for reading and for writing."""
        reading, their_output = os.pipe()
        their_input, writing = os.pipe()
        most = _SPACE, limits.seconds, limits.megabytes, _THREADS
        rules = " ".join(map(str, most)).encode() + b"\n" + filter_program()
        try:
            socket.send_fds(self.control, [rules], [their_input, their_output])
        except OSError:
            os.close(reading)
            os.close(writing)
            raise
        finally:
            os.close(their_input)
            os.close(their_output)
        return reading, writing

    def end(self, seconds):
        """Kill the worker; return its status, b"0" or b"1", or b"" if it may live."""
        self.control.settimeout(seconds)
        try:
            self.control.send(b".")
            return self.control.recv(16)
        except OSError:
            return b""

    def stop(self):
        """Kill the server and everything that it started."""
        self.control.close()
        kill(self.process)


def start_unprotected(limits):
    """Start a worker with all the rights of this process, and pipes to talk to it."""
    # Threads are not limited here, because the limit counts all that a user runs.
    arguments = [str(limits.seconds), str(limits.megabytes)]
    return _open(
        [sys.executable, "-m", "worker", *arguments],
        {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE},
        env={**os.environ, **_SETTINGS, "PYTHONPATH": str(_EXERCISES)},
    )


def kill(process):
    """Kill a process and its group, and wait until it has ended."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _enter(streams, options, program, *descriptors):
    """Start a program in bubblewrap, behind the walls."""
    # bwrap's own environment can be read inside, so it is empty.
    command = [shutil.which("bwrap"), *_walls(), *options, *program]
    return _open(command, streams, env={}, pass_fds=descriptors)


def _open(command, streams, **how):
    streams = {"stderr": subprocess.DEVNULL, **streams}
    return subprocess.Popen(command, **streams, start_new_session=True, **how)


# One submission keeps to one core, so that many can be marked in parallel.
_SETTINGS = {
    "OMP_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
    "TF_NUM_INTRAOP_THREADS": "1",
    "TF_NUM_INTEROP_THREADS": "1",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TOKENIZERS_PARALLELISM": "false",
    "PYTHONDONTWRITEBYTECODE": "1",
}

_PROCESSOR = (
    "/proc/cpuinfo",
    "/sys/devices/system/cpu/possible",
    "/sys/devices/system/cpu/present",
)


def _walls():
    """Return bwrap's options, which show the worker what it needs and nothing else."""
    command = [
        *("--unshare-all", "--die-with-parent", "--new-session", "--clearenv"),
        *("--hostname", "worker", "--dev", "/dev", "--remount-ro", "/dev"),
    ]
    for folder in _OWN:
        command += _way_to(folder)
        command += ["--perms", "1777", "--size", str(_SPACE), "--tmpfs", folder]
    # The only entries in /proc: two that TensorFlow needs in order to start.
    for name, target in (("exe", _program()[0]), ("cmdline", "/dev/null")):
        place = f"/proc/self/{name}"
        command += [*_way_to(place), "--symlink", target, place]
    # The processor's features, which PyTorch reads before it rounds to bfloat16.
    for place in filter(os.path.exists, _PROCESSOR):
        command += _show(place, place)
    shown = _shown()
    for folder, inside in shown.items():
        command += _show(folder, inside)
    # The book's modules and the worker, but not the exercises, which hold the answers.
    modules = [Path(one.__file__).resolve().parent for one in (scratch, readymade)]
    for folder in (*modules, _EXERCISES / "worker"):
        command += _show(folder, _INSIDE / folder.name)
    # Hide the exercises where the book is installed among the packages.
    for folder, inside in shown.items():
        if _EXERCISES.is_relative_to(folder):
            hidden = str(inside / _EXERCISES.relative_to(folder))
            command += ["--tmpfs", hidden, "--remount-ro", hidden]
    path = os.pathsep.join(map(str, [_INSIDE, *map(_inside, _packages())]))
    own = {"HOME": _HOME, "PATH": "/usr/bin", "PYTHONPATH": path}
    python = _inside(sys.base_prefix)
    if python.is_relative_to(_INSIDE):
        # Its libraries may look for each other at their place outside.
        own["LD_LIBRARY_PATH"] = str(python / sys.platlibdir)
    for name, value in {**_SETTINGS, **own}.items():
        command += ["--setenv", name, value]
    return [*command, "--remount-ro", "/", "--chdir", _HOME]


def _show(path, inside):
    """Return the options that show a file or folder at a place inside."""
    return [*_way_to(inside), "--ro-bind", str(path), str(inside)]


def _way_to(inside):
    """Return the options that make the folders above a place, readable by everyone."""
    above = reversed(Path(inside).parents)
    return [word for path in above for word in ("--perms", "0755", "--dir", str(path))]


def _program(*arguments):
    """Return a command of the interpreter itself, not of the environment's link."""
    python = getattr(sys, "_base_executable", None) or sys.executable
    return [str(_inside(python)), "-s", *arguments]


def _packages():
    """Return the folders of installed packages in Python's search order."""
    names = ("site-packages", "dist-packages")
    folders = (Path(path).resolve() for path in sys.path if Path(path).name in names)
    return [folder for folder in dict.fromkeys(folders) if folder.is_dir()]


def _shown():
    """Return {folder: its place inside} for the system, Python and the packages.

    The system keeps its place. The others may be anywhere, even in a folder that each
    worker gets empty, so they have a place of their own inside.
    """
    shown = {path: path for path in map(Path, _SYSTEM) if path.exists()}
    anywhere = {"python": Path(sys.base_prefix).resolve()}
    for number, folder in enumerate(_packages()):
        anywhere[f"{number}/site-packages"] = folder
    for name, folder in anywhere.items():
        if not any(folder.is_relative_to(other) for other in shown):
            shown[folder] = _INSIDE / name
    return shown


def _inside(path):
    """Return where a worker sees a path."""
    path = Path(path).resolve()
    for folder, inside in _shown().items():
        if path.is_relative_to(folder):
            return inside / path.relative_to(folder)
    return path
