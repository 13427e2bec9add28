"""Learning rates by step: plain Python, so each serves both frameworks."""

import math

from scratch.checks import require_at_least


def noam_schedule(step: int, d_model: int, warmup: int) -> float:
    """The paper's learning rate schedule: linear warm-up,
    then decay with the inverse square root of the step.

    Args:
        step: counts from 1.
        d_model: length of the model's vectors.
        warmup: the step at which the rate is highest.

    Returns:
        The learning rate.

    Raises:
        ValueError: if step is below 1.

    Source: Vaswani et al. 2017, section 5.3.
    """
    require_at_least("step", step, 1)
    # rate = d_model^−0.5 · min(step^−0.5, step · warmup^−1.5)
    slope = min(step**-0.5, step * warmup**-1.5)
    return d_model**-0.5 * slope


def cosine_schedule(step: int, peak: float, warmup: int, last_step: int) -> float:
    """A learning rate schedule: linear warm-up, then cosine
    decay to 0.

    Args:
        step: counts from 1.
        peak: the highest rate.
        warmup: the step at which the rate is highest.
        last_step: the step at which the rate reaches 0.

    Returns:
        The learning rate.

    Raises:
        ValueError: if step is below 1, or last_step not above
            warmup.

    Source: Loshchilov and Hutter 2017, section 3.
    """
    require_at_least("step", step, 1)
    require_at_least("last_step", last_step, warmup + 1)
    if step < warmup:
        return peak * step / warmup
    done = (step - warmup) / (last_step - warmup)
    return peak * (1 + math.cos(math.pi * min(done, 1))) / 2
