"""Evaluation mode: use a model, rather than train it."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

import torch
from torch import nn

# Of each module in use: how many use it, and whether it was
# in training before. Threads may share a model.
IN_USE = {}
CHANGING = Lock()


@contextmanager
def inference(model: nn.Module) -> Iterator[None]:
    """Evaluation mode and no gradients, for as long as the
    `with` lasts.

    Afterwards every module is in the mode that it was in
    before. Several threads may use a model at once: the last
    to finish restores it.

    Args:
        model: a module. Inside the `with` no thread may train
            it.
    """
    modules = list(model.modules())
    with CHANGING:
        for module in modules:
            before = 0, module.training
            users, training = IN_USE.get(module, before)
            IN_USE[module] = users + 1, training
            module.training = False
    try:
        with torch.no_grad():
            yield
    finally:
        with CHANGING:
            for module in modules:
                users, training = IN_USE.pop(module)
                if users > 1:
                    IN_USE[module] = users - 1, training
                else:
                    module.training = training
