"""Chapter 14, in the order of its notebook."""

ORDER = (
    "padded_loss",
    "lowest_loss",
    "who_reads_whom",
    "silent_test",
    "first_difference",
    "sick_minilm",
)
