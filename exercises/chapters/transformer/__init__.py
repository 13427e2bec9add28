"""Chapter 9, in the order of its notebook, with the section to read again."""

ORDER = {
    "first_loss": "The loss",
    "warm_up": "The learning rate schedule",
    "label_smoothing": "The loss",
    "train_without_padding": "Padding does not count",
    "padding_after_the_end": "Greedy search and beam search",
    "smallest_transformer": "The whole model",
    "where_the_weights_are": "The whole model",
}
