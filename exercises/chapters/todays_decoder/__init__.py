"""Chapter 14, in the order of its notebook, with the section to read again."""

ORDER = {
    "rms_norm_by_hand": "RMSNorm",
    "neighbours": "Rotary positions",
    "full_turn": "Rotary positions",
    "shared_keys": "Grouped-query attention",
    "cache_bytes": "The memory of the KV cache",
    "even_load": "Mixture of experts",
    "groups": "Eight bits",
    "real_weights": "Eight bits",
}
