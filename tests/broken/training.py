"""The shift, the loss, the schedule: mistakes 30, 32, 33 and 35."""

from broken.edit import Mistake

import test_properties
import test_training
from helpers.configs import CONFIGS

LOSS = test_training.test_cross_entropy_is_the_papers

TRAINING = [
    Mistake(
        30,
        "no shift: the decoder reads what it is to predict",
        "training",
        {"torch.cat([first, ids[:, :-1]], 1)": "ids"},
        {"tf.concat([first, ids[:, :-1]], 1)": "ids"},
        test_properties.test_a_position_never_reads_what_it_is_to_predict,
        {"training": True, "settled": CONFIGS["post-LN"]},
    ),
    Mistake(
        30,
        "two shifts",
        "training",
        {"[first, ids[:, :-1]]": "[first, first, ids[:, :-2]]"},
        {"[first, ids[:, :-1]]": "[first, first, ids[:, :-2]]"},
        test_training.test_shifting_right_puts_the_beginning_first,
    ),
    Mistake(
        32,
        "the loss counts padding",
        "training",
        {"loss = torch.where(real, loss, 0.0)": "pass"},
        {"loss = tf.where(real, loss, 0.0)": "pass"},
        test_training.test_wider_padding_does_not_move_the_loss,
    ),
    Mistake(
        32,
        "the loss divided by all positions, padding too",
        "training",
        {"loss.sum() / real.sum().clamp(min=1)": "loss.mean()"},
        {"tf.reduce_sum(loss) / tf.maximum(count, 1.0)": "tf.reduce_mean(loss)"},
        test_properties.test_wider_padding_changes_neither_loss_nor_gradients,
        {"training": True},
    ),
    Mistake(
        33,
        "softmax before a loss that takes logits",
        "training",
        {"torch.log_softmax(logits, -1)": "logits.softmax(-1).log_softmax(-1)"},
        {
            "tf.nn.log_softmax(logits, -1)": (
                "tf.nn.log_softmax(tf.nn.softmax(logits, -1), -1)"
            ),
        },
        LOSS,
    ),
    Mistake(
        33,
        "label smoothing that gives mass to padding",
        "training",
        {"allowed = vocab != pad_id": "allowed = vocab >= 0"},
        {"allowed = vocab != pad_id": "allowed = vocab >= 0"},
        LOSS,
    ),
    Mistake(
        35,
        "warm-up off by one: no learning at the first step",
        "training",
        {"slope = min(step**-0.5, step *": "slope = min(step**-0.5, (step - 1) *"},
        {"slope = min(step**-0.5, step *": "slope = min(step**-0.5, (step - 1) *"},
        test_training.test_the_papers_schedule_is_its_formula,
    ),
    Mistake(
        35,
        "steps counted from 0: a division by zero, or no learning",
        "training",
        {"enumerate(progress, start=1)": "enumerate(progress)"},
        {"enumerate(progress, start=1)": "enumerate(progress)"},
        test_training.test_the_schedule_is_asked_for_each_step_from_1_on,
    ),
]
