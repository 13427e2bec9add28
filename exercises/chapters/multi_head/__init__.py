"""Chapter 4, in the order of its notebook, with the section to read again."""

ORDER = {
    "parameters": "Heads of other sizes",
    "reshaped_numbers": "What happens without the transpose",
    "one_matrix": "All heads at once",
    "length_first": "All heads at once",
    "mixed_up_heads": "What happens without the transpose",
    "neighbour_head": "A score for each role",
    "multi_query": "The layer",
}
