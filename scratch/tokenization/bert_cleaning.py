"""BERT's basic cleaning: what happens to a text before WordPiece looks words up.

Every function follows the published tokenizer, its two oddities included: tables of
Unicode 8 (2015), and one block of ideographs that starts 256 characters late.
"""

import unicodedata
from functools import cache
from pathlib import Path

from scratch.checks import require_text

# The published tokenizer decides by tables of Unicode 8 what is an accent, a control
# character or punctuation. Here is each character for which tables up to Unicode 17
# decide otherwise, so that any Python decides the same. The file has those that were
# not assigned then: first and last of each block, in hex. Lowercase letters and letters
# apart from their accents are Python's own: with Python 3.11, 56 characters of later
# Unicode get other ids than from the library tokenizers.
ASSIGNED_SINCE = Path(__file__).with_name("assigned_since_2015.txt")
CATEGORY_IN_2015 = {
    "\u166d": "Po",
    "\u1734": "Mn",
    "\U000111c9": "Po",
    "\U0001171e": "Mn",
}
for block in ASSIGNED_SINCE.read_text(encoding="utf-8").split():
    first, _, last = block.partition("-")
    for code in range(int(first, 16), int(last or first, 16) + 1):
        CATEGORY_IN_2015[chr(code)] = "Cn"

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


# A text repeats a few characters many times.
@cache
def category(character: str) -> str:
    """Return the Unicode category of `character`, as the tables of 2015 have it.

    What was assigned since then, accents and punctuation of rare scripts mostly, is
    neither accent nor punctuation to the published tokenizer, and so not to us.

    Example:
        >>> category("a"), category("!"), category("\\u0301")
        ('Ll', 'Po', 'Mn')
    """
    return CATEGORY_IN_2015.get(character) or unicodedata.category(character)


def clean(text: str) -> str:
    """Remove control characters and U+FFFD; turn all white space into plain spaces.

    Example:
        >>> clean("a\\tcut\\x07 rope")
        'a cut rope'
    """
    cleaned = []
    for character in text:
        if character in "\t\n\r" or category(character) in ("Zs", "Zl", "Zp"):
            cleaned.append(" ")
        elif category(character) not in ("Cc", "Cf", "Co") and character != "\ufffd":
            cleaned.append(character)
    return "".join(cleaned)


def strip_accents(text: str) -> str:
    """Take letters and their accents apart (é is e and ´), and drop the accents.

    Example:
        >>> strip_accents("Été")
        'Ete'
    """
    apart = unicodedata.normalize("NFD", text)
    return "".join(character for character in apart if category(character) != "Mn")


@cache
def stands_alone(character: str) -> bool:
    """Tell whether `character` is a word of its own: punctuation or an ideograph."""
    if character.isascii():
        return character.isprintable() and not character.isalnum() and character != " "
    if category(character).startswith("P"):
        return True
    return any(ord(character) in block for block in IDEOGRAPHS)


def basic_words(text: str, lowercase: bool = True) -> list[str]:
    """Cut `text` into the words that WordPiece cuts further; spaces are lost.

    Args:
        text: any string.
        lowercase: also lowercase every letter and strip its accents. Letter by letter,
            so that a capital Σ at a word's end becomes σ as anywhere else, not ς.

    Example:
        >>> basic_words("The café's lamp, 東京!")
        ['the', 'cafe', "'", 's', 'lamp', ',', '東', '京', '!']

    Source: Devlin et al. 2019, the BasicTokenizer of Google's published code.
    """
    require_text("text", text)
    text = clean(text)
    if lowercase:
        text = "".join(map(str.lower, strip_accents(text)))
    spaced = (f" {c} " if stands_alone(c) else c for c in text)
    return "".join(spaced).split()
