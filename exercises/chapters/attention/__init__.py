"""Chapter 3, in the order of its notebook."""

ORDER = (
    "spread",
    "weights_by_hand",
    "causal_mask",
    "lengths",
    "five_lines",
    "even_head",
)
