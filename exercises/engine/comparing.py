"""Compare an output with the right one, and say in words where they differ."""

from itertools import chain, repeat

import numpy as np

_NUMBERS = np.ndarray | np.generic | bool | int | float
_MOST_WHOLE = 2**53  # above it, floats do not hold every whole number


def unwrapped(value, like=None):
    """Return the numbers of a value without the types that wrap them.

    Arrays become lists, whole floats integers, and in texts one space is as good as
    several. Where `like` is a number, a list of one number becomes that number.
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
    """Describe an output that has far more in it than any right one.

    However large it is, no more than that is looked at.

    Args:
        got: the output, in NumPy and Python.
        right: the right one, for the sentence; None where it is not known.
        lists: whether arrays are compared entry by entry, as lists are, which takes a
            hundred times as long.

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
    return isinstance(value, _NUMBERS) and np.ndim(value) == 0


# ---- The form --------------------------------------------------------------------


def misfit(got, want, *, finite=True, lists=True):
    """Describe what is wrong with the form of an output: type, length or shape.

    Args:
        got: the output, in NumPy and Python.
        want: the right one.
        finite: whether NaN and infinity are wrong where the right one has none, and
            whole numbers with a rounding error where it has exact ones.
        lists: whether lists of numbers are accepted as arrays, and whole numbers as
            floats.

    Returns:
        A sentence, or None where nothing is wrong.
    """
    if got is None and want is not None:
        return "it returns None. Is a `return` reached in every case?"
    return _misfit(got, want, finite, lists)


def _misfit(got, want, finite, lists):
    if isinstance(want, _NUMBERS):
        return _array_misfit(got, np.asarray(want), finite, lists)
    if isinstance(want, tuple | list):
        return _sequence_misfit(got, want, finite, lists)
    if type(got) is not type(want):
        return f"it is {type_in_words(got)}; {type_in_words(want)} is wanted."
    return None


def _sequence_misfit(got, want, finite, lists):
    if lists and isinstance(got, np.ndarray) and got.ndim > 0:
        got = got.tolist()  # which is not large: see `excess`
    if not isinstance(got, tuple | list):
        wanted = f"{type_in_words(want)} of {len(want)}"
        return f"it is {type_in_words(got)}; {wanted} is wanted."
    if len(got) != len(want):
        has = f"{len(got)} {'entry' if len(got) == 1 else 'entries'}"
        are = "is" if len(want) == 1 else "are"
        return f"it has {has}, {short(got)}; {len(want)} {are} wanted."
    for place, (one, other) in enumerate(zip(got, want, strict=True)):
        if wrong := _misfit(one, other, finite, lists):
            return _in_place(place, wrong)
    return None


_ENTRIES = {"b": "True and False", "i": "whole numbers", "u": "whole numbers"}
_ONE = {"True and False": "a truth value", "whole numbers": "a whole number"}


def _array_misfit(got, want, finite, lists):
    wants = _ENTRIES.get(want.dtype.kind, "floats")
    one = want.ndim == 0 and isinstance(got, bool | int | float)
    if lists and want.ndim and isinstance(got, list | tuple):
        if wrong := _foreign(got, wants):
            return wrong
        got = _as_array(got)
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
            return f"{_entry(bad[0])} is {got[tuple(bad[0])]}."
    return None


def _miss_whole_numbers(floats):
    """Whether all are off a whole number, and only by a rounding error."""
    with np.errstate(invalid="ignore"):  # infinity minus infinity
        off = np.abs(floats - np.rint(floats))
    return bool(((off > 0) & (off < 1e-9 * np.abs(floats))).all())


def _foreign(values, wants):
    """Describe the first thing in lists that is not a number, such as a text."""
    for place, value in enumerate(values):
        if isinstance(value, list | tuple):
            wrong = _foreign(value, wants)
        elif not isinstance(value, _NUMBERS):
            one = _ONE.get(wants, "a number")
            wrong = f"it is {type_in_words(value)}; {one} is wanted."
        else:
            continue
        if wrong:
            return _in_place(place, wrong)
    return None


def _as_array(numbers):
    """Return numbers in lists as an array; as they are where rows differ in length."""
    try:
        return np.array(numbers)
    except ValueError:
        return numbers


# ---- The values ------------------------------------------------------------------


def difference(got, want, tolerance, *, tell=True):
    """Describe the first place where an output of the right form differs.

    Args:
        got: the output, in NumPy and Python.
        want: the right one.
        tolerance: how far numbers may differ, relative and absolute.
        tell: whether the sentence says what is wanted.

    Returns:
        A sentence, or None where nothing differs.
    """
    if tell:
        return _difference(got, want, tolerance)
    # Never more than that: a wrong idea can give the first decimals of what is right.
    untold = ", and that is not right."
    if _is_cut_short(got, want, tolerance):
        untold = ": not right, or more decimals are wanted."
    return _difference(got, want, tolerance, untold)


def _difference(got, want, tolerance, untold=""):
    """Describe it; the sentence ends with `untold`, or with what is wanted."""
    if isinstance(want, _NUMBERS):
        return _array_difference(np.asarray(got), np.asarray(want), tolerance, untold)
    if isinstance(want, tuple | list):
        for place, (one, other) in enumerate(zip(got, want, strict=True)):
            if wrong := _difference(one, other, tolerance, untold):
                return _in_place(place, wrong)
        return None
    if isinstance(want, dict):
        return _dictionary_difference(got, want, tolerance, untold)
    if got != want:
        return f"it is {short(got)}{untold or _wanted(short(want))}"
    return None


def _wanted(want):
    return f"; {want} is wanted."


def _near(got, want, tolerance):
    """Return which numbers of an array are right."""
    if want.dtype.kind in "biu" and got.dtype.kind in "biu":
        return np.equal(got, want)
    return np.isclose(got, want, rtol=tolerance, atol=tolerance, equal_nan=True)


def _array_difference(got, want, tolerance, untold):
    near = _near(got, want, tolerance)
    if near.all():
        return None
    at = np.unravel_index(near.argmin(), near.shape)
    has, wants = _told_apart(got[at], want[at])
    return f"{_entry(at)} is {has}{untold or _wanted(wants)}"


def _is_cut_short(got, want, tolerance):
    """Say whether a value may be the right one, rounded or cut off too early.

    It may if each of its numbers may.
    """
    if isinstance(want, tuple | list):
        parts = zip(got, want, strict=True)
        return all(_is_cut_short(one, other, tolerance) for one, other in parts)
    if not isinstance(want, _NUMBERS):
        return got == want
    got, want = np.asarray(got), np.asarray(want)
    wrong = ~_near(got, want, tolerance)
    pairs = zip(got[wrong].flat, want[wrong].flat, strict=True)
    return all(_has_too_few_decimals(one, other) for one, other in pairs)


def _has_too_few_decimals(got, want):
    if got.dtype.kind != "f" or got == 0:
        return False
    decimals = _decimals(got)
    last, off = 10.0**-decimals, got - want
    # What is a whole unit off, but for rounding errors, is no cut: 0.9 is not 1.
    is_shorter = got * want > 0 and abs(got) <= abs(want)
    is_cut_off = is_shorter and abs(off) < 0.9999 * last
    return decimals > 0 and (is_cut_off or abs(off) <= last / 2)


def is_rounded(got, want):
    """Say whether numbers are others, rounded to the decimals that they have.

    Only large ones to none: 0 and 1 would be half of all numbers.
    """
    got, want = _as_array(got), _as_array(want)
    kinds = [array.dtype.kind for array in (got, want) if isinstance(array, np.ndarray)]
    if kinds not in (["f", "f"], ["f", "i"], ["i", "f"]) or got.shape != want.shape:
        return False
    decimals = max(map(_decimals, got.flat), default=0)
    told = decimals > 0 or (abs(want) >= 100).all()
    return bool(told and (abs(got - want) <= 0.5001 * 10.0**-decimals).all())


def _decimals(number):
    return len(np.format_float_positional(number, trim="-").partition(".")[2])


def _dictionary_difference(got, want, tolerance, untold):
    for key in want:
        if key not in got:
            return f"the key {short(key)} is missing."
        wrong = misfit(got[key], want[key]) or _difference(
            got[key], want[key], tolerance, untold
        )
        if wrong:
            return f"at the key {short(key)}, {wrong}"
    extra = [key for key in got if key not in want]
    return f"the key {short(extra[0])} does not belong there." if extra else None


# ---- Words -----------------------------------------------------------------------


def _in_place(place, wrong):
    """Add to a sentence which item of a sequence is wrong."""
    deeper = wrong.removeprefix("in item ")
    return f"in item [{place}]{', ' if deeper == wrong else ''}{deeper}"


def _entry(at):
    return f"entry [{', '.join(map(str, at))}]" if len(at) else "it"


def _told_apart(got, want):
    """Return two numbers as text, with enough digits to show that they differ."""
    for digits in range(3, 8):
        pair = short(got, digits), short(want, digits)
        if pair[0] != pair[1]:
            break
    return pair


def short(value, digits=3):
    """Return a value as a short text."""
    if isinstance(value, np.ndarray | np.generic) and value.ndim == 0:
        value = value.item()
    if isinstance(value, float):
        whole = len(f"{abs(value):.0f}")  # 1024 and 16384 are read, 1.02e+03 is not
        return f"{value:.{max(digits, whole) if whole < 7 else digits}g}"
    if isinstance(value, np.ndarray):
        if value.size <= 6:
            text = np.array2string(value, precision=2, separator=", ")
            return " ".join(text.split())
        return f"an array of shape {value.shape}"
    text = repr(value)
    return text if len(text) <= 120 else text[:117] + "…"


def type_in_words(value):
    """Return a value's type in a reader's words, with its article."""
    names = {
        np.ndarray: "a tensor",
        str: "a string",
        int: "a whole number",
        float: "a number",
        bool: "a truth value",
        type(None): "None",
    }
    name = str(getattr(value, "kind", type(value).__name__))
    return names.get(type(value), f"{'an' if name[:1] in 'aeiou' else 'a'} {name}")
