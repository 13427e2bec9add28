"""Normalisation, residuals, dropout, feed-forward: mistakes 20 to 25."""

from broken.edit import Mistake

import test_decoder
import test_embeddings
import test_encoder
import test_feed_forward
from helpers.configs import CONFIGS

NORM = test_embeddings.test_layer_norm_is_over_features_with_epsilon_inside_the_root
FORMULA = test_feed_forward.test_feed_forward_is_the_formula
POST, PRE = (CONFIGS[name] for name in ("post-LN", "pre-LN"))


def norm_that_computes(torch, tensorflow):
    """Return the edits of both packages that give layer norm another formula."""
    return (
        {
            "return nn.LayerNorm(config.d_model, eps=eps)": (
                "norm = nn.LayerNorm(config.d_model)\n"
                f"    norm.forward = lambda x: {torch} * norm.weight + norm.bias\n"
                "    return norm"
            ),
        },
        {
            "norm.build((None, config.d_model))": (
                "norm.build((None, config.d_model))\n"
                f"    norm.call = lambda x: {tensorflow} * norm.gamma + norm.beta"
            ),
        },
    )


LAYERS = [
    Mistake(
        20,
        "layer norm over time and features",
        "embeddings",
        *norm_that_computes(
            "(x - x.mean((1, 2), True))"
            " / (x.var((1, 2), correction=0, keepdim=True) + eps).sqrt()",
            "(x - tf.reduce_mean(x, (1, 2), True))"
            " / tf.sqrt(tf.math.reduce_variance(x, (1, 2), True) + eps)",
        ),
        NORM,
    ),
    Mistake(
        20,
        "variance divided by d_model - 1",
        "embeddings",
        *norm_that_computes(
            "(x - x.mean(-1, True)) / (x.var(-1, keepdim=True) + eps).sqrt()",
            "(x - tf.reduce_mean(x, -1, True)) / tf.sqrt(eps +"
            " tf.math.reduce_variance(x, -1, True) * x.shape[-1] / (x.shape[-1] - 1))",
        ),
        NORM,
    ),
    Mistake(
        20,
        "epsilon outside the root",
        "embeddings",
        *norm_that_computes(
            "(x - x.mean(-1, True)) / (x.std(-1, correction=0, keepdim=True) + eps)",
            "(x - tf.reduce_mean(x, -1, True))"
            " / (tf.math.reduce_std(x, -1, True) + eps)",
        ),
        NORM,
    ),
    Mistake(
        21,
        "the framework's own epsilon where the checkpoint has another",
        "embeddings",
        {"nn.LayerNorm(config.d_model, eps=eps)": "nn.LayerNorm(config.d_model)"},
        {"LayerNormalization(epsilon=eps)": "LayerNormalization()"},
        NORM,
    ),
    Mistake(
        22,
        "pre-LN: the residual taken after the norm, in the encoder",
        "encoder",
        {
            "y = self.self_attention_norm.before(x)": (
                "x = y = self.self_attention_norm.before(x)"
            )
        },
        {
            "y = self.self_attention_norm.before(x)": (
                "x = y = self.self_attention_norm.before(x)"
            )
        },
        test_encoder.test_a_layer_equals_pytorch_own,
        {"training": False, "settled": PRE},
    ),
    Mistake(
        22,
        "pre-LN: the residual taken after the norm, in the decoder",
        "decoder",
        {
            "y = self.cross_attention_norm.before(x)": (
                "x = y = self.cross_attention_norm.before(x)"
            )
        },
        {
            "y = self.cross_attention_norm.before(x)": (
                "x = y = self.cross_attention_norm.before(x)"
            )
        },
        test_decoder.test_a_layer_equals_pytorch_own,
        {"training": False, "settled": PRE},
    ),
    Mistake(
        22,
        "pre-LN: an encoder without the norm at its end",
        "encoder",
        {"            x = self.norm(x)": "            pass"},
        {"            x = self.norm(x)": "            pass"},
        test_encoder.test_the_stack_equals_pytorch_own,
        {"settled": PRE},
    ),
    Mistake(
        22,
        "pre-LN: a decoder without the norm at its end",
        "decoder",
        {"            x = self.norm(x)": "            pass"},
        {"            x = self.norm(x)": "            pass"},
        test_decoder.test_the_stack_equals_pytorch_own,
        {"settled": PRE},
    ),
    Mistake(
        22,
        "post-LN by its name, pre-LN by its code",
        "encoder",
        {"self.norm_first = config.norm_first": "self.norm_first = True"},
        {"self.norm_first = config.norm_first": "self.norm_first = True"},
        test_encoder.test_a_layer_equals_pytorch_own,
        {"training": False, "settled": POST},
    ),
    Mistake(
        23,
        "the framework's own dropout, 0.5, where the config has another",
        "encoder",
        {"nn.Dropout(config.dropout)": "nn.Dropout()"},
        {"keras.layers.Dropout(config.dropout)": "keras.layers.Dropout(0.5)"},
        test_encoder.test_a_layer_equals_pytorch_own,
        {"training": True, "settled": POST},
    ),
    Mistake(
        23,
        "dropout also in evaluation",
        "encoder",
        {"self.dropout(output)": "nn.functional.dropout(output, self.dropout.p)"},
        {"self.dropout(output)": "self.dropout(output, training=True)"},
        test_encoder.test_dropout_is_on_in_training_and_off_after,
    ),
    Mistake(
        23,
        "dropout of the embeddings also in evaluation",
        "embeddings",
        {"self.dropout(x)": "nn.functional.dropout(x, self.dropout.p)"},
        {"self.dropout(x)": "self.dropout(x, training=True)"},
        test_embeddings.test_dropout_of_embeddings_acts_in_training_only,
        {"training": False},
    ),
    Mistake(
        23,
        "dropout of the feed-forward layer also in evaluation",
        "feed_forward",
        {"self.dropout(inner)": "nn.functional.dropout(inner, self.dropout.p)"},
        {"self.dropout(inner)": "self.dropout(inner, training=True)"},
        test_feed_forward.test_dropout_acts_in_training_only,
        {"training": False},
    ),
    Mistake(
        24,
        "exact GELU where the checkpoint has the tanh form",
        "feed_forward",
        {"= ACTIVATIONS[activation]": '= ACTIVATIONS[activation.replace("_tanh", "")]'},
        {
            "= TF_ACTIVATIONS[activation]": (
                '= TF_ACTIVATIONS[activation.replace("_tanh", "")]'
            ),
        },
        FORMULA,
        {"training": False, "activation": "gelu_tanh"},
    ),
    Mistake(
        24,
        "the tanh form where the checkpoint has exact GELU",
        "feed_forward",
        {"= ACTIVATIONS[activation]": '= ACTIVATIONS[activation + "_tanh"]'},
        {"= TF_ACTIVATIONS[activation]": '= TF_ACTIVATIONS[activation + "_tanh"]'},
        FORMULA,
        {"training": False, "activation": "gelu"},
    ),
    Mistake(
        25,
        "a feed-forward layer that reads the position before, too",
        "feed_forward",
        {"self.expand(x)": "self.expand(x + x.roll(1, 1))"},
        {"self.expand(x)": "self.expand(x + tf.roll(x, 1, 1))"},
        test_feed_forward.test_each_position_is_treated_alone,
        {"training": False},
    ),
]
