"""The checked parts of the capstones, in order, with the section to read again."""

ORDER = {
    "fair_split": "Capstone 1: a translator for another rule",
    "exact_by_length": "Capstone 1: a translator for another rule",
    "five_symptoms": "Capstone 2: one model, five symptoms",
    "head_scores": "Capstone 3: read the heads, defend a claim",
    "held_out_head": "Capstone 3: read the heads, defend a claim",
    "paired_lead": "Capstone 4: choose a model, and defend the choice",
    "sure_enough": "Capstone 4: choose a model, and defend the choice",
    "smallest_circuit": "Capstone 6: find the circuit of another operation",
    "search_by_words": "Capstone 7: answers from a library",
    "lost_answers": "Capstone 7: answers from a library",
}
