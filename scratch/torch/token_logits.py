"""Logits of all tokens: the last layer of a model."""

from scratch.config import TransformerConfig
from scratch.torch.embeddings import new_embedding

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class TokenLogits(nn.Module):
    """Logits: dot products with the token embeddings.

    Args:
        config: its tie_output uses the given table, otherwise
            the layer has one of its own; its output_bias adds
            a bias.
        tokens: the embedding table to share.

    Call:
        x: shape (…, d_model).

    Returns:
        Logits, shape (…, vocab_size).

    Source: Vaswani et al. 2017, section 3.4.
    """

    def __init__(
        self,
        config: TransformerConfig,
        tokens: nn.Embedding | None,
    ):
        super().__init__()
        size, d_model = config.vocab_size, config.d_model
        self.tokens = tokens
        if not config.tie_output:
            self.tokens = new_embedding(size, d_model)
        self.bias = None
        if config.output_bias:
            self.bias = nn.Parameter(torch.zeros(size))

    def forward(self, x: Tensor) -> Tensor:
        # logits = x Eᵀ + b
        return F.linear(x, self.tokens.weight, self.bias)
