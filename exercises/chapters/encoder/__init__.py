"""Chapter 6, in the order of its notebook."""

ORDER = (
    "normed_row",
    "layer_norm",
    "pre_ln_stack",
    "parameters",
    "lost_mask",
    "how_alike",
)
