"""Rotary positions, grouped queries and gated layers."""

from scratch.checks import (
    require_attention_mask,
    require_even,
    require_vectors,
)
from scratch.config import TransformerConfig
from scratch.torch.attention import (
    fused_attention,
    new_linear,
    scaled_dot_product_attention,
)
from scratch.torch.feed_forward import FeedForward
from scratch.torch.multi_head import (
    MultiHeadAttention,
    merge_heads,
    split_heads,
)
from scratch.torch.sliding_window import cached_length

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def frequencies(
    d_k: int,
    base: float = 10_000.0,
    scaling: tuple | None = None,
) -> Tensor:
    """Angles by which rotary positions turn, per position.

    The first half of a vector and the second are the two
    coordinates of d_k / 2 points. Each point turns by its own
    angle; the minus sign is that of the sine in a rotation.

    Args:
        d_k: length of a query and of a key, even.
        base: the slowest point turns once in 2π · base^(1 −
            2 / d_k) positions.
        scaling: as config.rotary_scaling.

    Returns:
        float32 angles, shape (d_k,), the negative ones first.

    Raises:
        ValueError: if d_k is odd.

    Example:
        4, 10000 -> [-1, -0.01, 1, 0.01]

    Source: Su et al. 2021, section 3.2.2, with the pairs of
    the published Llama; scaling: the code of Llama 3.1.
    """
    require_even("d_k", d_k, "a rotation turns pairs")
    # on the CPU: on the device meta there are no numbers
    even = torch.arange(0, d_k, 2, device="cpu").double()
    angle = base ** (-even / d_k)
    if scaling is not None:
        factor, low, high, length = scaling
        turns = angle * length / (2 * torch.pi)
        kept = ((turns - low) / (high - low)).clip(0, 1)
        angle = angle * (kept + (1 - kept) / factor)
    angles = torch.cat([-angle, angle], 0)  # (d_k,)
    return angles.float()  # whatever the weights are


def rotate(
    x: Tensor, frequency: Tensor, start: int = 0
) -> Tensor:
    """Rotary positions: turn each vector by its position.

    The dot product of two such vectors depends on how far
    they are apart, and not on where they are.

    Args:
        x: queries or keys, shape (…, length, d_k).
        frequency: from frequencies, shape (d_k,).
        start: the position of the first vector.

    Returns:
        Shape (…, length, d_k).

    Source: Su et al. 2021, equation 34.
    """
    length, d_k = x.shape[-2:]
    stop = start + length
    place = torch.arange(start, stop, device=x.device)
    frequency = frequency.to(x.device)
    angle = place[:, None] * frequency  # (length, d_k)
    cos, sin = angle.cos().to(x), angle.sin().to(x)
    # (a, b) -> (a cos − b sin, b cos + a sin)
    swapped = x.roll(d_k // 2, -1)  # (a, b) -> (b, a)
    return x * cos + swapped * sin


def fold_groups(
    query: Tensor, mask: Tensor | None, num_kv_heads: int
) -> tuple[Tensor, Tensor | None]:
    """Queries that share keys, one after the other.

    Attention treats each query alone. So heads with the same
    keys are like one head with more queries, and no key has
    to be copied.

    Args:
        query: shape (batch, heads, queries, d_k).
        mask: attention mask, shape (batch, heads, queries,
            keys), any size may be 1; None for none.
        num_kv_heads: heads of keys; it divides heads.

    Returns:
        The queries, shape (batch, num_kv_heads, group ·
        queries, d_k), and a mask that fits them.
    """
    batch, heads, length, size = query.shape
    group = heads // num_kv_heads
    rows = group * length
    query = query.reshape(batch, num_kv_heads, rows, size)
    if mask is None:
        return query, None
    mask = torch.as_tensor(mask)
    many, _, _, keys = mask.shape
    # one mask for all heads serves all groups, too
    shared = 1 if mask.shape[1] == 1 else num_kv_heads
    mask = mask.expand(many, shared * group, length, keys)
    return query, mask.reshape(many, shared, rows, keys)


class GroupedQueryAttention(nn.Module):
    """Multi-head attention, where heads may share keys.

    Query head j reads the keys and values of head
    j // (num_heads / num_kv_heads). With num_kv_heads =
    num_heads this is MultiHeadAttention, with rotary
    positions if config.positions says so: then the queries
    are the last of the keys' positions. The call is the same.

    Args:
        config: its sizes, biases, dropout and positions; with
            its qk_norm, queries and keys are normalized.
        rotary: False for no positions, as in cross-attention.

    Source: Ainslie et al. 2023, section 2.2; QK-norm:
    Dehghani et al. 2023, section 2.
    """

    def __init__(
        self, config: TransformerConfig, rotary: bool = True
    ):
        super().__init__()
        self.d_model = d_model = config.d_model
        self.num_heads = heads = config.num_heads
        self.num_kv_heads = config.num_kv_heads or heads
        d_k = config.d_k or d_model // heads
        d_v = config.d_v or d_k
        kv, bias = self.num_kv_heads, config.qkv_bias
        if bias is None:
            bias = config.bias
        self.query = new_linear(d_model, heads * d_k, bias)
        self.key = new_linear(d_model, kv * d_k, bias)
        self.value = new_linear(d_model, kv * d_v, bias)
        self.projection = new_linear(
            heads * d_v, d_model, config.bias
        )
        self.query_norm = self.key_norm = nn.Identity()
        if config.qk_norm:
            eps = config.layer_norm_eps
            self.query_norm = nn.RMSNorm(d_k, eps)
            self.key_norm = nn.RMSNorm(d_k, eps)
        self.dropout = nn.Dropout(config.dropout)
        # no buffer: half precision would round the angles
        self.frequency = None
        if rotary and config.positions == "rotary":
            self.frequency = frequencies(
                d_k, config.rotary_base, config.rotary_scaling
            )

    def turned(self, x: Tensor, start: int) -> Tensor:
        """Rotate queries or keys, if positions are rotary:
        (batch, heads, length, d_k), from position start on.
        """
        if self.frequency is None:
            return x
        return rotate(x, self.frequency, start)

    def project(
        self, key: Tensor, value: Tensor, start: int = 0
    ) -> tuple[Tensor, Tensor]:
        """Keys and values for a cache, as MultiHeadAttention,
        but of num_kv_heads heads.
        """
        require_vectors("key", key, self.d_model)
        require_vectors("value", value, self.d_model)
        key = split_heads(self.key(key), self.num_kv_heads)
        value = split_heads(
            self.value(value), self.num_kv_heads
        )
        key = self.turned(self.key_norm(key), start)
        return key, value

    def forward(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        attention_mask: Tensor | None = None,
        need_weights: bool = True,
        cache: tuple[Tensor, Tensor] | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        require_vectors("query", query, self.d_model)
        query = split_heads(self.query(query), self.num_heads)
        cache = cache or self.project(key, value)
        key, value = cache[:2]
        require_attention_mask(attention_mask, query, key)
        batch, heads, length, _ = query.shape
        start = cached_length(cache) - length
        query = self.turned(self.query_norm(query), start)
        query, attention_mask = fold_groups(
            query, attention_mask, self.num_kv_heads
        )
        dropout = self.dropout if self.training else None
        attend = fused_attention
        if need_weights:
            attend = scaled_dot_product_attention
        output, weights = attend(
            query, key, value, attention_mask, dropout
        )
        # unfold: (batch, heads, queries, d_v or keys)
        shape = (batch, heads, length, -1)
        output = output.reshape(shape)
        if weights is not None:
            weights = weights.reshape(shape)
        return self.projection(merge_heads(output)), weights


def attention_from(
    config: TransformerConfig, rotary: bool = True
) -> MultiHeadAttention | GroupedQueryAttention:
    """Multi-head attention, built from a config; without
    positions where rotary is False, as in cross-attention.
    """
    plain = config.num_kv_heads is None and not config.qk_norm
    plain = plain and config.window is None
    biased = config.bias and config.qkv_bias in (None, True)
    if not (plain and biased) or config.positions == "rotary":
        return GroupedQueryAttention(config, rotary)
    return MultiHeadAttention(
        config.d_model,
        config.num_heads,
        config.dropout,
        config.d_k,
        config.d_v,
    )


class GatedFeedForward(nn.Module):
    """Gated feed-forward layer: SwiGLU.

    Two linear layers side by side, of which one, after SiLU,
    says how much passes of the other; then a third.

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


def feed_forward_from(
    config: TransformerConfig,
) -> FeedForward | GatedFeedForward:
    """Feed-forward layer, built from a config."""
    if config.activation == "swiglu":
        return GatedFeedForward(config)
    return FeedForward(
        config.d_model,
        config.d_ff,
        config.activation,
        config.dropout,
        config.bias,
    )
