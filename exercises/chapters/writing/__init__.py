"""Chapter 13, in the order of its notebook, with the section to read again."""

ORDER = {
    "bits_and_perplexity": "How good is a guess?",
    "overlapping_windows": "Slide the window",
    "temperature_by_hand": "Temperature",
    "two_softmaxes": "Temperature",
    "min_p": "Top-k and top-p",
    "gumbel_draw": "Drawing tokens",
    "repetition_penalty": "The most probable token, again and again",
    "nucleus_of_a_word": "Top-k and top-p",
}
