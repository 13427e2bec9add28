"""Chapter 8, in the order of its notebook."""

ORDER = (
    "target_mask",
    "cross_attention_shape",
    "cross_attention",
    "mask_only_in_training",
    "cached_step",
    "products_saved",
    "causal_encoder",
)
