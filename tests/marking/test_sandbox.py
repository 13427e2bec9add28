"""What a graded notebook cannot reach, attacked as the user who runs the tests."""

import os
import platform
import re
import subprocess
import sys
import threading
from pathlib import Path

from exercises.engine.exercise import FRAMEWORKS
from exercises.engine.verdict import EXCEPTION, RIGHT
from exercises.marking.mark import mark
from exercises.marking.worker_client import Worker

import pytest
from helpers.classroom import (
    FUNCTION,
    PATIENT,
    VALUE,
    a_task,
    answered,
    code,
    fork_servers_and_workers,
    hand_in,
    imports,
    solved,
)

pytestmark = pytest.mark.usefixtures("bubblewrap")


def told_by(attack, path):
    """Return the words of an attacking answer, which must cost nothing else."""
    body = "\n".join("    " + line for line in attack.splitlines())
    program = f"def causal_mask(length, key_length):\n{body}\n"
    cells = [*answered(FUNCTION, program), *solved(VALUE)]
    result = mark(hand_in(path / "eve.ipynb", *cells), a_task())
    assert result.marks[FUNCTION].outcome == EXCEPTION, result
    assert result.marks[VALUE].points == 2, result
    return result.marks[FUNCTION].message


# Each tells what it could reach, and changes nothing there.
FILES = {
    "settings of the machine": """
import glob
for path in glob.glob("/proc/sys/**", recursive=True):
    try:
        open(path, "r+b").close()
    except OSError:
        continue
    reached.append(path)
""",
    "memory of the sandbox's first process": """
start = open("/proc/1/maps").read().partition("-")[0]
with open("/proc/1/mem", "r+b", 0) as memory:
    memory.seek(int(start, 16))
    first = memory.read(1)
    memory.seek(int(start, 16))
    reached.append(memory.write(first))
""",
    "other processes": """
import os
reached += filter(str.isdigit, os.listdir("/proc"))
""",
    "devices of the machine": """
import os
os.chmod("/dev/null", os.stat("/dev/null").st_mode)
reached.append("/dev/null")
""",
}


@pytest.mark.parametrize("name", FILES)
def test_no_file_leads_out_of_the_sandbox(tmp_path, name):
    attempt = "\n".join("    " + line for line in FILES[name].splitlines())
    attack = f"reached = []\ntry:\n{attempt}\nexcept OSError:\n    pass\n"
    words = told_by(f"{attack}raise ValueError(f'reached: {{reached}}')", tmp_path)
    assert "reached: []" in words


# Functions of the C library, or numbers that are alike on all machines, and arguments
# with which the kernel does them, or complains of something else than of rights.
CALLS = [
    ("shmget", 0, 4096, 0o600),
    ("shmat", -1, None, 0),
    ("shmctl", -1, 0, None),
    ("shmdt", None),
    ("semget", 0, 1, 0o600),
    ("semop", -1, None, 0),
    ("semtimedop", -1, None, 0, None),
    ("semctl", -1, 0, 0, None),
    ("msgget", 0, 0o600),
    ("msgsnd", -1, bytes(16), 8, 0),
    ("msgrcv", -1, bytes(16), 8, 0, 0),
    ("msgctl", -1, 0, None),
    ("mq_open", b"/queue", os.O_CREAT | os.O_RDWR, 0o600, None),
    ("process_vm_readv", "own", None, 0, None, 0, 0),
    ("process_vm_writev", "own", None, 0, None, 0, 0),
    ("syscall", 434, "own", 0),  # pidfd_open
    ("syscall", 438, -1, 0, 0),  # pidfd_getfd
    ("syscall", 440, -1, None, 0, 0, 0),  # process_madvise
    ("syscall", 448, -1, 0),  # process_mrelease
    ("syscall", 428, -100, b"/", 0),  # open_tree
    ("syscall", 425, 1, None),  # io_uring_setup
    ("syscall", 447, 0),  # memfd_secret
    ("syscall", 426, -1, 0, 0, 0, None, 0),  # io_uring_enter
    ("syscall", 427, -1, 0, None, 0),  # io_uring_register
    ("syscall", 431, -1, -1, None, None, 0),  # fsconfig
    ("syscall", 442, -100, b"/", 0, None, 0),  # mount_setattr
    ("syscall", 467, -100, b"/", 0, None, 0),  # open_tree_attr
    ("memfd_create", b"x", 0),
    ("ptrace", 0, 0, None, None),
    ("setns", -1, 0),
    ("personality", -1),
    ("unshare", 0),
    ("sched_setaffinity", 0, 0, None),
]
# kcmp, migrate_pages, add_key, request_key, keyctl, userfaultfd
NUMBERED = {
    "x86_64": (312, 256, 248, 249, 250, 323),
    "aarch64": (272, 238, 217, 218, 219, 282),
}.get(platform.machine(), ())
CALLS += [("syscall", number, *[-1] * 5) for number in NUMBERED]
CALL = f"""
import ctypes, errno, os
library = ctypes.CDLL(None, use_errno=True)
reached = []
for call in {CALLS!r}:
    name, *arguments = (os.getpid() if one == "own" else one for one in call)
    ctypes.set_errno(0)
    getattr(library, name)(*arguments)
    if ctypes.get_errno() != errno.EPERM:
        reached.append(call[:2] if name == "syscall" else name)
raise ValueError(f"reached: {{reached}}")
"""


def test_no_system_call_reaches_beyond_the_limits(tmp_path):
    assert "reached: []" in told_by(CALL, tmp_path)


SOCKETS = """
import errno, socket
reached = []
for family in range(1, 64):
    for make in (socket.socket, socket.socketpair):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
            try:
                make(family, kind)
                code = 0
            except OSError as error:
                code = error.errno
            if code != errno.EPERM:
                reached.append(family)
raise ValueError(f"reached: {sorted(set(reached))}")
"""


def test_no_socket_but_a_local_one_is_made(tmp_path):
    assert "reached: [1]" in told_by(SOCKETS, tmp_path)


# A worker tells what it finds of those before it, and then does all it can.
ATTACK = """
import ctypes, errno, fcntl, os, resource, signal, sys
import numpy
library = ctypes.CDLL(None, use_errno=True)
found = []
for folder in ("/tmp", "/home", "/dev/shm", "."):
    for top, _, names in os.walk(folder):
        found += [os.path.join(top, name) for name in names]
if os.getcwd() != os.path.expanduser("~"):
    found.append(os.getcwd())
if not callable(numpy.allclose) or hasattr(sys, "attacked"):
    found.append("a patched library")
for number in range(6, 256):  # below are /dev/null and its own two pipes
    try:
        os.fstat(number)
    except OSError:
        continue
    found.append(f"descriptor {number}")
rights = (ctypes.c_uint32 * 6)()
library.capget((ctypes.c_uint32 * 2)(0x20080522), rights)
found += [f"rights {rights[:]}"] * any(rights)
reading, _ = os.pipe()
for number in [*range(2, 400), os.getppid() or 2]:
    for reach in (
        lambda: os.kill(number, signal.SIGKILL),
        lambda: os.killpg(number, signal.SIGKILL),
        lambda: os.setpriority(os.PRIO_PROCESS, number, 19),
        lambda: os.setpriority(os.PRIO_PGRP, number, 19),
        lambda: os.sched_getaffinity(number),
        lambda: resource.prlimit(number, resource.RLIMIT_NOFILE),
        lambda: fcntl.fcntl(reading, fcntl.F_SETOWN, number),
    ):
        try:
            reach()
        except OSError as error:
            if error.errno == errno.ESRCH:
                continue
        found.append(f"process {number}")
for reach in (
    lambda: os.kill(0, signal.SIGKILL),
    lambda: os.kill(0, signal.SIGSTOP),
    lambda: os.kill(-1, signal.SIGKILL),
    lambda: os.setpriority(os.PRIO_USER, 0, 19),
):
    try:
        reach()
    except OSError:
        pass
for path in ("/tmp/x", "x", "../x", os.path.expanduser("~/.numpy"), "/dev/shm/x"):
    try:
        open(path, "w").write("x")
        os.chmod(path, 0)
    except OSError:
        pass
sys.attacked, numpy.allclose = True, None
raise ValueError(f"found: {found}")
"""


def test_a_worker_finds_nothing_of_another_and_does_not_reach_the_fork_server(tmp_path):
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    found = []
    for _ in range(3):
        assert "found: []" in told_by(ATTACK, tmp_path)
        servers, workers = fork_servers_and_workers()
        assert not workers
        for server in servers:  # of other tests, too
            assert os.getpriority(os.PRIO_PROCESS, server) == nice < 19
        found.append({one: Path(f"/proc/{one}/mounts").read_text() for one in servers})
    assert found[0]
    assert found[1:] == found[:1] * 2


@pytest.mark.slow("a number that forked notebooks would share")
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_fork_server_has_nothing_that_a_fork_would_share(framework):
    """No thread that a fork would lose, and no memory that it would not copy."""
    worker = Worker(PATIENT, (framework,))
    started = worker.process.server.process.pid
    worker.stop()
    (server,), _ = fork_servers_and_workers(started)
    server = Path("/proc") / str(server)
    assert len(list((server / "task").iterdir())) == 1
    modes = [line.split()[1] for line in (server / "maps").read_text().splitlines()]
    assert modes.count("r-xp") > 50  # the frameworks' libraries
    assert not [mode for mode in modes if "w" in mode and "s" in mode]


SHARED = """
import mmap
reached = []
for name in (None, "/dev/zero"):
    try:
        number = -1 if name is None else open(name, "r+b").fileno()
        mmap.mmap(number, 4096)
    except (OSError, ValueError):
        continue
    reached.append(name)
mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)  # which is counted
raise ValueError(f"reached: {reached}")
"""


def test_no_memory_is_shared_that_no_limit_counts(tmp_path):
    assert "reached: []" in told_by(SHARED, tmp_path)


FILES_BY_THE_THOUSAND = """
import os
made = []
for folder in ("/tmp", os.path.expanduser("~")):
    made.append(0)
    try:
        for n in range(12_000):
            os.mknod(f"{folder}/{n}")
            made[-1] += 1
    except OSError:
        pass
raise ValueError(f"made: {made}")
"""


def test_each_folder_has_a_limit_of_files(tmp_path):
    """An empty file takes the kernel's memory, which no limit of space counts."""
    number = told_by(FILES_BY_THE_THOUSAND, tmp_path).partition("made: ")[2]
    assert all(9_000 < int(n) < 10_000 for n in re.findall(r"\d+", number)), number


PATCHES = {
    "torch": "nn.Linear = torch.softmax = None; torch.set_default_dtype(torch.float64)",
    "tensorflow": "tf.matmul = tf.range = None; keras.backend.set_floatx('float64')",
}


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_patched_framework_is_whole_for_the_next(tmp_path, framework):
    first = [imports(framework), code("import keras" * (framework != "torch"))]
    attack = [*first, code(PATCHES[framework]), *solved(VALUE)]
    result = mark(hand_in(tmp_path / "eve.ipynb", *attack), a_task())
    assert result.marks[VALUE].outcome == RIGHT, result
    assert result.notes == [f"no check ran of {FUNCTION}"]  # the patch was no failure
    servers = set(fork_servers_and_workers()[0])
    honest = [imports(framework), *solved(FUNCTION, framework)]
    result = mark(hand_in(tmp_path / "ada.ipynb", *honest), a_task())
    assert result.marks[FUNCTION].outcome == RIGHT, result
    assert set(fork_servers_and_workers()[0]) == servers


THREADS = """
import threading
threading.stack_size(64 << 10)
end = threading.Event()
for n in range(12_000):
    try:
        threading.Thread(target=end.wait, daemon=True).start()
    except RuntimeError:
        break
count = threading.active_count()
raise ValueError(f"threads: {count}")
"""


def test_each_worker_has_a_limit_of_threads_of_its_own(tmp_path):
    """Even in parallel: one student's threads take none from another."""
    told = {}

    def attack(name):
        message = told_by(THREADS, tmp_path / name)
        told[name] = int(re.search(r"threads: (\d+)", message)[1])

    both = [threading.Thread(target=attack, args=(name,)) for name in ("a", "b")]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert all(400 < told[name] <= 512 for name in ("a", "b")), told


def test_a_container_need_not_open_its_proc(tmp_path):
    """If parts of /proc are masked, the kernel refuses to mount another."""
    mask = 'mount --bind /dev/null "$proc/version" || exit'
    every = "$(findmnt --list --noheadings --types proc --output TARGET)"
    script = f'for proc in {every}; do {mask}; done; exec "$@"'
    apart = ["unshare", "--mount"]
    drop = []
    if os.geteuid():
        apart += ["--user", "--map-current-user", "--keep-caps"]
        drop = ["setpriv", "--inh-caps=-all", "--ambient-caps=-all"]
    start = "from exercises.marking import sandbox; sandbox.require_sandbox()"
    for program, works in (
        ([sys.executable, "-c", start], True),
        (
            [
                "bwrap",
                "--unshare-all",
                "--ro-bind",
                "/",
                "/",
                "--proc",
                "/proc",
                "true",
            ],
            0,
        ),
    ):
        command = [*apart, "sh", "-c", script, "sh", *drop, *program]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode == 0) == works, done.stderr
