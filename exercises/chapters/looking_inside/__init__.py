"""Chapter 18, in the order of its notebook, with the section to read again."""

ORDER = {
    "induction_score": "Does training find it?",
    "previous_token_head": "A circuit by hand",
    "direct_contributions": "The stream is a sum",
    "one_head_at_one_place": "Exchange one thing: activation patching",
    "three_ablations": 'What "without" means',
    "smallest_sets": "Exchange one thing: activation patching",
    "probe_and_control": "Readable is not used",
    "unlearnable_text": "Texts that prove nothing",
}
