"""Chapter 2, in the order of its notebook, with the section to read again."""

ORDER = {
    "token_plus_position": "Order gets lost",
    "she_and_he": "Word analogies",
    "sinusoidal_table": "Sinusoidal positions",
    "left_padding": "The complete layer",
    "positions_in_a_batch": "Learned positions",
    "position_share": r"The factor $\sqrt{d_\text{model}}$",
    "unscaled_logits": r"The factor $\sqrt{d_\text{model}}$",
    "train_the_table": "How a table is trained",
}
