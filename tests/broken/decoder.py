"""The decoder: mistakes 26 to 29, and 31 and 34."""

from broken.edit import Guard

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
    *Guard(
        test_properties.test_another_memory_gives_another_output,
        "decoder",
        training=False,
        settled=POST,
    ).catch("""
26: cross-attention that is a second self-attention
- read = project(memory, memory)
+ read = project(y, y)
"""),
    *Guard(FUTURE, "decoder", training=False, settled=POST).catch("""
27: causal only while training
@torch
- mask = decoder_mask(x, keys, attention_mask)
+ mask = decoder_mask(x, keys, attention_mask) if self.training else attention_mask
@tensorflow
-     ) -> tuple:
-         require_memory
+         training=None,
+     ) -> tuple:
+         require_memory
- mask = tf_decoder_mask(x, keys, attention_mask)
+ mask = tf_decoder_mask(x, keys, attention_mask) if training else attention_mask
"""),
    *Guard(CAUSAL, "attention").catch("""
28: causal mask off by one: a query does not see itself
- key[None, :] <= query[:, None]
+ key[None, :] < query[:, None]
"""),
    *Guard(FUTURE, "attention", training=False, settled=POST).catch("""
28: causal mask off by one: a query sees the next token
- key[None, :] <= query[:, None]
+ key[None, :] <= query[:, None] + 1
"""),
    *Guard(
        test_properties.test_cached_logits_equal_uncached, "attention", settled=POST
    ).catch("""
28: causal mask aligned at the beginning, though keys come from a cache
- query = key[key_length - length :]
+ query = key[:length]
"""),
    *Guard(FUTURE, "attention", training=True, settled=POST).catch("""
28: causal mask of a fixed length: what comes after it sees everything
@torch
- <= query[:, None]
+ <= torch.where(query < 3, query, key_length)[:, None]
@tensorflow
- <= query[:, None]
+ <= tf.where(query < 3, query, key_length)[:, None]
"""),
    *Guard(FUTURE, "decoder", training=True, settled=POST).catch("""
28: no causal mask
- if x.shape[1] == 1:
+ if True:
"""),
    *Guard(test_decoder.test_the_memory_mask_is_not_the_targets, "decoder").catch("""
29: memory masked by the padding of the target
- memory_mask=memory_mask
+ memory_mask=attention_mask
"""),
    *Guard(
        test_properties.test_a_position_never_reads_what_it_is_to_predict,
        "decoder",
        training=True,
        settled=POST,
    ).catch("""
31: the target's mask shows what the causal mask hides
- return mask & attention_mask
+ return mask | attention_mask
"""),
    *Guard(
        test_decoder.test_a_mask_of_ones_does_not_show_the_future,
        "decoder",
        training=False,
    ).catch("""
31: a mask that is given takes the place of the causal one
- return mask & attention_mask
+ return attention_mask
"""),
    *Guard(CACHED, "decoder", settled=POST).catch("""
34: new keys put before those of the cache
- ([cache[0], keys], 2)
+ ([keys, cache[0]], 2)
"""),
    *Guard(
        test_properties.test_cached_logits_equal_uncached, "decoder", settled=POST
    ).catch("""
34: positions that begin again at 0 with every cached token
- start = cache[0][0].shape[2]
+ start = 0
- start = keras.ops.shape(cache[0][0])[2]
+ start = 0
"""),
    *Guard(
        test_transformer.test_cached_generation_equals_uncached,
        "generation",
        beam_size=3,
        norm_first=False,
    ).catch("""
34: beams that go on with each other's caches
@torch
- reordered(later, rows)
+ later
@tensorflow
- tf_reordered(later, rows)
+ later
"""),
    *Guard(
        test_transformer.test_prompts_of_many_lengths_are_continued_as_if_alone,
        "decoder",
        beam_size=1,
        pad_id=0,
        positions="learned",
    ).catch("""
34: positions that count the padding on the left
- start = start - padding
+ start = start
"""),
]
