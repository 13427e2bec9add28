"""Chapter 2, in the order of its notebook."""

ORDER = (
    "nearest_word",
    "wave_table",
    "add_positions",
    "tiled",
    "too_loud",
    "first_logits",
)
