"""Chapter 8, in the order of its notebook."""

ORDER = (
    "shift_right",
    "loss_of_real_tokens",
    "unsure_target",
    "first_loss",
    "warm_up",
    "end_of_a_row",
    "where_the_weights_are",
)
