"""Use a model, rather than train it, at full speed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from threading import Lock, local

from scratch.torch.embeddings import TokenLogits
from scratch.torch.one_token import one_token_shortcut
from scratch.torch.shortcuts import Angles, InUse, shortcut

import torch
import torch.nn.functional as F
from torch import Tensor, nn

# Matrices with fewer numbers are faster as they are.
WORTH_PACKING = 100_000

# By the name of their parent, layers that read one input.
READ_THE_SAME = {
    "self_attention": ("query", "key", "value"),
    "feed_forward": ("gate", "expand"),
}

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


def worth_packing(*weights: Tensor | None) -> bool:
    """Whether oneDNN has a faster kernel for these matrices.

    It has one for large matrices of float32 on a processor.
    A weight that a hook or a parametrization computes is no
    Parameter.

    Args:
        weights: a matrix, or several to be packed as one.
    """
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
    )


def packed_linear(
    weights: list[Tensor], biases: list[Tensor | None]
) -> Callable:
    """A linear map whose matrix lies as it is read best.

    It computes x Wᵀ + b without gradients, from copies of
    the weights as they are now: for a single row, in the
    order of the columns, and for several rows, in oneDNN's.

    Args:
        weights: matrices, one below the other.
        biases: as many vectors, or None for none.
    """
    onednn = torch.ops.mkldnn
    multiply = onednn._linear_pointwise.default
    width = weights[0].shape[1]
    bias = None if None in biases else torch.cat(biases)

    @cache
    def columns():
        return torch.cat(weights).t().contiguous()

    @cache
    def packed():
        return onednn._reorder_linear_weight(
            torch.cat(weights)
        )

    def linear(x):
        if x.numel() == width:
            row = x.reshape(1, width)
            output = torch.mm(row, columns())
            if bias is not None:
                output = output + bias
            return output.view(*x.shape[:-1], -1)
        return multiply(x, packed(), bias, "none", [], "")

    return linear


class PackedTogether:
    """Linear layers that read one input, as one product.

    The first of them to be called computes for all, and the
    others take their parts when they get the same tensor. A
    part is taken once: after that, it is computed anew.

    Args:
        layers: of one width, all with a bias or all without.
    """

    def __init__(self, layers: list[nn.Module]):
        self.layers, self.linear = layers, None
        self.width = layers[0].in_features
        self.sizes = [layer.out_features for layer in layers]
        self.ready = local()  # each thread has its own

    def pack(self) -> Callable:
        """One linear map for all layers."""
        pairs = [weight_and_bias(one) for one in self.layers]
        return packed_linear(*zip(*pairs, strict=True))

    def __call__(self, layer: nn.Module, x: Tensor) -> Tensor:
        if self.linear is None:
            self.linear = self.pack()
        ready = vars(self.ready)
        parts = ready.get("parts", {})
        if ready.get("x") is not x or layer not in parts:
            output = torch.split_with_sizes(
                self.linear(x), self.sizes, -1
            )
            pairs = zip(self.layers, output, strict=True)
            parts = dict(pairs)
            ready.update(x=x, parts=parts)
        part = parts.pop(layer)
        if not parts:
            ready.clear()
        return part


class PackedForward(InUse):
    """The forward of a linear layer in use.

    The first call leaves the layer as it is, the second
    packs its weight. Packing costs as much as a few calls:
    too much for an encoder that reads one sentence, little
    for a decoder that is called for every token.

    Args:
        layer: the linear layer.
        together: those that it is packed with; None if it is
            packed alone.
    """

    def __init__(
        self,
        layer: nn.Module,
        together: PackedTogether | None = None,
    ):
        super().__init__(layer)
        self.together = together
        self.width = weight_and_bias(layer)[0].shape[1]
        self.called, self.packed = False, None

    def __call__(self, x: Tensor) -> Tensor:
        if x.shape[-1] != self.width:
            raise ValueError(
                f"x has vectors of length {x.shape[-1]}: "
                f"wanted {self.width}"
            )
        # torch.compile chooses its kernels itself
        compiling = torch.compiler.is_compiling()
        if self.packed is not None and not compiling:
            return self.packed(x)
        weight, bias = weight_and_bias(self.module)
        if compiling or not self.called:
            self.called = True
            return F.linear(x, weight, bias)
        self.packed = self.pack(weight, bias)
        return self.packed(x)

    def pack(
        self, weight: Tensor, bias: Tensor | None
    ) -> Callable:
        """The linear map, alone or as a part of several."""
        if self.together is None:
            return packed_linear([weight], [bias])
        return partial(self.together, self.module)


def use_packed(layers: list[nn.Module | None]) -> None:
    """Give linear layers a PackedForward, if it is faster.

    Args:
        layers: one, or several that read one input.
    """
    pairs = [weight_and_bias(layer) for layer in layers]
    weights, biases = zip(*pairs, strict=True)
    if not worth_packing(*weights) or any(
        "forward" in vars(layer) for layer in layers
    ):
        return
    together = None
    if len(layers) > 1:
        widths = {weight.shape[1] for weight in weights}
        kinds = {bias is None for bias in biases}
        if len(widths) > 1 or len(kinds) > 1:
            return
        together = PackedTogether(layers)
    for layer in layers:
        layer.forward = PackedForward(layer, together)


def start_use(
    module: nn.Module, angles: list[Angles]
) -> None:
    """Switch one module to use, if it is not yet in use.

    Args:
        module: any module.
        angles: those that the modules before it share.
    """
    before = 0, module.training
    users, training = IN_USE.get(id(module), before)
    IN_USE[id(module)] = users + 1, training
    module.training = False
    for parent, names in READ_THE_SAME.items():
        child = getattr(module, parent, None)
        layers = [
            getattr(child, name, None) for name in names
        ]
        use_packed(layers)
    use_packed([module])
    short = shortcut(module, angles)
    short = short or one_token_shortcut(module)
    if short and short.name not in vars(module):
        setattr(module, short.name, short)


def end_use(module: nn.Module) -> None:
    """Undo start_use, if nobody else uses the module."""
    users, training = IN_USE.pop(id(module))
    if users > 1:
        IN_USE[id(module)] = users - 1, training
        return
    module.training = training
    for name, method in list(vars(module).items()):
        if isinstance(method, InUse):
            delattr(module, name)


@contextmanager
def inference(model: nn.Module) -> Iterator[None]:
    """Switch a model to use: no dropout, no gradients, fast.

    Large linear layers that are called more than once work
    with a packed copy of their weights, and some layers with
    fewer operations. Several threads may
    use a model at once: when the last is done, the model is
    as it was before the first.

    Args:
        model: a module. Inside the `with` its parameters
            must not change, so no thread may train it.
    """
    modules, angles = list(model.modules()), []
    with CHANGING:
        for module in modules:
            start_use(module, angles)
    try:
        with torch.no_grad():
            yield
    finally:
        with CHANGING:
            for module in modules:
                end_use(module)
