"""Chapter 11, in the order of its notebook."""

ORDER = (
    "layer_rates",
    "count_windows",
    "train_ends",
    "allowed_span",
    "f1_score",
    "read_the_question",
    "low_rank",
    "lora_parameters",
)
