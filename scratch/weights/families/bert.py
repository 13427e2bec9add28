"""BERT (Devlin et al. 2019), MiniLM among them."""

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
    Rule("embeddings.token_type_embeddings", "embeddings.segments"),
    Rule("embeddings.LayerNorm", "embeddings.norm"),
    Rule("encoder.layer.{}.attention.self.query", "layers.{}.attention.query"),
    Rule("encoder.layer.{}.attention.self.key", "layers.{}.attention.key"),
    Rule("encoder.layer.{}.attention.self.value", "layers.{}.attention.value"),
    Rule("encoder.layer.{}.attention.output.dense", "layers.{}.attention.projection"),
    Rule("encoder.layer.{}.attention.output.LayerNorm", "layers.{}.attention_norm"),
    Rule("encoder.layer.{}.intermediate.dense", "layers.{}.feed_forward.expand"),
    Rule("encoder.layer.{}.output.dense", "layers.{}.feed_forward.contract"),
    Rule("encoder.layer.{}.output.LayerNorm", "layers.{}.feed_forward_norm"),
]
POOLER = Rule("pooler.dense", "pooler")

BUFFERS = {"embeddings.position_ids": "0, 1, 2, …: counted, not stored"}
NO_POOLER = {"pooler.dense": "read only by classifiers of whole texts"}
NO_PAIRS = {"cls.seq_relationship": "the next-sentence head, beside the one we keep"}

MASKED_WORDS = Head(
    "MaskedLanguageModel",
    rules=[
        Rule("cls.predictions.transform.dense", "transform"),
        Rule("cls.predictions.transform.LayerNorm", "norm"),
        Rule("cls.predictions.bias", "bias"),
    ],
    drops=NO_POOLER | NO_PAIRS,
    repeats={
        "cls.predictions.decoder.weight": "embeddings.word_embeddings.weight",
        "cls.predictions.decoder.bias": "cls.predictions.bias",
    },
)
HEADS = {
    "BertModel": Head("Encoder", drops=NO_POOLER),
    "BertForMaskedLM": MASKED_WORDS,
    "BertForPreTraining": MASKED_WORDS,
    "BertForSequenceClassification": Head(
        "SequenceClassifier", [POOLER, Rule("classifier", "classifier")]
    ),
    "BertForNextSentencePrediction": Head(
        "NextSentence", [POOLER, Rule("cls.seq_relationship", "classifier")]
    ),
    "BertForQuestionAnswering": Head(
        "SpanExtractor", [Rule("qa_outputs", "span")], drops=NO_POOLER
    ),
}


def recipe(settings):
    """Return the Recipe for the config.json of a BERT."""
    require(settings, position_embedding_type="absolute", tie_word_embeddings=True)
    require(settings, is_decoder=False, add_cross_attention=False)
    config = encoder_config(settings)
    return encoder_recipe(settings, "bert.", config, ENCODER, HEADS, BUFFERS)


def encoder_config(settings):
    """Return our configuration for BERT's settings, which RoBERTa shares."""
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
        "output_bias": True,
        "pooler": "tanh",
    }
