"""The settings of sampling, the same for both frameworks."""

from dataclasses import dataclass

from scratch.checks import require_sampling


@dataclass(frozen=True)
class Sampling:
    """How tokens are drawn, if they are: without a temperature, they are searched for.

    Args:
        temperature: what logits are divided by; None for a search instead.
        top_k: how many of the likeliest tokens may be drawn; None for all.
        top_p: the probability that these reach together; None for all.
        seed: as in uniform_numbers.

    Raises:
        TypeError, ValueError: for settings that make no sense, alone or together.
    """

    temperature: float | None = None
    top_k: int | None = None
    top_p: float | None = None
    seed: int | None = None

    def __post_init__(self):
        require_sampling(self.temperature, self.top_k, self.top_p, self.seed)
