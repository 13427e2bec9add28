"""Normalisation, residuals, dropout, feed-forward: mistakes 20 to 25."""

from broken.edit import Guard

import test_decoder
import test_embeddings
import test_encoder
import test_feed_forward
from helpers.configs import CONFIGS

NORM = test_embeddings.test_layer_norm_is_over_features_with_epsilon_inside_the_root
FORMULA = test_feed_forward.test_feed_forward_is_the_formula
POST, PRE = (CONFIGS[name] for name in ("post-LN", "pre-LN"))


LAYERS = [
    *Guard(NORM, "embeddings").catch("""
20: layer norm over time and features
-     return nn.LayerNorm(config.d_model, eps=eps)
+     norm = nn.LayerNorm(config.d_model)
+     norm.forward = lambda x: (
+         (x - x.mean((1, 2), True))
+         / (x.var((1, 2), correction=0, keepdim=True) + eps).sqrt()
+         * norm.weight + norm.bias
+     )
+     return norm
-     norm.build((None, config.d_model))
+     norm.build((None, config.d_model))
+     norm.call = lambda x: (
+         (x - tf.reduce_mean(x, (1, 2), True))
+         / tf.sqrt(tf.math.reduce_variance(x, (1, 2), True) + eps)
+         * norm.gamma + norm.beta
+     )

20: variance divided by d_model - 1
-     return nn.LayerNorm(config.d_model, eps=eps)
+     norm = nn.LayerNorm(config.d_model)
+     norm.forward = lambda x: (
+         (x - x.mean(-1, True))
+         / (x.var(-1, keepdim=True) + eps).sqrt()
+         * norm.weight + norm.bias
+     )
+     return norm
-     norm.build((None, config.d_model))
+     norm.build((None, config.d_model))
+     norm.call = lambda x: (
+         (x - tf.reduce_mean(x, -1, True))
+         / tf.sqrt(eps + tf.math.reduce_variance(x, -1, True)
+                   * x.shape[-1] / (x.shape[-1] - 1))
+         * norm.gamma + norm.beta
+     )

20: epsilon outside the root
-     return nn.LayerNorm(config.d_model, eps=eps)
+     norm = nn.LayerNorm(config.d_model)
+     norm.forward = lambda x: (
+         (x - x.mean(-1, True))
+         / (x.std(-1, correction=0, keepdim=True) + eps)
+         * norm.weight + norm.bias
+     )
+     return norm
-     norm.build((None, config.d_model))
+     norm.build((None, config.d_model))
+     norm.call = lambda x: (
+         (x - tf.reduce_mean(x, -1, True))
+         / (tf.math.reduce_std(x, -1, True) + eps)
+         * norm.gamma + norm.beta
+     )

21: the framework's own epsilon where the checkpoint has another
- nn.LayerNorm(config.d_model, eps=eps)
+ nn.LayerNorm(config.d_model)
- LayerNormalization(epsilon=eps)
+ LayerNormalization()
"""),
    *Guard(
        test_encoder.test_a_layer_equals_pytorch_own,
        "encoder",
        training=False,
        settled=PRE,
    ).catch("""
22: pre-LN: the residual taken after the norm, in the encoder
- y = self.self_attention_norm.before(x)
+ x = y = self.self_attention_norm.before(x)
"""),
    *Guard(
        test_decoder.test_a_layer_equals_pytorch_own,
        "decoder",
        training=False,
        settled=PRE,
    ).catch("""
22: pre-LN: the residual taken after the norm, in the decoder
- y = self.cross_attention_norm.before(x)
+ x = y = self.cross_attention_norm.before(x)
"""),
    *Guard(
        test_encoder.test_the_stack_equals_pytorch_own, "encoder", settled=PRE
    ).catch("""
22: pre-LN: an encoder without the norm at its end
- x = self.norm(x)
+ pass
"""),
    *Guard(
        test_decoder.test_the_stack_equals_pytorch_own, "decoder", settled=PRE
    ).catch("""
22: pre-LN: a decoder without the norm at its end
- x = self.norm(x)
+ pass
"""),
    *Guard(
        test_encoder.test_a_layer_equals_pytorch_own,
        "encoder",
        training=False,
        settled=POST,
    ).catch("""
22: post-LN by its name, pre-LN by its code
- self.norm_first = config.norm_first
+ self.norm_first = True
"""),
    *Guard(
        test_encoder.test_a_layer_equals_pytorch_own,
        "encoder",
        training=True,
        settled=POST,
    ).catch("""
23: the framework's own dropout, 0.5, where the config has another
- nn.Dropout(config.dropout)
+ nn.Dropout()
- keras.layers.Dropout(config.dropout)
+ keras.layers.Dropout(0.5)
"""),
    *Guard(
        test_encoder.test_dropout_is_on_in_training_and_off_after, "encoder"
    ).catch("""
23: dropout also in evaluation
@torch
- self.dropout(output)
+ nn.functional.dropout(output, self.dropout.p)
@tensorflow
- self.dropout(output)
+ self.dropout(output, training=True)
"""),
    *Guard(
        test_embeddings.test_dropout_of_embeddings_acts_in_training_only,
        "embeddings",
        training=False,
    ).catch("""
23: dropout of the embeddings also in evaluation
@torch
- self.dropout(x)
+ nn.functional.dropout(x, self.dropout.p)
@tensorflow
- self.dropout(x)
+ self.dropout(x, training=True)
"""),
    *Guard(
        test_feed_forward.test_dropout_acts_in_training_only,
        "feed_forward",
        training=False,
    ).catch("""
23: dropout of the feed-forward layer also in evaluation
@torch
- self.dropout(inner)
+ nn.functional.dropout(inner, self.dropout.p)
@tensorflow
- self.dropout(inner)
+ self.dropout(inner, training=True)
"""),
    *Guard(FORMULA, "feed_forward", training=False, activation="gelu_tanh").catch("""
24: exact GELU where the checkpoint has the tanh form
- = ACTIVATIONS[activation]
+ = ACTIVATIONS[activation.replace("_tanh", "")]
- = TF_ACTIVATIONS[activation]
+ = TF_ACTIVATIONS[activation.replace("_tanh", "")]
"""),
    *Guard(FORMULA, "feed_forward", training=False, activation="gelu").catch("""
24: the tanh form where the checkpoint has exact GELU
- = ACTIVATIONS[activation]
+ = ACTIVATIONS[activation + "_tanh"]
- = TF_ACTIVATIONS[activation]
+ = TF_ACTIVATIONS[activation + "_tanh"]
"""),
    *Guard(
        test_feed_forward.test_each_position_is_treated_alone,
        "feed_forward",
        training=False,
    ).catch("""
25: a feed-forward layer that reads the position before, too
@torch
- self.expand(x)
+ self.expand(x + x.roll(1, 1))
@tensorflow
- self.expand(x)
+ self.expand(x + tf.roll(x, 1, 1))
"""),
]
