"""Use a model, rather than train it, at full speed."""

from contextlib import contextmanager

from scratch.torch.embeddings import TokenLogits

import torch
import torch.nn.functional as F
from torch import nn

# Matrices with fewer numbers are faster as they are.
WORTH_PACKING = 100_000


def weight_and_bias(layer):
    """The parameters of a layer that computes x Wᵀ + b.

    layer: a module.
    Returns: weight (d_out, d_in) and bias (d_out,), which
    may be None; both are None for any other layer.
    """
    if isinstance(layer, nn.Linear):
        return layer.weight, layer.bias
    if isinstance(layer, TokenLogits):
        return layer.tokens.weight, layer.bias
    return None, None


def worth_packing(weight):
    """Whether oneDNN has a faster kernel for this matrix.

    weight (d_out, d_in), or None.
    Returns: bool. Large matrices of float32 on a processor
    are worth it, where PyTorch was built with oneDNN.
    """
    return (
        weight is not None
        and torch.backends.mkldnn.is_available()
        and torch.backends.mkldnn.enabled
        and hasattr(torch.ops.mkldnn, "_linear_pointwise")
        and weight.device.type == "cpu"
        and weight.dtype == torch.float32
        and weight.numel() >= WORTH_PACKING
    )


def pack(weight, bias):
    """Lay a matrix out as the processor reads it fastest.

    weight (d_out, d_in); bias (d_out,) or None.
    Returns: a function of x (…, d_in) that gives x Wᵀ + b,
    (…, d_out), without gradients, from a copy of the weight
    as it is now. torch.compile uses the same kernel.
    """
    onednn = torch.ops.mkldnn
    packed = onednn._reorder_linear_weight(weight.detach())
    multiply = onednn._linear_pointwise.default

    def linear(x):
        return multiply(x, packed, bias, "none", [], "")

    return linear


def pack_when_used_again(layer, weight, bias):
    """Leave a layer as it is for one call, then pack it.

    Packing costs as much as a few calls: too much for an
    encoder that reads one sentence, little for a decoder
    that is called for every token.
    """

    def first(x):
        layer.forward = pack(weight, bias)
        return F.linear(x, weight, bias)

    layer.forward = first


@contextmanager
def inference(model):
    """Switch a model to use: no dropout, no gradients, fast.

    model: a module; inside the `with` its parameters must
    not change. Afterwards it is as it was before.
    Large linear layers that are called more than once work
    with a packed copy of their weights.
    """
    training = {m: m.training for m in model.modules()}
    layers = []
    for layer in model.modules():
        weight, bias = weight_and_bias(layer)
        # one that an outer `with` looks after stays so
        free = "forward" not in vars(layer)
        if free and worth_packing(weight):
            pack_when_used_again(layer, weight, bias)
            layers.append(layer)
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        for layer in layers:
            del layer.forward
        for module, was_training in training.items():
            module.training = was_training
