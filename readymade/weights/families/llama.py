"""Llama (Touvron et al. 2023): RMSNorm, rotary positions, SwiGLU, grouped queries."""

from readymade.weights.families.family import (
    Family,
    Head,
    Setting,
    flag,
    integer,
    integer_or_none,
    require,
)
from readymade.weights.rules import Rule, within
from scratch.checks import require_above_zero, require_choice, require_number

# The settings of a rotation that is slowed down for long texts, as in Llama 3.1.
SCALING = (
    "factor",
    "low_freq_factor",
    "high_freq_factor",
    "original_max_position_embeddings",
)


def read_kv_heads(settings, name):
    """Return the number of heads of keys and values, None if it equals num_heads."""
    number = integer_or_none(settings, name)
    return None if number == settings["num_attention_heads"] else number


def write_kv_heads(config, name):
    """Return the number of heads of keys and values."""
    return config.num_kv_heads or config.num_heads


def read_head_size(settings, name):
    """Return the length of a head's vectors, None if it is the default."""
    number = integer_or_none(settings, name)
    heads = integer(settings, "num_attention_heads")
    return None if number == settings["hidden_size"] / heads else number


def write_head_size(config, name):
    """Return the length of a head's vectors."""
    return config.d_k or config.d_model // config.num_heads


def rotary_settings(settings, name):
    """Return the settings of the rotation, wherever a config.json has them.

    Older files have `rope_theta` and `rope_scaling`, newer ones have both in `name`. As
    in `transformers`, `rope_scaling` replaces all of `name`.
    """
    older = settings["rope_scaling"]
    name = "rope_scaling" if older else name
    rotary = settings[name] or {}
    if not isinstance(rotary, dict):
        raise TypeError(f"{name} is {rotary!r}: wanted an object")
    if any(isinstance(value, dict) for value in rotary.values()):
        raise ValueError(f"{name} is {rotary!r}: wanted the same for all layers")
    kind = rotary.get("rope_type", rotary.get("type", "default"))
    require_choice("rope_type", kind, ("default", "llama3"))
    require(rotary, {"partial_rotary_factor": 1.0})
    length = "original_max_position_embeddings"
    left_out = {
        "rope_theta": settings["rope_theta"],
        length: settings["max_position_embeddings"],
    }
    outside = {length: settings[length]} if length in settings else {}
    return left_out | rotary | outside | {"rope_type": kind}


def read_base(settings, name):
    """Return the base of the wavelengths."""
    base = rotary_settings(settings, name)["rope_theta"]
    require_number("rope_theta", base)
    return float(base)


def read_scaling(settings, name):
    """Return what slows the rotation, None if nothing does."""
    rotary = rotary_settings(settings, name)
    if rotary["rope_type"] == "default":
        return None
    for one in SCALING:
        require_above_zero(one, rotary[one])
    return tuple(rotary[one] for one in SCALING)


def write_rotary(config, name):
    """Return the object with the base and with what slows the rotation."""
    rotary = {"rope_type": "default", "rope_theta": config.rotary_base}
    if config.rotary_scaling is not None:
        rotary["rope_type"] = "llama3"
        rotary |= zip(SCALING, config.rotary_scaling, strict=True)
    return rotary


def read_bias(settings, name):
    """Return whether there are biases, in attention and feed-forward layers alike."""
    biases = {one: flag(settings, one) for one in ("attention_bias", "mlp_bias")}
    if not all(biases.values()):
        require(biases, dict.fromkeys(biases, False))
    return settings[name]


def read_gate(settings, name):
    """Return the activation: SwiGLU has SiLU at its gate."""
    require_choice(name, settings[name], ("silu", "swish"))
    return "swiglu"


def write_gate(config, name):
    """Return the activation at the gate; a layer without one has another name."""
    return "silu" if config.activation == "swiglu" else config.activation


SETTINGS = [
    Setting("vocab_size", "vocab_size"),
    Setting("hidden_size", "d_model"),
    Setting("num_attention_heads", "num_heads"),
    Setting("num_key_value_heads", "num_kv_heads", read_kv_heads, write_kv_heads),
    Setting("head_dim", "d_k", read_head_size, write_head_size),
    Setting("intermediate_size", "d_ff"),
    Setting("num_hidden_layers", "num_layers"),
    Setting("attention_dropout", "dropout"),
    Setting("max_position_embeddings", "max_len"),
    Setting("hidden_act", "activation", read_gate, write_gate),
    Setting("rms_norm_eps", "layer_norm_eps"),
    Setting("rope_parameters", "rotary_base", read_base, write_rotary),
    Setting("rope_parameters", "rotary_scaling", read_scaling, write_rotary),
    Setting("tie_word_embeddings", "tie_output", flag),
    Setting("pad_token_id", "pad_id"),
]
LAYER = [
    Rule("input_layernorm", "self_attention_norm.norm"),
    Rule("self_attn.q_proj", "self_attention.query"),
    Rule("self_attn.k_proj", "self_attention.key"),
    Rule("self_attn.v_proj", "self_attention.value"),
    Rule("self_attn.q_norm", "self_attention.query_norm"),  # Qwen3
    Rule("self_attn.k_norm", "self_attention.key_norm"),
    Rule("self_attn.o_proj", "self_attention.projection"),
    Rule("post_attention_layernorm", "feed_forward_norm.norm"),
    Rule("mlp.gate_proj", "feed_forward.gate"),
    Rule("mlp.up_proj", "feed_forward.expand"),
    Rule("mlp.down_proj", "feed_forward.contract"),
]
RULES = [
    Rule("embed_tokens", "decoder.embeddings.tokens"),
    *within("layers.{}", "decoder.layers.{}", LAYER),
    Rule("norm", "decoder.norm"),
]
HEAD = Head("CausalLanguageModel", [Rule("lm_head", "logits.tokens")])
LLAMA = Family(
    kind="llama",
    prefix="model.",
    # Byte-level BPE, split and with the special tokens as a file says.
    tokenizer="PreTrainedTokenizerFast",
    tokens={"bos_token_id": "<|endoftext|>", "eos_token_id": "<|endoftext|>"},
    settings=[*SETTINGS, Setting("mlp_bias", "bias", read_bias)],
    defaults={
        "num_key_value_heads": None,
        "head_dim": None,
        "attention_dropout": 0.0,
        "max_position_embeddings": 2048,
        "hidden_act": "silu",
        "rms_norm_eps": 1e-6,
        "rope_parameters": None,
        "rope_scaling": None,
        "rope_theta": 10_000.0,
        "tie_word_embeddings": False,
        "pad_token_id": None,
        "attention_bias": False,
        "mlp_bias": False,
    },
    required={},
    copies={"attention_bias": "bias"},
    fields={
        "norm_first": True,
        "norm": "rms",
        "positions": "rotary",
        "scale_embeddings": False,
    },
    rules=RULES,
    heads={"LlamaForCausalLM": HEAD},
    drops={"layers.{}.self_attn.rotary_emb.inv_freq": "a constant: computed"},
    tied={"lm_head.weight": "embed_tokens.weight"},
)
