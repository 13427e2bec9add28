"""Small configurations, whose sizes all differ so that a mix-up raises an error."""

from dataclasses import replace

from scratch.config import TransformerConfig

import pytest

# float32, sums in another order, two layers
CLOSE = {"atol": 1e-5, "rtol": 1e-5}


def config(**named):
    small = {"vocab_size": 11, "d_model": 12, "num_heads": 3, "d_ff": 20}
    return TransformerConfig(**{**small, "num_layers": 2, "dropout": 0.0, **named})


CONFIGS = {
    "post-LN": config(),
    "pre-LN": config(norm_first=True, layer_norm_eps=1e-2),
    "gelu": config(activation="gelu", layer_norm_eps=1e-3),
}
in_all_configs = pytest.mark.parametrize("settled", CONFIGS.values(), ids=CONFIGS)
# Masking in training does not depend on the config.
in_all_configs_and_in_training = pytest.mark.parametrize(
    ("settled", "training"),
    [*((one, False) for one in CONFIGS.values()), (CONFIGS["post-LN"], True)],
    ids=[*CONFIGS, "training"],
)

BERT = config(
    positions="learned",
    num_segments=2,
    norm_embeddings=True,
    scale_embeddings=False,
    activation="gelu",
    layer_norm_eps=1e-12,
    output_bias=True,
    pooler="tanh",
)
GPT = config(
    positions="learned",
    scale_embeddings=False,
    activation="gelu_tanh",
    norm_first=True,
)
LLAMA = config(
    num_heads=6,
    d_k=4,
    num_kv_heads=2,
    positions="rotary",
    rotary_base=50.0,
    norm="rms",
    norm_first=True,
    activation="swiglu",
    bias=False,
    scale_embeddings=False,
    layer_norm_eps=1e-2,
    tie_output=False,
)
QWEN2 = replace(LLAMA, qkv_bias=True, num_kv_heads=3, tie_output=True)
QWEN3 = replace(LLAMA, qk_norm=True, rotary_scaling=(4.0, 0.2, 1.0, 20.0))
MARIAN = config(activation="silu", interleaved=False, output_bias=True)
VIT = config(
    vocab_size=None,
    pad_id=None,
    max_len=7,
    positions="learned",
    scale_embeddings=False,
    activation="gelu",
    norm_first=True,
    layer_norm_eps=1e-12,
)
READER = config(
    vocab_size=None, pad_id=None, target_vocab_size=9, max_len=16, norm_first=True
)
OWN_HEADS = config(d_k=5, d_v=2, tie_output=False, target_vocab_size=7)
