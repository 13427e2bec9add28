"""What models are for: a head on an encoder or decoder."""

from scratch.arguments import require_positive
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
    TF_FREE,
    tf_generate_ids,
)

import keras
import tensorflow as tf


class TFCausalLanguageModel(keras.layers.Layer):
    """Continue a text: a decoder that reads no memory.

    config: a TransformerConfig.
    Call: ids (batch, length); attention_mask as in TFDecoder.
    Returns: logits (batch, length, vocab_size); those at one
    position are for the token after it.
    `generate` takes prompts that are padded at their ends,
    with pad_id, or where attention_mask, (batch, 1, 1,
    length), is False.
    Source: Radford et al. 2018, section 3.1.
    """

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.decoder = TFDecoder(
            config, cross_attention=False
        )
        tokens = self.decoder.embeddings.tokens
        self.logits = TFTokenLogits(
            self.decoder.config, tokens
        )

    def call(self, ids, attention_mask=None):
        hidden, _ = self.decoder(
            ids,
            attention_mask=attention_mask,
            need_weights=False,
        )
        return self.logits(hidden)

    @tf.function(reduce_retracing=True)
    def next_logits(self, ids, cache):
        hidden, _, cache = self.decoder(
            ids, need_weights=False, cache=cache
        )
        return self.logits(hidden[:, -1]), cache

    def generate(
        self,
        ids,
        eos_id,
        max_new_tokens,
        beam_size=1,
        use_cache=True,
        attention_mask=None,
    ):
        if attention_mask is not None:
            real = tf.reshape(attention_mask, ids.shape)
            ids = tf.where(real, ids, TF_FREE)
        ids = tf_generate_ids(
            self.next_logits,
            ids,
            eos_id,
            max_new_tokens,
            self.config,
            beam_size,
            use_cache,
        )
        return ids  # (batch, at most length + max_new_tokens)


class TFSequenceClassifier(keras.layers.Layer):
    """Put a whole sequence into one of several classes.

    config: a TransformerConfig; num_classes: how many;
    encoder: the one to build on, a new one if left out.
    Call: ids, attention_mask, segment_ids as in TFEncoder.
    Returns: logits (batch, num_classes).
    Source: Devlin et al. 2019, section 4.1.
    """

    def __init__(self, config, num_classes, encoder=None):
        super().__init__()
        require_positive("num_classes", num_classes)
        if encoder is None:
            encoder = TFEncoder(config)
        self.encoder = encoder
        self.dropout = keras.layers.Dropout(config.dropout)
        self.classifier = tf_new_linear(
            config.d_model, num_classes
        )

    def call(
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


class TFMaskedLanguageModel(keras.layers.Layer):
    """Guess the tokens that a text hides.

    config: a TransformerConfig; encoder: the one to build on,
    a new one if left out.
    Call: ids, attention_mask, segment_ids as in TFEncoder.
    Returns: logits (batch, length, vocab_size), those at a
    position being for the token that stands there.
    Source: Devlin et al. 2019, section 3.1.
    """

    def __init__(self, config, encoder=None):
        super().__init__()
        if encoder is None:
            encoder = TFEncoder(config)
        self.encoder = encoder
        d_model = config.d_model
        self.transform = tf_new_linear(d_model, d_model)
        self.activation = TF_ACTIVATIONS[config.activation]
        self.norm = tf_layer_norm_from(config)
        tokens = self.encoder.embeddings.tokens
        self.logits = TFTokenLogits(config, tokens)

    def call(
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


class TFNextSentence(keras.layers.Layer):
    """Say whether a second sentence follows the first.

    config: a TransformerConfig; encoder: the one to build on,
    a new one if left out.
    Call: ids, attention_mask, segment_ids as in TFEncoder.
    Returns: logits (batch, 2): follows, does not follow.
    Source: Devlin et al. 2019, section 3.1.
    """

    def __init__(self, config, encoder=None):
        super().__init__()
        if encoder is None:
            encoder = TFEncoder(config)
        self.encoder = encoder
        self.classifier = tf_new_linear(config.d_model, 2)

    def call(
        self, ids, attention_mask=None, segment_ids=None
    ):
        hidden, _ = self.encoder(
            ids,
            attention_mask,
            segment_ids,
            need_weights=False,
        )
        return self.classifier(self.encoder.pool(hidden))


class TFSpanExtractor(keras.layers.Layer):
    """Find where in a text an answer begins and ends.

    config: a TransformerConfig; encoder: the one to build on,
    a new one if left out.
    Call: ids, attention_mask, segment_ids as in TFEncoder.
    Returns: logits of the first and of the last position,
    each (batch, length), as low as can be at padding.
    Source: Devlin et al. 2019, section 4.2.
    """

    def __init__(self, config, encoder=None):
        super().__init__()
        self.config = config
        if encoder is None:
            encoder = TFEncoder(config)
        self.encoder = encoder
        self.ends = tf_new_linear(config.d_model, 2)

    def call(
        self, ids, attention_mask=None, segment_ids=None
    ):
        hidden, _ = self.encoder(
            ids,
            attention_mask,
            segment_ids,
            need_weights=False,
        )
        logits = self.ends(hidden)  # (batch, length, 2)
        real = tf_padding_mask(ids, self.config.pad_id)[
            :, 0, 0
        ]
        lowest = logits.dtype.min
        logits = tf.where(real[..., None], logits, lowest)
        return logits[..., 0], logits[..., 1]
