"""The gated feed-forward layer, SwiGLU: mistake 38."""

from readymade.museum.exhibits import exhibits

GATED_FEED_FORWARD = [
    *exhibits(
        "gated_feed_forward",
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
""",
    ),
]
