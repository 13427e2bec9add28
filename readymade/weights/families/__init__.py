"""The families of published models that our models can hold.

To add one, write a file with a `Family` (`family.py` says what it is made of: a table
of tensors and one of settings; `qwen2.py` is the shortest) and name it in `KNOWN`. If
its tokenizer is one of ours, `CLASSES` in `tokenizers/reading.py` needs a line, and so
does `ROLES` in `tokenizers/writing.py`.
"""

from readymade.weights.families.bert import BERT
from readymade.weights.families.distilbert import DISTILBERT
from readymade.weights.families.family import Family
from readymade.weights.families.gpt2 import GPT2
from readymade.weights.families.llama import LLAMA
from readymade.weights.families.marian import MARIAN
from readymade.weights.families.mistral import MISTRAL
from readymade.weights.families.qwen2 import QWEN2
from readymade.weights.families.qwen3 import QWEN3
from readymade.weights.families.roberta import ROBERTA
from readymade.weights.families.vit import VIT
from readymade.weights.families.xlm_roberta import XLM_ROBERTA

__all__ = ["FAMILIES", "Family"]

# By the `model_type` of a config.json.
KNOWN = (
    BERT,
    DISTILBERT,
    ROBERTA,
    XLM_ROBERTA,
    GPT2,
    LLAMA,
    MISTRAL,
    QWEN2,
    QWEN3,
    MARIAN,
    VIT,
)
FAMILIES = {one.kind: one for one in KNOWN}
