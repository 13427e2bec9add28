"""Models for a task: a head on an encoder or decoder."""

from scratch.arguments import (
    require_marked_padding,
    require_positive,
)
from scratch.config import TransformerConfig
from scratch.tensorflow.attention import (
    tf_new_linear,
    tf_padding_mask,
)
from scratch.tensorflow.decoder import TFDecoder
from scratch.tensorflow.embeddings import (
    TFTokenLogits,
    tf_layer_norm_from,
)
from scratch.tensorflow.encoder import TFEncoder
from scratch.tensorflow.feed_forward import TF_ACTIVATIONS
from scratch.tensorflow.generation import (
    tf_generate_ids,
    tf_left_padded,
    tf_written_mask,
)
from scratch.tensorflow.inputs import (
    tf_as_mask,
    tf_known_prompts,
)
from scratch.tensorflow.saving import saveable
from scratch.tensorflow.tracing import tf_traced

import keras
import tensorflow as tf


@saveable
class TFCausalLanguageModel(keras.Model):
    """Decoder-only language model: it continues a text.

    Call:
        ids, attention_mask: as in TFDecoder.

    Returns:
        Logits (batch, length, vocab_size); those at one
        position are for the token after it.

    Source: Radford et al. 2018, section 3.1.
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

        Args:
            ids: those that the cache has not seen,
                (batch, length).
            cache: (), then what the last call returned.
            attention_mask: as in TFDecoder.

        Returns:
            logits (batch, vocab_size), and the cache.
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
        eos_id: int,
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

        Args:
            ids: prompts, (batch, length). Those that are
                shorter are padded, at either end.
            eos_id: the id that ends a text.
            max_new_tokens: the most that a prompt gets.
            beam_size: 1 is greedy search.
            use_cache: False computes everything anew for
                each token.
            attention_mask: boolean, (batch, 1, 1, length),
                False at padding; None if there is none.
            temperature, top_k, top_p, seed: as in
                tf_generate_ids.

        Returns:
            ids (batch, at most length + max_new_tokens):
            padding, if any, then the prompt, the new tokens,
            and pad_id (or eos_id without one) after the end.
            The mask that goes with them is tf_written_mask(
            attention_mask, their length).

        Raises:
            TypeError, ValueError: as tf_left_padded and
                tf_generate_ids, or without a mask where ids
                may be padded.
        """
        require_positive("beam_size", beam_size)
        table = self.decoder.embeddings.tokens
        ids = tf_known_prompts("ids", ids, table)
        mask = attention_mask
        if mask is None:
            pad_id = self.config.pad_id
            require_marked_padding(
                ids.numpy().tolist(), pad_id, eos_id
            )
        else:
            ids = tf_left_padded(ids, mask)
            # each beam of a row has the row's padding
            mask = tf_as_mask(mask, ids)
            mask = tf.repeat(mask, beam_size, 0)
        step = tf_traced(self)

        def next_logits(new, cache):
            seen = None
            if mask is not None:
                length = new.shape[1]
                if cache:
                    length += cache[0][0].shape[2]
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
            temperature,
            top_k,
            top_p,
            seed,
        )


@saveable
class TFSequenceClassifier(keras.Model):
    """A classifier of whole sequences.

    Args:
        config: sizes and choices of the model.
        num_classes: the number of classes.
        encoder: the one to build on, a new one if left out.

    Call:
        ids, attention_mask, segment_ids: as in TFEncoder.

    Returns:
        Logits (batch, num_classes).

    Source: Devlin et al. 2019, section 4.1.
    """

    def __init__(
        self,
        config: TransformerConfig,
        num_classes: int,
        encoder: TFEncoder | None = None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        require_positive("num_classes", num_classes)
        self.encoder = encoder or TFEncoder(config)
        self.dropout = keras.layers.Dropout(config.dropout)
        self.classifier = tf_new_linear(
            config.d_model, num_classes
        )

    def call(
        self,
        ids: tf.Tensor,
        attention_mask: tf.Tensor | None = None,
        segment_ids: tf.Tensor | None = None,
    ) -> tf.Tensor:
        hidden = self.encoder.hidden_states(
            ids, attention_mask, segment_ids
        )
        pooled = self.encoder.pool(hidden)  # (batch, d_model)
        return self.classifier(self.dropout(pooled))


@saveable
class TFMaskedLanguageModel(keras.Model):
    """A masked language model: it fills in hidden tokens.

    Args:
        config, encoder: as in TFSequenceClassifier.

    Call:
        ids, attention_mask, segment_ids: as in TFEncoder.
        places: positions whose logits are wanted, integers
            (batch, count); all if left out.

    Returns:
        Logits (batch, length or count, vocab_size); those at
        one position are for the token at that position.

    Source: Devlin et al. 2019, section 3.1.
    """

    def __init__(
        self,
        config: TransformerConfig,
        encoder: TFEncoder | None = None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.encoder = encoder or TFEncoder(config)
        d_model = config.d_model
        self.transform = tf_new_linear(d_model, d_model)
        self.activation = TF_ACTIVATIONS[config.activation]
        self.norm = tf_layer_norm_from(config)
        tokens = self.encoder.embeddings.tokens
        self.logits = TFTokenLogits(config, tokens)

    def call(
        self,
        ids: tf.Tensor,
        attention_mask: tf.Tensor | None = None,
        segment_ids: tf.Tensor | None = None,
        places: tf.Tensor | None = None,
    ) -> tf.Tensor:
        hidden = self.encoder.hidden_states(
            ids, attention_mask, segment_ids
        )
        if places is not None:
            # (batch, count, d_model)
            hidden = tf.gather(hidden, places, batch_dims=1)
        x = self.activation(self.transform(hidden))
        return self.logits(self.norm(x))


@saveable
class TFNextSentence(keras.Model):
    """Next-sentence prediction: whether B follows A.

    Args:
        config, encoder: as in TFSequenceClassifier.

    Call:
        ids, attention_mask, segment_ids: as in TFEncoder.

    Returns:
        Logits (batch, 2): it follows, it does not.

    Source: Devlin et al. 2019, section 3.1.
    """

    def __init__(
        self,
        config: TransformerConfig,
        encoder: TFEncoder | None = None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.encoder = encoder or TFEncoder(config)
        self.classifier = tf_new_linear(config.d_model, 2)

    def call(
        self,
        ids: tf.Tensor,
        attention_mask: tf.Tensor | None = None,
        segment_ids: tf.Tensor | None = None,
    ) -> tf.Tensor:
        hidden = self.encoder.hidden_states(
            ids, attention_mask, segment_ids
        )
        return self.classifier(self.encoder.pool(hidden))


@saveable
class TFSpanExtractor(keras.Model):
    """Extractive question answering: where an answer lies.

    Args:
        config, encoder: as in TFSequenceClassifier.

    Call:
        ids, attention_mask, segment_ids: as in TFEncoder.

    Returns:
        Logits of the answer's first position, and of its
        last, each (batch, length): the lowest number there
        is where no token may attend, such as at padding.

    Source: Devlin et al. 2019, section 4.2.
    """

    def __init__(
        self,
        config: TransformerConfig,
        encoder: TFEncoder | None = None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.config = config
        self.encoder = encoder or TFEncoder(config)
        self.ends = tf_new_linear(config.d_model, 2)

    def call(
        self,
        ids: tf.Tensor,
        attention_mask: tf.Tensor | None = None,
        segment_ids: tf.Tensor | None = None,
    ) -> tuple[tf.Tensor, tf.Tensor]:
        if attention_mask is None:
            pad_id = self.config.pad_id
            attention_mask = tf_padding_mask(ids, pad_id)
        hidden = self.encoder.hidden_states(
            ids, attention_mask, segment_ids
        )
        logits = self.ends(hidden)  # (batch, length, 2)
        # by any query, in any head: (batch, length)
        mask = tf_as_mask(attention_mask, hidden)
        seen = tf.reduce_any(mask, (1, 2))
        lowest = logits.dtype.min
        logits = tf.where(seen[..., None], logits, lowest)
        return logits[..., 0], logits[..., 1]
