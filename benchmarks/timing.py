"""Time contenders fairly on a shared machine: in turn, by medians."""

import time
from statistics import median


def interleaved(contenders, repetitions, progress=None):
    """Run contenders in turn and return the median seconds of each.

    In turn, because a machine that is busy for a while then slows all of them alike.

    Args:
        contenders: {name: function without arguments}. Each runs once untimed first.
        repetitions: timed rounds.
        progress: a tqdm bar, advanced by one after each round.

    Returns:
        {name: seconds}.
    """
    seconds = {name: [] for name in contenders}
    for run in contenders.values():
        run()
    for _ in range(repetitions):
        for name, run in contenders.items():
            begin = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - begin)
        if progress is not None:
            progress.update()
    return {name: median(times) for name, times in seconds.items()}
