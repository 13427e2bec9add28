"""Chapter 8, in the order of its notebook."""

ORDER = (
    "target_mask",
    "cross_attention",
    "mask_only_in_training",
    "write_on",
    "cached_step",
    "shapes_with_a_cache",
    "products_saved",
    "causal_encoder",
)
