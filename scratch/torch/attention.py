"""Who looks at whom: masks, attention, many heads."""

import math

from scratch.arguments import (
    head_size,
    require_attention,
    require_fraction,
    require_ids,
    require_lengths,
    require_positive,
    require_vectors,
)

import torch
import torch.nn.functional as F
from torch import nn


def padding_mask(ids, pad_id=0):
    """Hide the padding: True where an id is no padding.

    ids (batch, length), integers; pad_id: the id of padding,
    None if there is none.
    Returns: boolean, (batch, 1, 1, length).
    Raises: TypeError if ids are no integers.
    """
    require_ids("ids", ids)
    if pad_id is None:
        mask = torch.ones_like(ids, dtype=torch.bool)
    else:
        mask = ids != pad_id
    return mask[:, None, None, :]  # (batch, 1, 1, length)


def causal_mask(length, key_length=None):
    """Hide the future: True for a key not after its query.

    length: number of queries; key_length: number of keys,
    the same if left out. The last query meets the last key,
    so that one mask serves cached decoding too.
    Returns: boolean, (1, 1, length, key_length).
    Raises: ValueError if there are fewer keys than queries.
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
    query, key, value, attention_mask=None, dropout=None
):
    """Mix the values, by how well keys answer each query.

    query (…, queries, d_k), key (…, keys, d_k), value
    (…, keys, d_v); attention_mask, boolean, True = may
    attend, broadcasts to (…, queries, keys); dropout: a
    layer for the weights. A query that may attend to nothing
    gets weights and an output of 0.
    Returns: output (…, queries, d_v), and weights before
    dropout (…, queries, keys).
    Raises: TypeError for a mask that is not boolean;
    ValueError for shapes that do not fit.
    Source: Vaswani et al. 2017, section 3.2.1.
    """
    require_attention(query, key, value, attention_mask)
    d_k = query.shape[-1]
    # scores = Q Kᵀ / √d_k; dividing first keeps them in
    # the range of half precision
    query = query / math.sqrt(d_k)
    scores = query @ key.transpose(-2, -1)
    if attention_mask is not None:
        # not -inf: a row of -inf would become NaN
        lowest = torch.finfo(scores.dtype).min
        scores = scores.masked_fill(~attention_mask, lowest)
    # weights = softmax(scores), over the keys
    weights = torch.softmax(scores, dim=-1)
    if attention_mask is not None:
        # a row that may see nothing: 0, not 1 / keys
        weights = weights.masked_fill(~attention_mask, 0.0)
    # output = weights V
    dropped = weights if dropout is None else dropout(weights)
    return dropped @ value, weights


def new_linear(d_in, d_out):
    """A linear map from vectors of d_in to vectors of d_out.

    Weights are Xavier uniform, biases 0.
    Source: Glorot and Bengio 2010, section 4.2.1.
    """
    layer = nn.Linear(d_in, d_out)
    nn.init.xavier_uniform_(layer.weight)
    nn.init.zeros_(layer.bias)
    return layer


class AttentionHead(nn.Module):
    """One head: project, then attend.

    d_model: length of the vectors that come in; d_k, of a
    query and a key; d_v, of a value, d_k if left out.
    Call: query (batch, queries, d_model), key and value
    (batch, keys, d_model); attention_mask, boolean, True =
    may attend, broadcasts to (batch, 1, queries, keys).
    Returns: output (batch, queries, d_v), weights
    (batch, queries, keys).
    Raises: as scaled_dot_product_attention.
    Source: Vaswani et al. 2017, section 3.2.2.
    """

    def __init__(self, d_model, d_k, d_v=None):
        super().__init__()
        d_v = d_k if d_v is None else d_v
        require_positive("d_k", d_k)
        require_positive("d_v", d_v)
        self.query = new_linear(d_model, d_k)
        self.key = new_linear(d_model, d_k)
        self.value = new_linear(d_model, d_v)

    def forward(self, query, key, value, attention_mask=None):
        # an axis for the head, which masks have too
        query = self.query(query).unsqueeze(1)
        key = self.key(key).unsqueeze(1)
        value = self.value(value).unsqueeze(1)
        output, weights = scaled_dot_product_attention(
            query, key, value, attention_mask
        )
        return output.squeeze(1), weights.squeeze(1)


def fused_attention(
    query, key, value, attention_mask=None, dropout=None
):
    """scaled_dot_product_attention in a single step.

    The framework's own kernel, where it has one for the
    machine, never stores the weights: none are returned.
    Arguments: as scaled_dot_product_attention, with axes
    (batch, heads, length, size).
    Returns: output (batch, heads, queries, d_v), and None.
    Source: Dao et al. 2022, section 3.1.
    """
    require_attention(query, key, value, attention_mask)
    output = F.scaled_dot_product_attention(
        query,
        key,
        value,
        attention_mask,
        dropout_p=0.0 if dropout is None else dropout.p,
    )
    return output, None


def split_heads(x, num_heads):
    """Cut vectors into heads, and put the heads in front.

    x (batch, length, num_heads · size).
    Returns: (batch, num_heads, length, size).
    """
    batch, length, width = x.shape
    size = width // num_heads
    x = x.reshape(batch, length, num_heads, size)
    return x.transpose(1, 2)  # (batch, heads, length, size)


def merge_heads(x):
    """Undo split_heads: lay the heads side by side.

    x (batch, heads, length, size).
    Returns: (batch, length, heads · size).
    """
    batch, heads, length, size = x.shape
    x = x.transpose(1, 2)  # (batch, length, heads, size)
    return x.reshape(batch, length, heads * size)


class MultiHeadAttention(nn.Module):
    """Attend with several heads at once.

    num_heads heads; d_k numbers in a query or key (d_model /
    num_heads if left out), d_v in a value (d_k if left out);
    dropout of the weights.
    Call: query (batch, queries, d_model), key and value
    (batch, keys, d_model); attention_mask, boolean, True =
    may attend, broadcasts to (batch, heads, queries, keys);
    cache: what `project` gave, instead of key and value.
    Returns: output (batch, queries, d_model), weights
    (batch, heads, queries, keys): None, from the fused
    kernel, if need_weights is False.
    Raises: ValueError if d_k is left out and num_heads does
    not divide d_model, or for vectors of another length.
    Source: Vaswani et al. 2017, section 3.2.2.
    """

    def __init__(
        self,
        d_model,
        num_heads,
        dropout=0.0,
        d_k=None,
        d_v=None,
    ):
        super().__init__()
        if d_k is None:
            d_k = head_size(d_model, num_heads)
        d_v = d_k if d_v is None else d_v
        require_positive("num_heads", num_heads)
        require_positive("d_k", d_k)
        require_positive("d_v", d_v)
        require_fraction("dropout", dropout)
        self.d_model = d_model
        self.num_heads = num_heads
        self.query = new_linear(d_model, num_heads * d_k)
        self.key = new_linear(d_model, num_heads * d_k)
        self.value = new_linear(d_model, num_heads * d_v)
        self.projection = new_linear(num_heads * d_v, d_model)
        self.dropout = nn.Dropout(dropout)

    def project(self, key, value):
        require_vectors("key", key, self.d_model)
        require_vectors("value", value, self.d_model)
        key = split_heads(self.key(key), self.num_heads)
        value = split_heads(self.value(value), self.num_heads)
        return key, value  # (batch, heads, keys, d_k or d_v)

    def forward(
        self,
        query,
        key=None,
        value=None,
        attention_mask=None,
        need_weights=True,
        cache=None,
    ):
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


def attention_from(config):
    """The attention that a config asks for.

    config: a TransformerConfig.
    Returns: MultiHeadAttention.
    """
    return MultiHeadAttention(
        config.d_model,
        config.num_heads,
        config.dropout,
        config.d_k,
        config.d_v,
    )
