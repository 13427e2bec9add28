"""A language model: a decoder that continues a text."""

from collections.abc import Sequence

from scratch.checks import (
    require_at_least,
    require_known,
    require_marked_padding,
    require_prompts,
)
from scratch.config import TransformerConfig
from scratch.sampling import Sampling
from scratch.tensorflow.choices import tf_generate_ids
from scratch.tensorflow.decoder import TFDecoder
from scratch.tensorflow.kv_cache import tf_cached_length
from scratch.tensorflow.prompts import (
    tf_left_padded,
    tf_written_mask,
)
from scratch.tensorflow.token_logits import TFTokenLogits
from scratch.tensorflow.tracing import tf_traced

import keras
import tensorflow as tf


class TFCausalLanguageModel(keras.Model):
    """Decoder-only language model: it continues a text.

    Otherwise as `scratch.torch.CausalLanguageModel`.
    """

    def __init__(self, config: TransformerConfig, **kwargs):
        super().__init__(**kwargs)
        self.config = config
        self.decoder = TFDecoder(
            config, cross_attention=False
        )
        tokens = self.decoder.embeddings.tokens
        self.logits = TFTokenLogits(
            self.decoder.config, tokens
        )

    def call(
        self,
        ids: tf.Tensor,
        attention_mask: tf.Tensor | None = None,
    ) -> tf.Tensor:
        hidden, _ = self.decoder(
            ids,
            attention_mask=attention_mask,
            need_weights=False,
        )
        return self.logits(hidden)

    def next_logits(
        self,
        ids: tf.Tensor,
        cache: list | tuple,
        attention_mask: tf.Tensor | None = None,
    ) -> tuple[tf.Tensor, list]:
        """Logits of the next token, and the new cache.

        Otherwise as
        `scratch.torch.CausalLanguageModel.next_logits`.
        """
        hidden, _, cache = self.decoder(
            ids,
            attention_mask=attention_mask,
            need_weights=False,
            cache=cache,
        )
        return self.logits(hidden[:, -1]), cache

    def generate(
        self,
        ids: tf.Tensor,
        eos_id: int | Sequence[int],
        max_new_tokens: int,
        beam_size: int = 1,
        use_cache: bool = True,
        attention_mask: tf.Tensor | None = None,
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float | None = None,
        seed: int | None = None,
    ) -> tf.Tensor:
        """Continue prompts by greedy search, beam search or
        sampling.

        Otherwise as
        `scratch.torch.CausalLanguageModel.generate`.
        """
        require_at_least("beam_size", beam_size, 1)
        require_prompts("ids", ids)
        ids = tf.cast(ids, tf.int64)
        require_known(
            "ids",
            ids,
            self.decoder.embeddings.tokens.input_dim,
        )
        mask = attention_mask
        require_marked_padding(
            ids, mask, self.config.pad_id, eos_id
        )
        if mask is not None:
            ids = tf_left_padded(ids, mask)
            # each beam of a row has the row's padding
            mask = tf.repeat(mask, beam_size, 0)
        step = tf_traced(self)

        def next_logits(new, cache):
            seen = None
            if mask is not None:
                length = new.shape[1]
                if cache:
                    length += tf_cached_length(cache[0])
                seen = tf_written_mask(mask, length)
            return step(new, cache, seen)

        return tf_generate_ids(
            next_logits,
            ids,
            eos_id,
            max_new_tokens,
            self.decoder.config,
            beam_size,
            use_cache,
            Sampling(temperature, top_k, top_p, seed),
        )
