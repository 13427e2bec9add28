"""Chapter 2, in the order of its notebook."""

ORDER = (
    "nearest_word",
    "sinusoidal_table",
    "add_positions",
    "positions_in_a_batch",
    "embedding_scale",
    "first_logits",
)
