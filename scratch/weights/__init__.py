"""Weights from one framework into the other, and published weights into both.

Importing this package loads neither framework: each is loaded by the call that
needs it.
"""

from scratch.weights.checkpoints import load_checkpoint
from scratch.weights.copying import copy_weights
from scratch.weights.files import minilm_path

__all__ = ["copy_weights", "load_checkpoint", "minilm_path"]
