"""Chapter 1, in the order of its notebook."""

ORDER = (
    "best_pair",
    "by_rank",
    "longest_first",
    "room_for_two",
    "padded",
    "another_language",
)
