"""Qwen2 (Yang et al. 2024): Llama's layers, with biases in queries, keys and values."""

from dataclasses import replace

from readymade.weights.families.llama import HEAD, LLAMA, SETTINGS

QWEN2 = replace(
    LLAMA,
    kind="qwen2",
    settings=SETTINGS,
    defaults=LLAMA.defaults
    | {"max_position_embeddings": 32_768, "use_sliding_window": False},
    # With a window, a query attends to the keys nearest before it alone.
    required={"use_sliding_window": False},
    copies={},
    fields=LLAMA.fields | {"bias": False, "qkv_bias": True},
    heads={"Qwen2ForCausalLM": HEAD},
)
