"""BERT's basic cleaning: what happens to a text before WordPiece looks words up.

Every function follows the published tokenizer, its two oddities included: tables of
Unicode 8 (2015), and one block of ideographs that starts 256 characters late.
"""

import unicodedata

from scratch.arguments import require_text

# The published tokenizer decides by tables of Unicode 8 what is an accent, a control
# character or punctuation. Here is each character for which tables up to Unicode 17
# decide otherwise, so that any Python gives the same ids.
# Accents, controls and punctuation now, not assigned then: first and last, in hex.
ASSIGNED_SINCE = """
    5c8-5c9 61d 7fd 890-891 897-89f 8ca-8e2 9fd-9fe a76 afa-aff b53-b55 c04 c3c c77
    c84 d00 d3b-d3c d81 eba ece 180f 1885-1886 1abf-1af0 1b4e-1b4f 1b7d-1b7f
    1df6-1dfb 2e43-2e4f 2e52-2e5d 2e60-2e63 a82c a8c5 a8ff a9bd 10d24-10d27
    10d69-10d6e 10eab-10ead 10ecb-10ed0 10ef0-10eff 10f46-10f50 10f55-10f59
    10f82-10f89 11070 11073-11074 110c2 110cd 111cf 1123e 11241 1133b 113bb-113c0
    113ce 113d0 113d2 113d4-113d5 113d7-113d8 113e1-113e2 11438-1143f 11442-11444
    11446 1144b-1144f 1145a-1145b 1145d-1145e 11660-1166c 116b9 1182f-11837
    11839-1183b 1193b-1193c 1193e 11943-11946 119d4-119d7 119da-119db 119e0 119e2
    11a01-11a0a 11a33-11a38 11a3b-11a47 11a51-11a56 11a59-11a5b 11a8a-11a96
    11a98-11a9c 11a9e-11aa2 11b00-11b09 11b60 11b62-11b64 11b66 11be1 11c30-11c36
    11c38-11c3d 11c3f 11c41-11c45 11c70-11c71 11c92-11ca7 11caa-11cb0 11cb2-11cb3
    11cb5-11cb6 11d31-11d36 11d3a 11d3c-11d3d 11d3f-11d45 11d47 11d90-11d91 11d95
    11d97 11df0 11ef3-11ef4 11ef7-11ef8 11f00-11f01 11f36-11f3a 11f40 11f42-11f4f
    11f5a 11fff 12ff1-12ff2 13430-13440 13447-13455 1611e-16129 1612d-1612f
    16d6d-16d6f 16e97-16e9a 16f4f 16fe2 16fe4 1cf00-1cf2d 1cf30-1cf46 1d127-1d128
    1d25b-1d25c 1e000-1e006 1e008-1e018 1e01b-1e021 1e023-1e024 1e026-1e02a 1e08f
    1e130-1e136 1e2ae 1e2ec-1e2ef 1e4ec-1e4ef 1e5ee-1e5ef 1e5ff 1e6e3 1e6e6
    1e6ee-1e6ef 1e6f5 1e944-1e94a 1e95e-1e95f
"""

CATEGORY_IN_2015 = {
    "\u166d": "Po",
    "\u1734": "Mn",
    "\U000111c9": "Po",
    "\U0001171e": "Mn",
}
for block in ASSIGNED_SINCE.split():
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
    kept = []
    for character in text:
        if character in "\t\n\r" or category(character) in ("Zs", "Zl", "Zp"):
            kept.append(" ")
        elif category(character) not in ("Cc", "Cf", "Co") and character != "\ufffd":
            kept.append(character)
    return "".join(kept)


def strip_accents(text: str) -> str:
    """Take letters and their accents apart (é is e and ´), and drop the accents.

    Example:
        >>> strip_accents("Été")
        'Ete'
    """
    apart = unicodedata.normalize("NFD", text)
    return "".join(character for character in apart if category(character) != "Mn")


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
        letters = (character.lower() for character in strip_accents(text))
        text = "".join(letters)
    spaced = (f" {c} " if stands_alone(c) else c for c in text)
    return "".join(spaced).split()
