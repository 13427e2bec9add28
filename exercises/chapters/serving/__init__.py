"""Chapter 19, in the order of its notebook, with the section to read again."""

ORDER = {
    "acceptance_by_hand": "A guess, checked",
    "checked_guesses": "A guess, checked",
    "tokens_per_call": "A guess, checked",
    "rejected_keys": "A guess, checked",
    "places_of_tokens": "Blocks",
    "rows_of_other_lengths": "Requests that share steps",
    "steps_by_hand": "Requests that share steps",
    "quantized_groups": "Fewer bits",
}
