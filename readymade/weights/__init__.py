"""Weights from one framework into the other; published weights, to load and to save.

Importing this package loads neither framework: each is loaded by the call that
needs it.
"""

from readymade.weights.checkpoints import load_checkpoint
from readymade.weights.copying import copy_weights
from readymade.weights.files import minilm_path
from readymade.weights.saving import save_checkpoint

__all__ = ["copy_weights", "load_checkpoint", "minilm_path", "save_checkpoint"]
