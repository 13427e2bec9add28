"""Chapter 2, in the order of its notebook."""

ORDER = (
    "she_and_he",
    "sinusoidal_table",
    "left_padding",
    "positions_in_a_batch",
    "position_share",
    "unscaled_logits",
    "train_the_table",
)
