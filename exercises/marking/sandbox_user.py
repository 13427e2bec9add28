"""Whom a program in the sandbox runs as: the user and group namespaces of bubblewrap.

Inside its own it may make more namespaces, and nothing else that a user may not.

`enter(options, program, *descriptors)` starts a program in bubblewrap, with these
options beside its walls, and returns the process; it inherits the descriptors.
"""

import contextlib
import json
import os
import signal
from pathlib import Path

_MAY_UNSHARE = ("--cap-add", "CAP_SYS_ADMIN")
_NOBODY = 65534  # the user and the group that own nothing, on every Linux


def start_as_user(program, enter):
    """Start a program inside the walls, as a user without rights does it."""
    return enter(["--uid", "1000", "--gid", "1000", *_MAY_UNSHARE], program)


def start_as_nobody(program, enter):
    """Start a program inside the walls, as root does it: the program's user is nobody.

    Root would be root inside as well: owner of the machine's devices and settings, and
    exempt from the limit on threads. So bubblewrap waits until its user namespace knows
    nobody, too, and starts the program through `setpriv`, which becomes nobody.
    """
    nobody = str(_NOBODY)
    change = ["setpriv", "--clear-groups", "--regid", nobody, "--reuid", nobody]
    change += ["--inh-caps=-all,+sys_admin", "--ambient-caps=-all,+sys_admin"]
    with contextlib.ExitStack() as files:
        told, telling = _pipe(files)
        waiting, ready = _pipe(files)
        options = ["--unshare-user", "--uid", "0", "--gid", "0", "--cap-drop", "ALL"]
        options += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        options += ["--cap-add", "CAP_SETPCAP", *_MAY_UNSHARE]
        options += ["--info-fd", str(telling.fileno())]
        options += ["--userns-block-fd", str(waiting.fileno())]
        process = enter(
            options, [*change, *program], telling.fileno(), waiting.fileno()
        )
        telling.close()
        about = b""
        while not about.endswith(b"}\n") and (part := os.read(told.fileno(), 4096)):
            about += part
        if about:  # else bwrap has failed, and says why
            child = json.loads(about)["child-pid"]
            try:
                _map_users(child)
            except OSError:
                os.kill(child, signal.SIGKILL)  # it waits for its users for ever
                process.kill()
                process.wait()
                raise
        ready.write(b".")
    return process


def _pipe(files):
    reading, writing = os.pipe()
    return (
        files.enter_context(open(reading, "rb", buffering=0)),
        files.enter_context(open(writing, "wb", buffering=0)),
    )


def _map_users(process):
    """Make the users of this machine known in the user namespace of a process.

    Among them are nobody, and the owner of a private folder that holds the book.
    """
    for name in ("uid_map", "gid_map"):
        lines = Path(f"/proc/self/{name}").read_text().splitlines()
        known = [(first, count) for first, _, count in map(str.split, lines)]
        table = "".join(f"{first} {first} {count}\n" for first, count in known)
        Path(f"/proc/{process}/{name}").write_text(table)
