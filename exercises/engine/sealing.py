"""The variant of a release: a number that draws values, and a seal on the solutions.

`solution` shows those of a sealed variant to who knows the word. The package, which
anyone can read, holds every solution: a seal keeps them from a glance, not from a hunt.
"""

import hashlib
from functools import lru_cache

_SEALS = 10**6


def sealed(number, word=""):
    """Return the variant of a number, for a word; without one it is open to all.

    A guess takes 0.05 s. Spaces and capitals in the word count for nothing.
    """
    key = _stretched("".join(word.casefold().split()))
    seal = hashlib.blake2b(str(number).encode(), key=key, digest_size=8).digest()
    return number * _SEALS + int.from_bytes(seal, "big") % _SEALS


@lru_cache(maxsize=8)
def _stretched(word):
    """Return a key that takes time to compute: once for all students' variants."""
    salt = b"transformer-twice"
    return hashlib.scrypt(word.encode(), salt=salt, n=2**14, r=8, p=1, dklen=64)


def number_of(variant):
    """Return the number that draws the values of a variant, sealed or not."""
    return variant // _SEALS or variant


def opens(word, variant):
    """Whether a word shows the solutions of a variant; the book's are open."""
    return variant == 0 or variant == sealed(number_of(variant), word)
