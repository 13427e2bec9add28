"""Scaled dot-product attention, one head, fused kernels."""

import math

from scratch.checks import (
    require_at_least,
    require_attention_mask,
    require_vectors,
)

import torch
import torch.nn.functional as F
from torch import Tensor, nn


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
    float32, where they cannot overflow, inside autocast, too.

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
        TypeError, ValueError: if the mask does not fit.

    Source: Vaswani et al. 2017, section 3.2.1.
    """
    require_attention_mask(attention_mask, query, key)
    d_k = query.shape[-1]
    # float16 overflows above 65,504: float32 at least
    wide = torch.promote_types(query.dtype, torch.float32)
    query, key = query.to(wide), key.to(wide)
    # scores = Q Kᵀ / √d_k
    query = query / math.sqrt(d_k)
    device = "cpu" if query.is_meta else query.device.type
    # inside autocast, they would be half precision again
    with torch.autocast(device, enabled=False):
        scores = query @ key.transpose(-2, -1)
    if attention_mask is not None:
        attention_mask = torch.as_tensor(
            attention_mask, device=query.device
        )
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
    require_at_least("d_out", d_out, 1)
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

    Source: Vaswani et al. 2017, section 3.2.2.
    """

    def __init__(
        self, d_model: int, d_k: int, d_v: int | None = None
    ):
        super().__init__()
        d_v = d_k if d_v is None else d_v
        self.d_model = d_model
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

    The arguments are those of scaled_dot_product_attention,
    with the axes (batch, heads) before those named there.

    Args:
        dropout: the kernel drops whatever the mode of the
            layer is: in evaluation, pass None.

    Returns:
        The output, shape (batch, heads, queries, d_v), and
        None.

    Source: Dao et al. 2022, section 3.1.
    """
    require_attention_mask(attention_mask, query, key)
    if attention_mask is not None:
        attention_mask = torch.as_tensor(
            attention_mask, device=query.device
        )
    output = F.scaled_dot_product_attention(
        query,
        key,
        value,
        attention_mask,
        dropout_p=0.0 if dropout is None else dropout.p,
    )
    return output, None
