"""The shift, the loss, the schedule: mistakes 30, 32, 33 and 35."""

from broken.edit import Guard

import test_properties
import test_training
from helpers.configs import CONFIGS

LOSS = test_training.test_cross_entropy_is_the_papers

TRAINING = [
    *Guard(
        test_properties.test_a_position_never_reads_what_it_is_to_predict,
        "training",
        training=True,
        settled=CONFIGS["post-LN"],
    ).catch("""
30: no shift: the decoder reads what it is to predict
- torch.cat([first, ids[:, :-1]], 1)
+ ids
- tf.concat([first, ids[:, :-1]], 1)
+ ids
"""),
    *Guard(
        test_training.test_shifting_right_puts_the_beginning_first, "training"
    ).catch("""
30: two shifts
- [first, ids[:, :-1]]
+ [first, first, ids[:, :-2]]
"""),
    *Guard(
        test_training.test_wider_padding_does_not_move_the_loss, "training"
    ).catch("""
32: the loss counts padding
- loss = torch.where(real, loss, 0.0)
+ pass
- loss = tf.where(real, loss, 0.0)
+ pass
"""),
    *Guard(
        test_properties.test_wider_padding_changes_neither_loss_nor_gradients,
        "training",
        training=True,
    ).catch("""
32: the loss divided by all positions, padding too
- loss.sum() / real.sum().clamp(min=1)
+ loss.mean()
- tf.reduce_sum(loss) / tf.maximum(count, 1.0)
+ tf.reduce_mean(loss)
"""),
    *Guard(LOSS, "training").catch("""
33: softmax before a loss that takes logits
- torch.log_softmax(logits, -1)
+ logits.softmax(-1).log_softmax(-1)
- tf.nn.log_softmax(logits, -1)
+ tf.nn.log_softmax(tf.nn.softmax(logits, -1), -1)

33: label smoothing that gives mass to padding
- allowed = vocab != pad_id
+ allowed = vocab >= 0
"""),
    *Guard(test_training.test_the_papers_schedule_is_its_formula, "training").catch("""
35: warm-up off by one: no learning at the first step
- slope = min(step**-0.5, step *
+ slope = min(step**-0.5, (step - 1) *
"""),
    *Guard(
        test_training.test_the_schedule_is_asked_for_each_step_from_1_on, "training"
    ).catch("""
35: steps counted from 0: a division by zero, or no learning
- enumerate(progress, start=1)
+ enumerate(progress)
"""),
]
