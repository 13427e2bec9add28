"""The filter of system calls that a worker runs under (seccomp, classic BPF).

It refuses new processes, so that there are no fork bombs and no survivors. Threads are
allowed, because the frameworks need them, and `worker` limits their number. It refuses
other processes' memory and files, memory that a process's limits do not count, sockets
other than local ones, and ways to gain rights.
"""

import platform
import struct

_LOAD, _JUMP_EQUAL, _JUMP_GREATER, _JUMP_BITS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000  # SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO
_EPERM, _ENOSYS = 1, 38
# Offsets in struct seccomp_data: the call's number, the machine, two arguments.
_NUMBER, _ARCHITECTURE, _FIRST, _FOURTH = 0, 4, 16, 40
_CLONE_THREAD = 0x10000
_MAP_SHARED, _MAP_ANONYMOUS = 0x01, 0x20
_AF_UNIX = 1

# Calls since Linux 5.1 have the same number on all machines.
_REFUSED_EVERYWHERE = {
    # Other processes: their memory and their open files.
    "pidfd_open": 434,
    "pidfd_getfd": 438,
    "process_madvise": 440,
    "process_mrelease": 448,
    # Memory outside the limits.
    "memfd_secret": 447,
    # New rights: mounts, and programs for the kernel.
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "mount_setattr": 442,
    "open_tree_attr": 467,
}

# For each machine: its audit number, the calls that depend on their arguments, and the
# calls that are refused. Numbers: arch/x86/entry/syscalls/syscall_64.tbl for x86-64,
# include/uapi/asm-generic/unistd.h for aarch64, both in Linux's sources.
_MACHINES = {
    "x86_64": {
        "audit": 0xC000003E,
        "mmap": 9,
        "clone": 56,
        "clone3": 435,
        "socket": 41,
        "socketpair": 53,
        "refused": {
            # New processes.
            "fork": 57,
            "vfork": 58,
            # Other processes: their memory and their open files.
            "ptrace": 101,
            "process_vm_readv": 310,
            "process_vm_writev": 311,
            "kcmp": 312,
            "migrate_pages": 256,
            "move_pages": 279,
            # Memory outside the limits.
            "memfd_create": 319,
            "shmget": 29,
            "shmat": 30,
            "shmctl": 31,
            "shmdt": 67,
            "semget": 64,
            "semop": 65,
            "semctl": 66,
            "semtimedop": 220,
            "msgget": 68,
            "msgsnd": 69,
            "msgrcv": 70,
            "msgctl": 71,
            "mq_open": 240,
            "add_key": 248,
            "request_key": 249,
            "keyctl": 250,
            # The other cores, which others are marked on.
            "sched_setaffinity": 203,
            # New rights: namespaces, mounts, files by number, programs for the kernel.
            "unshare": 272,
            "setns": 308,
            "mount": 165,
            "umount2": 166,
            "pivot_root": 155,
            "open_by_handle_at": 304,
            "personality": 135,
            "perf_event_open": 298,
            "bpf": 321,
            "userfaultfd": 323,
            "syslog": 103,
            **_REFUSED_EVERYWHERE,
        },
    },
    "aarch64": {
        "audit": 0xC00000B7,
        "mmap": 222,
        "clone": 220,
        "clone3": 435,
        "socket": 198,
        "socketpair": 199,
        "refused": {
            # This machine has no fork or vfork of its own.
            # Other processes: their memory and their open files.
            "ptrace": 117,
            "process_vm_readv": 270,
            "process_vm_writev": 271,
            "kcmp": 272,
            "migrate_pages": 238,
            "move_pages": 239,
            # Memory outside the limits.
            "memfd_create": 279,
            "shmget": 194,
            "shmat": 196,
            "shmctl": 195,
            "shmdt": 197,
            "semget": 190,
            "semop": 193,
            "semctl": 191,
            "semtimedop": 192,
            "msgget": 186,
            "msgsnd": 189,
            "msgrcv": 188,
            "msgctl": 187,
            "mq_open": 180,
            "add_key": 217,
            "request_key": 218,
            "keyctl": 219,
            # The other cores, which others are marked on.
            "sched_setaffinity": 122,
            # New rights: namespaces, mounts, files by number, programs for the kernel.
            "unshare": 97,
            "setns": 268,
            "mount": 40,
            "umount2": 39,
            "pivot_root": 41,
            "open_by_handle_at": 265,
            "personality": 92,
            "perf_event_open": 241,
            "bpf": 280,
            "userfaultfd": 282,
            "syslog": 116,
            **_REFUSED_EVERYWHERE,
        },
    },
}


def filter_program(machine=None):
    """Return a machine's filter of system calls as a program for seccomp.

    Args:
        machine: its name as in `platform.machine()`; by default this machine.

    Returns:
        The program's bytes, or None for a machine whose numbers are unknown.
    """
    calls = _MACHINES.get(machine or platform.machine())
    if calls is None:
        return None
    refuse = (_RETURN, 0, 0, _REFUSE | _EPERM)
    steps = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, calls["audit"]),  # refuse all calls of another machine
        refuse,
        (_LOAD, 0, 0, _NUMBER),
        (_JUMP_GREATER, 0, 1, 0x40000000),  # the second set of numbers on x86
        refuse,
    ]
    for number in calls["refused"].values():
        steps += [(_JUMP_EQUAL, 0, 1, number), refuse]
    for name in ("socket", "socketpair"):
        steps += [
            (_JUMP_EQUAL, 0, 4, calls[name]),
            (_LOAD, 0, 0, _FIRST),
            (_JUMP_EQUAL, 1, 0, _AF_UNIX),
            refuse,
            (_RETURN, 0, 0, _ALLOW),
        ]
    steps += [
        # Shared memory without a file, which the limit on a process's data omits.
        (_JUMP_EQUAL, 0, 5, calls["mmap"]),
        (_LOAD, 0, 0, _FOURTH),
        (_JUMP_BITS, 0, 2, _MAP_ANONYMOUS),
        (_JUMP_BITS, 0, 1, _MAP_SHARED),
        refuse,
        (_RETURN, 0, 0, _ALLOW),
        # The filter cannot see clone3's flags: make the library fall back to clone.
        (_JUMP_EQUAL, 0, 1, calls["clone3"]),
        (_RETURN, 0, 0, _REFUSE | _ENOSYS),
        (_JUMP_EQUAL, 0, 3, calls["clone"]),
        (_LOAD, 0, 0, _FIRST),
        (_JUMP_BITS, 1, 0, _CLONE_THREAD),
        refuse,
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("HBBI", *step) for step in steps)
