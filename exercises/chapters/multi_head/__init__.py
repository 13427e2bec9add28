"""Chapter 4, in the order of its notebook."""

ORDER = (
    "one_matrix",
    "reshaped_numbers",
    "length_first",
    "mixed_up_heads",
    "parameters",
    "neighbour_head",
    "multi_query",
)
