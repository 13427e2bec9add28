"""The whole Transformer: an encoder and a decoder."""

from collections.abc import Sequence

from scratch.checks import (
    require_at_least,
    require_id,
    require_source,
)
from scratch.config import TransformerConfig
from scratch.sampling import Sampling
from scratch.tensorflow.choices import tf_generate_ids
from scratch.tensorflow.decoder import TFDecoder
from scratch.tensorflow.encoder import TFEncoder
from scratch.tensorflow.masks import tf_padding_mask
from scratch.tensorflow.token_logits import TFTokenLogits
from scratch.tensorflow.tracing import tf_traced

import keras
import tensorflow as tf


class TFTransformer(keras.Model):
    """The encoder-decoder Transformer.

    Otherwise as `scratch.torch.Transformer`.
    """

    def __init__(
        self,
        config: TransformerConfig,
        embeddings: keras.layers.Layer | None = None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.config = config
        self.encoder = TFEncoder(config, embeddings)
        shared = None
        if config.target_vocab_size is None:
            shared = self.encoder.embeddings
        self.decoder = TFDecoder(config, shared)
        tokens = self.decoder.embeddings.tokens
        self.logits = TFTokenLogits(
            self.decoder.config, tokens
        )

    def call(
        self,
        source_ids: tf.Tensor,
        target_ids: tf.Tensor,
    ) -> tf.Tensor:
        memory, memory_mask = self.encode(source_ids)
        return self.decode(target_ids, memory, memory_mask)

    def encode(
        self, source_ids: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor | None]:
        """The encoder's output, and its padding mask.

        Otherwise as `scratch.torch.Transformer.encode`.
        """
        memory_mask, pad_id = None, self.config.pad_id
        if pad_id is not None:
            memory_mask = tf_padding_mask(source_ids, pad_id)
        memory = self.encoder.hidden_states(
            source_ids, memory_mask
        )
        return memory, memory_mask

    def decode(
        self,
        target_ids: tf.Tensor,
        memory: tf.Tensor,
        memory_mask: tf.Tensor | None = None,
    ) -> tf.Tensor:
        """Logits of the next token at each position.

        Otherwise as `scratch.torch.Transformer.decode`.
        """
        hidden, _ = self.decoder(
            target_ids,
            memory,
            memory_mask=memory_mask,
            need_weights=False,
        )
        return self.logits(hidden)

    def next_logits(
        self,
        ids: tf.Tensor,
        memory: tf.Tensor,
        memory_mask: tf.Tensor | None,
        cache: list | tuple,
    ) -> tuple[tf.Tensor, list]:
        """Logits of the next token, and the new cache.

        Otherwise as `scratch.torch.Transformer.next_logits`.
        """
        hidden, _, cache = self.decoder(
            ids,
            memory,
            memory_mask=memory_mask,
            need_weights=False,
            cache=cache,
        )
        return self.logits(hidden[:, -1]), cache

    def generate(
        self,
        source_ids: tf.Tensor,
        bos_id: int,
        eos_id: int | Sequence[int],
        max_new_tokens: int,
        beam_size: int = 1,
        use_cache: bool = True,
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float | None = None,
        seed: int | None = None,
    ) -> tf.Tensor:
        """Translate by greedy search, beam search or
        sampling.

        Otherwise as `scratch.torch.Transformer.generate`.
        """
        require_source(source_ids, self.config.vocab_size)
        source_ids = tf.convert_to_tensor(source_ids)
        config = self.decoder.config
        require_id("bos_id", bos_id, config.vocab_size)
        require_at_least("beam_size", beam_size, 1)
        memory, memory_mask = self.encode(source_ids)
        # each beam of a row reads the row's memory
        memory = tf.repeat(memory, beam_size, 0)
        if memory_mask is not None:
            memory_mask = tf.repeat(memory_mask, beam_size, 0)
        step = tf_traced(self)

        def next_logits(ids, cache):
            return step(ids, memory, memory_mask, cache)

        bos = tf.zeros((len(source_ids), 1), tf.int64)
        ids = tf_generate_ids(
            next_logits,
            bos + bos_id,
            eos_id,
            max_new_tokens,
            config,
            beam_size,
            use_cache,
            Sampling(temperature, top_k, top_p, seed),
        )
        return ids[:, 1:]  # (batch, at most max_new_tokens)
