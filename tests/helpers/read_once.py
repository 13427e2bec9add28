"""Read published models only once, for programs that may change them."""

import contextlib
import zlib

from readymade import weights
from readymade.weights.parameters import parameters_of

import numpy as np
import pytest

_READ = {}  # {(path, framework): ((model, tokenizer), attributes, checksums)}


@pytest.fixture(autouse=True)
def one_checkpoint():
    with read_once():
        yield


@contextlib.contextmanager
def read_once():
    """Let `load_checkpoint` read a model once, however many programs load it.

    Each program gets the model's layers with their original attributes. A model whose
    weights have been changed is read again next time.
    """
    read, used = weights.load_checkpoint, {}

    def load(name_or_path=None, framework="torch"):
        key = str(name_or_path), framework
        if key not in _READ:
            loaded = read(name_or_path, framework)
            _READ[key] = loaded, attributes(loaded[0]), checksums(loaded[0])
        used[key], originals, _ = _READ[key]
        restore(originals)
        return used[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(weights, "load_checkpoint", load)
        yield
    for key, (model, _) in used.items():
        if checksums(model) != _READ[key][2]:
            del _READ[key]


def checksums(model):
    """Return {path: a checksum of the weight}."""
    return {
        path: zlib.crc32(np.ascontiguousarray(one.read()))
        for path, one in parameters_of(model).items()
    }


def attributes(model):
    """Return [(layer, {name: value})] of every layer, without private names."""
    layers = model.modules() if hasattr(model, "modules") else model._flatten_layers()
    return [(layer, public(layer)) for layer in layers]


def public(layer):
    return {name: value for name, value in vars(layer).items() if name[0] != "_"}


def restore(originals):
    """Restore the attributes of layers."""
    for layer, before in originals:
        now = public(layer)
        for name in now.keys() - before.keys():
            delattr(layer, name)
        for name, value in before.items():
            if now.get(name) is not value:
                setattr(layer, name, value)
