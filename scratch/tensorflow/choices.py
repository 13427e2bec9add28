"""The kind of a layer that a config asks for, and the kind
of search that a call of `generate` asks for.

Otherwise as `scratch.torch.choices`.
"""

from collections.abc import Callable, Sequence

from scratch.checks import (
    listed,
    require_at_least,
    require_beams,
    require_ends,
    require_length,
    require_prompts,
)
from scratch.config import TransformerConfig
from scratch.sampling import Sampling
from scratch.tensorflow.feed_forward import TFFeedForward
from scratch.tensorflow.gated_feed_forward import (
    TFGatedFeedForward,
)
from scratch.tensorflow.generation import (
    tf_allowed_logits,
    tf_beam_search,
    tf_greedy_search,
)
from scratch.tensorflow.grouped_query import (
    TFGroupedQueryAttention,
)
from scratch.tensorflow.multi_head import TFMultiHeadAttention
from scratch.tensorflow.sampling import tf_sample
from scratch.tensorflow.sliding_window import TFSlidingWindow

import keras
import tensorflow as tf


def tf_layer_norm_from(
    config: TransformerConfig,
) -> (
    keras.layers.LayerNormalization
    | keras.layers.RMSNormalization
):
    """Layer normalization over the last axis, or RMSNorm.

    Otherwise as `scratch.torch.layer_norm_from`.
    """
    eps = config.layer_norm_eps
    norm = keras.layers.LayerNormalization(epsilon=eps)
    if config.norm == "rms":
        norm = keras.layers.RMSNormalization(epsilon=eps)
    norm.build((None, config.d_model))
    return norm


def tf_attention_from(
    config: TransformerConfig, rotary: bool = True
) -> TFMultiHeadAttention | TFGroupedQueryAttention:
    """Multi-head attention, built from a config; without
    positions where rotary is False, as in cross-attention.
    """
    plain = config.num_kv_heads is None and not config.qk_norm
    plain = plain and config.window is None
    biased = config.bias and config.qkv_bias in (None, True)
    if not (plain and biased) or config.positions == "rotary":
        return TFGroupedQueryAttention(config, rotary)
    return TFMultiHeadAttention(
        config.d_model,
        config.num_heads,
        config.dropout,
        config.d_k,
        config.d_v,
    )


def tf_feed_forward_from(
    config: TransformerConfig,
) -> TFFeedForward | TFGatedFeedForward:
    """Feed-forward layer, built from a config."""
    if config.activation == "swiglu":
        return TFGatedFeedForward(config)
    return TFFeedForward(
        config.d_model,
        config.d_ff,
        config.activation,
        config.dropout,
        config.bias,
    )


def tf_window_from(
    config: TransformerConfig,
) -> TFSlidingWindow | None:
    """Sliding window of a layer's self-attention, if any."""
    if config.window is None:
        return None
    return TFSlidingWindow(config.window)


def tf_generate_ids(
    next_logits: Callable,
    ids: tf.Tensor,
    eos_id: int | Sequence[int],
    max_new_tokens: int,
    config: TransformerConfig,
    beam_size: int = 1,
    use_cache: bool = True,
    sampling: Sampling | None = None,
) -> tf.Tensor:
    """Continue prompts by greedy search, beam search or
    sampling.

    Otherwise as `scratch.torch.generate_ids`.
    """
    require_prompts("ids", ids)
    require_ends(eos_id, config.vocab_size)
    require_at_least("max_new_tokens", max_new_tokens, 1)
    sampling = sampling or Sampling()
    require_beams(beam_size, sampling)
    # the last new token is never read
    require_length(
        "ids with max_new_tokens - 1",
        ids.shape[1] + max_new_tokens - 1,
        config.max_len,
    )
    ends = tf.constant(listed(eos_id), ids.dtype)
    fill = config.pad_id
    fill = int(ends[0]) if fill is None else fill

    def allowed(new, cache):
        logits, cache = next_logits(new, cache)
        unwritten_ids = config.unwritten_ids
        return tf_allowed_logits(logits, unwritten_ids), cache

    task = allowed, ids, ends, max_new_tokens, fill
    if sampling.temperature is not None:
        return tf_sample(*task, sampling, use_cache)
    if beam_size == 1:
        return tf_greedy_search(*task, use_cache)
    return tf_beam_search(*task, use_cache, beam_size)
