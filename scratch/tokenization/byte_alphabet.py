"""Bytes written as characters, so that a token can be printed and kept in a file."""


def byte_alphabet():
    """Return one printable character for each of the 256 bytes, as GPT-2 writes them.

    A byte that is a printable character of Latin-1 stands for itself. The other 68
    take the characters from U+0100 on: the space, byte 32, is written Ġ.
    """
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    alphabet = {byte: chr(byte) for byte in printable}
    return alphabet | {byte: chr(256 + place) for place, byte in enumerate(others)}


# In the order of the characters, which is the order of ids in GPT-2's vocabulary.
BYTE_TO_CHARACTER = byte_alphabet()
CHARACTER_TO_BYTE = {character: byte for byte, character in BYTE_TO_CHARACTER.items()}


def spell(text):
    """Write the UTF-8 bytes of `text` in the byte alphabet."""
    return "".join(BYTE_TO_CHARACTER[byte] for byte in text.encode("utf-8"))


def read_spelling(spelling):
    """Return the text whose bytes `spelling` writes; broken UTF-8 becomes U+FFFD."""
    data = bytes(CHARACTER_TO_BYTE[character] for character in spelling)
    return data.decode("utf-8", errors="replace")
