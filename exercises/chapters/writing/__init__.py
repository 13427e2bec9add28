"""Chapter 12, in the order of its notebook."""

ORDER = (
    "bits_and_perplexity",
    "overlapping_windows",
    "temperature_by_hand",
    "two_softmaxes",
    "min_p",
    "gumbel_draw",
    "repetition_penalty",
    "nucleus_of_a_word",
)
