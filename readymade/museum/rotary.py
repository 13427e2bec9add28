"""Rotary positions: mistake 36."""

from readymade.museum.exhibits import exhibits

ROTARY = [
    *exhibits(
        "rotary",
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
""",
    ),
    *exhibits(
        "grouped_query",
        """
36: rotary: keys are turned, queries are not
- self.turned(self.query_norm(query), start)
+ self.query_norm(query)

36: rotary: values are turned, too
-         return key, value
+         return key, self.turned(value, start)
""",
    ),
    *exhibits(
        "rotary",
        """
36: rotary: positions begin again at 0 with every cached token
- torch.arange(length, device=x.device) + start
+ torch.arange(length, device=x.device)
- tf.range(length) + start
+ tf.range(length)
""",
    ),
    *exhibits(
        "kv_cache",
        """
36: rotary: a new key's position without those before it
- project(x, x, start)
+ project(x, x)
""",
    ),
]
