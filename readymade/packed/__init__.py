"""A model in PyTorch at full speed on a processor: packed weights, fewer operations.

    with packed(model):
        model.generate(ids, eos_id, max_new_tokens)

    products.py     matrix products whose weights are in the order that reads fastest
    stand_ins.py    methods that do a layer's work in fewer operations

PyTorch only: TensorFlow's products use oneDNN as they are.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from readymade.packed.stand_ins import StandIn, stand_in_for
from scratch.torch import inference

from torch import nn

__all__ = ["packed"]

# How many callers use each module: threads may share a model.
USERS = Counter()
CHANGING = Lock()


@contextmanager
def packed(model: nn.Module) -> Iterator[None]:
    """Inference at full speed: large matrices are packed, some layers take shortcuts.

    It is `scratch.torch.inference` at twice the memory: each large matrix is copied, by
    the first call that needs it, in the order that its product reads fastest. Several
    threads may use a model at once. The last to finish leaves it as it was.

    Args:
        model: a module. Inside the `with` its parameters must not change.
    """
    modules = list(model.modules())
    with inference(model):
        with CHANGING:
            for module in modules:
                stand_in = None if USERS[module] else stand_in_for(module)
                USERS[module] += 1
                if stand_in is not None:
                    setattr(module, stand_in.name, stand_in)
        try:
            yield
        finally:
            with CHANGING:
                for module in modules:
                    USERS[module] -= 1
                    if USERS[module] == 0:
                        del USERS[module]
                        restore(module)


def restore(module: nn.Module) -> None:
    """Give a module its own methods back."""
    for name, method in list(vars(module).items()):
        if isinstance(method, StandIn):
            delattr(module, name)
