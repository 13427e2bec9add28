"""Read published models only once, for programs that may change them."""

import contextlib
import zlib

from readymade import weights
from readymade.data import number_game
from readymade.weights.parameters import parameters_of

import numpy as np
import pytest

_READ = {}  # {(function, path, framework): (found, attributes, checksums)}


@pytest.fixture(autouse=True)
def one_checkpoint():
    with read_once():
        yield


@contextlib.contextmanager
def read_once():
    """Let `load_checkpoint` and `stages` read models once, however many programs ask.

    Each program gets the models' layers with their original attributes. What has models
    whose weights have been changed is read again next time.
    """
    read, read_stages, used = weights.load_checkpoint, number_game.stages, {}

    def once(key, make):
        if key not in _READ:
            found = make()
            _READ[key] = found, attributes(found), checksums(found)
        used[key], originals, _ = _READ[key]
        restore(originals)
        return used[key]

    def load(name_or_path=None, framework="torch"):
        key = "load_checkpoint", str(name_or_path), framework
        return once(key, lambda: read(name_or_path, framework))

    def stages(framework="torch"):
        def make():
            # Each stage is a model of its own, although all are read from one folder.
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(weights, "load_checkpoint", read)
                return read_stages(framework)

        return once(("stages", framework), make)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(weights, "load_checkpoint", load)
        patch.setattr(number_game, "stages", stages)
        yield
    for key, found in used.items():
        if checksums(found) != _READ[key][2]:
            del _READ[key]


def models_in(found):
    """Return the models in what was read: a model and its tokenizer, or stages."""
    return list(found.values()) if isinstance(found, dict) else [found[0]]


def checksums(found):
    """Return [{path: a checksum of the weight}] of each model."""
    return [
        {
            path: zlib.crc32(np.ascontiguousarray(one.read()))
            for path, one in parameters_of(model).items()
        }
        for model in models_in(found)
    ]


def attributes(found):
    """Return [(layer, {name: value})] of every layer, without private names."""
    return [
        (layer, public(layer))
        for model in models_in(found)
        for layer in (
            model.modules() if hasattr(model, "modules") else model._flatten_layers()
        )
    ]


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
