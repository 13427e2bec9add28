"""Chapter 9, in the order of its notebook."""

ORDER = (
    "shift_right",
    "loss_of_real_tokens",
    "label_smoothing",
    "first_loss",
    "warm_up",
    "padding_after_the_end",
    "where_the_weights_are",
)
