"""The decoder: mistakes 26 to 29, and 31 and 34."""

from broken.guard import Guard

import test_decoder
import test_generation
import test_kv_cache
import test_masks
import test_properties
import test_transformer
from helpers.configs import CONFIGS

POST = CONFIGS["post-LN"]
CACHED = test_kv_cache.test_cached_equals_uncached_token_by_token
CAUSAL = test_masks.test_causal_mask_shows_a_query_what_is_not_after_it
FUTURE = test_decoder.test_future_tokens_change_nothing_before_them

DECODER = [
    *Guard(
        test_properties.test_another_memory_gives_another_output,
        training=False,
        settled=POST,
    ).catch("cross-attention that is a second self-attention"),
    *Guard(FUTURE, training=False, settled=POST).catch("causal only while training"),
    *Guard(CAUSAL).catch("causal mask off by one: a query does not see itself"),
    *Guard(FUTURE, training=False, settled=POST).catch(
        "causal mask off by one: a query sees the next token"
    ),
    *Guard(test_properties.test_cached_logits_equal_uncached, settled=POST).catch(
        "causal mask aligned at the beginning, though keys come from a cache"
    ),
    *Guard(FUTURE, training=True, settled=POST).catch(
        "causal mask of a fixed length: what comes after it sees everything"
    ),
    *Guard(FUTURE, training=True, settled=POST).catch("no causal mask"),
    *Guard(test_transformer.test_the_memory_mask_is_not_the_targets).catch(
        "memory masked by the padding of the target"
    ),
    *Guard(
        test_properties.test_a_position_never_reads_what_it_is_to_predict,
        training=True,
        settled=POST,
    ).catch("the target's mask shows what the causal mask hides"),
    *Guard(
        test_decoder.test_a_mask_of_ones_does_not_show_the_future,
        training=False,
    ).catch("a mask that is given takes the place of the causal one"),
    *Guard(CACHED, settled=POST).catch("new keys put before those of the cache"),
    *Guard(test_properties.test_cached_logits_equal_uncached, settled=POST).catch(
        "positions that begin again at 0 with every cached token"
    ),
    *Guard(
        test_generation.test_cached_generation_equals_uncached,
        beam_size=3,
        norm_first=False,
    ).catch("beams that go on with each other's caches"),
    *Guard(
        test_generation.test_prompts_of_many_lengths_are_continued_as_if_alone,
        beam_size=1,
        pad_id=0,
        positions="learned",
    ).catch("positions that count the padding on the left"),
]
