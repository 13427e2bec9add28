"""Grouped-query attention: heads that share their keys."""

from scratch.checks import (
    require_attention_mask,
    require_vectors,
)
from scratch.config import TransformerConfig
from scratch.torch.attention import (
    fused_attention,
    new_linear,
    scaled_dot_product_attention,
)
from scratch.torch.kv_cache import cached_length
from scratch.torch.multi_head import merge_heads, split_heads
from scratch.torch.rotary import frequencies, rotate

import torch
from torch import Tensor, nn


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
    positions if config.positions says so. The call is the
    same.

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

    def turned(
        self, x: Tensor, start: int | Tensor
    ) -> Tensor:
        """Rotate queries or keys, if positions are rotary:
        (batch, heads, length, d_k), from position start on.
        """
        if self.frequency is None:
            return x
        if torch.is_tensor(start):
            start = start[:, None]  # one for all heads
        return rotate(x, self.frequency, start)

    def project(
        self,
        key: Tensor,
        value: Tensor,
        start: int | Tensor = 0,
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
        start: int | Tensor | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        require_vectors("query", query, self.d_model)
        query = split_heads(self.query(query), self.num_heads)
        cache = cache or self.project(key, value)
        key, value = cache[:2]
        require_attention_mask(attention_mask, query, key)
        batch, heads, length, _ = query.shape
        if start is None:
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
