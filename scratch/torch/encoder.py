"""The encoder: layers that look around, then think."""

from scratch.torch.attention import (
    attention_from,
    new_linear,
    padding_mask,
)
from scratch.torch.embeddings import (
    Embeddings,
    layer_norm_from,
)
from scratch.torch.feed_forward import feed_forward_from

import torch
from torch import nn


class AddAndNorm(nn.Module):
    """The residual connection around a sublayer, and a norm.

    Post-LN, as in the paper: norm(x + sublayer(x)).
    Pre-LN, if config.norm_first: x + sublayer(norm(x)).
    `before(x)` is what the sublayer takes; `after(x, output)`
    adds the sublayer's output, after dropout, to the x that
    `before` was given. All are (batch, length, d_model).
    Source: Vaswani et al. 2017, section 3.1; pre-LN: Xiong
    et al. 2020, section 3.
    """

    def __init__(self, config):
        super().__init__()
        self.norm_first = config.norm_first
        self.norm = layer_norm_from(config)
        self.dropout = nn.Dropout(config.dropout)

    def before(self, x):
        return self.norm(x) if self.norm_first else x

    def after(self, x, output):
        x = x + self.dropout(output)
        return x if self.norm_first else self.norm(x)


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward, at every position.

    config: a TransformerConfig.
    Call: x (batch, length, d_model); attention_mask, boolean,
    True = may attend, broadcasts to (batch, heads, length,
    length); need_weights=False is faster.
    Returns: x (batch, length, d_model), weights (batch,
    heads, length, length), None if not needed.
    Source: Vaswani et al. 2017, section 3.1.
    """

    def __init__(self, config):
        super().__init__()
        self.self_attention = attention_from(config)
        self.self_attention_norm = AddAndNorm(config)
        self.feed_forward = feed_forward_from(config)
        self.feed_forward_norm = AddAndNorm(config)

    def forward(
        self, x, attention_mask=None, need_weights=True
    ):
        y = self.self_attention_norm.before(x)
        y, weights = self.self_attention(
            y, y, y, attention_mask, need_weights=need_weights
        )
        x = self.self_attention_norm.after(x, y)

        y = self.feed_forward_norm.before(x)
        y = self.feed_forward(y)
        x = self.feed_forward_norm.after(x, y)
        return x, weights


class Pooler(nn.Module):
    """One vector for a whole sequence: its first token's.

    config: a TransformerConfig; its pooler is "tanh", "relu".
    Call: hidden (batch, length, d_model).
    Returns: (batch, d_model).
    Source: Devlin et al. 2019, section 3, and its code.
    """

    def __init__(self, config):
        super().__init__()
        d_model = config.d_model
        self.dense = new_linear(d_model, d_model)
        relu = config.pooler == "relu"
        self.activation = torch.relu if relu else torch.tanh

    def forward(self, hidden):
        first = hidden[:, 0]  # (batch, d_model)
        return self.activation(self.dense(first))


class Encoder(nn.Module):
    """Read a sequence: embeddings, then layer after layer.

    config: a TransformerConfig.
    Call: ids (batch, length); attention_mask, boolean, True =
    may attend, broadcasts to (batch, heads, length, length),
    hides config.pad_id if left out; segment_ids (batch,
    length); need_weights=False is faster.
    Returns: hidden (batch, length, d_model), and a list of
    weights (batch, heads, length, length), one a layer.
    Raises: as Embeddings and MultiHeadAttention.
    Source: Vaswani et al. 2017, section 3.1.
    """

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embeddings = Embeddings(config)
        self.layers = nn.ModuleList(
            EncoderLayer(config)
            for _ in range(config.num_layers)
        )
        self.norm = self.pooler = None
        if config.norm_first:
            # no layer has normed the last sum
            self.norm = layer_norm_from(config)
        if config.pooler is not None:
            self.pooler = Pooler(config)

    def forward(
        self,
        ids,
        attention_mask=None,
        segment_ids=None,
        need_weights=True,
    ):
        x = self.embeddings(ids, segment_ids)
        if attention_mask is None:
            pad_id = self.config.pad_id
            attention_mask = padding_mask(ids, pad_id)
        all_weights = []
        for layer in self.layers:
            x, weights = layer(
                x, attention_mask, need_weights=need_weights
            )
            all_weights.append(weights)
        if self.norm is not None:
            x = self.norm(x)
        return x, all_weights  # x (batch, length, d_model)

    def pool(self, hidden):
        if self.pooler is None:
            return hidden[:, 0]  # (batch, d_model)
        return self.pooler(hidden)  # (batch, d_model)
