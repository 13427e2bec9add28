"""Chapter 5, in the order of its notebook."""

ORDER = (
    "relu_by_hand",
    "gated",
    "gelu",
    "gated_width",
    "loaded_activation",
    "city_neuron",
)
