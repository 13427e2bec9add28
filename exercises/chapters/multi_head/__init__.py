"""Chapter 4, in the order of its notebook, with the section to read again."""

ORDER = {
    "one_matrix": "All heads at once",
    "reshaped_numbers": "What happens without the transpose",
    "length_first": "All heads at once",
    "mixed_up_heads": "What happens without the transpose",
    "parameters": "The layer",
    "neighbour_head": "A score for each role",
    "multi_query": "The layer",
}
