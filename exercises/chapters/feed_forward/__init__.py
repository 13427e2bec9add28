"""Chapter 5, in the order of its notebook, with the section to read again."""

ORDER = {
    "relu_by_hand": "The smallest feed-forward layer",
    "gated": "The formula",
    "gelu": "Which activation function?",
    "gated_width": "Why four times as wide?",
    "loaded_activation": "The wrong activation function in a trained model",
    "city_neuron": "The real thing: a neuron that responds to cities",
}
