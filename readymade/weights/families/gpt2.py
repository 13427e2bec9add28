"""GPT-2 (Radford et al. 2019): a decoder-only Transformer."""

from readymade.weights.families.family import (
    Family,
    Head,
    Setting,
    integer,
    integer_or_none,
)
from readymade.weights.rules import TRANSPOSED, Rule, third, within


def read_inner(settings, name):
    """Return the inner size of the feed-forward layer, four times the outer if null."""
    return integer_or_none(settings, name) or 4 * integer(settings, "n_embd")


SETTINGS = [
    Setting("vocab_size", "vocab_size"),
    Setting("n_embd", "d_model"),
    Setting("n_head", "num_heads"),
    Setting("n_inner", "d_ff", read_inner),
    Setting("n_layer", "num_layers"),
    Setting("resid_pdrop", "dropout"),
    Setting("n_positions", "max_len"),
    Setting("activation_function", "activation"),
    Setting("layer_norm_epsilon", "layer_norm_eps"),
    Setting("pad_token_id", "pad_id"),
]
# GPT-2 stores its matrices as (in, out), and query, key and value as one.
LAYER = [
    Rule("ln_1", "self_attention_norm.norm"),
    Rule("attn.c_attn", "self_attention.query", third(0)),
    Rule("attn.c_attn", "self_attention.key", third(1)),
    Rule("attn.c_attn", "self_attention.value", third(2)),
    Rule("attn.c_proj", "self_attention.projection", TRANSPOSED),
    Rule("ln_2", "feed_forward_norm.norm"),
    Rule("mlp.c_fc", "feed_forward.expand", TRANSPOSED),
    Rule("mlp.c_proj", "feed_forward.contract", TRANSPOSED),
]
RULES = [
    Rule("wte", "decoder.embeddings.tokens"),
    Rule("wpe", "decoder.embeddings.positions.table"),
    *within("h.{}", "decoder.layers.{}", LAYER),
    Rule("ln_f", "decoder.norm"),
]
GPT2 = Family(
    kind="gpt2",
    prefix="transformer.",
    tokenizer="GPT2Tokenizer",
    tokens={"bos_token_id": "<|endoftext|>", "eos_token_id": "<|endoftext|>"},
    settings=SETTINGS,
    defaults={
        "n_inner": None,
        "resid_pdrop": 0.1,
        "activation_function": "gelu_new",
        "layer_norm_epsilon": 1e-5,
        "pad_token_id": None,
    },
    required={
        "tie_word_embeddings": True,
        "add_cross_attention": False,
        "scale_attn_weights": True,
        "scale_attn_by_inverse_layer_idx": False,
    },
    copies={"embd_pdrop": "dropout", "attn_pdrop": "dropout"},
    fields={"norm_first": True, "positions": "learned", "scale_embeddings": False},
    rules=RULES,
    # GPT2Model has no head of its own; tied, the head has no weights of its own.
    heads={
        "GPT2LMHeadModel": Head("CausalLanguageModel"),
        "GPT2Model": Head("CausalLanguageModel", bare=True),
    },
    drops={
        "h.{}.attn.bias": "the causal mask, a constant; no bias at all",
        "h.{}.attn.masked_bias": "the score of what is hidden, a constant",
    },
    repeats={"lm_head.weight": "wte.weight"},
    aliases={
        "hidden_size": "n_embd",
        "max_position_embeddings": "n_positions",
        "num_attention_heads": "n_head",
        "num_hidden_layers": "n_layer",
    },
)
