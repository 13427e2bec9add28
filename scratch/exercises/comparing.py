"""Compare an output with the right one, and say in words where they differ."""

import numpy as np

_NO_RETURN = "it returns None. Is there a `return`?"
_NUMBERS = np.ndarray | np.generic | bool | int | float


def misfit(got, want, *, finite=True, lists=True):
    """Say what is wrong with the form of an output: type, length, shape, finiteness.

    Args:
        got: the output, in NumPy and Python.
        want: the right one.
        finite: whether NaN and infinity are wrong where they are not wanted.
        lists: whether a list of numbers may stand for an array.
    """
    if got is None and want is not None:
        return _NO_RETURN
    if isinstance(want, _NUMBERS):
        return _array_misfit(got, np.asarray(want), finite, lists)
    if isinstance(want, tuple | list):
        return _sequence_misfit(got, want, finite, lists)
    if type(got) is not type(want):
        return f"{a(got)} comes back; {a(want)} is wanted."
    return None


def _sequence_misfit(got, want, finite, lists):
    if isinstance(got, np.ndarray) and got.ndim > 0:
        got = list(got)
    if not isinstance(got, tuple | list):
        return f"{a(got)} comes back; {a(want)} of {len(want)} is wanted."
    if len(got) != len(want):
        return f"{len(got)} come back ({short(got)}); {len(want)} are wanted."
    for place, (one, other) in enumerate(zip(got, want, strict=True)):
        if wrong := misfit(one, other, finite=finite, lists=lists):
            return f"in place {place}, {wrong}"
    return None


_KINDS = {"b": "True and False", "i": "whole numbers", "u": "whole numbers"}


def _array_misfit(got, want, finite, lists):
    number = want.ndim == 0 and isinstance(got, bool | int | float)
    if lists and want.ndim and isinstance(got, list | tuple):
        got = _as_array(got)
    if not isinstance(got, np.ndarray) and not number:
        return f"{a(got)} comes back; {a(want)} is wanted."
    got = np.asarray(got)
    has, wants = (_KINDS.get(one.dtype.kind, "floats") for one in (got, want))
    if got.dtype.kind not in "biuf":
        return f"{a(got)} comes back; {wants} are wanted."
    if got.shape != want.shape:
        return f"the shape is {got.shape}; {want.shape} is wanted."
    whole_for_float = number and (has, wants) == ("whole numbers", "floats")
    if has != wants and not whole_for_float:
        return f"it holds {has} ({got.dtype}); {wants} are wanted."
    if finite and got.dtype.kind == "f" and np.isfinite(want).all():
        bad = np.argwhere(~np.isfinite(got))
        if len(bad):
            return f"{_entry(bad[0])} is {got[tuple(bad[0])]}."
    return None


def _as_array(values):
    """Return numbers in lists as an array, anything else as it is."""
    try:
        return np.array(values)
    except ValueError:  # rows of different lengths
        return values


def difference(got, want, tolerance):
    """Say where an output of the right form differs, and both values."""
    if isinstance(want, _NUMBERS):
        return _array_difference(np.asarray(got), np.asarray(want), tolerance)
    if isinstance(want, tuple | list):
        for place, (one, other) in enumerate(zip(got, want, strict=True)):
            if wrong := difference(one, other, tolerance):
                return f"in place {place}, {wrong}"
        return None
    if isinstance(want, dict):
        return _dictionary_difference(got, want, tolerance)
    if got != want:
        return f"it is {short(got)}; {short(want)} is wanted."
    return None


def _array_difference(got, want, tolerance):
    if want.dtype.kind in "biu" and got.dtype.kind in "biu":
        wrong = np.argwhere(got != want)
    else:
        near = np.isclose(got, want, rtol=tolerance, atol=tolerance, equal_nan=True)
        wrong = np.argwhere(~near)
    if not len(wrong):
        return None
    at = tuple(wrong[0])
    has, wants = _told_apart(got[at], want[at])
    return f"{_entry(at)} is {has}; {wants} is wanted."


def _dictionary_difference(got, want, tolerance):
    for key in want:
        if key not in got:
            return f"the key {short(key)} is missing."
        wrong = misfit(got[key], want[key]) or difference(
            got[key], want[key], tolerance
        )
        if wrong:
            return f"at the key {short(key)}, {wrong}"
    extra = [key for key in got if key not in want]
    return f"the key {short(extra[0])} does not belong there." if extra else None


def _entry(at):
    return f"entry [{', '.join(map(str, at))}]" if len(at) else "it"


def _told_apart(got, want):
    """Write two numbers with as many digits as it takes to see that they differ."""
    for digits in range(3, 8):
        pair = short(got, digits), short(want, digits)
        if pair[0] != pair[1]:
            break
    return pair


def short(value, digits=3):
    """Write a value in a few words."""
    if isinstance(value, np.ndarray | np.generic) and value.ndim == 0:
        value = value.item()
    if isinstance(value, float):
        return f"{value:.{digits}g}"
    if isinstance(value, np.ndarray):
        if value.size <= 6:
            text = np.array2string(value, precision=2, separator=", ")
            return " ".join(text.split())
        return f"an array of shape {value.shape}"
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "…"


def a(value):
    """Write a value's type in a reader's words."""
    names = {
        np.ndarray: "a tensor",
        str: "a text",
        int: "a whole number",
        float: "a number",
        bool: "a truth value",
        type(None): "None",
    }
    return names.get(type(value), f"a {getattr(value, 'kind', type(value).__name__)}")
