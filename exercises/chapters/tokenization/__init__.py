"""Chapter 1, in the order of its notebook."""

ORDER = (
    "likeliest_pair",
    "merge_order",
    "longest_first",
    "half_a_character",
    "left_padding",
    "another_language",
    "own_vocabulary",
)
