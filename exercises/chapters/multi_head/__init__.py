"""Chapter 4, in the order of its notebook."""

ORDER = (
    "one_matrix",
    "which_numbers",
    "split_late",
    "mixed_up_heads",
    "own_sizes",
    "neighbour_head",
)
