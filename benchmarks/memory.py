"""The peak memory of a run, as Linux counts it."""

import ctypes
import multiprocessing
import re
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

STATUS = Path("/proc/self/status")
RESET_PEAK = "5"  # see proc(5), clear_refs


def peak_memory(run):
    """Return how much a run raises the memory of this process, in megabytes.

    Args:
        run: a function without arguments.

    Returns:
        Megabytes (10⁶ bytes): peak resident memory, less that before the run.

    Raises:
        OSError: the system is not Linux, or does not let a process reset its peak.
        AttributeError: its C library is not glibc.
    """
    # Freed memory that the process still owns would be reused uncounted.
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text(RESET_PEAK)
    before = resident("VmRSS")
    run()
    return resident("VmHWM") - before


def resident(entry):
    """Return an entry of the process's status, in megabytes."""
    kibibytes = re.search(rf"^{entry}:\s+(\d+) kB$", STATUS.read_text(), re.MULTILINE)
    return int(kibibytes[1]) * 1024 / 1e6


def in_a_process_of_its_own(function, *arguments):
    """Return function(*arguments), computed in a new process.

    Earlier runs leave memory behind, which a later one would reuse uncounted.
    """
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=fresh) as process:
        return process.submit(function, *arguments).result()
