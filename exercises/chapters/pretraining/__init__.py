"""Chapter 10, in the order of its notebook, with the section to read again."""

ORDER = {
    "eighty_ten_ten": "Masked words",
    "mask_words": "Masked words",
    "counted_places": "The loss counts the chosen places only",
    "late_targets": "Masked words",
    "masked_loss": "The loss counts the chosen places only",
    "next_halves": "Next sentence, and a shortcut",
    "one_at_a_time": "Held-out words",
}
