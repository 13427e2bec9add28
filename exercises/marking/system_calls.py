"""What a worker may not ask of the kernel: new processes above all.

A filter in the kernel's own little language (seccomp, classic BPF). A thread is
allowed, as the frameworks need threads; a process is not, so that there is no fork bomb
and nothing that survives. Memory outside the limits of a process (memfd) and ways to
new rights are refused too.
"""

import platform
import struct

_LOAD, _JUMP_EQUAL, _JUMP_GREATER, _JUMP_BITS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000  # SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO
_EPERM, _ENOSYS = 1, 38
_NUMBER, _ARCHITECTURE, _FLAGS = 0, 4, 16  # places in struct seccomp_data
_CLONE_THREAD = 0x10000

# For each machine: its audit name, clone, clone3, and the calls that are refused.
_MACHINES = {
    "x86_64": {
        "audit": 0xC000003E,
        "clone": 56,
        "clone3": 435,
        # fork vfork ptrace mount add_key request_key keyctl unshare perf_event_open
        # setns memfd_create bpf userfaultfd io_uring_setup memfd_secret
        "refused": (
            57,
            58,
            101,
            165,
            248,
            249,
            250,
            272,
            298,
            308,
            319,
            321,
            323,
            425,
            447,
        ),
    },
    "aarch64": {
        "audit": 0xC00000B7,
        "clone": 220,
        "clone3": 435,
        "refused": (117, 40, 217, 218, 219, 97, 241, 268, 279, 280, 282, 425, 447),
    },
}


def filter_program(machine=None):
    """Return the filter for `bwrap --seccomp`, or None where we have none."""
    calls = _MACHINES.get(machine or platform.machine())
    if calls is None:
        return None
    refused = [
        (_JUMP_EQUAL, 0, 1, calls["audit"]),
        (_RETURN, 0, 0, _REFUSE | _EPERM),
    ]
    steps = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, calls["audit"]),  # another machine's calls: refuse all
        refused[1],
        (_LOAD, 0, 0, _NUMBER),
        (_JUMP_GREATER, 0, 1, 0x40000000),  # the second set of numbers of x86
        refused[1],
    ]
    for number in calls["refused"]:
        steps += [(_JUMP_EQUAL, 0, 1, number), refused[1]]
    steps += [
        # With clone3 the flags cannot be seen: let the library fall back to clone.
        (_JUMP_EQUAL, 0, 1, calls["clone3"]),
        (_RETURN, 0, 0, _REFUSE | _ENOSYS),
        (_JUMP_EQUAL, 0, 3, calls["clone"]),
        (_LOAD, 0, 0, _FLAGS),
        (_JUMP_BITS, 1, 0, _CLONE_THREAD),
        refused[1],
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("HBBI", *step) for step in steps)
