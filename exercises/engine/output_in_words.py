"""Say in words what an output is, and where in it."""

import numpy as np


def in_place(place, wrong):
    """Add to a sentence which item of a sequence is wrong."""
    deeper = wrong.removeprefix("in item ")
    return f"in item [{place}]{', ' if deeper == wrong else ''}{deeper}"


def entry(at):
    """Return which entry of an array is meant; "it" where there is only one."""
    return f"entry [{', '.join(map(str, at))}]" if len(at) else "it"


def short(value, digits=3):
    """Return a value as a short text."""
    if isinstance(value, np.ndarray | np.generic) and value.ndim == 0:
        value = value.item()
    if isinstance(value, float):
        whole = len(f"{abs(value):.0f}")  # 1024 and 16384, not 1.02e+03
        return f"{value:.{max(digits, whole) if whole < 7 else digits}g}"
    if isinstance(value, np.ndarray):
        if value.size <= 6:
            text = np.array2string(value, precision=2, separator=", ")
            return " ".join(text.split())
        return f"an array of shape {value.shape}"
    text = repr(value)
    if isinstance(value, list) and any(isinstance(one, np.ndarray) for one in value):
        text = f"[{', '.join(map(short, value))}]"
    return text if len(text) <= 120 else text[:117] + "…"


def type_in_words(value):
    """Return a value's type in plain words, with its article."""
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
