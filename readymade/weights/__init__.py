"""Weights from one framework into the other; published weights, to load and to save.

    checkpoints.py, saving.py      published models, to load and to save
    families/                      what each kind of model calls its tensors
    rules.py, parameters.py        how their tensors become our parameters, and back
    processors.py                  from raw pixels to what a model of pictures takes
    copying.py                     from one framework into the other
    tokenizers/                    a folder's tokenizer, to read and to write
    files.py                       a model's files: where they are, and what they hold

Importing this package loads neither framework: each is loaded by the call that
needs it.
"""

from readymade.weights.checkpoints import load_checkpoint
from readymade.weights.copying import copy_weights
from readymade.weights.files import minilm_path
from readymade.weights.processors import PictureProcessor
from readymade.weights.saving import save_checkpoint
from readymade.weights.tokenizers.vocabularies import load_tokenizer

__all__ = """
    PictureProcessor copy_weights load_checkpoint load_tokenizer minilm_path
    save_checkpoint
""".split()
