"""What the chapters train on: a story, reviews, number words, definitions, questions.

The story, the reviews and the questions were written for this book and come under the
licence of its text; the number words are computed. The definitions are WordNet's, whose
licence lies beside them, and four of the paragraphs that questions are about are Lewis
Carroll's. Nothing else is taken from anyone else's data.
"""

from scratch.data.labelled_definitions import TOPICS, definitions, pretrained_path
from scratch.data.labelled_reviews import reviews
from scratch.data.number_words import NumberWords
from scratch.data.prose_questions import real_questions
from scratch.data.question_templates import template_questions
from scratch.data.story import corpus

__all__ = """
    TOPICS NumberWords corpus definitions pretrained_path real_questions reviews
    template_questions
""".split()
