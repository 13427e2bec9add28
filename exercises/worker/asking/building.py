"""Build an object of a reader's class with the question's weights."""

import math


class MisfitError(ValueError):
    """The reader's class lacks a weight, or has others than the exercise."""


def build(answer, case, framework, args, kwargs):
    """Build an object of the reader's class and give it the case's weights."""
    layer = answer(**case.new)
    if framework == "torch":
        layer.train(case.training)
    elif "build" in vars(answer) or not all(
        hasattr(layer, path.partition(".")[0]) for path in case.weights
    ):
        layer(*args, **kwargs)  # Keras may create weights at a layer's first use
    for path in sorted(case.weights, key=lambda path: path.endswith("bias")):
        _set_weight(layer, path, case.weights[path], framework)
    if case.weights:
        _require_no_other_weights(layer, case, framework)
    return layer


def _set_weight(layer, path, value, framework):
    *parents, last = path.split(".")
    owner = layer
    try:
        for name in parents:
            owner = owner[int(name)] if name.isdigit() else getattr(owner, name)
        if framework == "torch":
            _set_torch_weight(owner, path, last, value)
        else:
            _set_keras_weight(owner, path, last, value)
    except (AttributeError, IndexError, TypeError) as error:
        names = _TORCH_WEIGHTS if framework == "torch" else _KERAS_WEIGHTS
        named = ".".join([*parents, names.get(last, last)])
        raise MisfitError(f"your class has no weight `{named}`") from error


def _set_torch_weight(owner, path, last, value):
    import torch

    if last == "kernel" and isinstance(owner, torch.nn.Linear):
        value = value.T
    parameter = getattr(owner, _TORCH_WEIGHTS.get(last, last))
    _require_shape(path, parameter, value)
    with torch.no_grad():
        parameter.copy_(torch.from_numpy(value.copy()))


def _set_keras_weight(owner, path, last, value):
    if not getattr(owner, "built", True):
        for name in _DRAWN.intersection(vars(owner)):
            setattr(owner, name, "zeros")  # faster to make, and replaced below
        owner.build((None, len(value)))
    name = _KERAS_WEIGHTS.get(last, last)
    if last == "bias" and not hasattr(owner, "bias"):
        name = "beta"  # as a layer norm calls it
    variable = getattr(owner, name)
    _require_shape(path, variable, value)
    variable.assign(value)


_DRAWN = {"kernel_initializer", "embeddings_initializer"}
_TORCH_WEIGHTS = {"kernel": "weight", "scale": "weight", "rows": "weight"}
_KERAS_WEIGHTS = {"scale": "gamma", "rows": "embeddings"}


def _require_shape(path, parameter, value):
    if tuple(parameter.shape) != value.shape:
        raise MisfitError(
            f"`{path}` has shape {tuple(parameter.shape)}; {value.shape} is wanted"
        )


def _require_no_other_weights(layer, case, framework):
    weights = layer.parameters() if framework == "torch" else layer.trainable_weights
    has = sum(math.prod(weight.shape) for weight in weights)
    wanted = sum(value.size for value in case.weights.values())
    if has != wanted:
        raise MisfitError(f"your class learns {has} numbers; {wanted} are wanted")
