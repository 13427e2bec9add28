"""Chapter 6, in the order of its notebook."""

ORDER = (
    "layer_norm_by_hand",
    "layer_norm",
    "pre_ln_stack",
    "parameters",
    "lost_mask",
    "alike_positions",
)
