"""A run whose memory is known, apart: the process that measures it imports no more."""

from benchmarks.memory import peak_memory

import numpy as np


def forty_megabytes():
    def run():
        np.ones(40_000_000, np.uint8)
        np.ones(20_000_000, np.uint8)

    return peak_memory(run)
