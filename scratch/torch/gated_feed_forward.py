"""The gated feed-forward layer, SwiGLU."""

from scratch.config import TransformerConfig
from scratch.torch.attention import new_linear

import torch.nn.functional as F
from torch import Tensor, nn


class GatedFeedForward(nn.Module):
    """Gated feed-forward layer: SwiGLU.

    A linear layer and SiLU give the gate, by which the output
    of a second one is multiplied; then comes a third.

    Args:
        config: its d_model, d_ff, bias and dropout.

    Call:
        x: shape (batch, length, d_model).

    Returns:
        Shape (batch, length, d_model).

    Source: Shazeer 2020, equation 6.
    """

    def __init__(self, config: TransformerConfig):
        super().__init__()
        d_model, d_ff = config.d_model, config.d_ff
        self.gate = new_linear(d_model, d_ff, config.bias)
        self.expand = new_linear(d_model, d_ff, config.bias)
        self.contract = new_linear(d_ff, d_model, config.bias)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Tensor) -> Tensor:
        # FFN(x) = (SiLU(x W) ⊙ x V) W₂
        inner = F.silu(self.gate(x)) * self.expand(x)
        return self.contract(self.dropout(inner))
