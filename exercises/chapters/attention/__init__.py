"""Chapter 3, in the order of its notebook, with the section to read again."""

ORDER = {
    "weights_by_hand": "Masks: what may a word attend to?",
    "score_spread": r"Why divide by $\sqrt{d_k}$?",
    "causal_mask": "Masks: what may a word attend to?",
    "padded_attention": "A row with nothing to attend to",
    "softmax_axis": "The function",
    "five_maps": "The mask belongs before the softmax",
    "most_even_head": "At work in a real model",
}
