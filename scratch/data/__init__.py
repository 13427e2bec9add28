"""What the chapters train on: a story, a novel, reviews, number words, definitions.

The story and the reviews were written for this book and come under the licence of its
text; the novel is in the public domain; the number words are computed. The definitions
are WordNet's, whose licence lies beside them.
"""

from scratch.data.decoder_sweep import decoder_sweep
from scratch.data.labelled_definitions import TOPICS, definitions, pretrained_path
from scratch.data.labelled_reviews import reviews
from scratch.data.number_words import NumberWords
from scratch.data.persuasion import novel, writer_path
from scratch.data.story import corpus

__all__ = """
    TOPICS NumberWords corpus decoder_sweep definitions novel pretrained_path reviews
    writer_path
""".split()
