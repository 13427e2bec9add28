"""The shift, the loss, the schedule: mistakes 30, 32, 33 and 35."""

from broken.guard import Guard

import test_properties
import test_training
from helpers.configs import CONFIGS

LOSS = test_training.test_cross_entropy_is_the_papers

TRAINING = [
    *Guard(
        test_properties.test_a_position_never_reads_what_it_is_to_predict,
        training=True,
        settled=CONFIGS["post-LN"],
    ).catch("no shift: the decoder reads what it is to predict"),
    *Guard(test_training.test_shifting_right_puts_the_beginning_first).catch(
        "two shifts"
    ),
    *Guard(test_training.test_wider_padding_does_not_move_the_loss).catch(
        "the loss counts padding"
    ),
    *Guard(
        test_properties.test_wider_padding_changes_neither_loss_nor_gradients,
        training=True,
    ).catch("the loss divided by all positions, padding too"),
    *Guard(LOSS).catch(
        "softmax before a loss that takes logits",
        "label smoothing that gives mass to padding",
    ),
    *Guard(test_training.test_the_papers_schedule_is_its_formula).catch(
        "warm-up off by one: no learning at the first step"
    ),
    *Guard(test_training.test_the_schedule_is_asked_for_each_step_from_1_on).catch(
        "steps counted from 0: a division by zero, or no learning"
    ),
]
