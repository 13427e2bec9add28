"""Chapter 1, in the order of its notebook."""

ORDER = (
    "best_pair",
    "merge_order",
    "longest_first",
    "truncated_pair",
    "padded_batch",
    "another_language",
)
