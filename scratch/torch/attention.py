"""Masks, dot-product attention and multi-head attention."""

import math

from scratch.arguments import (
    head_size,
    require_attention,
    require_even,
    require_fraction,
    require_ids,
    require_lengths,
    require_positive,
    require_vectors,
)
from scratch.config import TransformerConfig
from scratch.torch.inputs import as_ids, as_mask

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def padding_mask(
    ids: Tensor, pad_id: int | None = 0
) -> Tensor:
    """Padding mask: True where an id is not padding.

    Args:
        ids: integers, shape (batch, length).
        pad_id: the id of padding; None if there is none.

    Returns:
        Booleans, shape (batch, 1, 1, length).

    Raises:
        TypeError, ValueError: if ids are of another kind.

    Example:
        [[5, 8, 0]] -> [[[[True, True, False]]]]
    """
    require_ids("ids", ids)
    ids = as_ids(ids)
    if pad_id is None:
        mask = torch.ones_like(ids, dtype=torch.bool)
    else:
        mask = ids != pad_id
    return mask[:, None, None, :]  # (batch, 1, 1, length)


def causal_mask(
    length: int, key_length: int | None = None
) -> Tensor:
    """Causal mask: True for keys not after a query.

    The last query is aligned with the last key, so the mask
    also serves cached decoding.

    Args:
        length: number of queries.
        key_length: number of keys; None for as many.

    Returns:
        Booleans, shape (1, 1, length, key_length). Layers
        move a mask to the device of their inputs.

    Raises:
        ValueError: if there are fewer keys than queries.

    Example:
        2, 3 -> [[[[True, True, False], [True, True, True]]]]

    Source: Vaswani et al. 2017, section 3.2.3.
    """
    if key_length is None:
        key_length = length
    require_lengths(length, key_length)
    key = torch.arange(key_length)
    query = key[key_length - length :]
    mask = key[None, :] <= query[:, None]
    return mask[None, None]  # (1, 1, length, key_length)


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None = None,
    dropout: nn.Module | None = None,
) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention: softmax(QKᵀ / √d_k) V.

    A query that may attend to nothing gets weights and an
    output of 0. Scores of half precision are computed in
    float32, where they cannot overflow.

    Args:
        query: shape (…, queries, d_k).
        key: shape (…, keys, d_k).
        value: shape (…, keys, d_v).
        attention_mask: booleans, True = may attend, with as
            many axes as query: (…, queries, keys), where any
            size may be 1. A tensor or NumPy array.
        dropout: a dropout layer for the weights, or None.

    Returns:
        The output, shape (…, queries, d_v), and the weights
        before dropout, shape (…, queries, keys).

    Raises:
        TypeError, ValueError: if shapes or mask do not fit.

    Source: Vaswani et al. 2017, section 3.2.1.
    """
    require_attention(query, key, value, attention_mask)
    d_k = query.shape[-1]
    # half precision ends at 65,504: float32 at least
    wide = torch.promote_types(query.dtype, torch.float32)
    query, key = query.to(wide), key.to(wide)
    # scores = Q Kᵀ / √d_k
    query = query / math.sqrt(d_k)
    scores = query @ key.transpose(-2, -1)
    if attention_mask is not None:
        attention_mask = as_mask(attention_mask, query)
        # not -inf: a row of -inf would become NaN
        lowest = torch.finfo(scores.dtype).min
        scores = scores.masked_fill(~attention_mask, lowest)
    # weights = softmax(scores), over the keys
    weights = torch.softmax(scores, dim=-1)
    if attention_mask is not None:
        # nothing to attend to: 0, not 1 / keys
        weights = weights.masked_fill(~attention_mask, 0.0)
    weights = weights.to(value.dtype)
    # output = weights V
    dropped = weights if dropout is None else dropout(weights)
    return dropped @ value, weights


def new_linear(
    d_in: int, d_out: int, bias: bool = True
) -> nn.Linear:
    """Linear layer: Xavier uniform weights, biases of 0.

    Args:
        d_in: length of the vectors that come in.
        d_out: length of the vectors that come out.
        bias: False for none.

    Source: Glorot and Bengio 2010, section 4.2.1.
    """
    d_in = require_positive("d_in", d_in)
    d_out = require_positive("d_out", d_out)
    layer = nn.Linear(d_in, d_out, bias=bias)
    nn.init.xavier_uniform_(layer.weight)
    if bias:
        nn.init.zeros_(layer.bias)
    return layer


class AttentionHead(nn.Module):
    """Attention head: three projections, then attention.

    Args:
        d_model: length of the vectors that come in.
        d_k: length of a query and of a key.
        d_v: length of a value; None for d_k.

    Call:
        query: shape (batch, queries, d_model).
        key, value: shape (batch, keys, d_model).
        attention_mask: booleans, True = may attend, shape
            (batch, 1, queries, keys), any size may be 1.

    Returns:
        The output, shape (batch, queries, d_v), and the
        weights, shape (batch, queries, keys).

    Raises:
        TypeError, ValueError: if an argument does not fit.

    Source: Vaswani et al. 2017, section 3.2.2.
    """

    def __init__(
        self, d_model: int, d_k: int, d_v: int | None = None
    ):
        super().__init__()
        d_v = d_k if d_v is None else d_v
        self.d_model = require_positive("d_model", d_model)
        require_positive("d_k", d_k)
        require_positive("d_v", d_v)
        self.query = new_linear(d_model, d_k)
        self.key = new_linear(d_model, d_k)
        self.value = new_linear(d_model, d_v)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attention_mask: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        require_vectors("query", query, self.d_model)
        require_vectors("key", key, self.d_model)
        require_vectors("value", value, self.d_model)
        # an axis for the head, which masks have too
        query = self.query(query).unsqueeze(1)
        key = self.key(key).unsqueeze(1)
        value = self.value(value).unsqueeze(1)
        output, weights = scaled_dot_product_attention(
            query, key, value, attention_mask
        )
        return output.squeeze(1), weights.squeeze(1)


def fused_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None = None,
    dropout: nn.Module | None = None,
) -> tuple[Tensor, None]:
    """Scaled dot-product attention without the weights.

    PyTorch computes it by a fused kernel, which never stores
    the weights: that saves memory and, for long sequences,
    time. TensorFlow has no such kernel; Keras takes the same
    steps as the written-out function, in about the same time.

    Args:
        query, key, value, attention_mask, dropout: as in
            scaled_dot_product_attention, with the axes
            (batch, heads) before those named there.

    Returns:
        The output, shape (batch, heads, queries, d_v), and
        None.

    Raises:
        TypeError, ValueError: if shapes or mask do not fit.

    Source: Dao et al. 2022, section 3.1.
    """
    require_attention(query, key, value, attention_mask)
    if attention_mask is not None:
        attention_mask = as_mask(attention_mask, query)
    output = F.scaled_dot_product_attention(
        query,
        key,
        value,
        attention_mask,
        dropout_p=0.0 if dropout is None else dropout.p,
    )
    return output, None


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    """Split vectors into heads, on an axis of their own.

    Args:
        x: shape (batch, length, num_heads · size).
        num_heads: number of heads.

    Returns:
        Shape (batch, num_heads, length, size).
    """
    batch, length, width = x.shape
    size = width // num_heads
    x = x.reshape(batch, length, num_heads, size)
    return x.transpose(1, 2)  # (batch, heads, length, size)


def merge_heads(x: Tensor) -> Tensor:
    """Merge the heads again: the inverse of split_heads.

    Args:
        x: shape (batch, heads, length, size).

    Returns:
        Shape (batch, length, heads · size).
    """
    batch, heads, length, size = x.shape
    x = x.transpose(1, 2)  # (batch, length, heads, size)
    return x.reshape(batch, length, heads * size)


class MultiHeadAttention(nn.Module):
    """Multi-head attention: several heads in one layer.

    Args:
        d_model: length of the vectors that come in and out.
        num_heads: number of heads.
        dropout: fraction of the weights that is dropped.
        d_k: length of a head's queries and keys; None for
            d_model / num_heads.
        d_v: length of a head's values; None for d_k.

    Call:
        query: shape (batch, queries, d_model).
        key, value: shape (batch, keys, d_model).
        attention_mask: booleans, True = may attend, shape
            (batch, heads, queries, keys), any size may be 1.
        need_weights: False returns None for the weights, and
            lets PyTorch use its fused kernel.
        cache: what `project` returned, instead of key and
            value.

    Returns:
        The output, shape (batch, queries, d_model), and the
        weights, shape (batch, heads, queries, keys).

    Raises:
        TypeError, ValueError: if an argument does not fit.

    Source: Vaswani et al. 2017, section 3.2.2.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        dropout: float = 0.0,
        d_k: int | None = None,
        d_v: int | None = None,
    ):
        super().__init__()
        if d_k is None:
            d_k = head_size(d_model, num_heads)
        d_v = d_k if d_v is None else d_v
        num_heads = require_positive("num_heads", num_heads)
        require_positive("d_k", d_k)
        require_positive("d_v", d_v)
        require_fraction("dropout", dropout)
        self.d_model = require_positive("d_model", d_model)
        self.num_heads = num_heads
        self.query = new_linear(d_model, num_heads * d_k)
        self.key = new_linear(d_model, num_heads * d_k)
        self.value = new_linear(d_model, num_heads * d_v)
        self.projection = new_linear(num_heads * d_v, d_model)
        self.dropout = nn.Dropout(dropout)

    def project(
        self, key: Tensor, value: Tensor, start: int = 0
    ) -> tuple[Tensor, Tensor]:
        """Keys and values of all heads, for a cache.

        Args:
            key, value: shape (batch, keys, d_model).
            start: the first key's position, which counts for
                rotary positions alone.

        Returns:
            Keys, shape (batch, heads, keys, d_k), and values,
            shape (batch, heads, keys, d_v).
        """
        require_vectors("key", key, self.d_model)
        require_vectors("value", value, self.d_model)
        key = split_heads(self.key(key), self.num_heads)
        value = split_heads(self.value(value), self.num_heads)
        return key, value  # (batch, heads, keys, d_k or d_v)

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
        key, value = cache or self.project(key, value)
        dropout = self.dropout if self.training else None
        attend = fused_attention
        if need_weights:
            attend = scaled_dot_product_attention
        output, weights = attend(
            query, key, value, attention_mask, dropout
        )
        return self.projection(merge_heads(output)), weights


def frequencies(d_k: int, base: float = 10_000.0) -> Tensor:
    """Angles by which rotary positions turn, per position.

    The first half of a vector and the second are the two
    coordinates of d_k / 2 points. Each point turns by its own
    angle; the minus sign is that of the sine in a rotation.

    Args:
        d_k: length of a query and of a key, even.
        base: the slowest point turns once in almost 2π · base
            positions.

    Returns:
        Shape (d_k,): the angles, first negative.

    Raises:
        ValueError: if d_k is odd.

    Example:
        4, 10000 -> [-1, -0.01, 1, 0.01]

    Source: Su et al. 2021, section 3.2.2, with the pairs of
    the published Llama.
    """
    d_k = require_even("d_k", d_k, "a rotation turns pairs")
    # on the CPU: on the device meta there are no numbers
    even = torch.arange(0, d_k, 2, device="cpu").double()
    angle = base ** (-even / d_k)
    dtype = torch.get_default_dtype()
    angles = torch.cat([-angle, angle], 0)  # (d_k,)
    return angles.to(dtype)


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
    shape = (batch, num_kv_heads, rows, size)
    query = query.reshape(shape)
    if mask is None:
        return query, None
    mask = as_mask(mask, query)
    if mask.shape[1] == 1:
        if mask.shape[2] != 1:
            mask = mask.repeat(1, 1, group, 1)
        return query, mask
    many, _, _, keys = mask.shape
    shape = (many, heads, length, keys)
    mask = mask.expand(shape)
    shape = (many, num_kv_heads, rows, keys)
    return query, mask.reshape(shape)


class GroupedQueryAttention(nn.Module):
    """Multi-head attention, where heads may share keys.

    Query head j reads the keys and values of head
    j // (num_heads / num_kv_heads). With num_kv_heads =
    num_heads this is MultiHeadAttention, with rotary
    positions if config.positions says so.

    Args:
        config: its d_model, num_heads, num_kv_heads, d_k,
            d_v, bias, qkv_bias, dropout; positions and
            rotary_base.
        rotary: False for no positions, as in cross-attention.

    Call:
        As MultiHeadAttention. Queries are the last of the
        keys where they have positions.

    Returns:
        The output, shape (batch, queries, d_model), and the
        weights, shape (batch, heads, queries, keys).

    Raises:
        TypeError, ValueError: if an argument does not fit.

    Source: Ainslie et al. 2023, section 2.2.
    """

    def __init__(
        self, config: TransformerConfig, rotary: bool = True
    ):
        super().__init__()
        self.d_model = d_model = config.d_model
        self.num_heads = heads = config.num_heads
        self.num_kv_heads = config.num_kv_heads or heads
        d_k = config.d_k or head_size(d_model, heads)
        d_v = config.d_v or d_k
        bias = qkv_bias = config.bias
        if config.qkv_bias is not None:
            qkv_bias = config.qkv_bias
        shared = self.num_kv_heads
        self.query = new_linear(
            d_model, heads * d_k, qkv_bias
        )
        self.key = new_linear(d_model, shared * d_k, qkv_bias)
        self.value = new_linear(
            d_model, shared * d_v, qkv_bias
        )
        self.projection = new_linear(
            heads * d_v, d_model, bias
        )
        self.dropout = nn.Dropout(config.dropout)
        # no buffer: half precision would round the angles
        self.frequency = None
        if rotary and config.positions == "rotary":
            base = config.rotary_base
            self.frequency = frequencies(d_k, base)

    def turned(self, x: Tensor, start: int) -> Tensor:
        """Rotate queries or keys if positions are rotary.

        Args:
            x: shape (batch, heads, length, d_k).
            start: the position of the first vector.

        Returns:
            The same shape.
        """
        if self.frequency is None:
            return x
        return rotate(x, self.frequency, start)

    def project(
        self, key: Tensor, value: Tensor, start: int = 0
    ) -> tuple[Tensor, Tensor]:
        """Keys and values, for a cache.

        Args:
            key, value: shape (batch, keys, d_model).
            start: the first key's position.

        Returns:
            Keys, shape (batch, num_kv_heads, keys, d_k), and
            values, shape (batch, num_kv_heads, keys, d_v).
        """
        require_vectors("key", key, self.d_model)
        require_vectors("value", value, self.d_model)
        key = split_heads(self.key(key), self.num_kv_heads)
        value = split_heads(
            self.value(value), self.num_kv_heads
        )
        return self.turned(key, start), value

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
        key, value = cache or self.project(key, value)
        batch, heads, length, _ = query.shape
        start = key.shape[2] - length
        query = self.turned(query, start)
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
    """Multi-head attention, built from a config.

    Args:
        config: sizes and choices of the layer.
        rotary: False for no positions, as in cross-attention.
    """
    plain = config.bias and config.qkv_bias in (None, True)
    if config.positions == "rotary" or not (
        plain and config.num_kv_heads is None
    ):
        return GroupedQueryAttention(config, rotary)
    return MultiHeadAttention(
        config.d_model,
        config.num_heads,
        config.dropout,
        config.d_k,
        config.d_v,
    )
