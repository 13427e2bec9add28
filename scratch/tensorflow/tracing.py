"""Trace a model's step anew once the model has changed."""

from collections.abc import Callable, Iterator
from weakref import WeakKeyDictionary, proxy

import keras
import tensorflow as tf

# For each model, what it was made of when its step was
# traced, and the traced step.
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


def tf_traced(model: keras.Layer) -> Callable:
    """The next_logits of a model, as a traced function.

    A trace holds the layers and settings that it was made
    with. So once one of them is another, it is made anew.

    Args:
        model: a layer with a method `next_logits`.

    Returns:
        A tf.function that computes the same.
    """
    parts = list(_parts(model, set()))[:-1]  # not itself
    known, step = TRACED.get(model, ([], None))
    if [*map(id, parts)] != [*map(id, known)]:
        weak = proxy(model)  # a trace keeps no model alive

        @tf.function(reduce_retracing=True)
        def step(*inputs):
            return weak.next_logits(*inputs)

        TRACED[model] = parts, step
    return step
