"""The families of published models that our models can hold."""

from scratch.weights.families.bert import BERT
from scratch.weights.families.distilbert import DISTILBERT
from scratch.weights.families.family import Family
from scratch.weights.families.gpt2 import GPT2
from scratch.weights.families.llama import LLAMA
from scratch.weights.families.marian import MARIAN
from scratch.weights.families.qwen2 import QWEN2
from scratch.weights.families.roberta import ROBERTA

__all__ = ["FAMILIES", "Family"]

# By the `model_type` of a config.json.
KNOWN = BERT, DISTILBERT, GPT2, LLAMA, MARIAN, QWEN2, ROBERTA
FAMILIES = {one.kind: one for one in KNOWN}
