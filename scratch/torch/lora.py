"""LoRA: low-rank changes to frozen linear layers."""

from scratch.checks import (
    require_encoder,
    require_lora,
    require_low_rank,
)

import torch
from torch import Tensor, nn


class LoRA(nn.Module):
    """A linear layer, and a low-rank change to it.

    `down` starts as the framework's own linear layers do, in
    TensorFlow with larger numbers, and `up` at 0.

    Args:
        base: the linear layer.
        rank: length of the vectors between the two factors.
        alpha: the change is multiplied by alpha / rank.

    Call:
        x: shape (…, d_in).

    Returns:
        Shape (…, d_out); at first that of the base layer.

    Source: Hu et al. 2022, section 4.1.
    """

    def __init__(
        self, base: nn.Linear, rank: int, alpha: float
    ):
        super().__init__()
        require_low_rank("base", base, rank, alpha)
        d_out, d_in = base.weight.shape
        self.base = base
        self.down = nn.Linear(d_in, rank, bias=False)
        self.up = nn.Linear(rank, d_out, bias=False)
        nn.init.zeros_(self.up.weight)
        self.scale = alpha / rank
        self.to(base.weight)  # its precision and device

    def forward(self, x: Tensor) -> Tensor:
        # y = W x + b + (α / r) B A x
        change = self.up(self.down(x))
        return self.base(x) + self.scale * change

    def merged(self) -> nn.Linear:
        """The base layer, with the change added to it."""
        change = self.up.weight @ self.down.weight
        with torch.no_grad():
            # W' = W + (α / r) B A
            self.base.weight += self.scale * change
        return self.base


def add_lora(
    encoder: nn.Module,
    rank: int,
    alpha: float,
    names: tuple[str, ...] = ("query", "value"),
) -> list[Tensor]:
    """Add LoRA to the attention layers of an encoder.

    Args:
        encoder: its linear layers are replaced.
        rank, alpha: as in LoRA.
        names: the linear layers of each attention layer.

    Returns:
        The new weights, which are to be trained.

    Source: Hu et al. 2022, section 4.2.
    """
    require_lora(encoder, rank, alpha, names)
    added = []
    for layer in encoder.layers:
        attention = layer.self_attention
        for name in names:
            base = getattr(attention, name)
            lora = LoRA(base, rank, alpha)
            setattr(attention, name, lora)
            added += [lora.down.weight, lora.up.weight]
    return added


def merge_lora(encoder: nn.Module) -> None:
    """Add the changes to the weights, and remove LoRA.

    Args:
        encoder: as add_lora left it. Afterwards it is built
            as it was before, and computes the same.
    """
    require_encoder(encoder, "embeddings")
    for layer in encoder.layers:
        attention = layer.self_attention
        for name, part in list(attention.named_children()):
            if isinstance(part, LoRA):
                setattr(attention, name, part.merged())
