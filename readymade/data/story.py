"""A short story for training tokenizers.

Source of `corpus.txt`: written for this book, under the licence of the book's text
(CC BY 4.0).
"""

from pathlib import Path


def corpus() -> list[str]:
    """Return the paragraphs of a story about a lighthouse.

    Many of its words occur in several forms (light, lights, lighted, lighthouse), so
    that a tokenizer finds common pieces.

    Returns:
        15 paragraphs of plain ASCII.
    """
    text = Path(__file__).with_name("corpus.txt").read_text(encoding="utf-8")
    return text.strip().split("\n\n")
