"""What an encoder learns from text alone."""

from scratch.checks import (
    require_choice,
    require_encoder,
    require_known,
)
from scratch.config import TransformerConfig
from scratch.torch.attention import new_linear
from scratch.torch.choices import layer_norm_from
from scratch.torch.encoder import Encoder
from scratch.torch.feed_forward import ACTIVATIONS
from scratch.torch.token_logits import TokenLogits

import torch
from torch import Tensor, nn


class MaskedLanguageModel(nn.Module):
    """A masked language model: it fills in hidden tokens.

    Args:
        config, encoder: as in SequenceClassifier.

    Call:
        ids, attention_mask, segment_ids: as in Encoder.
        places: positions whose logits are wanted, integers
            (batch, count); all if left out.

    Returns:
        Logits (batch, length or count, vocab_size); those at
        one position are for the token at that position.

    Raises:
        ValueError: if the activation is gated ("swiglu"), or
            for places beyond the length.

    Source: Devlin et al. 2019, section 3.1.
    """

    def __init__(
        self,
        config: TransformerConfig,
        encoder: Encoder | None = None,
    ):
        super().__init__()
        self.encoder = encoder or Encoder(config)
        require_encoder(self.encoder)
        d_model = config.d_model
        self.transform = new_linear(d_model, d_model)
        require_choice(
            "activation", config.activation, ACTIVATIONS
        )
        self.activation = ACTIVATIONS[config.activation]
        self.norm = layer_norm_from(config)
        tokens = self.encoder.embeddings.tokens
        self.logits = TokenLogits(config, tokens)

    def forward(
        self,
        ids: Tensor,
        attention_mask: Tensor | None = None,
        segment_ids: Tensor | None = None,
        places: Tensor | None = None,
    ) -> Tensor:
        hidden = self.encoder.hidden_states(
            ids, attention_mask, segment_ids
        )
        if places is not None:
            require_known("places", places, hidden.shape[1])
            places = torch.as_tensor(places).long()
            # (batch, count, 1)
            index = places[..., None].to(hidden.device)
            hidden = hidden.take_along_dim(index, 1)
        x = self.activation(self.transform(hidden))
        return self.logits(self.norm(x))


class NextSentence(nn.Module):
    """Next-sentence prediction: whether B follows A.

    Args:
        config, encoder: as in SequenceClassifier.

    Call:
        ids, attention_mask, segment_ids: as in Encoder.

    Returns:
        Logits (batch, 2) for "it follows", "it does not".

    Source: Devlin et al. 2019, section 3.1.
    """

    def __init__(
        self,
        config: TransformerConfig,
        encoder: Encoder | None = None,
    ):
        super().__init__()
        self.encoder = encoder or Encoder(config)
        require_encoder(self.encoder)
        self.classifier = new_linear(config.d_model, 2)

    def forward(
        self,
        ids: Tensor,
        attention_mask: Tensor | None = None,
        segment_ids: Tensor | None = None,
    ) -> Tensor:
        hidden = self.encoder.hidden_states(
            ids, attention_mask, segment_ids
        )
        return self.classifier(self.encoder.pool(hidden))
