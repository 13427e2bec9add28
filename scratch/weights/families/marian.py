"""Marian (Junczys-Dowmunt et al. 2018): the paper's Transformer, as a translator."""

from scratch.config import TransformerConfig
from scratch.weights.families.settings import (
    activation,
    architecture,
    flag,
    fraction,
    integer,
    require,
)
from scratch.weights.rules import Recipe, Rule, flattened, within

LAYER = [
    Rule("self_attn.q_proj", "self_attention.query"),
    Rule("self_attn.k_proj", "self_attention.key"),
    Rule("self_attn.v_proj", "self_attention.value"),
    Rule("self_attn.out_proj", "self_attention.projection"),
    Rule("self_attn_layer_norm", "self_attention_norm.norm"),
    Rule("encoder_attn.q_proj", "cross_attention.query"),
    Rule("encoder_attn.k_proj", "cross_attention.key"),
    Rule("encoder_attn.v_proj", "cross_attention.value"),
    Rule("encoder_attn.out_proj", "cross_attention.projection"),
    Rule("encoder_attn_layer_norm", "cross_attention_norm.norm"),
    Rule("fc1", "feed_forward.expand"),
    Rule("fc2", "feed_forward.contract"),
    Rule("final_layer_norm", "feed_forward_norm.norm"),
]
RULES = [
    Rule("shared", "encoder.embeddings.tokens"),
    # The first `{}` is the encoder or the decoder, the second a layer's number.
    *within("{}.layers.{}", "{}.layers.{}", LAYER),
    Rule("final_logits_bias", "logits.bias", flattened),
]
# What a config.json means that leaves these out, as in transformers.
DEFAULTS = {
    "dropout": 0.1,
    "max_position_embeddings": 1024,
    "activation_function": "gelu",
    "scale_embedding": False,
}
DROPS = {"{}.embed_positions": "sinusoids: computed, not stored"}
REPEATS = {
    "encoder.embed_tokens.weight": "shared.weight",
    "decoder.embed_tokens.weight": "shared.weight",
    "lm_head.weight": "shared.weight",
}


def recipe(settings, names):
    """Return the Recipe for a Marian from its config.json, whatever its tensors."""
    settings = DEFAULTS | settings
    require(settings, share_encoder_decoder_embeddings=True, tie_word_embeddings=True)
    # One size serves both sides here.
    require(settings, decoder_attention_heads=settings["encoder_attention_heads"])
    require(settings, decoder_ffn_dim=settings["encoder_ffn_dim"])
    name = architecture(settings, ["MarianMTModel", "MarianModel"])
    config = {
        "vocab_size": integer(settings, "vocab_size"),
        "d_model": integer(settings, "d_model"),
        "num_heads": integer(settings, "encoder_attention_heads"),
        "d_ff": integer(settings, "encoder_ffn_dim"),
        "num_layers": integer(settings, "encoder_layers"),
        "num_decoder_layers": integer(settings, "decoder_layers"),
        "dropout": fraction(settings, "dropout"),
        "max_len": integer(settings, "max_position_embeddings"),
        "activation": activation(settings, "activation_function"),
        "interleaved": False,
        "pad_id": integer(settings, "pad_token_id", least=0),
        "scale_embeddings": flag(settings, "scale_embedding"),
        # MarianModel is the same without what turns vectors into logits.
        "output_bias": name == "MarianMTModel",
        # Its row is zero, and so is its score, higher than most: `bad_words_ids`.
        "unwritten_ids": (settings["pad_token_id"],),
    }
    return Recipe(
        model="Transformer",
        config=TransformerConfig(**config),
        rules=RULES,
        prefix="model.",
        drops=DROPS,
        repeats=REPEATS,
    )
