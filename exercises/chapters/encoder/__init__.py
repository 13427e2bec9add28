"""Chapter 6, in the order of its notebook, with the section to read again."""

ORDER = {
    "layer_norm_by_hand": "Three ways to get layer norm wrong",
    "layer_norm": "Three ways to get layer norm wrong",
    "pre_ln_stack": "Pre-LN and post-LN",
    "parameters": "Counting its parameters",
    "lost_mask": "Padding inside the encoder",
    "alike_positions": "Repeated means",
}
