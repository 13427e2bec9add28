"""The checked parts of the capstones, in the order of their notebook."""

ORDER = (
    "fair_split",
    "exact_by_length",
    "five_symptoms",
    "head_scores",
    "held_out_head",
    "paired_lead",
    "sure_enough",
)
