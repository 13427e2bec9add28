"""Chapter 5, in the order of its notebook."""

ORDER = (
    "relu_by_hand",
    "position_wise",
    "gelu",
    "parameters",
    "loaded_activation",
    "active_units",
)
