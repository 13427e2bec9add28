"""Chapter 8, in the order of its notebook, with the section to read again."""

ORDER = {
    "allowed_pairs": "Three masks",
    "target_mask": "Three masks",
    "cross_attention": "Cross-attention: reading another text",
    "mask_only_in_training": "Why a decoder must not see the future",
    "write_on": "Decoder-only models: the GPT family",
    "cached_step": "Faster generation: the KV cache",
    "shapes_with_a_cache": "Faster generation: the KV cache",
    "products_saved": "Faster generation: the KV cache",
    "causal_encoder": "A future token changes nothing before it",
}
