"""XLM-R (Conneau et al. 2020): RoBERTa's encoder, trained on 100 languages."""

from dataclasses import replace

from readymade.weights.families.roberta import ROBERTA

XLM_ROBERTA = replace(
    ROBERTA,
    kind="xlm-roberta",
    # A Unigram model of SentencePiece, with the special tokens that a file lists.
    tokenizer="PreTrainedTokenizerFast",
    heads={
        name.replace("Roberta", "XLMRoberta"): head
        for name, head in ROBERTA.heads.items()
    },
)
