"""Chapter 13, in the order of its notebook."""

ORDER = (
    "rms_norm_by_hand",
    "neighbours",
    "full_turn",
    "shared_keys",
    "cache_bytes",
    "even_load",
    "groups",
    "real_weights",
)
