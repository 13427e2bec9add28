"""Chapter 12, in the order of its notebook, with the section to read again."""

ORDER = {
    "rouge_by_hand": "ROUGE",
    "rouge_n": "ROUGE",
    "rouge_l": "ROUGE",
    "wrong_summaries": "A summary that scores well and is wrong",
    "soft_loss": "Distillation",
    "fewer_layers": "Distillation",
    "class_order": "The way out and back",
    "answer_starts": "One SQuAD record",
    "central_sentence": "A summary that scores well and is wrong",
}
