"""The encoder: self-attention and feed-forward layers."""

from scratch.checks import require_embeddings
from scratch.config import TransformerConfig
from scratch.torch.add_and_norm import AddAndNorm
from scratch.torch.attention import new_linear
from scratch.torch.choices import (
    attention_from,
    feed_forward_from,
    layer_norm_from,
)
from scratch.torch.embeddings import Embeddings
from scratch.torch.masks import padding_mask

import torch
from torch import Tensor, nn


class EncoderLayer(nn.Module):
    """An encoder layer: self-attention, then feed-forward.

    Call:
        x: (batch, length, d_model).
        attention_mask: boolean, True = may attend,
            broadcasts to (batch, heads, length, length).
        need_weights: False takes the fused kernel.

    Returns:
        x, (batch, length, d_model), and the attention
        weights, (batch, heads, length, length), None if not
        needed.

    Source: Vaswani et al. 2017, section 3.1.
    """

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.self_attention = attention_from(config)
        self.self_attention_norm = AddAndNorm(config)
        self.feed_forward = feed_forward_from(config)
        self.feed_forward_norm = AddAndNorm(config)

    def forward(
        self,
        x: Tensor,
        attention_mask: Tensor | None = None,
        need_weights: bool = True,
    ) -> tuple[Tensor, Tensor | None]:
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
    """BERT's pooler: a dense layer on the first token.

    Args:
        config: its pooler, "tanh" (BERT) or "relu"
            (DistilBERT), is the activation.

    Call:
        hidden: (batch, length, d_model).

    Returns:
        (batch, d_model).

    Source: Devlin et al. 2019, section 3, and its code.
    """

    def __init__(self, config: TransformerConfig):
        super().__init__()
        d_model = config.d_model
        self.dense = new_linear(d_model, d_model)
        relu = config.pooler == "relu"
        self.activation = torch.relu if relu else torch.tanh

    def forward(self, hidden: Tensor) -> Tensor:
        first = hidden[:, 0]  # (batch, d_model)
        return self.activation(self.dense(first))


class Encoder(nn.Module):
    """The encoder: embeddings, then a stack of layers.

    Args:
        config: sizes and choices of the model.
        embeddings: the layer that reads the input, a new
            Embeddings if left out.

    Call:
        ids: integers, (batch, length); with embeddings of
            another kind, what these take.
        attention_mask: boolean, True = may attend,
            broadcasts to (batch, heads, length, length); if
            left out, config.pad_id is hidden if there is one.
        segment_ids: integers, (batch, length), all 0 if left
            out.
        need_weights: False takes the fused kernel.

    Returns:
        The hidden states, (batch, length, d_model), and a
        list of the layers' attention weights, each (batch,
        heads, length, length) or None.

    Raises:
        TypeError, ValueError: as Embeddings, or for a mask
            that does not fit.

    Source: Vaswani et al. 2017, section 3.1.
    """

    def __init__(
        self,
        config: TransformerConfig,
        embeddings: nn.Module | None = None,
    ):
        super().__init__()
        require_embeddings(config, embeddings)
        self.config = config
        if embeddings is None:
            embeddings = Embeddings(config)
        self.embeddings = embeddings
        self.layers = nn.ModuleList(
            EncoderLayer(config)
            for _ in range(config.num_layers)
        )
        self.norm = self.pooler = None
        if config.norm_first:
            # pre-LN leaves the last layer's sum unnormalized
            self.norm = layer_norm_from(config)
        if config.pooler is not None:
            self.pooler = Pooler(config)

    def forward(
        self,
        ids: Tensor,
        attention_mask: Tensor | None = None,
        segment_ids: Tensor | None = None,
        need_weights: bool = True,
    ) -> tuple[Tensor, list[Tensor | None]]:
        x = self.embeddings(ids, segment_ids)
        pad_id = self.config.pad_id
        if attention_mask is None and pad_id is not None:
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

    def hidden_states(
        self,
        ids: Tensor,
        attention_mask: Tensor | None = None,
        segment_ids: Tensor | None = None,
    ) -> Tensor:
        """The hidden states alone, without the weights.

        Args:
            ids, attention_mask, segment_ids: as the encoder
                takes them.

        Returns:
            (batch, length, d_model).
        """
        hidden, _ = self(
            ids,
            attention_mask,
            segment_ids,
            need_weights=False,
        )
        return hidden

    def pool(self, hidden: Tensor) -> Tensor:
        """A vector for each sequence: its first token's.

        Args:
            hidden: (batch, length, d_model).

        Returns:
            (batch, d_model), from the pooler if there is one.
        """
        if self.pooler is None:
            return hidden[:, 0]  # (batch, d_model)
        return self.pooler(hidden)  # (batch, d_model)
