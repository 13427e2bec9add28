"""Chapter 11, in the order of its notebook, with the section to read again."""

ORDER = {
    "count_windows": "Windows",
    "layer_rates": "The usual recipe for fine-tuning",
    "train_ends": "The loss of two ends",
    "allowed_span": "From logits to an answer",
    "f1_score": "Exact match and F1",
    "read_the_question": "Questions and their answers",
    "low_rank": "LoRA: train a small change",
    "lora_parameters": "LoRA: train a small change",
}
