"""Chapter 17, in the order of its notebook, with the section to read again."""

ORDER = {
    "two_means": "The right average",
    "own_share": "One batch, two workers",
    "local_loss": "The right average",
    "parts_of_a_batch": "The same sum, part by part",
    "ring": "One batch, two workers",
    "seconds_by_hand": "What a thousand GPUs would gain",
    "sharded_memory": "When the model doesn't fit: sharding",
    "small_updates": "Mixed precision",
    "half_precision": "Mixed precision",
    "after_the_crash": "Killed, and resumed",
}
