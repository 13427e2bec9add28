"""Marian (Junczys-Dowmunt et al. 2018): the paper's Transformer, as a translator."""

from readymade.weights.families.family import Family, Head, Setting, integer_from_0
from readymade.weights.rules import ONE_ROW, Rule, within


def read_unwritten(settings, name):
    """Return the padding, which is never written.

    Its row is zero, and so is its score, which is higher than most.
    """
    return (settings[name],)


def write_unwritten(config, name):
    """Return the padding."""
    return config.pad_id


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
    Setting("pad_token_id", "unwritten_ids", read_unwritten, write_unwritten),
    Setting("scale_embedding", "scale_embeddings"),
]
ATTENTION = [
    Rule("q_proj", "query"),
    Rule("k_proj", "key"),
    Rule("v_proj", "value"),
    Rule("out_proj", "projection"),
]
LAYER = [
    *within("self_attn", "self_attention", ATTENTION),
    Rule("self_attn_layer_norm", "self_attention_norm.norm"),
    *within("encoder_attn", "cross_attention", ATTENTION),
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
    aliases={
        "hidden_size": "d_model",
        "num_attention_heads": "encoder_attention_heads",
        "num_hidden_layers": "encoder_layers",
    },
)
