"""Rotary positions, RMSNorm, SwiGLU, grouped queries: mistakes 36 to 39."""

from broken.guard import Guard

import test_todays_decoder as tests

TODAYS_DECODER = [
    *Guard(tests.test_a_rotation_is_a_product_of_complex_numbers, start=7).catch(
        "rotary: neighbours paired where the checkpoint pairs halves",
        "rotary: turned the other way",
        "rotary: the base to the power of i / d_k",
        "rotary: positions begin again at 0 with every cached token",
    ),
    *Guard(tests.test_positions_matter_and_padding_on_the_left_does_not).catch(
        "rotary: keys are turned, queries are not",
        "rotary: values are turned, too",
    ),
    *Guard(tests.test_the_cache_holds_the_shared_heads_alone_and_changes_nothing).catch(
        "rotary: a new key's position without those before it"
    ),
    *Guard(tests.test_rms_norm_is_the_formula_and_the_library_own).catch(
        "RMSNorm: the mean subtracted, as in layer norm",
        "RMSNorm: over positions and features",
        "RMSNorm: the gain taken for its distance from 1",
        "RMSNorm: epsilon outside the root",
    ),
    *Guard(tests.test_swiglu_is_the_formula).catch(
        "SwiGLU: the activation on the wrong branch",
        "SwiGLU: the sigmoid alone at the gate",
        "SwiGLU: the branches added",
    ),
    *Guard(tests.test_a_group_of_heads_reads_the_same_keys, need_weights=True).catch(
        "grouped queries: heads dealt out in turn, not group by group",
        "grouped queries: the mask in another order than the queries",
    ),
]
