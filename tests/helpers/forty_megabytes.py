"""A run that needs 40 MB, in a module of its own so that nothing else is imported."""

from benchmarks.memory import peak_memory

import numpy as np


def forty_megabytes():
    def run():
        np.ones(40_000_000, np.uint8)
        np.ones(20_000_000, np.uint8)

    return peak_memory(run)
