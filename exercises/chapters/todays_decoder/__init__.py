"""Chapter 13, in the order of its notebook."""

ORDER = (
    "rms_norm_by_hand",
    "rotate",
    "full_turn",
    "shared_keys",
    "cache_bytes",
    "router",
    "eight_bits",
    "real_weights",
)
