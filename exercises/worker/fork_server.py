"""In the sandbox: import the frameworks once, and fork a process for each notebook.

Importing takes longer than marking. This process imports, and runs no student's code. A
notebook's process reaches neither this process nor another notebook's. It is the first
in new namespaces, where no other process has a number. It has new folders, no open
descriptors but its pipes, no rights, and a copy of the memory. The filter of system
calls is in force before its first cell.
"""

import contextlib
import ctypes
import gc
import importlib
import os
import resource
import signal
import socket
import sys
import traceback

from worker.__main__ import serve

_LIBRARY = ctypes.CDLL(None, use_errno=True)
# From the headers of Linux, the same on all machines.
_NEW_NAMESPACES = 0x00020000 | 0x08000000 | 0x20000000  # mounts, IPC, processes
_NO_DEVICES = 2 | 4  # and no programs that gain rights
_SAME = 4096  # a mount that shows a file at another place
_MOST_FILES = 10_000  # in a folder; each takes a kilobyte of the kernel's memory
_CAPABILITY_VERSION = 0x20080522
_SET_SECCOMP, _FILTER = 22, 2


def main():
    """Serve one notebook after another until the judge hangs up."""
    control = socket.socket(fileno=os.dup(0))
    gc.disable()  # imports leave no garbage, and looking for it takes a fifth longer
    for module in sys.argv[1:]:
        importlib.import_module(module)
    gc.collect()
    gc.freeze()  # so that counting garbage copies no memory
    gc.enable()
    while True:
        settings, pipes, _, _ = socket.recv_fds(control, 1 << 16, 2)
        if not settings:
            return
        if len(pipes) != 2:  # a request to end a notebook that never began
            continue
        guard = os.fork()
        if guard == 0:
            _guard(control, settings, pipes)
        for pipe in pipes:
            os.close(pipe)
        _, status = os.waitpid(guard, 0)
        # Now nothing is left of the notebook and its guard.
        with contextlib.suppress(OSError):  # the judge may have hung up
            control.send(str(os.waitstatus_to_exitcode(status)).encode())


def _guard(control, settings, pipes):
    """Start a notebook's process, end it when the judge asks, and exit with 0 or 1."""
    try:
        _call("unshare", _NEW_NAMESPACES)
        notebook = os.fork()
        if notebook == 0:
            control.close()
            limits, _, rules = settings.partition(b"\n")
            space, seconds, megabytes, threads = limits.decode().split()
            _leave_all_behind(pipes, space, rules)
            serve(float(seconds), int(megabytes), int(threads))
            os._exit(0)
        for pipe in pipes:
            os.close(pipe)
        control.recv(1)
        os.kill(notebook, signal.SIGKILL)
        _, status = os.waitpid(notebook, 0)
        os._exit(status != 0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def _leave_all_behind(pipes, space, rules):
    """Give up all access to other processes before a student's code runs."""
    os.setsid()  # signals to a process group pass through namespaces
    home = os.environ["HOME"]
    for folder in ("/tmp", home):
        options = f"mode=1777,size={space},nr_inodes={_MOST_FILES}".encode()
        _call("mount", b"tmpfs", folder.encode(), b"tmpfs", _NO_DEVICES, options)
    # Shared mappings of /dev/zero are memory that no process's limit counts.
    _call("mount", b"/dev/null", b"/dev/zero", None, _SAME, None)
    os.chdir(home)
    for place, pipe in enumerate(pipes):
        os.dup2(pipe, place)
    os.closerange(3, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    _call("capset", (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION), (ctypes.c_uint32 * 6)())
    program = _Program(len(rules) // 8, rules)
    _call("prctl", _SET_SECCOMP, _FILTER, ctypes.byref(program), 0, 0)


class _Program(ctypes.Structure):
    """A struct sock_fprog: instructions of 8 bytes each."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def _call(name, *arguments):
    if getattr(_LIBRARY, name)(*arguments):
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")


if __name__ == "__main__":
    main()
