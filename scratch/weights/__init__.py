"""Weights from one framework into the other, and published weights into both.

Importing this package loads neither framework: each is loaded by the call that
needs it.
"""

from scratch.weights.copying import copy_weights

__all__ = ["copy_weights"]
