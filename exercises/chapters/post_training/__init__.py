"""Chapter 15, in the order of its notebook, with the section to read again."""

ORDER = {
    "counted_targets": "Instruction tuning",
    "answers_in_a_chat": "Instruction tuning",
    "answered_at_once": "A base model asks another question",
    "dpo_by_hand": "Preferences",
    "mixed_groups": "Rewards that a program checks",
    "token_rewards": "Rewards that a program checks",
    "pass_at_k": "It sharpens",
    "cheapest_answer": "A reward that can be had for less",
}
