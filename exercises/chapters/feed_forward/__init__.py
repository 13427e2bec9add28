"""Chapter 5, in the order of its notebook."""

ORDER = (
    "sorted_by_hand",
    "position_wise",
    "gelu",
    "parameters",
    "loaded_activation",
    "how_many_say_yes",
)
