"""Rotary positions: mistake 36."""

from broken.guard import Guard

import test_grouped_query
import test_rotary

ROTARY = [
    *Guard(test_rotary.test_a_rotation_is_a_product_of_complex_numbers, start=7).catch(
        "rotary: neighbours paired where the checkpoint pairs halves",
        "rotary: turned the other way",
        "rotary: the base to the power of i / d_k",
        "rotary: positions begin again at 0 with every cached token",
    ),
    *Guard(test_rotary.test_where_a_text_begins_does_not_matter).catch(
        "rotary: keys are turned, queries are not",
        "rotary: values are turned, too",
    ),
    *Guard(
        test_grouped_query.test_the_cache_holds_the_shared_heads_alone_and_changes_nothing
    ).catch("rotary: a new key's position without those before it"),
]
