"""The questions put to an answer: its arguments, drawn from a seed."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)  # each question equals only itself
class Call:
    """A question: an answer's arguments, and how to make an object of a class."""

    args: tuple = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    new: dict[str, Any] | None = None
    weights: dict[str, np.ndarray] = field(default_factory=dict)
    training: bool = False
    # whether a gradient must reach a function's float tensors, or at which places
    learns: bool | tuple[int, ...] = False


def call(*args, new=None, weights=None, training=False, **kwargs):
    """Make a `Call`, written like the call itself.

    `new` has the constructor's arguments when the answer is a class, and `weights` all
    its parameters by path: "query.kernel" (inputs, outputs), "query.bias",
    "norm.scale", "table.rows", or the name of a bare parameter.
    """
    return Call(args, kwargs, new, weights or {}, training)


def drawn_calls(cases, seed, learns=False):
    """Return the questions that `cases` draws with this seed, smallest first."""
    drawn = cases(np.random.default_rng(seed))
    return sorted((_as_call(case, learns) for case in drawn), key=_size)


def _as_call(case, learns):
    if not isinstance(case, Call):
        case = Call(case if isinstance(case, tuple) else (case,))
    # Frameworks compute in single precision, so the reference gets such numbers, too.
    return Call(
        tuple(map(_single, case.args)),
        {name: _single(value) for name, value in case.kwargs.items()},
        case.new,
        {path: _single(value) for path, value in case.weights.items()},
        case.training,
        learns,
    )


def _single(value):
    if isinstance(value, np.ndarray) and value.dtype == np.float64:
        return value.astype(np.float32)
    return value


def _size(case):
    given = [*case.args, *case.kwargs.values(), *(case.new or {}).values()]
    return sum(map(_extent, given))


def _extent(value):
    if isinstance(value, np.ndarray):
        return value.size
    if isinstance(value, int):
        return abs(value)
    if isinstance(value, dict):
        return _extent(list(value)) + _extent(list(value.values()))
    if isinstance(value, str):
        return len(value)
    if isinstance(value, list | tuple | set):
        return 1 + sum(map(_extent, value))
    return 1
