"""How much memory a run needs at its highest, as Linux counts it."""

import ctypes
import multiprocessing
import re
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

STATUS = Path("/proc/self/status")
RESET_PEAK = "5"  # see proc(5), clear_refs


def peak_memory(run):
    """Return how far a run lifts the memory of this process, in megabytes.

    Args:
        run: a function without arguments.

    Returns:
        Megabytes (10⁶ bytes): resident memory at its highest, less that before.

    Raises:
        OSError: the system is not Linux, or does not let a process count its memory.
        AttributeError: its C library is not glibc.
    """
    # Memory that is free, but still this process's own, would be used again uncounted.
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
    """Return function(*arguments), computed where nothing else has run.

    What ran before leaves memory behind that a later run would use again, uncounted.
    """
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=fresh) as process:
        return process.submit(function, *arguments).result()
