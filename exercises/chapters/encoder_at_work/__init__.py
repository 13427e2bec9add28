"""Chapter 7, in the order of its notebook, with the section to read again."""

ORDER = {
    "pooled_by_hand": "Sentences as vectors",
    "max_pooling": "Why the mean?",
    "search": "Semantic search",
    "frozen_encoder": "A classifier: praise or complaint",
    "shuffled_labels": "A classifier: praise or complaint",
    "sentence_similarity": "Sentences as vectors",
    "active_units": "Published weights in your encoder",
}
