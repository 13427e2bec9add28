"""Whether a model is what its config says: compared with one newly built from it.

A checkpoint holds a config and weights, so a model is read back as the same function
only if nothing else in it was changed after it was built.
"""

import random
import reprlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from numbers import Number
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from readymade.weights.copying import misfits
from readymade.weights.parameters import is_keras, is_torch, parameters_of
from scratch.config import TransformerConfig

import numpy as np
from ml_dtypes import bfloat16

PLAIN = (Number, str, type(None))
FUNCTIONS = (FunctionType, BuiltinFunctionType, MethodType, partial)
MISSING = object()
HOOKS = ("_forward_hooks", "_forward_pre_hooks")


def require_as_built(model: Any, new: Any) -> None:
    """Raise unless a model is as newly built, apart from dropout and weights' values.

    Raises:
        ValueError: something differs. All of it is named.
    """
    wrong = (
        [*changes(model, new)]
        or misfits(parameters_of(model), parameters_of(new), "the model", "its config")
        or untied_since(model, new)
    )
    if wrong:
        listed = "\n  ".join(wrong)
        raise ValueError(
            f"model is not what its config says: wanted all as it was built\n  {listed}"
        )


def untied_since(model, new):
    """Name the weights that are tied in a new model and differ in this one."""
    given, first, wrong = parameters_of(model), {}, []
    for path, parameter in parameters_of(new).items():
        one = first.setdefault(id(parameter.variable), path)
        if given[one].variable is given[path].variable:
            continue
        if not np.array_equal(given[one].read(), given[path].read()):
            wrong.append(f"{path} differs from {one}: wanted the same, tied by config")
    return wrong


@contextmanager
def without_values(model: Any) -> Iterator[None]:
    """Let what is built in a model's framework have weights without values.

    They take neither memory nor random numbers.
    """
    if is_torch(model):
        import torch
        from torch.nn.modules import module

        def emptied(owner, name, parameter):
            return torch.nn.Parameter(parameter.to("meta"), parameter.requires_grad)

        handle = module.register_module_parameter_registration_hook(emptied)
        try:
            yield
        finally:
            handle.remove()
    else:
        import keras

        # Keras draws a seed for each initializer.
        state = random.getstate()
        try:
            with keras.StatelessScope(initialize_variables=False):
                yield
        finally:
            random.setstate(state)


def changes(ours: Any, new: Any, path: str = "model") -> Iterator[str]:
    """Yield a line for each part of a layer or a value that differs from a new one.

    Weights are left out, and so is what acts only in training.
    """
    if is_layer(new):
        kind, wanted = type(ours).__name__, type(new).__name__
        if wanted == "Dropout" and kind in ("Dropout", "Identity"):
            return
        if type(ours) is not type(new):
            state = "missing" if ours is MISSING else f"of type {kind}"
            yield f"{path} is {state}: wanted {wanted}"
            return
        mine, theirs = attributes(ours), attributes(new)
        for name, value in theirs.items():
            yield from changes(mine.get(name, MISSING), value, f"{path}.{name}")
        for name in mine.keys() - theirs.keys():
            # What no class knows, such as a user's note, changes nothing.
            if name.isdigit() or hasattr(type(ours), name):
                yield f"{path}.{name} was added: wanted {wanted} as it is"
        if any(vars(ours).get(name) for name in HOOKS):
            yield f"{path} has a forward hook: wanted none"
    elif isinstance(new, (list, tuple)):
        mine = [*ours] if isinstance(ours, (list, tuple)) else []
        if len(mine) != len(new):
            yield f"{path} has {len(mine)} parts: wanted {len(new)}"
            return
        for place, (one, other) in enumerate(zip(mine, new, strict=True)):
            yield from changes(one, other, f"{path}.{place}")
    elif not same(ours, new):
        value = "missing" if ours is MISSING else reprlib.repr(ours)
        yield f"{path} is {value}: wanted {reprlib.repr(new)}"


def same(ours, new):
    """Whether a value is that of a new model, for the kinds that make a difference."""
    if isinstance(new, PLAIN):
        return isinstance(ours, PLAIN) and ours == new
    if isinstance(new, TransformerConfig):
        return isinstance(ours, TransformerConfig) and (
            replace(ours, dropout=new.dropout) == new
        )
    if isinstance(new, partial):
        return isinstance(ours, partial) and (
            (ours.func, ours.args, ours.keywords) == (new.func, new.args, new.keywords)
        )
    if isinstance(new, FUNCTIONS):
        return ours is new or ours == new
    if is_constant(new):
        if not is_constant(ours):
            return False
        ours, new = as_array(ours), as_array(new)
        # In half precision, a model's constants are rounded with its weights.
        kinds = (np.float64, np.float16, bfloat16)
        return any(np.array_equal(ours, new.astype(kind)) for kind in kinds)
    return True


def is_layer(value):
    """Whether a value is a layer of either framework."""
    return is_keras(value) or (is_torch(value) and hasattr(value, "parameters"))


def is_constant(value):
    """Whether a value is a tensor and not a weight."""
    tensor = hasattr(value, "dtype") and hasattr(value, "shape")
    return tensor and not is_keras(value, "Variable")


def as_array(tensor):
    """Return the numbers of a tensor, each of which float64 holds."""
    if is_torch(tensor):
        return tensor.detach().cpu().double().numpy()
    return np.asarray(tensor).astype(np.float64)


def attributes(layer):
    """Return {name: value} of what a layer holds, without its weights."""
    values = {**vars(layer)}
    if is_torch(layer):
        values |= layer._modules | layer._buffers
    else:
        values["quantization_mode"] = layer.quantization_mode
    hidden = framework_names(is_torch(layer))
    return {
        name: value
        for name, value in values.items()
        if not name.startswith("_") and name not in hidden
    }


@cache
def framework_names(torch):
    """Return the names of the attributes that each framework's base class has."""
    if torch:
        from torch import nn

        return {*vars(nn.Module())}
    import keras

    return {*vars(keras.Model())}
