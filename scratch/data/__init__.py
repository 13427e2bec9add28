"""What the chapters train on: small tasks that the project makes itself."""

from scratch.data.corpus import corpus
from scratch.data.number_words import NumberWords
from scratch.data.reviews import reviews

__all__ = ["NumberWords", "corpus", "reviews"]
