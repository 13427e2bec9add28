"""Normalisation, residuals, dropout, feed-forward: mistakes 20 to 25."""

from broken.guard import Guard

import test_choices
import test_decoder
import test_dropout
import test_embeddings
import test_encoder
import test_feed_forward
from helpers.configs import CONFIGS

NORM = test_choices.test_layer_norm_is_over_features_with_epsilon_inside_the_root
FORMULA = test_feed_forward.test_feed_forward_is_the_formula
POST, PRE = (CONFIGS[name] for name in ("post-LN", "pre-LN"))


LAYERS = [
    *Guard(NORM).catch(
        "layer norm over time and features",
        "variance divided by d_model - 1",
        "epsilon outside the root",
        "the framework's own epsilon where the checkpoint has another",
    ),
    *Guard(
        test_encoder.test_a_layer_equals_pytorch_own,
        training=False,
        settled=PRE,
    ).catch("pre-LN: the residual taken after the norm, in the encoder"),
    *Guard(
        test_decoder.test_a_layer_equals_pytorch_own,
        training=False,
        settled=PRE,
    ).catch("pre-LN: the residual taken after the norm, in the decoder"),
    *Guard(test_encoder.test_the_stack_equals_pytorch_own, settled=PRE).catch(
        "pre-LN: an encoder without the norm at its end"
    ),
    *Guard(test_decoder.test_the_stack_equals_pytorch_own, settled=PRE).catch(
        "pre-LN: a decoder without the norm at its end"
    ),
    *Guard(
        test_encoder.test_a_layer_equals_pytorch_own,
        training=False,
        settled=POST,
    ).catch("post-LN by its name, pre-LN by its code"),
    *Guard(
        test_encoder.test_a_layer_equals_pytorch_own,
        training=True,
        settled=POST,
    ).catch("the framework's own dropout, 0.5, where the config has another"),
    *Guard(
        test_dropout.test_each_place_drops_in_training_only, name="SequenceClassifier"
    ).catch("dropout also in evaluation"),
    *Guard(
        test_embeddings.test_dropout_of_embeddings_acts_in_training_only,
        training=False,
    ).catch("dropout of the embeddings also in evaluation"),
    *Guard(
        test_feed_forward.test_dropout_acts_in_training_only,
        training=False,
    ).catch("dropout of the feed-forward layer also in evaluation"),
    *Guard(FORMULA, training=False, activation="gelu_tanh").catch(
        "exact GELU where the checkpoint has the tanh form"
    ),
    *Guard(FORMULA, training=False, activation="gelu").catch(
        "the tanh form where the checkpoint has exact GELU"
    ),
    *Guard(
        test_feed_forward.test_each_position_is_treated_alone,
        training=False,
    ).catch("a feed-forward layer that reads the position before, too"),
]
