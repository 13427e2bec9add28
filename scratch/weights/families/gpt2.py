"""GPT-2 (Radford et al. 2019): a decoder alone, which predicts the next token."""

from scratch.config import TransformerConfig
from scratch.weights.families.settings import (
    activation,
    architecture,
    fraction,
    integer,
    integer_or_none,
    require,
)
from scratch.weights.rules import Recipe, Rule, third, transposed, within

# GPT-2 stores its matrices as (in, out), and query, key and value as one.
LAYER = [
    Rule("ln_1", "self_attention_norm.norm"),
    Rule("attn.c_attn", "self_attention.query", third(0)),
    Rule("attn.c_attn", "self_attention.key", third(1)),
    Rule("attn.c_attn", "self_attention.value", third(2)),
    Rule("attn.c_proj", "self_attention.projection", transposed),
    Rule("ln_2", "feed_forward_norm.norm"),
    Rule("mlp.c_fc", "feed_forward.expand", transposed),
    Rule("mlp.c_proj", "feed_forward.contract", transposed),
]
RULES = [
    Rule("wte", "decoder.embeddings.tokens"),
    Rule("wpe", "decoder.embeddings.positions.table"),
    *within("h.{}", "decoder.layers.{}", LAYER),
    Rule("ln_f", "decoder.norm"),
]
# What a config.json means that leaves these out, as in transformers.
DEFAULTS = {
    "n_inner": None,
    "resid_pdrop": 0.1,
    "activation_function": "gelu_new",
    "layer_norm_epsilon": 1e-5,
    "pad_token_id": None,
}
DROPS = {
    "h.{}.attn.bias": "the causal mask, a constant; no bias at all",
    "h.{}.attn.masked_bias": "the score of what is hidden, a constant",
}


def recipe(settings, names):
    """Return the Recipe for a GPT-2 from its config.json, whatever its tensors."""
    settings = DEFAULTS | settings
    require(settings, tie_word_embeddings=True, add_cross_attention=False)
    require(settings, scale_attn_weights=True, scale_attn_by_inverse_layer_idx=False)
    # GPT2Model has no head of its own; tied, the head has no weights of its own.
    architecture(settings, ["GPT2LMHeadModel", "GPT2Model"])
    config = {
        "vocab_size": integer(settings, "vocab_size"),
        "d_model": integer(settings, "n_embd"),
        "num_heads": integer(settings, "n_head"),
        "d_ff": integer_or_none(settings, "n_inner") or 4 * settings["n_embd"],
        "num_layers": integer(settings, "n_layer"),
        "dropout": fraction(settings, "resid_pdrop"),
        "max_len": integer(settings, "n_positions"),
        "activation": activation(settings, "activation_function"),
        "norm_first": True,
        "layer_norm_eps": fraction(settings, "layer_norm_epsilon"),
        "positions": "learned",
        "pad_id": integer_or_none(settings, "pad_token_id"),
        "scale_embeddings": False,
    }
    return Recipe(
        model="CausalLanguageModel",
        config=TransformerConfig(**config),
        rules=RULES,
        prefix="transformer.",
        drops=DROPS,
        repeats={"lm_head.weight": "wte.weight"},
    )
