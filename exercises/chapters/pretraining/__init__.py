"""Chapter 10, in the order of its notebook, with the section to read again."""

ORDER = {
    "eighty_ten_ten": "Masked words",
    "mask_words": "Masked words",
    "counted_places": "Only the chosen places count",
    "late_targets": "Masked words",
    "masked_loss": "Only the chosen places count",
    "next_halves": "Next sentence, and a shortcut",
    "one_at_a_time": "Held-out words",
}
