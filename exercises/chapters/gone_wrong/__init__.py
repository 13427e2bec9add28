"""Chapter 15, in the order of its notebook, with the section to read again."""

ORDER = {
    "padded_loss": "Right alone, wrong in a batch",
    "lowest_loss": "It doesn't learn, or learns too little",
    "who_reads_whom": "Which checks to write first",
    "silent_test": "Which checks to write first",
    "first_difference": "A table for diagnosis",
    "sick_minilm": "Published weights in a broken model",
}
