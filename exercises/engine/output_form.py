"""Whether an output has the form of the right one: its type, length and shape."""

from itertools import chain, repeat

from exercises.engine.output_in_words import entry, in_place, short, type_in_words

import numpy as np

NUMBERS = np.ndarray | np.generic | bool | int | float
_MOST_WHOLE = 2**53  # above it, floats do not hold every whole number


def unwrapped(value, like=None):
    """Return the numbers of a value without the types that wrap them.

    Arrays become lists, whole floats become integers, and several spaces in a text
    become one. Where `like` is a number, a list of one number becomes that number.
    """
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple):
        several = isinstance(like, list | tuple | np.ndarray) and not _is_number(like)
        parts = chain(like if several else (), repeat(None))
        inner = [
            unwrapped(item, part) for item, part in zip(value, parts, strict=False)
        ]
        return inner[0] if len(inner) == 1 and _is_number(like) else inner
    if isinstance(value, dict):
        return {key: unwrapped(item) for key, item in value.items()}
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, float) and value.is_integer() and abs(value) < _MOST_WHOLE:
        return int(value)
    return value


_MOST_ENTRIES, _DEEPEST = 10_000, 30  # far more than any right output has


def excess(got, right=None, *, lists=True):
    """Describe an output that is far larger than any right one.

    It stops reading as soon as the output is too large.

    Args:
        got: the output, in NumPy and Python.
        right: the right one, for the sentence; None where it is not known.
        lists: whether arrays will be compared entry by entry, as lists are, which is a
            hundred times slower.

    Returns:
        A sentence, or None where nothing is wrong.
    """
    entries, left = 0, [(got, 0)]
    while left:
        value, depth = left.pop()
        inner = ()
        if isinstance(value, np.ndarray):
            entries += value.size if lists else value.size // 100
            inner = value.flat if value.dtype == object else ()
        elif isinstance(value, str | bytes):
            entries += len(value)
        elif isinstance(value, list | tuple | set | dict):
            entries += len(value)
            inner = chain(value, value.values()) if isinstance(value, dict) else value
        if entries > _MOST_ENTRIES or depth > _DEEPEST:
            break
        left += zip(inner, repeat(depth + 1), strict=False)
    else:
        return None
    has = f"it has more than {_MOST_ENTRIES} entries"
    if isinstance(got, np.ndarray):
        has = f"the shape is {got.shape}"
    elif entries <= _MOST_ENTRIES:
        has = f"it holds lists in lists, more than {_DEEPEST} deep"
    return f"{has}; {_size_in_words(right)}."


def _size_in_words(right):
    if right is None:
        return "no right output is as large"
    if isinstance(right, list | tuple):
        return f"{type_in_words(right)} of {len(right)} is wanted"
    if isinstance(right, np.ndarray) and right.ndim:
        return f"{right.shape} is wanted"
    return f"{type_in_words(right)} is wanted"


def _is_number(value):
    return isinstance(value, NUMBERS) and np.ndim(value) == 0


def misfit(got, want, *, finite=True, lists=True):
    """Describe what is wrong with the form of an output: type, length or shape.

    Args:
        got: the output, in NumPy and Python.
        want: the right one.
        finite: whether NaN and infinity are wrong where the right one has none, and so
            are whole numbers with a rounding error.
        lists: whether lists of numbers are accepted as arrays, and whole numbers as
            floats.

    Returns:
        A sentence, or None where nothing is wrong.
    """
    if got is None and want is not None:
        return "it returns None. Is a `return` reached in every case?"
    return _misfit(got, want, finite, lists)


def _misfit(got, want, finite, lists):
    if isinstance(want, NUMBERS):
        return _array_misfit(got, np.asarray(want), finite, lists)
    if isinstance(want, tuple | list):
        return _sequence_misfit(got, want, finite, lists)
    if type(got) is not type(want):
        return f"it is {type_in_words(got)}; {type_in_words(want)} is wanted."
    return None


def _sequence_misfit(got, want, finite, lists):
    if lists and isinstance(got, np.ndarray) and got.ndim > 0:
        got = got.tolist()  # never large: see `excess`
    if not isinstance(got, tuple | list):
        wanted = f"{type_in_words(want)} of {len(want)}"
        return f"it is {type_in_words(got)}; {wanted} is wanted."
    if len(got) != len(want):
        has = f"{len(got)} {'entry' if len(got) == 1 else 'entries'}"
        are = "is" if len(want) == 1 else "are"
        return f"it has {has}, {short(got)}; {len(want)} {are} wanted."
    for place, (one, other) in enumerate(zip(got, want, strict=True)):
        if wrong := _misfit(one, other, finite, lists):
            return in_place(place, wrong)
    return None


_ENTRIES = {"b": "True and False", "i": "whole numbers", "u": "whole numbers"}
_ONE = {"True and False": "a truth value", "whole numbers": "a whole number"}


def _array_misfit(got, want, finite, lists):
    wants = _ENTRIES.get(want.dtype.kind, "floats")
    one = want.ndim == 0 and isinstance(got, bool | int | float)
    if lists and want.ndim and isinstance(got, list | tuple):
        if wrong := _foreign(got, wants):
            return wrong
        got = as_array(got)
        if not isinstance(got, np.ndarray):
            wanted = f"shape {want.shape}" if want.ndim > 1 else f"{want.size} numbers"
            return f"it has parts of different lengths; a list of {wanted} is wanted."
    if not isinstance(got, np.ndarray) and not one:
        wanted = f"a list of {want.size} numbers" if lists else "a tensor"
        if want.ndim == 0:
            wanted = _ONE.get(wants, "a number")
        return f"it is {type_in_words(got)}; {wanted} is wanted."
    got = np.asarray(got)
    if got.dtype.kind not in "biuf":
        return f"it is {type_in_words(got)}; {wants} are wanted."
    if got.shape != want.shape:
        return f"the shape is {got.shape}; {want.shape} is wanted."
    has = _ENTRIES.get(got.dtype.kind, "floats")
    whole_for_float = (lists or one) and (has, wants) == ("whole numbers", "floats")
    float_for_whole = not finite and (has, wants) == ("floats", "whole numbers")
    float_for_whole = float_for_whole and _miss_whole_numbers(got)
    if has != wants and not whole_for_float and not float_for_whole:
        if one:
            return f"it is {short(got, 7)}; {_ONE.get(wants, 'a number')} is wanted."
        return f"it holds {has} ({got.dtype}); {wants} are wanted."
    if finite and got.dtype.kind == "f" and np.isfinite(want).all():
        bad = np.argwhere(~np.isfinite(got))
        if len(bad):
            return f"{entry(bad[0])} is {got[tuple(bad[0])]}."
    return None


def _miss_whole_numbers(floats):
    """Whether each number misses a whole number, but only by a rounding error."""
    with np.errstate(invalid="ignore"):  # infinity minus infinity
        off = np.abs(floats - np.rint(floats))
    return bool(((off > 0) & (off < 1e-9 * np.abs(floats))).all())


def _foreign(values, wants):
    """Describe the first thing in lists that is not a number, such as a text."""
    for place, value in enumerate(values):
        if isinstance(value, list | tuple):
            wrong = _foreign(value, wants)
        elif not isinstance(value, NUMBERS):
            one = _ONE.get(wants, "a number")
            wrong = f"it is {type_in_words(value)}; {one} is wanted."
        else:
            continue
        if wrong:
            return in_place(place, wrong)
    return None


def as_array(numbers):
    """Return nested lists as an array, or as they are where rows differ in length."""
    try:
        return np.array(numbers)
    except ValueError:
        return numbers
