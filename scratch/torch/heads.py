"""What models are for: a head on an encoder or decoder."""

from scratch.arguments import require_positive
from scratch.torch.attention import new_linear, padding_mask
from scratch.torch.decoder import Decoder
from scratch.torch.embeddings import (
    TokenLogits,
    layer_norm_from,
)
from scratch.torch.encoder import Encoder
from scratch.torch.evaluation import inference
from scratch.torch.feed_forward import ACTIVATIONS
from scratch.torch.generation import generate_ids, left_padded

import torch
from torch import Tensor, nn


class CausalLanguageModel(nn.Module):
    """Continue a text: a decoder that reads no memory.

    config: a TransformerConfig.
    Call: ids (batch, length); attention_mask as in Decoder.
    Returns: logits (batch, length, vocab_size); those at one
    position are for the token after it.
    Source: Radford et al. 2018, section 3.1.
    """

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.decoder = Decoder(config, cross_attention=False)
        tokens = self.decoder.embeddings.tokens
        self.logits = TokenLogits(self.decoder.config, tokens)

    def forward(self, ids, attention_mask=None):
        hidden, _ = self.decoder(
            ids,
            attention_mask=attention_mask,
            need_weights=False,
        )
        return self.logits(hidden)

    @torch.inference_mode()
    def next_logits(
        self,
        ids: Tensor,
        cache: list | tuple,
        padding: Tensor | None = None,
    ) -> tuple[Tensor, list]:
        """Logits of the next token, and the new cache.

        Args:
            ids: those that the cache has not seen,
                (batch, length).
            cache: (), then what the last call returned.
            padding: padded positions at the left of each
                row, (batch, 1); None if there are none.

        Returns:
            logits (batch, vocab_size), and the cache.
        """
        hidden, _, cache = self.decoder(
            ids,
            need_weights=False,
            cache=cache,
            padding=padding,
        )
        return self.logits(hidden[:, -1]), cache

    def generate(
        self,
        ids: Tensor,
        eos_id: int,
        max_new_tokens: int,
        beam_size: int = 1,
        use_cache: bool = True,
        attention_mask: Tensor | None = None,
    ) -> Tensor:
        """Continue prompts by greedy search or beam search.

        Args:
            ids: prompts, (batch, length). Those that are
                shorter are padded, on the left or right.
            eos_id: the id that ends a text.
            max_new_tokens: the most that a prompt gets.
            beam_size: 1 is greedy search.
            use_cache: False computes everything anew for
                each token.
            attention_mask: boolean, (batch, 1, 1, length),
                False at padding; what is not pad_id if None.

        Returns:
            ids (batch, at most length + max_new_tokens):
            padding, if any, then the prompt, the new tokens,
            and pad_id (or eos_id without one) after the end.

        Raises:
            TypeError, ValueError: as left_padded and
                generate_ids.
        """
        require_positive("beam_size", beam_size)
        pad_id = self.config.pad_id
        ids, padding = left_padded(
            ids, attention_mask, pad_id, eos_id
        )
        if padding is not None:
            # each beam of a row has the row's padding
            padding = padding.repeat_interleave(beam_size, 0)

        def next_logits(ids, cache):
            return self.next_logits(ids, cache, padding)

        with inference(self):
            return generate_ids(
                next_logits,
                ids,
                eos_id,
                max_new_tokens,
                self.decoder.config,
                beam_size,
                use_cache,
            )


class SequenceClassifier(nn.Module):
    """Put a whole sequence into one of several classes.

    config: a TransformerConfig; num_classes: how many;
    encoder: the one to build on, a new one if left out.
    Call: ids, attention_mask, segment_ids as in Encoder.
    Returns: logits (batch, num_classes).
    Source: Devlin et al. 2019, section 4.1.
    """

    def __init__(self, config, num_classes, encoder=None):
        super().__init__()
        require_positive("num_classes", num_classes)
        if encoder is None:
            encoder = Encoder(config)
        self.encoder = encoder
        self.dropout = nn.Dropout(config.dropout)
        self.classifier = new_linear(
            config.d_model, num_classes
        )

    def forward(
        self, ids, attention_mask=None, segment_ids=None
    ):
        hidden, _ = self.encoder(
            ids,
            attention_mask,
            segment_ids,
            need_weights=False,
        )
        pooled = self.encoder.pool(hidden)  # (batch, d_model)
        return self.classifier(self.dropout(pooled))


class MaskedLanguageModel(nn.Module):
    """Guess the tokens that a text hides.

    config: a TransformerConfig; encoder: the one to build on,
    a new one if left out.
    Call: ids, attention_mask, segment_ids as in Encoder.
    Returns: logits (batch, length, vocab_size), those at a
    position being for the token that stands there.
    Source: Devlin et al. 2019, section 3.1.
    """

    def __init__(self, config, encoder=None):
        super().__init__()
        if encoder is None:
            encoder = Encoder(config)
        self.encoder = encoder
        d_model = config.d_model
        self.transform = new_linear(d_model, d_model)
        self.activation = ACTIVATIONS[config.activation]
        self.norm = layer_norm_from(config)
        tokens = self.encoder.embeddings.tokens
        self.logits = TokenLogits(config, tokens)

    def forward(
        self, ids, attention_mask=None, segment_ids=None
    ):
        hidden, _ = self.encoder(
            ids,
            attention_mask,
            segment_ids,
            need_weights=False,
        )
        x = self.activation(self.transform(hidden))
        return self.logits(self.norm(x))


class NextSentence(nn.Module):
    """Say whether a second sentence follows the first.

    config: a TransformerConfig; encoder: the one to build on,
    a new one if left out.
    Call: ids, attention_mask, segment_ids as in Encoder.
    Returns: logits (batch, 2): follows, does not follow.
    Source: Devlin et al. 2019, section 3.1.
    """

    def __init__(self, config, encoder=None):
        super().__init__()
        if encoder is None:
            encoder = Encoder(config)
        self.encoder = encoder
        self.classifier = new_linear(config.d_model, 2)

    def forward(
        self, ids, attention_mask=None, segment_ids=None
    ):
        hidden, _ = self.encoder(
            ids,
            attention_mask,
            segment_ids,
            need_weights=False,
        )
        return self.classifier(self.encoder.pool(hidden))


class SpanExtractor(nn.Module):
    """Find where in a text an answer begins and ends.

    config: a TransformerConfig; encoder: the one to build on,
    a new one if left out.
    Call: ids, attention_mask, segment_ids as in Encoder.
    Returns: logits of the first and of the last position,
    each (batch, length), as low as can be at padding.
    Source: Devlin et al. 2019, section 4.2.
    """

    def __init__(self, config, encoder=None):
        super().__init__()
        self.config = config
        if encoder is None:
            encoder = Encoder(config)
        self.encoder = encoder
        self.ends = new_linear(config.d_model, 2)

    def forward(
        self, ids, attention_mask=None, segment_ids=None
    ):
        hidden, _ = self.encoder(
            ids,
            attention_mask,
            segment_ids,
            need_weights=False,
        )
        logits = self.ends(hidden)  # (batch, length, 2)
        real = padding_mask(ids, self.config.pad_id)[:, 0, 0]
        lowest = torch.finfo(logits.dtype).min
        logits = logits.masked_fill(~real[..., None], lowest)
        return logits[..., 0], logits[..., 1]
