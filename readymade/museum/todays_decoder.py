"""Rotary positions, RMSNorm, SwiGLU, grouped queries: mistakes 36 to 39."""

from readymade.museum.exhibits import exhibits

TODAYS_DECODER = [
    *exhibits(
        "todays_decoder",
        """
36: rotary: neighbours paired where the checkpoint pairs halves
- torch.cat([-angle, angle], 0)
+ torch.stack([-angle, angle], 1).flatten()
-     swapped = x.roll(d_k // 2, -1)
+     at = torch.arange(d_k, device=x.device)
+     swapped = x[..., at + 1 - 2 * (at % 2)]
- tf.concat([-angle, angle], 0)
+ tf.reshape(tf.stack([-angle, angle], 1), (d_k,))
-     swapped = tf.roll(x, d_k // 2, -1)
+     at = tf.range(d_k)
+     swapped = tf.gather(x, at + 1 - 2 * (at % 2), axis=-1)

36: rotary: turned the other way
- [-angle, angle]
+ [angle, -angle]

36: rotary: the base to the power of i / d_k
- base ** (-even / d_k)
+ base ** (-even / d_k / 2)

36: rotary: keys are turned, queries are not
- self.turned(self.query_norm(query), start)
+ self.query_norm(query)

36: rotary: values are turned, too
-         return key, value
+         return key, self.turned(value, start)

36: rotary: positions begin again at 0 with every cached token
- torch.arange(start, stop
+ torch.arange(0, length
- tf.range(start, start + length)
+ tf.range(length)
""",
    ),
    *exhibits(
        "decoder",
        """
36: rotary: a new key's position without those before it
- project(y, y, start)
+ project(y, y)
""",
    ),
    *exhibits(
        "embeddings",
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
    *exhibits(
        "todays_decoder",
        """
38: SwiGLU: the activation on the wrong branch
- silu(self.gate(x)) * self.expand(x)
+ silu(self.expand(x)) * self.gate(x)

38: SwiGLU: the sigmoid alone at the gate
- silu(self.gate(x))
+ sigmoid(self.gate(x))

38: SwiGLU: the branches added
- silu(self.gate(x)) * self
+ silu(self.gate(x)) + self

39: grouped queries: heads dealt out in turn, not group by group
- query = query.reshape(
+ query = query.unflatten(1, (group, num_kv_heads)).transpose(1, 2).reshape(
-     query = tf.reshape(query, shape)
+     parts = (batch, group, num_kv_heads, length, size)
+     query = tf.transpose(tf.reshape(query, parts), (0, 2, 1, 3, 4))
+     query = tf.reshape(query, shape)

39: grouped queries: the mask in another order than the queries
- return query, mask.reshape(
+ return query, mask.transpose(1, 2).reshape(
-     shape = (many, shared, rows, keys)
+     mask = tf.transpose(mask, (0, 2, 1, 3))
+     shape = (many, shared, rows, keys)
""",
    ),
]
