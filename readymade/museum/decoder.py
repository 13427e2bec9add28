"""The decoder and its cache: mistakes 26 to 29, and 31 and 34."""

from readymade.museum.exhibits import exhibits

DECODER = [
    *exhibits(
        "decoder",
        """
26: cross-attention that is a second self-attention
- read = project(memory, memory)
+ read = project(y, y)

27: causal only while training
@torch
- mask = decoder_mask(x, held, attention_mask)
+ mask = decoder_mask(x, held, attention_mask) if self.training else attention_mask
@tensorflow
-     ) -> tuple:
-         require_memory
+         training=None,
+     ) -> tuple:
+         require_memory
- mask = tf_decoder_mask(x, held, attention_mask)
+ mask = tf_decoder_mask(x, held, attention_mask) if training else attention_mask
""",
    ),
    *exhibits(
        "masks",
        """
28: causal mask off by one: a query does not see itself
- key[None, :] <= query[:, None]
+ key[None, :] < query[:, None]

28: causal mask off by one: a query sees the next token
- key[None, :] <= query[:, None]
+ key[None, :] <= query[:, None] + 1

28: causal mask aligned at the beginning, though keys come from a cache
- query = key[key_length - length :]
+ query = key[:length]

28: causal mask of a fixed length: what comes after it sees everything
@torch
- <= query[:, None]
+ <= torch.where(query < 3, query, key_length)[:, None]
@tensorflow
- <= query[:, None]
+ <= tf.where(query < 3, query, key_length)[:, None]
""",
    ),
    *exhibits(
        "decoder",
        """
28: no causal mask
@torch
- if queries == 1:
+ if True:
@tensorflow
- if x.shape[1] == 1:
+ if True:

29: memory masked by the padding of the target
- memory_mask=memory_mask
+ memory_mask=(ids != 0)[:, None, None]

31: the target's mask shows what the causal mask hides
- return mask & attention_mask
+ return mask | attention_mask
@torch
- mask = decoder_mask(x, held, attention_mask)
+ mask = decoder_mask(x, held, torch.ones(1, 1, 1, 1) > 0)
@tensorflow
- mask = tf_decoder_mask(x, held, attention_mask)
+ mask = tf_decoder_mask(x, held, tf.ones((1, 1, 1, 1)) > 0)

31: a mask that is given takes the place of the causal one
- return mask & attention_mask
+ return attention_mask
@torch
- mask = decoder_mask(x, held, attention_mask)
+ mask = decoder_mask(x, held, torch.ones(1, 1, 1, 1) > 0)
@tensorflow
- mask = tf_decoder_mask(x, held, attention_mask)
+ mask = tf_decoder_mask(x, held, tf.ones((1, 1, 1, 1)) > 0)
""",
    ),
    *exhibits(
        "kv_cache",
        """
34: new keys put before those of the cache
- ([cache[0], keys], 2)
+ ([keys, cache[0]], 2)
""",
    ),
    *exhibits(
        "decoder",
        """
34: positions that begin again at 0 with every cached token
- start = cached_length(cache[0])
+ start = 0
- start = tf_cached_length(cache[0])
+ start = 0
""",
    ),
    *exhibits(
        "generation",
        """
34: beams that go on with each other's caches
@torch
- reordered(later, rows)
+ later
@tensorflow
- tf_reordered(later, rows)
+ later
""",
    ),
    *exhibits(
        "decoder",
        """
34: positions that count the padding on the left
- start = start - padding
+ start = start
""",
    ),
]
