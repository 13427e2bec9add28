"""What the chapters train on: texts, reviews, number words, definitions and more.

The story, the reviews and the questions were written for this book and come under the
licence of its text; the number words and the football reports are computed. The
definitions are WordNet's and the digits Alpaydin and Kaynak's; what their licences ask
for lies beside them. The novel, and four of the paragraphs that questions are about
(Lewis Carroll's), are in the public domain.
"""

from readymade.data.decoder_runs import decoder_sweep
from readymade.data.football import football_reports
from readymade.data.handwritten_digits import digits, moved
from readymade.data.labelled_definitions import TOPICS, definitions, pretrained_path
from readymade.data.labelled_reviews import reviews
from readymade.data.number_pictures import NumberPictures
from readymade.data.number_words import NumberWords
from readymade.data.persuasion import novel, writer_path
from readymade.data.prose_questions import real_questions
from readymade.data.question_templates import template_questions
from readymade.data.story import corpus
from readymade.data.trained_digit_reader import digit_reader
from readymade.data.trained_translator import translator

__all__ = """
    TOPICS NumberPictures NumberWords corpus decoder_sweep definitions digit_reader
    digits football_reports moved novel pretrained_path real_questions reviews
    template_questions translator writer_path
""".split()
