"""Multi-head attention: several heads in one layer."""

from scratch.checks import require_heads, require_vectors
from scratch.torch.attention import (
    fused_attention,
    new_linear,
    scaled_dot_product_attention,
)

from torch import Tensor, nn


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
        start: the first query's position, which counts for
            rotary positions alone; integers (batch, 1) for
            one in each row; None for the last of the keys'.

    Returns:
        The output, shape (batch, queries, d_model), and the
        weights, shape (batch, heads, queries, keys).

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
            require_heads(d_model, num_heads)
            d_k = d_model // num_heads
        d_v = d_k if d_v is None else d_v
        self.d_model = d_model
        self.num_heads = num_heads
        self.query = new_linear(d_model, num_heads * d_k)
        self.key = new_linear(d_model, num_heads * d_k)
        self.value = new_linear(d_model, num_heads * d_v)
        self.projection = new_linear(num_heads * d_v, d_model)
        self.dropout = nn.Dropout(dropout)

    def project(
        self,
        key: Tensor,
        value: Tensor,
        start: int | Tensor = 0,
    ) -> tuple[Tensor, Tensor]:
        """Keys and values of all heads, for a cache.

        Args:
            key, value: shape (batch, keys, d_model).
            start: the first key's position, which counts for
                rotary positions alone; integers (batch, 1)
                for one in each row.

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
        start: int | Tensor | None = None,
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
