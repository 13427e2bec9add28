"""RMSNorm: mistake 37."""

from readymade.museum.exhibits import exhibits

RMS_NORM = [
    *exhibits(
        "choices",
        """
37: RMSNorm: the mean subtracted, as in layer norm
- nn.RMSNorm(config.d_model, eps=eps)
+ nn.LayerNorm(config.d_model, eps, bias=False)
- keras.layers.RMSNormalization(epsilon=eps)
+ keras.layers.LayerNormalization(epsilon=eps, center=False)

37: RMSNorm: over positions and features
-         return nn.RMSNorm(config.d_model, eps=eps)
+         norm = nn.RMSNorm(config.d_model)
+         norm.forward = lambda x: norm.weight * (
+             x / (x.pow(2).mean((1, 2), True) + eps).sqrt()
+         )
+         return norm
-     norm.build((None, config.d_model))
+     norm.build((None, config.d_model))
+     if config.norm == "rms":
+         norm.call = lambda x: norm.scale * (
+             x / tf.sqrt(tf.reduce_mean(x**2, (1, 2), True) + eps)
+         )

37: RMSNorm: the gain taken for its distance from 1
-         return nn.RMSNorm(config.d_model, eps=eps)
+         norm = nn.RMSNorm(config.d_model)
+         norm.forward = lambda x: nn.functional.rms_norm(
+             x, x.shape[-1:], 1 + norm.weight, eps
+         )
+         return norm
-     norm.build((None, config.d_model))
+     norm.build((None, config.d_model))
+     if config.norm == "rms":
+         norm.call = lambda x: (1 + norm.scale) * (
+             x / tf.sqrt(tf.reduce_mean(x**2, -1, True) + eps)
+         )

37: RMSNorm: epsilon outside the root
-         return nn.RMSNorm(config.d_model, eps=eps)
+         norm = nn.RMSNorm(config.d_model)
+         norm.forward = lambda x: norm.weight * (
+             x / (x.pow(2).mean(-1, True).sqrt() + eps)
+         )
+         return norm
-     norm.build((None, config.d_model))
+     norm.build((None, config.d_model))
+     if config.norm == "rms":
+         norm.call = lambda x: norm.scale * (
+             x / (tf.sqrt(tf.reduce_mean(x**2, -1, True)) + eps)
+         )
""",
    ),
]
