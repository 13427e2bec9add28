"""Chapter 21, in the order of its notebook, with the section to read again."""

ORDER = {
    "tokens_of_a_picture": "The embeddings of a picture",
    "picture_from_patches": "A picture becomes a sequence",
    "overlapping_windows": "A picture becomes a sequence",
    "cls_and_registers": "The embeddings of a picture",
    "rollout_by_hand": "What does [CLS] read?",
    "digits_put_together": "From a picture to words",
    "reader_loss": "From a picture to words",
    "repeated_numbers": "One space for pictures and words",
}
