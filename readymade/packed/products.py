"""Matrix products whose weights are in the order in memory that reads fastest."""

import math
from functools import cached_property

from scratch.torch import TokenLogits

import torch
from torch import Tensor, nn

# Smaller matrices are faster unpacked.
WORTH_PACKING = 100_000
# Without AVX-512, F.linear is as fast for so many rows at once, and needs no copy.
MANY_ROWS = 512


def weight_and_bias(layer: nn.Module) -> tuple[Tensor | None, Tensor | None]:
    """Return the parameters of a layer that computes x Wᵀ + b.

    A subclass of nn.Linear may compute anything, so it has none, like other layers.
    """
    if type(layer) is nn.Linear:
        return layer.weight, layer.bias
    if type(layer) is TokenLogits:
        return layer.tokens.weight, layer.bias
    return None, None


def worth_packing(*layers: nn.Module) -> bool:
    """Return whether oneDNN has a faster product for these layers, packed as one.

    It has one for large matrices of float32 on a processor. A weight that a hook or a
    parametrization computes is not a Parameter.
    """
    weights, biases = zip(*map(weight_and_bias, layers), strict=True)
    return (
        torch.backends.mkldnn.is_available()
        and torch.backends.mkldnn.enabled
        and hasattr(torch.ops.mkldnn, "_linear_pointwise")
        and all(
            type(weight) is nn.Parameter
            and weight.device.type == "cpu"
            and weight.dtype == torch.float32
            for weight in weights
        )
        and sum(map(torch.numel, weights)) >= WORTH_PACKING
        and len({bias is None for bias in biases}) == 1
    )


class PackedProduct:
    """x Wᵀ + b without gradients, from copies of the present weights.

    There is a copy for a single row, in column order, and one for several rows, in
    oneDNN's order. Each is created when it is first needed.

    Args:
        layers: those whose matrices are stacked.
    """

    def __init__(self, *layers: nn.Module):
        weights, biases = zip(*map(weight_and_bias, layers), strict=True)
        self.weights, self.width = weights, weights[0].shape[1]
        self.bias = None if None in biases else torch.cat(biases)
        wide = "AVX512" in torch.backends.cpu.get_cpu_capability()
        self.too_many = math.inf if wide else MANY_ROWS

    def fits(self, x: Tensor) -> bool:
        """Return whether x (…, width) is multiplied faster by a copy."""
        return x.shape[-1] == self.width and x.numel() < self.too_many * self.width

    @cached_property
    def columns(self) -> Tensor:
        """The matrix in column order: Wᵀ."""
        return torch.cat(self.weights).t().contiguous()

    @cached_property
    def reordered(self) -> Tensor:
        """The matrix in oneDNN's order."""
        return torch.ops.mkldnn._reorder_linear_weight(torch.cat(self.weights))

    def __call__(self, x: Tensor) -> Tensor:
        """Multiply x (…, width)."""
        if x.numel() == self.width:
            row = torch.mm(x.reshape(1, -1), self.columns)
            if self.bias is not None:
                row = row + self.bias
            return row.view(*x.shape[:-1], -1)
        multiply = torch.ops.mkldnn._linear_pointwise.default
        return multiply(x, self.reordered, self.bias, "none", [], "")
