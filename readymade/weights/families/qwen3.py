"""Qwen3 (Yang et al. 2025): Qwen2's layers without biases, with QK-norm."""

from dataclasses import replace

from readymade.weights.families.llama import HEAD, LLAMA
from readymade.weights.families.qwen2 import QWEN2

QWEN3 = replace(
    QWEN2,
    kind="qwen3",
    defaults=QWEN2.defaults | {"head_dim": 128},
    required=QWEN2.required | {"attention_bias": False},
    fields=LLAMA.fields | {"bias": False, "qk_norm": True},
    heads={"Qwen3ForCausalLM": HEAD},
)
