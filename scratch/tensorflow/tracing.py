"""Trace a model's step anew once the model has changed."""

from collections.abc import Callable, Iterator
from weakref import WeakKeyDictionary, proxy

import keras
import tensorflow as tf

# For each model and method, what the model was made of when
# the method was traced, and the traced function.
TRACED = WeakKeyDictionary()


def _parts(value, seen: set) -> Iterator:
    """Yield layers and settings in a value, itself last."""
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _parts(part, seen)
    elif (
        isinstance(value, keras.Layer)
        and id(value) not in seen
    ):
        seen.add(id(value))
        yield from (value.trainable, value.dtype_policy)
        for name, part in vars(value).items():
            # Keras keeps its records in names with a _
            if name != "built" and not name.startswith("_"):
                yield from _parts(part, seen)
    yield value


def tf_traced(
    model: keras.Layer, method: str = "next_logits"
) -> Callable:
    """A method of a model, as a traced function.

    A trace holds the layers and settings that it was made
    with. So once one of them is another, it is made anew.

    Args:
        model: a layer.
        method: the name of its method.

    Returns:
        A tf.function that computes the same.
    """
    parts = list(_parts(model, set()))[:-1]  # not itself
    traced = TRACED.setdefault(model, {})
    known, step = traced.get(method, ([], None))
    if [*map(id, parts)] != [*map(id, known)]:
        weak = proxy(model)  # a trace keeps no model alive

        @tf.function(reduce_retracing=True)
        def step(*inputs, **named):
            return getattr(weak, method)(*inputs, **named)

        traced[method] = parts, step
    return step
