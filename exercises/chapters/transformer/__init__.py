"""Chapter 9, in the order of its notebook."""

ORDER = (
    "first_loss",
    "warm_up",
    "label_smoothing",
    "train_without_padding",
    "padding_after_the_end",
    "smallest_transformer",
    "where_the_weights_are",
)
