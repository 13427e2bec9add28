"""A release's variant: the number that draws its values, and a lock on its solutions.

`solution` opens a locked variant only to those who know the word. The package, which
anyone can read, holds every solution, so the lock stops a glance, not a search.
"""

import hashlib
from functools import lru_cache

_LOCKS = 10**6


def locked_variant(number, word=""):
    """Return the variant of a number that a word opens; without a word, it is open.

    Trying one word takes 0.05 s. Spaces and capitals in the word do not matter.
    """
    key = _stretched("".join(word.casefold().split()))
    digest = hashlib.blake2b(str(number).encode(), key=key, digest_size=8).digest()
    return number * _LOCKS + int.from_bytes(digest, "big") % _LOCKS


@lru_cache(maxsize=8)
def _stretched(word):
    """Return a key that is slow to compute, once for all students' variants."""
    salt = b"transformer-twice"
    return hashlib.scrypt(word.encode(), salt=salt, n=2**14, r=8, p=1, dklen=64)


def number_of(variant):
    """Return the number that draws the values of a variant, locked or not."""
    return variant // _LOCKS or variant


def opens(word, variant):
    """Whether a word opens the solutions of a variant; the book's are always open."""
    return variant == 0 or variant == locked_variant(number_of(variant), word)
