"""The position-wise feed-forward layer, its activations."""

from functools import partial

from scratch.checks import require_choice
from scratch.torch.attention import new_linear

import torch.nn.functional as F
from torch import Tensor, nn

ACTIVATIONS = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu_tanh": partial(F.gelu, approximate="tanh"),
    "silu": F.silu,
}


class FeedForward(nn.Module):
    """Feed-forward layer: linear, activation, linear.

    Args:
        d_model: length of the vectors that come in and out.
        d_ff: length of the inner vectors.
        activation: "relu", "gelu", "gelu_tanh" or "silu".
        dropout: fraction of the inner vector that is dropped.
        bias: False for none.

    Call:
        x: (batch, length, d_model), each position alone.

    Returns:
        Shape (batch, length, d_model).

    Raises:
        ValueError: for an activation that is unknown.

    Source: Vaswani et al. 2017, section 3.3.
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        activation: str = "relu",
        dropout: float = 0.0,
        bias: bool = True,
    ):
        super().__init__()
        require_choice("activation", activation, ACTIVATIONS)
        self.activation = ACTIVATIONS[activation]
        self.expand = new_linear(d_model, d_ff, bias)
        self.contract = new_linear(d_ff, d_model, bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        # FFN(x) = activation(x W₁ + b₁) W₂ + b₂
        inner = self.activation(self.expand(x))
        return self.contract(self.dropout(inner))
