"""A short story, for tokenizers to learn from."""

from pathlib import Path


def corpus():
    """Return the paragraphs of a story about a lighthouse, a list of strings.

    The story was written for this book. Its words come back in many forms (light,
    lights, lighted, lighthouse), so that there is something to find in them.
    """
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    return text.strip().split("\n\n")
