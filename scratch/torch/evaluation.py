"""Use a model, rather than train it, at full speed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from types import MethodType

from scratch.torch.embeddings import TokenLogits

import torch
import torch.nn.functional as F
from torch import Tensor, nn

# Matrices with fewer numbers are faster as they are.
WORTH_PACKING = 100_000

# How often each module is in use, and whether it was in
# training before, by id: threads may share a model.
IN_USE = {}
CHANGING = Lock()


def weight_and_bias(
    layer: nn.Module,
) -> tuple[Tensor | None, Tensor | None]:
    """The parameters of a layer that computes x Wᵀ + b.

    A subclass of nn.Linear computes what it likes: it has
    none here, like any other layer.
    """
    if type(layer) is nn.Linear:
        return layer.weight, layer.bias
    if type(layer) is TokenLogits:
        return layer.tokens.weight, layer.bias
    return None, None


def worth_packing(weight: Tensor | None) -> bool:
    """Whether oneDNN has a faster kernel for this matrix.

    It has one for large matrices of float32 on a processor.
    A weight that a hook or a parametrization computes is no
    Parameter.
    """
    return (
        type(weight) is nn.Parameter
        and torch.backends.mkldnn.is_available()
        and torch.backends.mkldnn.enabled
        and hasattr(torch.ops.mkldnn, "_linear_pointwise")
        and weight.device.type == "cpu"
        and weight.dtype == torch.float32
        and weight.numel() >= WORTH_PACKING
    )


def packed_linear(
    weight: Tensor, bias: Tensor | None
) -> Callable:
    """A linear map whose matrix lies as oneDNN reads it best.

    It computes x Wᵀ + b without gradients, from a copy of the
    weight as it is now.
    """
    onednn = torch.ops.mkldnn
    packed = onednn._reorder_linear_weight(weight.detach())
    multiply = onednn._linear_pointwise.default

    def linear(x):
        return multiply(x, packed, bias, "none", [], "")

    return linear


def own_forward(layer: nn.Module) -> Callable:
    """The forward that a layer has from its class."""
    return MethodType(type(layer).forward, layer)


class PackedForward:
    """The forward of a linear layer in use.

    The first call leaves the layer as it is, the second
    packs its weight. Packing costs as much as a few calls:
    too much for an encoder that reads one sentence, little
    for a decoder that is called for every token.
    """

    def __init__(self, layer: nn.Module):
        self.layer = layer
        self.called, self.packed = False, None

    def __call__(self, x: Tensor) -> Tensor:
        weight, bias = weight_and_bias(self.layer)
        if x.shape[-1] != weight.shape[1]:
            raise ValueError(
                f"x has vectors of length {x.shape[-1]}: "
                f"wanted {weight.shape[1]}"
            )
        # torch.compile chooses its kernels itself
        if torch.compiler.is_compiling():
            return F.linear(x, weight, bias)
        if not self.called:
            self.called = True
            return F.linear(x, weight, bias)
        if self.packed is None:
            self.packed = packed_linear(weight, bias)
        return self.packed(x)

    def __reduce__(self):
        # a copy of the layer, or a saved one, is not in use
        return own_forward, (self.layer,)


def start_use(module: nn.Module) -> None:
    """Switch one module to use, if it is not yet in use."""
    before = 0, module.training
    users, training = IN_USE.get(id(module), before)
    IN_USE[id(module)] = users + 1, training
    module.training = False
    weight, _ = weight_and_bias(module)
    if "forward" not in vars(module) and worth_packing(
        weight
    ):
        module.forward = PackedForward(module)


def end_use(module: nn.Module) -> None:
    """Undo start_use, if nobody else uses the module."""
    users, training = IN_USE.pop(id(module))
    if users > 1:
        IN_USE[id(module)] = users - 1, training
        return
    module.training = training
    if isinstance(vars(module).get("forward"), PackedForward):
        del module.forward


@contextmanager
def inference(model: nn.Module) -> Iterator[None]:
    """Switch a model to use: no dropout, no gradients, fast.

    Large linear layers that are called more than once work
    with a packed copy of their weights. Several threads may
    use a model at once: when the last is done, the model is
    as it was before the first.

    Args:
        model: a module. Inside the `with` its parameters
            must not change, so no thread may train it.
    """
    modules = list(model.modules())
    with CHANGING:
        for module in modules:
            start_use(module)
    try:
        with torch.no_grad():
            yield
    finally:
        with CHANGING:
            for module in modules:
                end_use(module)
