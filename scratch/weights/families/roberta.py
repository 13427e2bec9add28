"""RoBERTa (Liu et al. 2019): BERT's encoder, one segment, positions that start late."""

from dataclasses import replace

from scratch.weights.families import bert
from scratch.weights.families.settings import (
    Head,
    architecture,
    encoder_recipe,
    integer,
    require,
)
from scratch.weights.rules import Rule, without_rows

# Where it differs from BERT's.
DEFAULTS = {"pad_token_id": 1}
HEADS = {
    "RobertaModel": Head("Encoder"),
    "RobertaForMaskedLM": Head(
        "MaskedLanguageModel",
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
        drops={"pooler.dense": "from pretraining; the classifier has one of its own"},
    ),
    "RobertaForQuestionAnswering": Head("SpanExtractor", [Rule("qa_outputs", "ends")]),
}


def recipe(settings, names):
    """Return the Recipe for a RoBERTa from its config.json and its tensors' names."""
    settings = DEFAULTS | settings
    if architecture(settings, HEADS) == "RobertaForMaskedLM":
        # Its head has GELU whatever its encoder has; ours has one for both.
        require(settings, hidden_act="gelu")
    # Padding has position pad_id, and words count from pad_id + 1 on. No word uses the
    # rows before; without them, words count from 0, as everywhere else.
    unused = integer(settings, "pad_token_id", least=0) + 1
    rows = integer(settings, "max_position_embeddings", least=unused + 1)
    config = bert.encoder_config(settings) | {"max_len": rows - unused}
    encoder = [
        replace(rule, take=without_rows(unused))
        if rule.theirs == "embeddings.position_embeddings"
        else rule
        for rule in bert.ENCODER
    ]
    return encoder_recipe(settings, names, "roberta.", config, encoder, HEADS)
