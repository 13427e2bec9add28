"""Extractive question answering: a head on an encoder."""

from scratch.checks import require_encoder
from scratch.config import TransformerConfig
from scratch.torch.attention import new_linear
from scratch.torch.encoder import Encoder
from scratch.torch.masks import padding_mask

import torch
from torch import Tensor, nn


class SpanExtractor(nn.Module):
    """Extractive question answering: where an answer lies.

    Args:
        config, encoder: as in SequenceClassifier.

    Call:
        ids, attention_mask, segment_ids: as in Encoder.

    Returns:
        Logits of the answer's first position, and of its
        last, each (batch, length). At positions that no
        query may attend to, such as padding, it is the lowest
        number of its type.

    Source: Devlin et al. 2019, section 4.2.
    """

    def __init__(
        self,
        config: TransformerConfig,
        encoder: Encoder | None = None,
    ):
        super().__init__()
        self.config = config
        self.encoder = encoder or Encoder(config)
        require_encoder(self.encoder)
        self.ends = new_linear(config.d_model, 2)

    def forward(
        self,
        ids: Tensor,
        attention_mask: Tensor | None = None,
        segment_ids: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        if attention_mask is None:
            pad_id = self.config.pad_id
            attention_mask = padding_mask(ids, pad_id)
        hidden = self.encoder.hidden_states(
            ids, attention_mask, segment_ids
        )
        logits = self.ends(hidden)  # (batch, length, 2)
        # by any query, in any head: (batch, length)
        mask = torch.as_tensor(attention_mask)
        seen = mask.to(hidden.device).any(1).any(1)
        lowest = torch.finfo(logits.dtype).min
        logits = logits.masked_fill(~seen[..., None], lowest)
        return logits[..., 0], logits[..., 1]
