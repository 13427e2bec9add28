"""Answers to the questions between sections, at the end of their chapter."""

import re

from exercises.engine.cells import CHECK
from exercises.engine.registry import find_question

import order
from docutils import nodes
from sphinx.transforms import SphinxTransform

from .answers import linked

CODE = re.compile("`([^`]+)`")


class Questions(SphinxTransform):
    default_priority = order.ANSWER_BOXES

    def apply(self):
        gathered = nodes.section(ids=["answers-to-questions"])
        gathered += nodes.title("", "Answers to the questions")
        for cell in list(self.document.findall(nodes.container)):
            if "tag_question" in cell["classes"]:
                number = len(gathered)
                asked, told = f"question-{number}", f"question-{number}-answer"
                question = find_question(CHECK.search(cell.astext())[1])
                link = linked("Answer", told)
                link["ids"] = [asked]
                cell.replace_self(link)
                right = nodes.strong("", f"{question.right}.")
                because = prose(f" {question.because}")
                answer = nodes.paragraph("", "", right, *because)
                back = linked("Back to the question", asked)
                gathered += nodes.container("", answer, back, ids=[told])
        if len(gathered) > 1:
            self.document.next_node(nodes.section).append(gathered)


def prose(text):
    """Text as nodes: what stands between backticks is code."""
    return [
        nodes.literal("", part) if place % 2 else nodes.Text(part)
        for place, part in enumerate(CODE.split(text))
    ]


def setup(app):
    app.add_transform(Questions)
