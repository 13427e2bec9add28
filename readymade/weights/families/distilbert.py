"""DistilBERT (Sanh et al. 2019): BERT's encoder under other names, without segments."""

from readymade.weights.families.family import BUFFERS, Family, Head, Setting
from readymade.weights.rules import Rule, within

SETTINGS = [
    Setting("vocab_size", "vocab_size"),
    Setting("dim", "d_model"),
    Setting("n_heads", "num_heads"),
    Setting("hidden_dim", "d_ff"),
    Setting("n_layers", "num_layers"),
    Setting("dropout", "dropout"),
    Setting("max_position_embeddings", "max_len"),
    Setting("activation", "activation"),
    Setting("pad_token_id", "pad_id"),
]
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
DISTILBERT = Family(
    kind="distilbert",
    prefix="distilbert.",
    place="encoder",
    pooler="relu",
    tokenizer="DistilBertTokenizer",
    settings=SETTINGS,
    defaults={"dropout": 0.1, "activation": "gelu", "pad_token_id": 0},
    required={"tie_word_embeddings": True},
    copies={
        "attention_dropout": "dropout",
        "qa_dropout": "dropout",
        "seq_classif_dropout": "dropout",
    },
    fields={
        "layer_norm_eps": 1e-12,
        # Sinusoids, where it has them, are stored as a table like learned positions.
        "positions": "learned",
        "norm_embeddings": True,
        "scale_embeddings": False,
    },
    rules=ENCODER,
    drops=BUFFERS,
    heads={
        "DistilBertModel": Head("Encoder", bare=True),
        "DistilBertForMaskedLM": Head(
            "MaskedLanguageModel",
            fields={"output_bias": True},
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
        "DistilBertForTokenClassification": Head(
            "TokenClassifier", [Rule("classifier", "classifier")]
        ),
        "DistilBertForQuestionAnswering": Head(
            "SpanExtractor", [Rule("qa_outputs", "ends")]
        ),
    },
    aliases={
        "hidden_size": "dim",
        "num_attention_heads": "n_heads",
        "num_hidden_layers": "n_layers",
    },
)
