"""Classify texts, or their tokens: a head on an encoder."""

from scratch.checks import require_encoder
from scratch.config import TransformerConfig
from scratch.torch.attention import new_linear
from scratch.torch.encoder import Encoder

from torch import Tensor, nn


class SequenceClassifier(nn.Module):
    """A classifier of whole sequences.

    Args:
        config: sizes and choices of the model.
        num_classes: the number of classes.
        encoder: the one to build on, a new one if left out.

    Call:
        ids, attention_mask, segment_ids: as in Encoder.

    Returns:
        Logits (batch, num_classes).

    Source: Devlin et al. 2019, section 4.1.
    """

    def __init__(
        self,
        config: TransformerConfig,
        num_classes: int,
        encoder: Encoder | None = None,
    ):
        super().__init__()
        self.encoder = encoder or Encoder(config)
        require_encoder(self.encoder)
        self.dropout = nn.Dropout(config.dropout)
        self.classifier = new_linear(
            config.d_model, num_classes
        )

    def forward(
        self,
        ids: Tensor,
        attention_mask: Tensor | None = None,
        segment_ids: Tensor | None = None,
    ) -> Tensor:
        hidden = self.encoder.hidden_states(
            ids, attention_mask, segment_ids
        )
        pooled = self.encoder.pool(hidden)  # (batch, d_model)
        return self.classifier(self.dropout(pooled))


class TokenClassifier(SequenceClassifier):
    """A classifier of each token, for names in a text.

    Args, Call: as in SequenceClassifier.

    Returns:
        Logits (batch, length, num_classes).

    Source: Devlin et al. 2019, section 5.3.
    """

    def forward(
        self,
        ids: Tensor,
        attention_mask: Tensor | None = None,
        segment_ids: Tensor | None = None,
    ) -> Tensor:
        hidden = self.encoder.hidden_states(
            ids, attention_mask, segment_ids
        )
        return self.classifier(self.dropout(hidden))
