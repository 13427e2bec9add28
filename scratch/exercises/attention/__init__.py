"""Chapter 3, in the order of its notebook."""

ORDER = ("weights_by_hand", "causal_mask")
