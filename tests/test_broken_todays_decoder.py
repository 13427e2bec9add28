"""Mistakes in today's decoder, each caught by a test of ours; they have no number."""

from readymade.museum.exhibits import exhibits

import test_todays_decoder as tests
from broken.catching import each, must_catch
from broken.guard import Guarded

ROTATION = tests.test_a_rotation_is_a_product_of_complex_numbers
GROUPS = tests.test_a_group_of_heads_reads_the_same_keys
CACHE = tests.test_the_cache_holds_the_shared_heads_alone_and_changes_nothing


def caught(test, file, text, **arguments):
    """Return the mistakes of a text, each guarded by a test with its arguments."""
    return [Guarded(one, test, arguments) for one in exhibits(file, text)]


MISTAKES = [
    *caught(
        ROTATION,
        "todays_decoder",
        """
0: turned the other way
- [-angle, angle]
+ [angle, -angle]

0: the base to the power of i / d_k
- base ** (-even / d_k)
+ base ** (-even / d_k / 2)

0: positions that start at 0 again, whatever is cached
- torch.arange(start, stop
+ torch.arange(0, length
- tf.range(start, start + length)
+ tf.range(length)
""",
        start=7,
    ),
    *caught(
        GROUPS,
        "todays_decoder",
        """
0: heads dealt out in turn, not group by group
-     query = query.reshape(shape)
+     query = query.unflatten(1, (group, num_kv_heads))
+     query = query.transpose(1, 2).reshape(shape)
-     query = tf.reshape(query, shape)
+     parts = (batch, group, num_kv_heads, length, size)
+     query = tf.transpose(tf.reshape(query, parts), (0, 2, 1, 3, 4))
+     query = tf.reshape(query, shape)
""",
        need_weights=True,
    ),
    *caught(
        CACHE,
        "decoder",
        """
0: a new key's position without those before it
- project(y, y, start)
+ project(y, y)
""",
    ),
    *caught(
        tests.test_swiglu_is_the_formula,
        "todays_decoder",
        """
0: the activation on the wrong branch
- silu(self.gate(x)) * self.expand(x)
+ silu(self.expand(x)) * self.gate(x)
""",
    ),
    *caught(
        tests.test_rms_norm_is_the_formula_and_the_library_own,
        "embeddings",
        """
0: layer norm instead
- nn.RMSNorm(
+ nn.LayerNorm(
- RMSNormalization(epsilon
+ LayerNormalization(epsilon
""",
    ),
]


@each(MISTAKES)
def test_a_mistake_is_caught(guarded, framework):
    must_catch(guarded, framework)
