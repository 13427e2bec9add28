"""Questions and answers from templates, to learn extractive question answering.

A family of templates is a list of sentences with slots, each with questions about it.
A text is about one invented thing: one sentence of each kind, in order. The answer to a
question is part of one sentence, and usually several words long.

Source: the templates in `questions/templates.json` were written for this book, under
the licence of its text (CC BY 4.0). The people, towns and firms are fictitious.
"""

import json
import random
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

from scratch.checks import require_at_least, require_choice


class Question(NamedTuple):
    """A question about a text, and its answer.

    Args:
        question: what is asked.
        text: what contains the answer; it does not if `answer` is "".
        answer: `text[start : start + len(answer)]`.
        start: where the answer begins, in characters.
    """

    question: str
    text: str
    answer: str
    start: int


PATH = Path(__file__).with_name("questions") / "templates.json"
# A quarter of the syllables and of the fillers of each slot is used in tests alone.
SYLLABLES, SLOTS, FAMILIES = json.loads(PATH.read_text(encoding="utf-8")).values()


def template_questions(
    count: int,
    seed: int = 0,
    held_out: bool = False,
    num_families: int = 12,
    one_word: bool = False,
    unanswerable: float = 0.0,
    sentences: int = 4,
) -> list[Question]:
    """Return questions about texts that are filled templates.

    Args:
        count: how many; each has a text of its own.
        seed: decides what fills the templates.
        held_out: whether names, places and things are ones that no other call uses.
        num_families: how many of the 12 families of templates are used.
        one_word: whether to ask only questions that one word or number answers.
        unanswerable: the share of questions that are asked about another text, which
            does not contain their answer.
        sentences: how many of its family's four a text has: the first, and others
            drawn for each text.

    Returns:
        A list of `Question`.
    """
    require_at_least("count", count, 1)
    require_at_least("sentences", sentences, 1)
    require_choice("num_families", num_families, range(1 + (unanswerable > 0), 13))
    if not 0 <= unanswerable <= 1:
        raise ValueError(f"unanswerable is {unanswerable}: wanted a share from 0 to 1")
    generator = random.Random(f"{seed} {held_out}")
    families = list(FAMILIES)[:num_families]
    questions = []
    for family in cycle(families):
        if len(questions) == count:
            break
        values = drawn_values(generator, held_out)
        drawn = filled(generator, FAMILIES[family], values, sentences)
        if one_word:
            drawn = [question for question in drawn if " " not in question.answer]
        if not drawn:
            continue
        question = generator.choice(drawn)
        if generator.random() < unanswerable:
            others = [name for name in families if name != family]
            values = drawn_values(generator, held_out)
            other = FAMILIES[generator.choice(others)]
            text = filled(generator, other, values, sentences)[0].text
            question = question._replace(text=text, answer="", start=0)
        questions.append(question)
    generator.shuffle(questions)
    return questions


def drawn_values(generator, held_out):
    """Return {slot: text}; a slot with a number is another of its kind."""
    values = {}
    for slot, options in SLOTS.items():
        options = options[12:] if held_out else options[:12]
        for place, option in enumerate(generator.sample(options, 3)):
            values[f"{slot}{place + 1 if place else ''}"] = option
    tested = SYLLABLES[1::4]
    known = tested if held_out else [one for one in SYLLABLES if one not in tested]
    for suffix in ("", "2", "3"):
        first, last, town, river, firm = (
            "".join(generator.sample(known, generator.choice((1, 2, 2)))).capitalize()
            for _ in range(5)
        )
        values |= {
            f"surname{suffix}": last,
            f"person{suffix}": f"{first}a {last}",
            f"town{suffix}": f"{town} {river}" if generator.random() < 0.2 else town,
            f"firm{suffix}": f"{firm} and Sons" if generator.random() < 0.5 else firm,
            f"year{suffix}": str(generator.randint(1700, 1850)),
            f"number{suffix}": str(generator.randint(3, 90)),
            f"thousand{suffix}": f"{generator.randint(2_000, 90_000):,}",
        }
    values["year2"] = str(generator.randint(1851, 2000))
    values["yearly"] = generator.choice(["ten years", "a few months", "two decades"])
    values["ordinal"] = generator.choice(["first", "third", "fifth", "only"])
    values["dish_"] = values["dish"].capitalize()
    return values


def filled(generator, family, values, sentences):
    """Return the questions about one text, made of some of a family's sentences."""
    first, *others = family
    drawn = generator.sample(range(len(others)), min(sentences - 1, len(others)))
    text, places = "", []
    for part in [first, *(others[place] for place in sorted(drawn))]:
        sentence = part["sentence"]
        for question, answer in part["questions"].items():
            before = sentence[: sentence.index(answer)].format(**values)
            places.append((question, answer, len(text) + len(before)))
        text += sentence.format(**values) + " "
    text = text.rstrip()
    return [
        Question(question.format(**values), text, answer.format(**values), start)
        for question, answer, start in places
    ]
