"""BERT (Devlin et al. 2019), MiniLM among them."""

from scratch.weights.families.settings import (
    Head,
    activation,
    encoder_recipe,
    require,
)
from scratch.weights.rules import Rule, within

LAYER = [
    Rule("attention.self.query", "self_attention.query"),
    Rule("attention.self.key", "self_attention.key"),
    Rule("attention.self.value", "self_attention.value"),
    Rule("attention.output.dense", "self_attention.projection"),
    Rule("attention.output.LayerNorm", "self_attention_norm.norm"),
    Rule("intermediate.dense", "feed_forward.expand"),
    Rule("output.dense", "feed_forward.contract"),
    Rule("output.LayerNorm", "feed_forward_norm.norm"),
]
ENCODER = [
    Rule("embeddings.word_embeddings", "embeddings.tokens"),
    Rule("embeddings.position_embeddings", "embeddings.positions.table"),
    Rule("embeddings.token_type_embeddings", "embeddings.segments"),
    Rule("embeddings.LayerNorm", "embeddings.norm"),
    *within("encoder.layer.{}", "layers.{}", LAYER),
    Rule("pooler.dense", "pooler.dense"),
]
MASKED_WORDS = Head(
    "MaskedLanguageModel",
    rules=[
        Rule("cls.predictions.transform.dense", "transform"),
        Rule("cls.predictions.transform.LayerNorm", "norm"),
        Rule("cls.predictions.bias", "logits.bias"),
    ],
    drops={"cls.seq_relationship": "a second head, for pairs, beside the one we keep"},
    repeats={
        "cls.predictions.decoder.weight": "embeddings.word_embeddings.weight",
        "cls.predictions.decoder.bias": "cls.predictions.bias",
    },
)
HEADS = {
    "BertModel": Head("Encoder"),
    "BertForMaskedLM": MASKED_WORDS,
    "BertForPreTraining": MASKED_WORDS,
    "BertForSequenceClassification": Head(
        "SequenceClassifier", [Rule("classifier", "classifier")], pooled=True
    ),
    "BertForNextSentencePrediction": Head(
        "NextSentence", [Rule("cls.seq_relationship", "classifier")], pooled=True
    ),
    "BertForQuestionAnswering": Head("SpanExtractor", [Rule("qa_outputs", "ends")]),
}


def recipe(settings, names):
    """Return the Recipe for a BERT from its config.json and its tensors' names."""
    config = encoder_config(settings)
    return encoder_recipe(settings, names, "bert.", config, ENCODER, HEADS)


def encoder_config(settings):
    """Return our configuration for BERT's settings, which RoBERTa shares."""
    require(settings, position_embedding_type="absolute", tie_word_embeddings=True)
    require(settings, is_decoder=False, add_cross_attention=False)
    return {
        "vocab_size": settings["vocab_size"],
        "d_model": settings["hidden_size"],
        "num_heads": settings["num_attention_heads"],
        "d_ff": settings["intermediate_size"],
        "num_layers": settings["num_hidden_layers"],
        "dropout": settings.get("hidden_dropout_prob", 0.1),
        "max_len": settings["max_position_embeddings"],
        "activation": activation(settings.get("hidden_act", "gelu")),
        "layer_norm_eps": settings.get("layer_norm_eps", 1e-12),
        "positions": "learned",
        "pad_id": settings.get("pad_token_id", 0),
        "num_segments": settings.get("type_vocab_size", 2),
        "norm_embeddings": True,
        "scale_embeddings": False,
    }
