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


def match_pairs(texts, pairs):
    """Return each of `texts` with its second text, or with None where there is none."""
    texts = require_texts("texts", texts)
    pairs = [None] * len(texts) if pairs is None else require_texts("pairs", pairs)
    if len(pairs) != len(texts):
        raise ValueError(
            f"pairs has {len(pairs)} texts: wanted {len(texts)}, one for each of texts"
        )
    return list(zip(texts, pairs, strict=True))


def require_tokens(vocab, needed):
    """Raise unless the dictionary `vocab` gives each of the tokens `needed` an id."""
    if missing := [token for token in needed if token not in vocab]:
        raise ValueError(f"vocab has no {missing[:3]}: wanted an id for each")


def look_up(tokens, ids):
    """Return the token of each of `ids`, integers, from the dictionary `tokens`."""
    try:
        ids = [index(token_id) for token_id in ids]
    except TypeError:
        raise TypeError(f"ids is {ids!r}: wanted integers, one a token") from None
    for place, token_id in enumerate(ids):
        if token_id not in tokens:
            raise ValueError(
                f"ids[{place}] is {token_id}: wanted one of the vocabulary's, "
                f"{min(tokens)} to {max(tokens)}"
            )
    return [tokens[token_id] for token_id in ids]


def kind(value):
    """Name the type of `value` as a sentence would."""
    return f"of type {type(value).__name__}"
