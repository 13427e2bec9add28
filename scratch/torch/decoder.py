"""Decoder: causal layers that may read a memory."""

from scratch.checks import (
    require_ids,
    require_length,
    require_mask,
    require_mask_for,
    require_memory,
)
from scratch.config import TransformerConfig
from scratch.torch.add_and_norm import AddAndNorm
from scratch.torch.choices import (
    attention_from,
    feed_forward_from,
    layer_norm_from,
    window_from,
)
from scratch.torch.embeddings import Embeddings
from scratch.torch.kv_cache import cached_length, extended
from scratch.torch.masks import causal_mask

import torch
from torch import Tensor, nn


def decoder_mask(
    x: Tensor,
    cache: tuple,
    attention_mask: Tensor | None = None,
) -> Tensor | None:
    """Causal mask, combined with attention_mask.

    Args:
        x: the queries' vectors, (batch, queries, d_model).
        cache: a layer's; its last keys belong to x.
        attention_mask: boolean, True = may attend, broadcasts
            to (batch, heads, queries, keys and dropped ones).

    Returns:
        A mask of the same kind, on the device of x, or None
        if all is visible.

    Source: Vaswani et al. 2017, section 3.1.
    """
    queries, keys = x.shape[1], cached_length(cache)
    require_mask(
        "attention_mask",
        attention_mask,
        (x.shape[0], None, queries, keys),
    )
    if attention_mask is not None:
        attention_mask = torch.as_tensor(
            attention_mask, device=x.device
        )
    if queries == 1:
        # a single query is the newest: nothing is later
        return attention_mask
    mask = causal_mask(queries, keys).to(x.device)
    if attention_mask is None:
        return mask
    return mask & attention_mask


def left_padding(
    ids: Tensor, attention_mask: Tensor
) -> Tensor:
    """Number of keys at the left of each row that no query
    may attend to.

    Args:
        ids: integers, (batch, queries).
        attention_mask: boolean, True = may attend, (batch,
            heads, queries, keys), any size may be 1.

    Returns:
        Integers, (batch or 1, 1).

    Example:
        [[[[False, True, True]]]] -> [[1]]
    """
    require_ids("ids", ids)
    require_mask(
        "attention_mask",
        attention_mask,
        (ids.shape[0], None, ids.shape[1], None),
    )
    # (batch, keys): whether any query may attend to a key
    read = torch.as_tensor(attention_mask).any(2).any(1)
    return (read.cumsum(1) == 0).sum(1, keepdim=True)


class DecoderLayer(nn.Module):
    """Self-attention, cross-attention, then feed-forward.

    Self-attention is always causal.

    Args:
        config: sizes and choices of the layer.
        cross_attention: False for a layer without memory.

    Call:
        x: (batch, length, d_model).
        memory: the encoder's output, (batch, source length,
            d_model).
        attention_mask: boolean, True = may attend,
            broadcasts to (batch, heads, length, keys).
        memory_mask: the same for the memory, broadcasts to
            (batch, heads, length, source length).
        need_weights: False takes the fused kernel.
        cache: keys and values of the positions before x, and
            of the memory: () at first, then what the last
            call returned; None for no cache.
        start: as in MultiHeadAttention.

    Returns:
        x, (batch, length, d_model); a pair of weights, self
        (batch, heads, length, keys) and cross (…, source
        length), or None; with a cache, the new cache, too.

    Raises:
        ValueError: if a memory is missing or out of place.

    Source: Vaswani et al. 2017, section 3.1.
    """

    def __init__(
        self,
        config: TransformerConfig,
        cross_attention: bool = True,
    ):
        super().__init__()
        self.window = window_from(config)
        self.self_attention = attention_from(config)
        self.self_attention_norm = AddAndNorm(config)
        self.cross_attention = None
        if cross_attention:
            attention = attention_from(config, rotary=False)
            self.cross_attention = attention
            self.cross_attention_norm = AddAndNorm(config)
        self.feed_forward = feed_forward_from(config)
        self.feed_forward_norm = AddAndNorm(config)

    def forward(
        self,
        x: Tensor,
        memory: Tensor | None = None,
        attention_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        need_weights: bool = True,
        cache: tuple | None = None,
        start: int | Tensor | None = None,
    ) -> tuple:
        require_memory(memory, cache, self.cross_attention)
        y = self.self_attention_norm.before(x)
        attention = self.self_attention
        held = extended(cache, attention, y, start)
        mask = decoder_mask(x, held, attention_mask)
        if self.window is not None:
            mask = self.window.mask(x, held, mask)
        y, self_weights = attention(
            y,
            attention_mask=mask,
            need_weights=need_weights,
            cache=held,
            start=start,
        )
        x = self.self_attention_norm.after(x, y)

        read, cross_weights = (), None
        if self.cross_attention is not None:
            y = self.cross_attention_norm.before(x)
            # the memory never changes: project it once
            if cache:
                read = cache[-2:]
            else:
                project = self.cross_attention.project
                read = project(memory, memory)
            require_mask_for(
                "memory_mask", memory_mask, x, read[0]
            )
            y, cross_weights = self.cross_attention(
                y,
                attention_mask=memory_mask,
                need_weights=need_weights,
                cache=read,
            )
            x = self.cross_attention_norm.after(x, y)

        y = self.feed_forward_norm.before(x)
        y = self.feed_forward(y)
        x = self.feed_forward_norm.after(x, y)
        weights = self_weights, cross_weights
        if cache is None:
            return x, weights
        if self.window is not None:
            held = self.window.cut(held)
        return x, weights, (*held, *read)


class Decoder(nn.Module):
    """Decoder: embeddings, then a stack of layers.

    Always causal.

    Args:
        config: sizes and choices of the model.
        embeddings: those to share, new ones if left out.
        cross_attention: False for a decoder without memory.

    Call:
        ids: integers, (batch, length).
        memory: the encoder's output, (batch, source length,
            d_model).
        attention_mask: boolean, True = may attend,
            broadcasts to (batch, heads, length, keys). No id
            is hidden unless it says so. Keys at the left of a
            row that no query may attend to are padding:
            positions count from the first that one may, anew
            in each call: with a cache, hide no old keys.
        memory_mask, need_weights: as in DecoderLayer.
        cache: () at first, then what the last call returned;
            ids are then the new ones; None for no cache.

    Returns:
        The hidden states, (batch, length, d_model); a list
        of the layers' pairs of weights, self and cross; with
        a cache, the new cache, too.

    Raises:
        TypeError, ValueError: as Encoder, or for a memory
            that is missing or out of place.

    Source: Vaswani et al. 2017, section 3.1.
    """

    def __init__(
        self,
        config: TransformerConfig,
        embeddings: Embeddings | None = None,
        cross_attention: bool = True,
    ):
        super().__init__()
        config = config.for_decoder()
        self.config = config
        if embeddings is None:
            embeddings = Embeddings(config)
        self.embeddings = embeddings
        self.layers = nn.ModuleList(
            DecoderLayer(layer, cross_attention)
            for layer in config.for_layers()
        )
        self.norm = None
        if config.norm_first:
            # pre-LN leaves the last layer's sum unnormalized
            self.norm = layer_norm_from(config)

    def forward(
        self,
        ids: Tensor,
        memory: Tensor | None = None,
        attention_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        need_weights: bool = True,
        cache: list | tuple | None = None,
    ) -> tuple:
        start = cached_length(cache[0]) if cache else 0
        if attention_mask is not None:
            padding = left_padding(ids, attention_mask)
            positions = self.embeddings.positions
            if positions is not None:
                require_length(
                    "ids",
                    start + ids.shape[1],
                    positions.max_len,
                )
            table = self.embeddings.tokens.weight
            padding = padding.to(table.device)
            # a row's positions count from its first token
            start = start - padding  # (batch, 1)
        x = self.embeddings(ids, start=start)
        all_weights, new_cache = [], []
        caches = cache or [cache] * len(self.layers)
        for layer, earlier in zip(
            self.layers, caches, strict=True
        ):
            x, weights, *later = layer(
                x,
                memory,
                attention_mask,
                memory_mask=memory_mask,
                need_weights=need_weights,
                cache=earlier,
                start=start,
            )
            all_weights.append(weights)
            new_cache.extend(later)
        if self.norm is not None:
            x = self.norm(x)
        if cache is None:
            return x, all_weights
        return x, all_weights, new_cache
