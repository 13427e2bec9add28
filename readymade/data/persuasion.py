"""A novel for training language models.

Source of `texts/persuasion.txt.xz`: Jane Austen, *Persuasion*, published in 1817 and in
the public domain; `texts/LICENCE-persuasion.txt` says where the file comes from.
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


def writer_path() -> Path:
    """Return the folder of a small language model that was trained on the novel.

    `load_checkpoint` reads it: a GPT-2 with 2 layers, a d_model of 96, 1,000 tokens and
    windows of 128 tokens. `tools/experiments/train_writer.py` trained it on the first
    22 chapters. Its weights are under the licence of the book's text (CC BY 4.0).
    """
    return Path(__file__).with_name("writer")
