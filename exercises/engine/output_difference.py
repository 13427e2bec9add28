"""Where the values of an output differ from the right ones, given the right form."""

from exercises.engine.output_form import NUMBERS, as_array, misfit
from exercises.engine.output_in_words import entry, in_place, short

import numpy as np


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
    # It says no more, because a wrong idea can give the first decimals by chance.
    ending = ", and that is not right."
    if _is_cut_short(got, want, tolerance):
        ending = ": not right, or more decimals are wanted."
    return _difference(got, want, tolerance, ending)


def _difference(got, want, tolerance, ending=""):
    """Describe it in a sentence that ends with `ending`, or with what is wanted."""
    if isinstance(want, NUMBERS):
        return _array_difference(np.asarray(got), np.asarray(want), tolerance, ending)
    if isinstance(want, tuple | list):
        for place, (one, other) in enumerate(zip(got, want, strict=True)):
            if wrong := _difference(one, other, tolerance, ending):
                return in_place(place, wrong)
        return None
    if isinstance(want, dict):
        return _dictionary_difference(got, want, tolerance, ending)
    if got != want:
        return f"it is {short(got)}{ending or _wanted(short(want))}"
    return None


def _wanted(want):
    return f"; {want} is wanted."


def _near(got, want, tolerance):
    """Return which numbers of an array are right."""
    if want.dtype.kind in "biu" and got.dtype.kind in "biu":
        return np.equal(got, want)
    return np.isclose(got, want, rtol=tolerance, atol=tolerance, equal_nan=True)


def _array_difference(got, want, tolerance, ending):
    near = _near(got, want, tolerance)
    if near.all():
        return None
    at = np.unravel_index(near.argmin(), near.shape)
    has, wants = _distinct_texts(got[at], want[at])
    return f"{entry(at)} is {has}{ending or _wanted(wants)}"


def _is_cut_short(got, want, tolerance):
    """Whether each number of a value may be the right one, rounded or cut too early."""
    if isinstance(want, tuple | list):
        parts = zip(got, want, strict=True)
        return all(_is_cut_short(one, other, tolerance) for one, other in parts)
    if not isinstance(want, NUMBERS):
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
    # A whole unit of the last decimal, within rounding errors, is no cut: 0.9 is not 1.
    is_shorter = got * want > 0 and abs(got) <= abs(want)
    is_cut_off = is_shorter and abs(off) < 0.9999 * last
    return decimals > 0 and (is_cut_off or abs(off) <= last / 2)


def is_rounded(got, want):
    """Whether numbers are others, rounded to as many decimals as they have.

    Only large numbers may be rounded to none, because 0 and 1 would match too many.
    """
    got, want = as_array(got), as_array(want)
    kinds = [array.dtype.kind for array in (got, want) if isinstance(array, np.ndarray)]
    if kinds not in (["f", "f"], ["f", "i"], ["i", "f"]) or got.shape != want.shape:
        return False
    decimals = max(map(_decimals, got.flat), default=0)
    says_enough = decimals > 0 or (abs(want) >= 100).all()
    return bool(says_enough and (abs(got - want) <= 0.5001 * 10.0**-decimals).all())


def _decimals(number):
    return len(np.format_float_positional(number, trim="-").partition(".")[2])


def _dictionary_difference(got, want, tolerance, ending):
    for key in want:
        if key not in got:
            return f"the key {short(key)} is missing."
        wrong = misfit(got[key], want[key]) or _difference(
            got[key], want[key], tolerance, ending
        )
        if wrong:
            return f"at the key {short(key)}, {wrong}"
    extra = [key for key in got if key not in want]
    return f"the key {short(extra[0])} does not belong there." if extra else None


def _distinct_texts(got, want):
    """Return two numbers as texts with enough digits to differ."""
    for digits in range(3, 8):
        pair = short(got, digits), short(want, digits)
        if pair[0] != pair[1]:
            break
    return pair
