"""What the tokenizers accept, and what they say when it is something else."""

from operator import index


def require_text(name, value):
    """Raise unless `value` is a string that UTF-8 can carry.

    A surrogate is half of a character; alone it stands for nothing and has no bytes.
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} is {kind(value)}: wanted a string")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        code = ord(value[error.start])
        raise ValueError(
            f"{name} has half a character (surrogate U+{code:04X}) at position "
            f"{error.start}: wanted whole characters"
        ) from None


def require_texts(name, values):
    """Return the strings in `values` as a list; one bare string is no list of them."""
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        raise TypeError(f"{name} is {kind(values)}: wanted a list of strings")
    values = list(values)
    for place, value in enumerate(values):
        require_text(f"{name}[{place}]", value)
    return values


def require_known(tokens, ids):
    """Return `ids` as a list of integers, each a key of the dictionary `tokens`."""
    try:
        known = [index(token_id) for token_id in ids]
    except TypeError:
        raise TypeError(f"ids is {ids!r}: wanted integers, one a token") from None
    for place, token_id in enumerate(known):
        if token_id not in tokens:
            raise ValueError(
                f"ids[{place}] is {token_id}: wanted one of the vocabulary's, "
                f"{min(tokens)} to {max(tokens)}"
            )
    return known


def kind(value):
    """Name the type of `value` as a sentence would."""
    return f"of type {type(value).__name__}"
