"""DistilBERT (Sanh et al. 2019): BERT's encoder by other names, without segments."""

from scratch.weights.families.settings import (
    Head,
    activation,
    encoder_recipe,
    fraction,
    integer,
    integer_or_none,
    require,
)
from scratch.weights.rules import Rule, within

LAYER = [
    Rule("attention.q_lin", "self_attention.query"),
    Rule("attention.k_lin", "self_attention.key"),
    Rule("attention.v_lin", "self_attention.value"),
    Rule("attention.out_lin", "self_attention.projection"),
    Rule("sa_layer_norm", "self_attention_norm.norm"),
    Rule("ffn.lin1", "feed_forward.expand"),
    Rule("ffn.lin2", "feed_forward.contract"),
    Rule("output_layer_norm", "feed_forward_norm.norm"),
]
ENCODER = [
    Rule("embeddings.word_embeddings", "embeddings.tokens"),
    Rule("embeddings.position_embeddings", "embeddings.positions.table"),
    Rule("embeddings.LayerNorm", "embeddings.norm"),
    *within("transformer.layer.{}", "layers.{}", LAYER),
]
# What a config.json means that leaves these out, as in transformers.
DEFAULTS = {"dropout": 0.1, "activation": "gelu", "pad_token_id": 0}
HEADS = {
    "DistilBertModel": Head("Encoder"),
    "DistilBertForMaskedLM": Head(
        "MaskedLanguageModel",
        rules=[
            Rule("vocab_transform", "transform"),
            Rule("vocab_layer_norm", "norm"),
            Rule("vocab_projector.bias", "logits.bias"),
        ],
        repeats={"vocab_projector.weight": "embeddings.word_embeddings.weight"},
    ),
    "DistilBertForSequenceClassification": Head(
        "SequenceClassifier",
        rules=[
            Rule("pre_classifier", "encoder.pooler.dense"),
            Rule("classifier", "classifier"),
        ],
        pooled=True,
    ),
    "DistilBertForQuestionAnswering": Head(
        "SpanExtractor", [Rule("qa_outputs", "ends")]
    ),
}


def recipe(settings, names):
    """Return the Recipe for a DistilBERT from config.json and its tensors' names."""
    settings = DEFAULTS | settings
    require(settings, tie_word_embeddings=True)
    config = {
        "vocab_size": integer(settings, "vocab_size"),
        "d_model": integer(settings, "dim"),
        "num_heads": integer(settings, "n_heads"),
        "d_ff": integer(settings, "hidden_dim"),
        "num_layers": integer(settings, "n_layers"),
        "dropout": fraction(settings, "dropout"),
        "max_len": integer(settings, "max_position_embeddings"),
        "activation": activation(settings, "activation"),
        "layer_norm_eps": 1e-12,
        # Sinusoids, where it has them, are stored as a table like learned positions.
        "positions": "learned",
        "pad_id": integer_or_none(settings, "pad_token_id"),
        "norm_embeddings": True,
        "scale_embeddings": False,
    }
    return encoder_recipe(
        settings, names, "distilbert.", config, ENCODER, HEADS, pooler="relu"
    )
