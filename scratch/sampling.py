"""The settings of sampling, the same for both frameworks."""

from dataclasses import dataclass

from scratch.checks import require_sampling


@dataclass(frozen=True)
class Sampling:
    """How each next token is chosen: at random, or, without a temperature, by a search.

    Args:
        temperature: what logits are divided by before a token is drawn by its
            probability; None to draw none.
        top_k: how many of the likeliest tokens may be drawn; None for all.
        top_p: the probability that the likeliest tokens reach together, of which one is
            drawn; None for all.
        seed: as in uniform_numbers.

    Raises:
        TypeError, ValueError: for a setting that makes no sense, alone or beside the
            others.
    """

    temperature: float | None = None
    top_k: int | None = None
    top_p: float | None = None
    seed: int | None = None

    def __post_init__(self):
        require_sampling(self.temperature, self.top_k, self.top_p, self.seed)
