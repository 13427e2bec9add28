"""Chapter 10, in the order of its notebook."""

ORDER = (
    "eighty_ten_ten",
    "mask_words",
    "counted_places",
    "late_targets",
    "masked_loss",
    "next_halves",
    "one_at_a_time",
)
