"""What the chapters train on: a story, reviews, number words and definitions.

The story and the reviews were written for this book and come under the licence of its
text; the number words are computed. The definitions are WordNet's, whose licence lies
beside them. Nothing else is taken from anyone else's data.
"""

from scratch.data.labelled_definitions import TOPICS, definitions, pretrained_path
from scratch.data.labelled_reviews import reviews
from scratch.data.number_words import NumberWords
from scratch.data.story import corpus

__all__ = """
    TOPICS NumberWords corpus definitions pretrained_path reviews
""".split()
