"""Mistral (Jiang et al. 2023): Llama's layers with a sliding window."""

from dataclasses import replace

from readymade.weights.families.family import Setting, integer
from readymade.weights.families.llama import HEAD, LLAMA, SETTINGS


def read_window(settings, name):
    """Return how far a query may look back, None if there is no limit."""
    return None if settings[name] is None else integer(settings, name)


MISTRAL = replace(
    LLAMA,
    kind="mistral",
    settings=[*SETTINGS, Setting("sliding_window", "window", read_window)],
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
