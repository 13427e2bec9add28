"""BERT's basic cleaning: what becomes of a text before WordPiece looks words up.

Every function follows the published tokenizer, its two oddities included: tables of
Unicode from 2015, and one block of ideographs that starts 256 characters late.
"""

import unicodedata

from scratch.tokenization.checks import require_text
from scratch.tokenization.unicode_changes import CATEGORY_IN_2015

# The blocks of Chinese characters, first and one past the last.
IDEOGRAPHS = (
    range(0x3400, 0x4DC0),
    range(0x4E00, 0xA000),
    range(0xF900, 0xFB00),
    range(0x20000, 0x2A6E0),
    range(0x2A700, 0x2B820),
    range(0x2B920, 0x2CEB0),  # Starts at 2B820 in Unicode.
    range(0x2F800, 0x2FA20),
)


def category(character):
    """Return the Unicode category of `character`, as the tables of 2015 have it.

    What was assigned since then, accents and punctuation of rare scripts mostly, is
    neither accent nor punctuation to the published tokenizer, and so not to us.
    """
    return CATEGORY_IN_2015.get(character) or unicodedata.category(character)


def clean(text):
    """Remove control characters and U+FFFD; turn all white space into plain spaces."""
    kept = []
    for character in text:
        if character in "\t\n\r" or category(character) in ("Zs", "Zl", "Zp"):
            kept.append(" ")
        elif category(character) not in ("Cc", "Cf", "Co") and character != "\ufffd":
            kept.append(character)
    return "".join(kept)


def strip_accents(text):
    """Take letters and their accents apart (é is e and ´), and drop the accents."""
    apart = unicodedata.normalize("NFD", text)
    return "".join(character for character in apart if category(character) != "Mn")


def stands_alone(character):
    """Tell whether `character` is a word of its own: punctuation or an ideograph."""
    if character.isascii():
        return character.isprintable() and not character.isalnum() and character != " "
    if category(character).startswith("P"):
        return True
    return any(ord(character) in block for block in IDEOGRAPHS)


def basic_words(text, lowercase=True):
    """Cut `text` into the words that WordPiece cuts further; spaces are lost.

    lowercase: also make every letter small and take its accents away. Letter by
    letter, so that a capital Σ at a word's end becomes σ as anywhere else, not ς.
    """
    require_text("text", text)
    text = clean(text)
    if lowercase:
        letters = (character.lower() for character in strip_accents(text))
        text = "".join(letters)
    spaced = (f" {c} " if stands_alone(c) else c for c in text)
    return "".join(spaced).split()
