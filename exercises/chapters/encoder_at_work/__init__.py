"""Chapter 7, in the order of its notebook."""

ORDER = (
    "pooled_by_hand",
    "max_pooling",
    "search",
    "frozen_encoder",
    "shuffled_labels",
    "sentence_similarity",
    "active_units",
)
