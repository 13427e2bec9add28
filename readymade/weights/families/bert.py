"""BERT (Devlin et al. 2019), MiniLM among them."""

from readymade.weights.families.family import BUFFERS, Family, Head, Setting
from readymade.weights.rules import Rule, within

SETTINGS = [
    Setting("vocab_size", "vocab_size"),
    Setting("hidden_size", "d_model"),
    Setting("num_attention_heads", "num_heads"),
    Setting("intermediate_size", "d_ff"),
    Setting("num_hidden_layers", "num_layers"),
    Setting("hidden_dropout_prob", "dropout"),
    Setting("max_position_embeddings", "max_len"),
    Setting("hidden_act", "activation"),
    Setting("layer_norm_eps", "layer_norm_eps"),
    Setting("pad_token_id", "pad_id"),
    Setting("type_vocab_size", "num_segments"),
]
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
    fields={"output_bias": True},
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
BERT = Family(
    kind="bert",
    prefix="bert.",
    place="encoder",
    pooler="tanh",
    tokenizer="BertTokenizer",
    settings=SETTINGS,
    defaults={
        "hidden_dropout_prob": 0.1,
        "hidden_act": "gelu",
        "layer_norm_eps": 1e-12,
        "pad_token_id": 0,
        "type_vocab_size": 2,
    },
    required={
        "position_embedding_type": "absolute",
        "tie_word_embeddings": True,
        "is_decoder": False,
        "add_cross_attention": False,
    },
    copies={"attention_probs_dropout_prob": "dropout"},
    fields={
        "positions": "learned",
        "norm_embeddings": True,
        "scale_embeddings": False,
    },
    rules=ENCODER,
    drops=BUFFERS,
    heads={
        "BertModel": Head("Encoder", bare=True),
        "BertForMaskedLM": MASKED_WORDS,
        "BertForPreTraining": MASKED_WORDS,
        "BertForSequenceClassification": Head(
            "SequenceClassifier", [Rule("classifier", "classifier")], pooled=True
        ),
        "BertForTokenClassification": Head(
            "TokenClassifier", [Rule("classifier", "classifier")]
        ),
        "BertForNextSentencePrediction": Head(
            "NextSentence", [Rule("cls.seq_relationship", "classifier")], pooled=True
        ),
        "BertForQuestionAnswering": Head("SpanExtractor", [Rule("qa_outputs", "ends")]),
    },
)
