"""DistilBERT (Sanh et al. 2019): BERT's encoder by other names, without segments."""

from scratch.weights.families.bert import BUFFERS
from scratch.weights.families.settings import (
    Head,
    activation,
    encoder_recipe,
    require,
)
from scratch.weights.rules import Rule

ENCODER = [
    Rule("embeddings.word_embeddings", "embeddings.tokens"),
    Rule("embeddings.position_embeddings", "embeddings.positions.table"),
    Rule("embeddings.LayerNorm", "embeddings.norm"),
    Rule("transformer.layer.{}.attention.q_lin", "layers.{}.attention.query"),
    Rule("transformer.layer.{}.attention.k_lin", "layers.{}.attention.key"),
    Rule("transformer.layer.{}.attention.v_lin", "layers.{}.attention.value"),
    Rule("transformer.layer.{}.attention.out_lin", "layers.{}.attention.projection"),
    Rule("transformer.layer.{}.sa_layer_norm", "layers.{}.attention_norm"),
    Rule("transformer.layer.{}.ffn.lin1", "layers.{}.feed_forward.expand"),
    Rule("transformer.layer.{}.ffn.lin2", "layers.{}.feed_forward.contract"),
    Rule("transformer.layer.{}.output_layer_norm", "layers.{}.feed_forward_norm"),
]
HEADS = {
    "DistilBertModel": Head("Encoder"),
    "DistilBertForMaskedLM": Head(
        "MaskedLanguageModel",
        rules=[
            Rule("vocab_transform", "transform"),
            Rule("vocab_layer_norm", "norm"),
            Rule("vocab_projector.bias", "bias"),
        ],
        repeats={"vocab_projector.weight": "embeddings.word_embeddings.weight"},
    ),
    "DistilBertForSequenceClassification": Head(
        "SequenceClassifier",
        [Rule("pre_classifier", "pooler"), Rule("classifier", "classifier")],
    ),
    "DistilBertForQuestionAnswering": Head(
        "SpanExtractor", [Rule("qa_outputs", "span")]
    ),
}


def recipe(settings):
    """Return the Recipe for the config.json of a DistilBERT."""
    require(settings, tie_word_embeddings=True)
    config = {
        "vocab_size": settings["vocab_size"],
        "d_model": settings["dim"],
        "num_heads": settings["n_heads"],
        "d_ff": settings["hidden_dim"],
        "num_layers": settings["n_layers"],
        "dropout": settings.get("dropout", 0.1),
        "max_len": settings["max_position_embeddings"],
        "activation": activation(settings.get("activation", "gelu")),
        "layer_norm_eps": 1e-12,
        # Sinusoids, where it has them, are stored as a table like learned positions.
        "positions": "learned",
        "pad_id": settings.get("pad_token_id", 0),
        "norm_embeddings": True,
        "scale_embeddings": False,
        "output_bias": True,
        "pooler": "relu",
    }
    return encoder_recipe(settings, "distilbert.", config, ENCODER, HEADS, BUFFERS)
