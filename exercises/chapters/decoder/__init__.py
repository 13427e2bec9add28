"""Chapter 7, in the order of its notebook."""

ORDER = (
    "target_mask",
    "shape_of_a_look",
    "cross_attention",
    "only_in_training",
    "one_step",
    "products_saved",
    "first_and_last",
)
