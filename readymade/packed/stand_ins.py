"""Methods that do a layer's work in fewer operations."""

from collections.abc import Callable
from functools import lru_cache
from types import MethodType

from readymade.packed.products import PackedProduct, weight_and_bias, worth_packing
from scratch.torch import (
    DecoderLayer,
    GatedFeedForward,
    GroupedQueryAttention,
    MultiHeadAttention,
)

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def own_method(module: nn.Module, name: str) -> Callable:
    """Return the method that a module has from its class."""
    return MethodType(getattr(type(module), name), module)


def is_replaced(part: nn.Module) -> bool:
    """Return whether a module has a forward that is neither its class's nor ours."""
    return not isinstance(vars(part).get("forward"), StandIn | None)


class StandIn:
    """A faster replacement for a method of one module, which computes the same.

    Its method `fits` says whether it can serve a call, and `short` serves it. All other
    calls, torch.compile and autocast get the module's own method, and so do calls while
    a part is edited whose work it does.

    Args:
        module: the module that gets it as an attribute.
        parts: those whose work it does without calling them.
    """

    name = "forward"

    def __init__(self, module: nn.Module, *parts: nn.Module):
        self.module, self.parts = module, parts

    def __call__(self, *arguments, **named):
        other = torch.compiler.is_compiling() or torch.is_autocast_enabled("cpu")
        other = other or any(map(is_replaced, self.parts))
        if other or not self.fits(*arguments, **named):
            own = getattr(type(self.module), self.name)
            return own(self.module, *arguments, **named)
        return self.short(*arguments, **named)

    def __reduce__(self):
        # a copied or saved module has its own method
        return own_method, (self.module, self.name)


class PackedLinear(StandIn):
    """A linear layer with a packed matrix."""

    def __init__(self, module: nn.Module):
        super().__init__(module)
        self.product = PackedProduct(module)

    def fits(self, x: Tensor) -> bool:
        return self.product.fits(x)

    def short(self, x: Tensor) -> Tensor:
        return self.product(x)


class ShortGate(StandIn):
    """A GatedFeedForward in two products instead of three."""

    def __init__(self, module: GatedFeedForward):
        super().__init__(module, module.gate, module.expand)
        self.product = PackedProduct(*self.parts)

    def fits(self, x: Tensor) -> bool:
        return self.product.fits(x)

    def short(self, x: Tensor) -> Tensor:
        gate, expanded = self.product(x).chunk(2, -1)
        return self.module.contract(F.silu(gate) * expanded)


class ShortRMSNorm(StandIn):
    """An nn.RMSNorm in four operations: PyTorch 2.13 takes 24 on a processor."""

    def __init__(self, module: nn.RMSNorm):
        super().__init__(module)
        size, eps = module.weight.numel(), module.eps
        if eps is None:
            eps = torch.finfo(torch.float32).eps
        self.weight = module.weight * size**0.5
        self.floor = torch.tensor((size * eps) ** 0.5, dtype=torch.float32)

    def fits(self, x: Tensor) -> bool:
        return x.shape[-1:] == self.weight.shape and (
            x.dtype == self.weight.dtype == torch.float32
        )

    def short(self, x: Tensor) -> Tensor:
        norm = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
        # √(Σ x² + size · eps)
        norm = torch.hypot(norm, self.floor)
        return x * self.weight / norm


@lru_cache(maxsize=4)  # all layers of a step need the same
def cosines_and_sines(
    frequency: tuple[float, ...], start: int, length: int
) -> tuple[Tensor, Tensor]:
    """Return the cosines and sines of `length` positions, each (length, d_k)."""
    place = torch.arange(start, start + length)
    angle = place[:, None] * torch.tensor(frequency, dtype=torch.float32)
    return angle.cos(), angle.sin()


class SharedTurn(StandIn):
    """GroupedQueryAttention.turned, with angles shared by all layers of a step."""

    name = "turned"

    def __init__(self, module: GroupedQueryAttention):
        super().__init__(module)
        self.frequency = tuple(module.frequency.tolist())

    def fits(self, x: Tensor, start: int | Tensor) -> bool:
        plain = x.dtype == torch.float32 and x.device.type == "cpu"
        return plain and not torch.is_tensor(start)  # one for each row

    def short(self, x: Tensor, start: int) -> Tensor:
        cos, sin = cosines_and_sines(self.frequency, start, x.shape[-2])
        swapped = x.roll(x.shape[-1] // 2, -1)
        return x * cos + swapped * sin


class ShortStep(StandIn):
    """A DecoderLayer without cross-attention that reads one more token.

    At a single position, splitting and merging heads only changes shapes, and all
    queries and keys turn together.
    """

    def __init__(self, module: DecoderLayer):
        attention = module.self_attention
        linear = attention.query, attention.key, attention.value
        super().__init__(module, *linear, attention)
        self.product = PackedProduct(*linear)

    def fits(
        self,
        x: Tensor,
        memory: Tensor | None = None,
        attention_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        need_weights: bool = True,
        cache: tuple | None = None,
        start: int | Tensor | None = None,
    ) -> bool:
        return (
            bool(cache)
            and x.shape[1:-1] == (1,)
            and self.product.fits(x)
            and memory is None
            and attention_mask is None
            and not need_weights
            and cache[0].shape == cache[1].shape  # values as long as keys
        )

    def short(self, x: Tensor, *_, cache: tuple, **__) -> tuple:
        layer = self.module
        y = layer.self_attention_norm.before(x)
        y, *cache = self.attend(self.product(y), *cache)
        x = layer.self_attention_norm.after(x, y)
        y = layer.feed_forward_norm.before(x)
        y = layer.feed_forward(y)
        x = layer.feed_forward_norm.after(x, y)
        return x, (None, None), tuple(cache)

    def attend(
        self, x: Tensor, keys: Tensor, values: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return self-attention (batch, 1, d_model), and the extended keys and values.

        Args:
            x: query, key and value of all heads, in a row, (batch, 1, heads · d_k).
            keys, values: of earlier positions, (batch, heads, keys, d_k).
        """
        attention = self.module.self_attention
        batch, shared, start, d_k = keys.shape
        x = x.view(batch, -1, 1, d_k)
        sizes = x.shape[1] - 2 * shared, shared, shared
        query, key, value = x.split_with_sizes(sizes, 1)
        if type(attention) is GroupedQueryAttention:
            query = attention.turned(attention.query_norm(query), start)
            key = attention.turned(attention.key_norm(key), start)
        keys = torch.cat([keys, key], 2)
        values = torch.cat([values, value], 2)
        # heads that share keys: one head with more queries
        query = query.reshape(batch, shared, -1, d_k)
        y = F.scaled_dot_product_attention(query, keys, values)
        return attention.projection(y.reshape(batch, 1, -1)), keys, values


def is_changed(module: nn.Module) -> bool:
    """Return whether a part of a module has a hook or a replaced forward."""
    return any(
        part._forward_hooks or part._forward_pre_hooks or "forward" in vars(part)
        for part in module.modules()
    )


def stand_in_for(module: nn.Module) -> StandIn | None:
    """Return what does the work of a module faster, None if nothing does.

    A subclass may compute anything, so it gets none.
    """
    kind = type(module)
    if "forward" in vars(module):
        return None
    if weight_and_bias(module)[0] is not None:
        return PackedLinear(module) if worth_packing(module) else None
    if kind is nn.RMSNorm and module.weight is not None and module.weight.dim() == 1:
        return ShortRMSNorm(module)
    if kind is GroupedQueryAttention and module.frequency is not None:
        return SharedTurn(module)
    # the following do the work of their parts without calling them
    if is_changed(module):
        return None
    if kind is GatedFeedForward and worth_packing(module.gate, module.expand):
        return ShortGate(module)
    # a window cuts the cache
    plain = kind is DecoderLayer and module.window is None
    if plain and module.cross_attention is None:
        attention = module.self_attention
        linear = attention.query, attention.key, attention.value
        known = type(attention) in (MultiHeadAttention, GroupedQueryAttention)
        if known and worth_packing(*linear):
            return ShortStep(module)
    return None
