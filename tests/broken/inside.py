"""Looking inside: mistakes 44 and 45."""

from broken.guard import Guard

import test_inside as tests

INSIDE = [
    *Guard(tests.test_the_first_input_is_changed_by_place_or_by_name).catch(
        "a patch: the output changed in place of the input, where heads are apart"
    ),
    *Guard(tests.test_a_head_is_a_block_of_columns_before_the_projection).catch(
        "a recording: the output in place of the input"
    ),
    *Guard(tests.test_a_change_in_place_stays_inside).catch(
        "a patch overwrites what was recorded"
    ),
    *Guard(tests.test_what_a_layer_returns_is_changed_and_then_back).catch(
        "a patch stays after its block"
    ),
    *Guard(tests.test_edits_nest_and_end_whatever_happens).catch(
        "a patch within another ends both",
        "a patch stays if its block ends with an error",
    ),
]
