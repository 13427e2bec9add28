"""Layer norm, residuals, dropout, feed-forward: mistakes 20 to 25."""

from readymade.museum.exhibits import exhibits

LAYERS = [
    *exhibits(
        "choices",
        """
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
""",
    ),
    *exhibits(
        "encoder",
        """
22: pre-LN: the residual taken after the norm, in the encoder
- y = self.self_attention_norm.before(x)
+ x = y = self.self_attention_norm.before(x)
""",
    ),
    *exhibits(
        "decoder",
        """
22: pre-LN: the residual taken after the norm, in the decoder
- y = self.cross_attention_norm.before(x)
+ x = y = self.cross_attention_norm.before(x)
""",
    ),
    *exhibits(
        "encoder",
        """
22: pre-LN: an encoder without the norm at its end
- x = self.norm(x)
+ pass
""",
    ),
    *exhibits(
        "decoder",
        """
22: pre-LN: a decoder without the norm at its end
- x = self.norm(x)
+ pass
""",
    ),
    *exhibits(
        "add_and_norm",
        """
22: post-LN by its name, pre-LN by its code
- self.norm_first = config.norm_first
+ self.norm_first = True

23: the framework's own dropout, 0.5, where the config has another
- nn.Dropout(config.dropout)
+ nn.Dropout()
- keras.layers.Dropout(config.dropout)
+ keras.layers.Dropout(0.5)

23: dropout also in evaluation
@torch
- self.dropout(output)
+ nn.functional.dropout(output, self.dropout.p)
@tensorflow
- self.dropout(output)
+ self.dropout(output, training=True)
""",
    ),
    *exhibits(
        "embeddings",
        """
23: dropout of the embeddings also in evaluation
@torch
- self.dropout(x)
+ nn.functional.dropout(x, self.dropout.p)
@tensorflow
- self.dropout(x)
+ self.dropout(x, training=True)
""",
    ),
    *exhibits(
        "feed_forward",
        """
23: dropout of the feed-forward layer also in evaluation
@torch
- self.dropout(inner)
+ nn.functional.dropout(inner, self.dropout.p)
@tensorflow
- self.dropout(inner)
+ self.dropout(inner, training=True)

24: exact GELU where the checkpoint has the tanh form
- = ACTIVATIONS[activation]
+ = ACTIVATIONS[activation.replace("_tanh", "")]
- = TF_ACTIVATIONS[activation]
+ = TF_ACTIVATIONS[activation.replace("_tanh", "")]

24: the tanh form where the checkpoint has exact GELU
- = ACTIVATIONS[activation]
+ = ACTIVATIONS[activation.replace("gelu", "gelu_tanh")]
- = TF_ACTIVATIONS[activation]
+ = TF_ACTIVATIONS[activation.replace("gelu", "gelu_tanh")]

25: a feed-forward layer that reads the position before, too
@torch
- self.expand(x)
+ self.expand(x + x.roll(1, 1))
@tensorflow
- self.expand(x)
+ self.expand(x + tf.roll(x, 1, 1))
""",
    ),
]
