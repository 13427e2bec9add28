"""The kind of a layer that a config asks for, and the kind
of search that a call of `generate` asks for.

Only this file knows all kinds, also those of chapters that
come later.
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
from scratch.torch.feed_forward import FeedForward
from scratch.torch.gated_feed_forward import GatedFeedForward
from scratch.torch.generation import (
    allowed_logits,
    beam_search,
    greedy_search,
)
from scratch.torch.grouped_query import GroupedQueryAttention
from scratch.torch.multi_head import MultiHeadAttention
from scratch.torch.sampling import sample
from scratch.torch.sliding_window import SlidingWindow

import torch
from torch import Tensor, nn


def layer_norm_from(
    config: TransformerConfig,
) -> nn.LayerNorm | nn.RMSNorm:
    """Layer normalization over the last axis, or RMSNorm.

    Args:
        config: its d_model, its norm, and its layer_norm_eps,
            which is added to the variance (RMSNorm: the mean
            square), inside the root.

    Source: Ba et al. 2016, section 3; RMSNorm: Zhang and
    Sennrich 2019, section 3.
    """
    eps = config.layer_norm_eps
    if config.norm == "rms":
        return nn.RMSNorm(config.d_model, eps=eps)
    return nn.LayerNorm(config.d_model, eps=eps)


def attention_from(
    config: TransformerConfig, rotary: bool = True
) -> MultiHeadAttention | GroupedQueryAttention:
    """Multi-head attention, built from a config; without
    positions where rotary is False, as in cross-attention.
    """
    plain = config.num_kv_heads is None and not config.qk_norm
    plain = plain and config.window is None
    biased = config.bias and config.qkv_bias in (None, True)
    if not (plain and biased) or config.positions == "rotary":
        return GroupedQueryAttention(config, rotary)
    return MultiHeadAttention(
        config.d_model,
        config.num_heads,
        config.dropout,
        config.d_k,
        config.d_v,
    )


def feed_forward_from(
    config: TransformerConfig,
) -> FeedForward | GatedFeedForward:
    """Feed-forward layer, built from a config."""
    if config.activation == "swiglu":
        return GatedFeedForward(config)
    return FeedForward(
        config.d_model,
        config.d_ff,
        config.activation,
        config.dropout,
        config.bias,
    )


def window_from(
    config: TransformerConfig,
) -> SlidingWindow | None:
    """Sliding window of a layer's self-attention, if any."""
    if config.window is None:
        return None
    return SlidingWindow(config.window)


def generate_ids(
    next_logits: Callable,
    ids: Tensor,
    eos_id: int | Sequence[int],
    max_new_tokens: int,
    config: TransformerConfig,
    beam_size: int = 1,
    use_cache: bool = True,
    sampling: Sampling | None = None,
) -> Tensor:
    """Continue prompts by greedy search, beam search or
    sampling.

    Args:
        next_logits: as in the two searches.
        ids: prompts, (batch, length), padded on the left.
        eos_id: the id that ends a row, or several.
        max_new_tokens, use_cache: as in greedy_search.
        config: the decoder's TransformerConfig.
        beam_size: 1 is greedy search.
        sampling: with a temperature, each token is drawn by
            its probability; None for a search.

    Returns:
        ids (batch, at most length + max_new_tokens). What
        follows a row's end is pad_id, or the first eos_id.

    Raises:
        TypeError, ValueError: if an argument does not fit,
            for more than config.max_len tokens, or if the
            logits of a token are NaN or infinite.
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
    ends = torch.tensor(listed(eos_id)).to(ids)
    fill = config.pad_id
    fill = int(ends[0]) if fill is None else fill

    def allowed(new, cache):
        logits, cache = next_logits(new, cache)
        unwritten_ids = config.unwritten_ids
        return allowed_logits(logits, unwritten_ids), cache

    task = allowed, ids, ends, max_new_tokens, fill
    if sampling.temperature is not None:
        return sample(*task, sampling, use_cache)
    if beam_size == 1:
        return greedy_search(*task, use_cache)
    return beam_search(*task, use_cache, beam_size)
