"""Chapter 15, in the order of its notebook."""

ORDER = (
    "own_share",
    "local_loss",
    "parts_of_a_batch",
    "ring",
    "seconds_by_hand",
    "sharded_memory",
    "small_updates",
    "half_precision",
    "after_the_crash",
)
