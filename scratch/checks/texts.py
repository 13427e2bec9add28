"""Checks of texts, lists and tokens."""

from collections.abc import Mapping, Set
from numbers import Integral

from scratch.checks.numbers import require_at_least, require_number


def require_text(name, value):
    """Raise unless `value` is a string that UTF-8 can write.

    A surrogate is half of a character; alone it has no meaning and no bytes.
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} is of type {type(value).__name__}: wanted a string")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        code = ord(value[error.start])
        raise ValueError(
            f"{name} has half a character (surrogate U+{code:04X}) at position "
            f"{error.start}: wanted whole characters"
        ) from None


def require_texts(name, values):
    """Raise unless `values` holds strings and is not a string itself.

    An iterator can be read only once, so its texts are checked where it is read. Of a
    dictionary Python would read the keys, and a set has no order.
    """
    no_list = isinstance(values, (str, Mapping, Set))
    if no_list or not hasattr(values, "__iter__"):
        kind = type(values).__name__
        raise TypeError(f"{name} is of type {kind}: wanted a list of strings")
    if not hasattr(values, "__next__"):
        for place, value in enumerate(values):
            require_text(f"{name}[{place}]", value)


def require_list(name, values):
    """Raise if `values` is an iterator, which would be empty when read once more."""
    if hasattr(values, "__next__"):
        raise TypeError(f"{name} is of type {type(values).__name__}: wanted a list")


def require_some_ids(name, ids):
    """Raise unless `ids` is a list of integers, not empty."""
    if not isinstance(ids, (list, tuple)):
        raise TypeError(f"{name} is a {type(ids).__name__}: wanted a list of integers")
    if not ids:
        raise ValueError(f"{name} is empty: wanted at least one id")
    for one in ids:
        require_number(name, one, Integral, "a list of integers")


def require_tokens(vocab, needed):
    """Raise unless the dictionary `vocab` gives each of the tokens `needed` an id."""
    if missing := [token for token in needed if token not in vocab]:
        raise ValueError(f"vocab has no {missing[:3]}: wanted an id for each")


def require_special(special_ids):
    """Raise unless all `special_ids` are ids, not tokens."""
    require_list("special_ids", special_ids)
    for one in special_ids:
        require_at_least("special_ids", one, 0)
