"""What Keras needs to know to save a layer, and to fit."""

import functools
import inspect
from collections import Counter
from dataclasses import asdict

from scratch.config import TransformerConfig

import keras


def saveable(cls):
    """Let Keras save a layer or model of this class.

    Keras saves a layer as its weights and its config: the
    arguments from which to build it again. The class must
    pass its **kwargs (name, dtype, trainable) to
    `super().__init__`; the parts that it builds take over the
    dtype and `trainable=False`. What is frozen stays frozen
    when it is saved and loaded. Its arguments are plain
    values, a TransformerConfig and other layers. A subclass
    with arguments of its own is decorated, too.

    Args:
        cls: a class of layers or models.

    Returns:
        The same class, registered as "scratch>" and its name,
        whose layers count as built from the beginning.

    Raises:
        ValueError: by the layer's get_config, which Keras
            calls to save or clone it, if a part is of another
            kind or shape than it was built, such as LoRA.
            A model's `save` then leaves an older file whole.

    Example:
        @saveable
        class TFTwice(keras.layers.Layer): ...
    """
    construct = cls.__init__
    signature = inspect.signature(construct)

    @functools.wraps(construct)
    def __init__(self, *args, **kwargs):
        policy = keras.config.dtype_policy()
        dtype = keras.dtype_policies.get(kwargs.get("dtype"))
        keras.config.set_dtype_policy(dtype)
        try:
            construct(self, *args, **kwargs)
        finally:
            keras.config.set_dtype_policy(policy)
        self.built = True
        if not self.trainable:
            self.trainable = False  # of the parts, too
        given = signature.bind(self, *args, **kwargs)
        given.apply_defaults()
        self._constructed_with = given
        self._built_of = _kinds(self)

    def __setattr__(self, name, value):
        if name != "trainable":
            return super(cls, self).__setattr__(name, value)
        # Keras skips the parts if the value is the old one
        keras.Layer.trainable.fset(self, value)

    def get_config(self):
        _require_as_built(self)
        config = super(cls, self).get_config()
        given = self._constructed_with.arguments
        for name, value in given.items():
            if name not in ("self", "kwargs"):
                config[name] = _stored(value)
        trained = [part.trainable for part in _parts(self)]
        if len({*trained}) == 2:
            config["trained"] = trained  # some, not others
        return config

    @functools.wraps(keras.Model.save)
    def save(self, *args, **kwargs):
        # before Keras opens the file, and so empties it
        _require_as_built(self)
        return super(cls, self).save(*args, **kwargs)

    def from_config(cls, config):
        config = {n: _restored(v) for n, v in config.items()}
        trained = config.pop("trained", None)
        layer = cls(**config)
        if trained is not None:
            parts = _parts(layer)
            for part, one in zip(parts, trained, strict=True):
                # one part alone: a setter reaches its parts
                part._trainable = one
        return layer

    # Keras reads the arguments' names here
    __init__.__signature__ = signature
    cls.__init__ = __init__
    cls.__setattr__ = __setattr__
    cls.get_config = get_config
    cls.from_config = classmethod(from_config)
    if issubclass(cls, keras.Model):
        cls.save = save
    register = keras.saving.register_keras_serializable
    return register("scratch")(cls)


def fittable(cls):
    """Let Keras fit a model that takes several inputs.

    `fit`, `evaluate` and `predict` hand all of a model's
    inputs to its first argument: as a tuple, in their order,
    or as a dict, by their names.

    Args:
        cls: a class of models.

    Example:
        model.fit({"ids": ids, "segment_ids": segments}, y)
    """
    call = cls.__call__

    @functools.wraps(call)
    def unpacked(self, *inputs, **named):
        if inputs and isinstance(inputs[0], dict):
            named |= inputs[0]
            inputs = inputs[1:]
        elif inputs and isinstance(inputs[0], (tuple, list)):
            inputs = *inputs[0], *inputs[1:]
        return call(self, *inputs, **named)

    cls.__call__ = unpacked


def _parts(layer):
    """What may be frozen: a layer, those in it, weights."""
    return [*layer._flatten_layers(), *layer.weights]


def _kinds(layer):
    """The kind of each of its parts, and their shapes."""
    return tuple(
        (type(one).__name__, *(w.shape for w in one.weights))
        for one in layer._flatten_layers(False, False)
    )


def _require_as_built(layer):
    """Raise if a part was replaced, unknown to the config."""
    for one in reversed([*layer._flatten_layers()]):
        built = map(tuple, getattr(one, "_built_of", ()))
        lost = Counter(built) - Counter(_kinds(one))
        for kind, *_ in lost:
            raise ValueError(
                f"{one.name} lacks a {kind} that it was built"
                " with: wanted a layer of the same shape, as "
                "after tf_merge_lora"
            )


def _stored(argument):
    """An argument as values that can be written as JSON."""
    if isinstance(argument, TransformerConfig):
        return {"TransformerConfig": asdict(argument)}
    stored = keras.saving.serialize_keras_object(argument)
    if isinstance(argument, keras.Layer):
        # what several layers share is built once
        stored["shared_object_id"] = id(argument)
    return stored


def _restored(value):
    """The argument that `_stored` was given."""
    if not isinstance(value, dict):
        return value
    if "TransformerConfig" not in value:
        return keras.saving.deserialize_keras_object(value)
    return TransformerConfig(**value["TransformerConfig"])
