"""Chapter 20, in the order of its notebook, with the section to read again."""

ORDER = {
    "vote_of_three": "Three tries, by hand",
    "vote_over_answers": "Votes",
    "best_of_n": "A verifier",
    "tries_that_agree": "When a vote hurts",
    "break_even": "The account",
    "enough_tries": "Votes",
}
