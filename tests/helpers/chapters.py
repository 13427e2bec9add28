"""Which chapter shows each piece of `scratch`."""

# The chapter that shows a file's definitions, and the definitions that another shows.
CHAPTER_OF_FILE = {
    "tokenization": 1,
    "embeddings": 2,
    "masks": 3,
    "attention": 3,
    "multi_head": 4,
    "feed_forward": 5,
    "add_and_norm": 6,
    "encoder": 6,
    "classifier": 7,
    "decoder": 8,
    "kv_cache": 8,
    "token_logits": 8,
    "prompts": 8,
    "language_model": 8,
    "transformer": 9,
    "generation": 9,
    "training": 9,
    "pretraining": 10,
    "fine_tuning": 11,
    "span_extractor": 11,
    "lora": 11,
    "sampling": 13,
    "rotary": 14,
    "grouped_query": 14,
    "gated_feed_forward": 14,
    "sliding_window": 14,
    "choices": 14,
    "post_training": 15,
    "inside": 18,
    "serving": 19,
    "speculation": 19,
    "voting": 20,
    "pictures": 21,
}
# What needs no framework, and so has no twin.
WITHOUT_FRAMEWORK = {"tokenization", "voting"}
CHAPTER_OF_NAME = {
    "layer_norm_from": 2,
    "reordered": 9,
    "learn_word_pieces": 10,
    "mask_tokens": 10,
}


def framework_free(name):
    """Return the name that both twins share."""
    return name.removeprefix("TF").removeprefix("tf_")


def chapter(name, file):
    """Return the number of the chapter that shows a definition of `file`, or None."""
    name = framework_free(name)
    return CHAPTER_OF_NAME.get(name) or CHAPTER_OF_FILE.get(file)
