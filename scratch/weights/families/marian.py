"""Marian (Junczys-Dowmunt et al. 2018): the paper's Transformer, as a translator."""

from scratch.weights.families.settings import activation, architecture, require
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
DROPS = {"{}.embed_positions": "sinusoids: computed, not stored"}
REPEATS = {
    "encoder.embed_tokens.weight": "shared.weight",
    "decoder.embed_tokens.weight": "shared.weight",
    "lm_head.weight": "shared.weight",
}


def recipe(settings, names):
    """Return the Recipe for a Marian from its config.json, whatever its tensors."""
    require(settings, share_encoder_decoder_embeddings=True, tie_word_embeddings=True)
    # One size serves both sides here.
    require(settings, decoder_attention_heads=settings["encoder_attention_heads"])
    require(settings, decoder_ffn_dim=settings["encoder_ffn_dim"])
    name = architecture(settings, ["MarianMTModel", "MarianModel"])
    config = {
        "vocab_size": settings["vocab_size"],
        "d_model": settings["d_model"],
        "num_heads": settings["encoder_attention_heads"],
        "d_ff": settings["encoder_ffn_dim"],
        "num_layers": settings["encoder_layers"],
        "num_decoder_layers": settings["decoder_layers"],
        "dropout": settings.get("dropout", 0.1),
        "max_len": settings.get("max_position_embeddings", 1024),
        "activation": activation(settings.get("activation_function", "gelu")),
        "interleaved": False,
        "pad_id": settings["pad_token_id"],
        "scale_embeddings": settings.get("scale_embedding", False),
        # MarianModel is the same without what turns vectors into logits.
        "output_bias": name == "MarianMTModel",
        # Its row is zero, and so is its score, higher than most: `bad_words_ids`.
        "unwritten_ids": (settings["pad_token_id"],),
    }
    return Recipe(
        model="Transformer",
        config=config,
        rules=RULES,
        prefix="model.",
        drops=DROPS,
        repeats=REPEATS,
    )
