"""Chapter 12, in the order of its notebook, with the section to read again."""

ORDER = {
    "rouge_by_hand": "ROUGE: how summaries are scored",
    "class_order": "The way out and back",
    "rouge_n": "ROUGE: how summaries are scored",
    "rouge_l": "ROUGE: how summaries are scored",
    "central_sentence": "ROUGE: how summaries are scored",
    "wrong_summaries": "A nearly perfect score",
    "soft_loss": "Distillation: a large model teaches a small one",
    "fewer_layers": "Smaller is not the same as faster",
    "answer_starts": "One record of SQuAD",
}
