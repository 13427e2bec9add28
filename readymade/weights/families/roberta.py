"""RoBERTa (Liu et al. 2019): BERT's encoder, one segment, positions that start late."""

from dataclasses import replace

from readymade.weights.families.bert import BERT, ENCODER
from readymade.weights.families.family import Head, Setting, integer, integer_from_0
from readymade.weights.rules import LATE_POSITIONS, Rule


def read_length(settings, name):
    """Return the number of positions that words use.

    Padding has position pad_id, and words count from pad_id + 1 on. Without the rows
    before, words count from 0, as everywhere else.
    """
    unused = settings["pad_token_id"] + 1
    return integer(settings, name, least=unused + 1) - unused


def write_length(config, name):
    """Return the number of positions, those that no word uses included."""
    # Without a pad_id there is no RoBERTa: reading this back says so.
    return getattr(config, name) + (config.pad_id or 0) + 1


# Where it differs from BERT's; the padding is read first, because positions need it.
OWN = [
    Setting("pad_token_id", "pad_id", integer_from_0),
    Setting("max_position_embeddings", "max_len", read_length, write_length),
]
ROBERTA = replace(
    BERT,
    kind="roberta",
    prefix="roberta.",
    tokenizer="RobertaTokenizer",
    settings=OWN
    + [one for one in BERT.settings if one.ours not in ("pad_id", "max_len")],
    defaults=BERT.defaults | {"pad_token_id": 1},
    fields=BERT.fields | {"count_padding": False},
    tokens={"bos_token_id": "<s>", "eos_token_id": "</s>"},
    rules=[
        replace(rule, form=LATE_POSITIONS)
        if rule.theirs == "embeddings.position_embeddings"
        else rule
        for rule in ENCODER
    ],
    heads={
        "RobertaModel": Head("Encoder", bare=True),
        "RobertaForMaskedLM": Head(
            "MaskedLanguageModel",
            fields={"output_bias": True},
            # Its head always has GELU; ours has the activation of its encoder.
            required={"hidden_act": "gelu"},
            rules=[
                Rule("lm_head.dense", "transform"),
                Rule("lm_head.layer_norm", "norm"),
                Rule("lm_head.bias", "logits.bias"),
            ],
            repeats={
                "lm_head.decoder.weight": "embeddings.word_embeddings.weight",
                "lm_head.decoder.bias": "lm_head.bias",
            },
        ),
        "RobertaForSequenceClassification": Head(
            "SequenceClassifier",
            rules=[
                Rule("classifier.dense", "encoder.pooler.dense"),
                Rule("classifier.out_proj", "classifier"),
            ],
            pooled=True,
            drops={"pooler.dense": "from pretraining; the classifier has its own"},
        ),
        "RobertaForTokenClassification": Head(
            "TokenClassifier", [Rule("classifier", "classifier")]
        ),
        "RobertaForQuestionAnswering": Head(
            "SpanExtractor", [Rule("qa_outputs", "ends")]
        ),
    },
)
