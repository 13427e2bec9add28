"""BERT (Devlin et al. 2019), MiniLM among them."""

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
# What a config.json means that leaves these out, as in transformers.
DEFAULTS = {
    "hidden_dropout_prob": 0.1,
    "hidden_act": "gelu",
    "layer_norm_eps": 1e-12,
    "pad_token_id": 0,
    "type_vocab_size": 2,
}
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
    settings = DEFAULTS | settings
    require(settings, position_embedding_type="absolute", tie_word_embeddings=True)
    require(settings, is_decoder=False, add_cross_attention=False)
    return {
        "vocab_size": integer(settings, "vocab_size"),
        "d_model": integer(settings, "hidden_size"),
        "num_heads": integer(settings, "num_attention_heads"),
        "d_ff": integer(settings, "intermediate_size"),
        "num_layers": integer(settings, "num_hidden_layers"),
        "dropout": fraction(settings, "hidden_dropout_prob"),
        "max_len": integer(settings, "max_position_embeddings"),
        "activation": activation(settings, "hidden_act"),
        "layer_norm_eps": fraction(settings, "layer_norm_eps"),
        "positions": "learned",
        "pad_id": integer_or_none(settings, "pad_token_id"),
        "num_segments": integer(settings, "type_vocab_size", least=0),
        "norm_embeddings": True,
        "scale_embeddings": False,
    }
