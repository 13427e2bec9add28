"""RoBERTa (Liu et al. 2019): BERT's encoder, one segment, positions that start late."""

from scratch.weights.families import bert
from scratch.weights.families.settings import Head, encoder_recipe, require
from scratch.weights.rules import Rule, without_rows

MASKED_WORDS = Head(
    "MaskedLanguageModel",
    rules=[
        Rule("lm_head.dense", "transform"),
        Rule("lm_head.layer_norm", "norm"),
        Rule("lm_head.bias", "bias"),
    ],
    drops=bert.NO_POOLER,
    repeats={
        "lm_head.decoder.weight": "embeddings.word_embeddings.weight",
        "lm_head.decoder.bias": "lm_head.bias",
    },
)
HEADS = {
    "RobertaModel": Head("Encoder", drops=bert.NO_POOLER),
    "RobertaForMaskedLM": MASKED_WORDS,
    "RobertaForSequenceClassification": Head(
        "SequenceClassifier",
        [Rule("classifier.dense", "pooler"), Rule("classifier.out_proj", "classifier")],
        drops=bert.NO_POOLER,
    ),
    "RobertaForQuestionAnswering": Head(
        "SpanExtractor", [Rule("qa_outputs", "span")], drops=bert.NO_POOLER
    ),
}


def recipe(settings):
    """Return the Recipe for the config.json of a RoBERTa."""
    require(settings, position_embedding_type="absolute", tie_word_embeddings=True)
    require(settings, is_decoder=False, add_cross_attention=False)
    config = bert.encoder_config(settings)
    # RoBERTa gives padding the position pad_id and counts words from pad_id + 1 on.
    # Rows 0 to pad_id are never used by a word: without them, words count from 0.
    unused = config["pad_id"] + 1
    config["max_len"] -= unused
    late = "embeddings.position_embeddings"
    encoder = [rule for rule in bert.ENCODER if rule.theirs != late]
    encoder += [Rule(late, "embeddings.positions.table", without_rows(unused))]
    return encoder_recipe(settings, "roberta.", config, encoder, HEADS, bert.BUFFERS)
