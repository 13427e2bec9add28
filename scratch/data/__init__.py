"""What the chapters train on: a story, reviews and number words.

The story and the reviews were written for this book and come under the licence of its
text; the number words are computed. Nothing is taken from anyone else's data.
"""

from scratch.data.labelled_reviews import reviews
from scratch.data.number_words import NumberWords
from scratch.data.story import corpus

__all__ = ["NumberWords", "corpus", "reviews"]
