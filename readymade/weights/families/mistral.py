"""Mistral (Jiang et al. 2023): Llama's layers, for texts no longer than its window."""

from dataclasses import replace

from readymade.weights.families.family import Setting, integer
from readymade.weights.families.llama import HEAD, LLAMA, SETTINGS


def read_length(settings, name):
    """Return the longest text in which each query attends to all keys before it.

    In a longer one, `sliding_window` hides all but the keys nearest before.
    """
    length, window = integer(settings, "max_position_embeddings"), "sliding_window"
    return (
        length if settings[window] is None else min(length, integer(settings, window))
    )


def write_window(config, name):
    """Return that there is no window."""
    return None


LENGTH = [
    Setting("max_position_embeddings", "max_len", read_length),
    Setting("sliding_window", "max_len", read_length, write_window),
]
MISTRAL = replace(
    LLAMA,
    kind="mistral",
    settings=LENGTH + [one for one in SETTINGS if one.ours != "max_len"],
    defaults=LLAMA.defaults
    | {
        "num_key_value_heads": 8,
        "max_position_embeddings": 131_072,
        "sliding_window": 4096,
    },
    copies={},
    fields=LLAMA.fields | {"bias": False},
    heads={"MistralForCausalLM": HEAD},
)
