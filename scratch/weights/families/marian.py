"""Marian (Junczys-Dowmunt et al. 2018): the paper's Transformer, as a translator."""

from scratch.weights.families.family import Family, Head, Setting, integer_from_0
from scratch.weights.rules import ONE_ROW, Rule, within


def read_unwritten(settings, name):
    """Return the padding, which is never written.

    Its row is zero, and so is its score, higher than most: `bad_words_ids`.
    """
    return (settings[name],)


SETTINGS = [
    Setting("vocab_size", "vocab_size"),
    Setting("d_model", "d_model"),
    Setting("encoder_attention_heads", "num_heads"),
    Setting("decoder_attention_heads", "num_heads"),
    Setting("encoder_ffn_dim", "d_ff"),
    Setting("decoder_ffn_dim", "d_ff"),
    Setting("encoder_layers", "num_layers"),
    Setting("decoder_layers", "num_decoder_layers"),
    Setting("dropout", "dropout"),
    Setting("max_position_embeddings", "max_len"),
    Setting("activation_function", "activation"),
    Setting("pad_token_id", "pad_id", integer_from_0),
    Setting(
        "pad_token_id",
        "unwritten_ids",
        read_unwritten,
        lambda config, name: config.pad_id,
    ),
    Setting("scale_embedding", "scale_embeddings"),
]
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
]
MARIAN = Family(
    kind="marian",
    prefix="model.",
    tokenizer="MarianTokenizer",
    tokens={"eos_token_id": "</s>"},
    settings=SETTINGS,
    defaults={
        "dropout": 0.1,
        "max_position_embeddings": 1024,
        "activation_function": "gelu",
        "scale_embedding": False,
    },
    required={"share_encoder_decoder_embeddings": True, "tie_word_embeddings": True},
    copies={
        "attention_dropout": "dropout",
        "activation_dropout": "dropout",
        # A translation begins with the padding.
        "decoder_start_token_id": "pad_id",
    },
    fields={"interleaved": False},
    rules=RULES,
    # MarianModel is the same without what turns vectors into logits.
    heads={
        "MarianMTModel": Head(
            "Transformer",
            [Rule("final_logits_bias", "logits.bias", ONE_ROW)],
            fields={"output_bias": True},
        ),
        "MarianModel": Head("Transformer", bare=True),
    },
    repeats={
        "encoder.embed_tokens.weight": "shared.weight",
        "decoder.embed_tokens.weight": "shared.weight",
        "lm_head.weight": "shared.weight",
    },
    constants={"{}.embed_positions.weight": "{}.embeddings.positions.table"},
)
