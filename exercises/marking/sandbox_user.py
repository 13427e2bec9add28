"""Which user a program in the sandbox runs as: bubblewrap's user namespaces.

The program may create more namespaces, but otherwise has an ordinary user's rights.

`enter(options, program, *descriptors)` starts a program in bubblewrap with these
options and the walls, lets it inherit the descriptors, and returns the process.
"""

import contextlib
import json
import os
import signal
from pathlib import Path

_MAY_UNSHARE = ("--cap-add", "CAP_SYS_ADMIN")
_NOBODY = 65534  # the user and the group that own nothing, on every Linux


def start_as_user(program, enter):
    """Start a program inside the walls, called by an ordinary user."""
    return enter(["--uid", "1000", "--gid", "1000", *_MAY_UNSHARE], program)


def start_as_nobody(program, enter):
    """Start a program inside the walls, called by root; it runs as the user nobody.

    Root would be root inside, too, would own the machine's devices and settings, and
    would have no limit on threads. So bubblewrap waits until its user namespace has a
    nobody, and starts the program through `setpriv`, which changes to that user.
    """
    nobody = str(_NOBODY)
    change = ["setpriv", "--clear-groups", "--regid", nobody, "--reuid", nobody]
    change += ["--inh-caps=-all,+sys_admin", "--ambient-caps=-all,+sys_admin"]
    with contextlib.ExitStack() as files:
        info, info_end = _pipe(files)
        waiting, ready = _pipe(files)
        options = ["--unshare-user", "--uid", "0", "--gid", "0", "--cap-drop", "ALL"]
        options += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        options += ["--cap-add", "CAP_SETPCAP", *_MAY_UNSHARE]
        options += ["--info-fd", str(info_end.fileno())]
        options += ["--userns-block-fd", str(waiting.fileno())]
        process = enter(
            options, [*change, *program], info_end.fileno(), waiting.fileno()
        )
        info_end.close()
        about = b""
        while not about.endswith(b"}\n") and (part := os.read(info.fileno(), 4096)):
            about += part
        if about:  # otherwise bwrap has failed, and says why
            child = json.loads(about)["child-pid"]
            try:
                _map_users(child)
            except OSError:
                os.kill(child, signal.SIGKILL)  # it would wait for its users forever
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
    """Map this machine's users into the user namespace of a process.

    They include nobody, and the owner of a private folder in which the book may be.
    """
    for name in ("uid_map", "gid_map"):
        lines = Path(f"/proc/self/{name}").read_text().splitlines()
        known = [(first, count) for first, _, count in map(str.split, lines)]
        table = "".join(f"{first} {first} {count}\n" for first, count in known)
        Path(f"/proc/{process}/{name}").write_text(table)
