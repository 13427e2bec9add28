"""Requests that share steps, and guessed tokens: mistakes 46 and 47."""

from broken.guard import Guard

import test_serving
import test_speculation

SERVING = [
    *Guard(test_serving.test_rows_of_a_step_know_nothing_of_each_other).catch(
        "a step: each row at the position of the longest",
        "a step: what fills a row up, another request's keys, not hidden",
        "a step: the random numbers of a slot, not of the request",
    ),
    *Guard(test_serving.test_drafts_and_remainders_make_the_target).catch(
        "a rejected guess: drawn again from the target",
        "a rejected guess: the remainder not divided by its sum",
        "a guess accepted with the target's probability, whatever the draft's",
    ),
    *Guard(test_speculation.test_the_token_after_the_last_guess_is_the_models).catch(
        "the token after the last guess written by the draft"
    ),
]
