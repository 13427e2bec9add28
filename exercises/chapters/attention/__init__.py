"""Chapter 3, in the order of its notebook."""

ORDER = (
    "score_spread",
    "weights_by_hand",
    "causal_mask",
    "padded_attention",
    "softmax_axis",
    "five_maps",
    "most_even_head",
)
