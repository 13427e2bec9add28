"""Looking inside: see or change what one layer passes on."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import signature

from scratch.checks import (
    require_changed,
    require_function,
    require_layer,
)

import torch
from torch import Tensor, nn


@contextmanager
def edited(
    part: nn.Module,
    change: Callable[[Tensor], Tensor],
    inputs: bool = False,
) -> Iterator[None]:
    """Change what one layer returns, or what it takes, for as
    long as the `with` lasts.

    Edits of one layer nest: of two that change what it
    returns, the inner one gets what the outer one made.
    Gradients pass through. All threads see the edit; a
    function that was traced or compiled before may not.

    Args:
        part: a layer of a model.
        change: takes the first output, of which it gets a
            copy, and returns a tensor of the same shape and
            type.
        inputs: True to change the first input instead.

    Raises:
        TypeError: if part is not a layer, change is not a
            function, or returns no tensor of that type.
        ValueError: if it returns another shape.

    Source: activation patching; Meng et al. 2022, section
        2.1.
    """
    require_layer(part, nn.Module, "forward")
    require_function("change", change)
    before = vars(part).get("forward")  # an edit around this
    plain = part.forward
    _, first, *_ = signature(type(part).forward).parameters

    def new(x):
        x = torch.as_tensor(x)  # ids may be an array
        changed = change(x.clone())
        require_changed(x, changed, Tensor)
        return changed

    def forward(*given, **named):
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

    part.forward = forward
    try:
        yield
    finally:
        del part.forward  # the class's own is back
        if before is not None:
            part.forward = before


@contextmanager
def recorded(
    part: nn.Module, inputs: bool = False
) -> Iterator[list[Tensor]]:
    """Record what one layer returns, or what it takes, for as
    long as the `with` lasts.

    Args:
        part: a layer of a model.
        inputs: True to record the first input instead.

    Returns:
        A list, which gets the first output of each call.
    """
    passed = []

    def keep(x):
        passed.append(x)
        return x

    with edited(part, keep, inputs):
        yield passed
