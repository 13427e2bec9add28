"""What the chapters train on: a story, a novel, reviews and number words.

The story and the reviews were written for this book and come under the licence of its
text; the novel is in the public domain; the number words are computed.
"""

from scratch.data.decoder_runs import decoder_sweep
from scratch.data.labelled_reviews import reviews
from scratch.data.number_words import NumberWords
from scratch.data.persuasion import novel, writer_path
from scratch.data.story import corpus

__all__ = [
    "NumberWords",
    "corpus",
    "decoder_sweep",
    "novel",
    "reviews",
    "writer_path",
]
