"""A decoder's step for one token, in fewer operations."""

from scratch.torch.decoder import DecoderLayer
from scratch.torch.multi_head import MultiHeadAttention
from scratch.torch.shortcuts import InUse
from scratch.torch.todays_decoder import (
    GatedFeedForward,
    GroupedQueryAttention,
)

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def packed_inputs(layer: nn.Module) -> object | None:
    """The layers that a linear layer is packed with.

    Args:
        layer: the first of those that read one input.

    Returns:
        A PackedTogether of a model in use, or None.
    """
    forward = vars(layer).get("forward")
    return getattr(forward, "together", None)


def is_hooked(module: nn.Module) -> bool:
    """Whether a hook waits for a part of a module to run."""
    return any(
        part._forward_hooks or part._forward_pre_hooks
        for part in module.modules()
    )


class ShortStep(InUse):
    """The forward of a DecoderLayer, for one token.

    At a single position, heads are split and merged by a
    change of shape alone, and the queries and keys of all
    heads turn together. More positions, a mask, or weights
    that are asked for are left to the layer's own method.

    Args:
        module: the layer, without cross-attention.
        packed: its query, key and value.
    """

    def __init__(self, module: DecoderLayer, packed: object):
        super().__init__(module)
        self.packed = packed

    def __call__(
        self,
        x: Tensor,
        memory: Tensor | None = None,
        attention_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        need_weights: bool = True,
        cache: tuple | None = None,
    ) -> tuple:
        layer, linear = self.module, self.packed.linear
        masks = memory, attention_mask, memory_mask
        if (
            not cache
            or x.shape[1:] != (1, self.packed.width)
            or masks != (None, None, None)
            or need_weights
            or linear is None
            or torch.compiler.is_compiling()
        ):
            return DecoderLayer.forward(
                layer, x, *masks, need_weights, cache
            )
        y = layer.self_attention_norm.before(x)
        y, *cache = self.attend(linear(y), *cache)
        x = layer.self_attention_norm.after(x, y)
        y = layer.feed_forward_norm.before(x)
        y = layer.feed_forward(y)
        x = layer.feed_forward_norm.after(x, y)
        return x, (None, None), tuple(cache)

    def attend(
        self, x: Tensor, keys: Tensor, values: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Self-attention of one position.

        Args:
            x: query, key and value of all heads, one after
                the other, (batch, 1, heads · d_k).
            keys, values: of the positions before, (batch,
                heads, keys, d_k).

        Returns:
            The output, (batch, 1, d_model), and the keys and
            values with the new ones.
        """
        attention = self.module.self_attention
        batch, shared, start, d_k = keys.shape
        x = x.view(batch, -1, 1, d_k)
        turning = x.shape[1] - shared
        x, value = x.split_with_sizes((turning, shared), 1)
        if type(attention) is GroupedQueryAttention:
            x = attention.turned(x, start)
        heads = turning - shared
        query, key = x.split_with_sizes((heads, shared), 1)
        keys = torch.cat([keys, key], 2)
        values = torch.cat([values, value], 2)
        # heads that share keys: one head with more queries
        query = query.reshape(batch, shared, -1, d_k)
        y = F.scaled_dot_product_attention(
            query, keys, values
        )
        y = attention.projection(y.reshape(batch, 1, -1))
        return y, keys, values


class ShortGate(InUse):
    """The forward of a GatedFeedForward, in two products.

    Args:
        module: the layer.
        packed: its gate and expansion.
    """

    def __init__(
        self, module: GatedFeedForward, packed: object
    ):
        super().__init__(module)
        self.packed = packed

    def __call__(self, x: Tensor) -> Tensor:
        linear = self.packed.linear
        if (
            x.shape[-1] != self.packed.width
            or linear is None
            or torch.compiler.is_compiling()
        ):
            return GatedFeedForward.forward(self.module, x)
        gate, expanded = linear(x).chunk(2, -1)
        return self.module.contract(F.silu(gate) * expanded)


def one_token_shortcut(module: nn.Module) -> InUse | None:
    """A shorter method for one token, None if there is none.

    Args:
        module: any module in use.
    """
    if type(module) is GatedFeedForward:
        packed = packed_inputs(module.gate)
        if packed and not is_hooked(module):
            return ShortGate(module, packed)
    if type(module) is not DecoderLayer:
        return None
    attention = module.self_attention
    kinds = MultiHeadAttention, GroupedQueryAttention
    if (
        type(attention) not in kinds
        or module.cross_attention is not None
        or is_hooked(module)
    ):
        return None
    packed = packed_inputs(attention.query)
    heads = attention.num_heads
    shared = getattr(attention, "num_kv_heads", heads)
    query, _, value = packed.sizes if packed else (1, 0, 0)
    if query * shared != value * heads:
        return None  # values have another length than keys
    return ShortStep(module, packed)
