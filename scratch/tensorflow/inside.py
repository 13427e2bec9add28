"""Looking inside: see or change what one layer passes on."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import signature

from scratch.checks import (
    require_changed,
    require_function,
    require_layer,
)

import keras
import tensorflow as tf


@contextmanager
def tf_edited(
    part: keras.Layer,
    change: Callable[[tf.Tensor], tf.Tensor],
    inputs: bool = False,
) -> Iterator[None]:
    """Change what one layer returns, or what it takes, for as
    long as the `with` lasts.

    Otherwise as `scratch.torch.edited`.
    """
    require_layer(part, keras.Layer, "call")
    require_function("change", change)
    before = vars(part).get("call")  # an edit around this
    plain = part.call
    _, first, *_ = signature(type(part).call).parameters

    def new(x):
        # ids may be an array
        x = tf.convert_to_tensor(x)
        changed = change(x)
        require_changed(x, changed, tf.Tensor)
        return changed

    def call(*given, **named):
        if inputs and given:
            given = new(given[0]), *given[1:]
        elif inputs:
            named[first] = new(named[first])
        found = plain(*given, **named)
        if inputs:
            return found
        if isinstance(found, tuple):
            return new(found[0]), *found[1:]
        return new(found)

    part.call = call
    try:
        yield
    finally:
        del part.call  # the class's own is back
        if before is not None:
            part.call = before


@contextmanager
def tf_recorded(
    part: keras.Layer, inputs: bool = False
) -> Iterator[list[tf.Tensor]]:
    """Record what one layer returns, or what it takes, for as
    long as the `with` lasts.

    Otherwise as `scratch.torch.recorded`.
    """
    passed = []

    def keep(x):
        if tf.executing_eagerly():
            passed.append(x)
        else:  # a traced function: whenever it runs
            tf.py_function(passed.append, [x], [])
        return x

    with tf_edited(part, keep, inputs):
        yield passed
