"""The decoder: mistakes 26 to 29, and 31 and 34."""

from broken.edit import Mistake

import test_decoder
import test_masks
import test_properties
import test_transformer
from helpers.configs import CONFIGS

POST = CONFIGS["post-LN"]
CACHED = test_decoder.test_cached_equals_uncached_token_by_token
CAUSAL = test_masks.test_causal_mask_shows_a_query_what_is_not_after_it
FUTURE = test_decoder.test_future_tokens_change_nothing_before_them

DECODER = [
    Mistake(
        26,
        "cross-attention that is a second self-attention",
        "decoder",
        {"read = project(memory, memory)": "read = project(y, y)"},
        {"read = project(memory, memory)": "read = project(y, y)"},
        test_properties.test_another_memory_gives_another_output,
        {"training": False, "settled": POST},
    ),
    Mistake(
        27,
        "causal only while training",
        "decoder",
        {
            "mask = decoder_mask(x, keys, attention_mask)": (
                "mask = decoder_mask(x, keys, attention_mask)"
                " if self.training else attention_mask"
            ),
        },
        {
            "cache=None,\n    ):\n        require_memory": (
                "cache=None,\n        training=None,\n    ):\n        require_memory"
            ),
            "mask = tf_decoder_mask(x, keys, attention_mask)": (
                "mask = tf_decoder_mask(x, keys, attention_mask)"
                " if training else attention_mask"
            ),
        },
        FUTURE,
        {"training": False, "settled": POST},
    ),
    Mistake(
        28,
        "causal mask off by one: a query does not see itself",
        "attention",
        {"key[None, :] <= query[:, None]": "key[None, :] < query[:, None]"},
        {"key[None, :] <= query[:, None]": "key[None, :] < query[:, None]"},
        CAUSAL,
    ),
    Mistake(
        28,
        "causal mask off by one: a query sees the next token",
        "attention",
        {"key[None, :] <= query[:, None]": "key[None, :] <= query[:, None] + 1"},
        {"key[None, :] <= query[:, None]": "key[None, :] <= query[:, None] + 1"},
        FUTURE,
        {"training": False, "settled": POST},
    ),
    Mistake(
        28,
        "causal mask aligned at the beginning, though keys come from a cache",
        "attention",
        {"query = key[key_length - length :]": "query = key[:length]"},
        {"query = key[key_length - length :]": "query = key[:length]"},
        test_properties.test_cached_logits_equal_uncached,
        {"settled": POST},
    ),
    Mistake(
        28,
        "causal mask of a fixed length: what comes after it sees everything",
        "attention",
        {
            "<= query[:, None]": (
                "<= torch.where(query < 3, query, key_length)[:, None]"
            ),
        },
        {"<= query[:, None]": "<= tf.where(query < 3, query, key_length)[:, None]"},
        FUTURE,
        {"training": True, "settled": POST},
    ),
    Mistake(
        28,
        "no causal mask",
        "decoder",
        {"if x.shape[1] == 1:": "if True:"},
        {"if x.shape[1] == 1:": "if True:"},
        FUTURE,
        {"training": True, "settled": POST},
    ),
    Mistake(
        29,
        "memory masked by the padding of the target",
        "decoder",
        {"memory_mask=memory_mask": "memory_mask=attention_mask"},
        {"memory_mask=memory_mask": "memory_mask=attention_mask"},
        test_decoder.test_the_memory_mask_is_not_the_targets,
    ),
    Mistake(
        31,
        "the target's mask shows what the causal mask hides",
        "decoder",
        {"return mask & attention_mask": "return mask | attention_mask"},
        {"return mask & attention_mask": "return mask | attention_mask"},
        test_properties.test_a_position_never_reads_what_it_is_to_predict,
        {"training": True, "settled": POST},
    ),
    Mistake(
        31,
        "a mask that is given takes the place of the causal one",
        "decoder",
        {"return mask & attention_mask": "return attention_mask"},
        {"return mask & attention_mask": "return attention_mask"},
        test_decoder.test_a_mask_of_ones_does_not_show_the_future,
        {"training": False},
    ),
    Mistake(
        34,
        "new keys put before those of the cache",
        "decoder",
        {"torch.cat([cache[0], keys], 2)": "torch.cat([keys, cache[0]], 2)"},
        {"tf.concat([cache[0], keys], 2)": "tf.concat([keys, cache[0]], 2)"},
        CACHED,
        {"settled": POST},
    ),
    Mistake(
        34,
        "positions that begin again at 0 with every cached token",
        "decoder",
        {"start = cache[0][0].shape[2]": "start = 0"},
        {"start = keras.ops.shape(cache[0][0])[2]": "start = 0"},
        test_properties.test_cached_logits_equal_uncached,
        {"settled": POST},
    ),
    Mistake(
        34,
        "beams that go on with each other's caches",
        "generation",
        {"reordered(later, rows)": "later"},
        {"tf_reordered(later, rows)": "later"},
        test_transformer.test_cached_generation_equals_uncached,
        {"beam_size": 3, "norm_first": False},
    ),
    Mistake(
        34,
        "positions that count the padding on the left",
        "decoder",
        {"start = start - padding": "start = start"},
        {"start = start - padding": "start = start"},
        test_transformer.test_prompts_of_many_lengths_are_continued_as_if_alone,
        {"beam_size": 1, "pad_id": 0, "positions": "learned"},
    ),
]
