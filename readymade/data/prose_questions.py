"""Questions written by hand about real prose, in two halves.

Source of `questions/real_prose.json`: `questions/NOTICE.txt`.
"""

import json
from pathlib import Path
from typing import NamedTuple

from scratch.checks import require_choice


class RealQuestion(NamedTuple):
    """A question about a paragraph of prose, written by hand.

    Args:
        question: what is asked.
        text: the paragraph.
        answers: every wording in the paragraph that counts as right, the best first.
        title: the topic of the paragraph.
    """

    question: str
    text: str
    answers: tuple[str, ...]
    title: str


def real_questions(half: str) -> list[RealQuestion]:
    """Return 52 questions about 13 paragraphs.

    The two halves have no paragraph in common.

    Args:
        half: "choosing", to compare ways to train; or "final", for the model that was
            chosen.

    Returns:
        A list of `RealQuestion`, four for each paragraph.
    """
    require_choice("half", half, ("choosing", "final"))
    path = Path(__file__).with_name("questions") / "real_prose.json"
    return [
        RealQuestion(one["question"], part["text"], (*one["answers"],), part["title"])
        for part in json.loads(path.read_text(encoding="utf-8"))
        if part["half"] == half
        for one in part["questions"]
    ]
