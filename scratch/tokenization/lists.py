"""What callers pass to a tokenizer, as lists: texts with their pairs, and ids."""

from collections.abc import Iterable, Mapping
from operator import index

from scratch.checks import require_texts


def match_pairs(
    texts: Iterable[str], pairs: Iterable[str] | None
) -> list[tuple[str, str | None]]:
    """Return each of `texts` with its second text, or with None where there is none."""
    require_texts("texts", texts)
    texts = list(texts)
    if pairs is None:
        return [(text, None) for text in texts]
    require_texts("pairs", pairs)
    pairs = list(pairs)
    if len(pairs) != len(texts):
        raise ValueError(
            f"pairs has {len(pairs)} texts: wanted {len(texts)}, one for each of texts"
        )
    return list(zip(texts, pairs, strict=True))


def look_up(tokens: Mapping[int, str], ids: Iterable[int]) -> list[str]:
    """Return the token of each of `ids`; raise unless all are keys of `tokens`."""
    try:
        if getattr(ids, "ndim", 1) > 1:  # PyTorch takes a row of one for an integer
            raise TypeError
        ids = [index(token_id) for token_id in ids]
    except TypeError:
        raise TypeError(f"ids is {ids!r}: wanted integers") from None
    for place, token_id in enumerate(ids):
        if token_id not in tokens:
            wanted = f"one of {min(tokens)} to {max(tokens)}, the vocabulary's"
            raise ValueError(f"ids[{place}] is {token_id}: wanted {wanted}")
    return [tokens[token_id] for token_id in ids]
