"""Chapter 1, in the order of its notebook, with the section to read again."""

ORDER = {
    "merge_order": "Encode: replay the merges",
    "likeliest_pair": "WordPiece: the longest piece first",
    "longest_first": "WordPiece: the longest piece first",
    "half_a_character": "Start with bytes",
    "left_padding": "Batches: padding and its mask",
    "another_language": "How large should the vocabulary be?",
    "own_vocabulary": "Learn the merges",
}
