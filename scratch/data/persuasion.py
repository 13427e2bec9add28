"""A novel for training language models.

Source of `texts/persuasion.txt.xz`: Jane Austen, *Persuasion*, published in 1817 and in
the public domain; `texts/LICENCE-persuasion.txt` says where the file is from.
"""

import lzma
from pathlib import Path


def novel() -> list[str]:
    """Return the chapters of Jane Austen's *Persuasion*.

    Each line of a chapter is a paragraph.

    Returns:
        24 chapters of plain ASCII, 463,000 characters in all.
    """
    path = Path(__file__).with_name("texts") / "persuasion.txt.xz"
    text = lzma.decompress(path.read_bytes()).decode("utf-8")
    return text.strip().split("\n\n")
