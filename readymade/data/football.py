"""Football reports, each with its summary in one sentence: the data of chapter 12.

Every summary has the same form and states seven facts, so a program can check them.
Most wordings leave something to work out: who the hosts were, whose score comes first,
or which verb suits a lead of three goals.

Source: no report is bundled; they are built from the wordings in `texts/football.json`,
which were written for this book, under the licence of its text (CC BY 4.0). The clubs,
towns and players are fictitious.
"""

import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from readymade.data.number_words import Vocabulary
from scratch.checks import require_at_least, require_choice
from scratch.tokenization import pad_rows

import numpy as np

PATH = Path(__file__).with_name("texts") / "football.json"
_TOWNS, _PLAYERS, _WORDINGS, _ASIDES = json.loads(PATH.read_text("utf-8")).values()
FAMILIES = tuple(_WORDINGS)
UNSEEN = "fan"  # the family that is only used on request
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_SUMMARY = re.compile(
    r"(?P<first>\S+) (?P<verb>edged|beat|thrashed|drew with) (?P<second>\S+) "
    r"(?P<score>\d+-\d+) on (?P<day>\S+) before (?P<crowd>[\d,]+) fans, "
    r"and (?P<scorer>\S+) (?:scored the winner|made it even)\."
)


class Report(NamedTuple):
    """A football report, and what a summary of it must say.

    Args:
        text: five to eight sentences.
        summary: one sentence, always of the same form.
        facts: the seven facts of the summary: `first` club, `verb`, `second` club,
            `score`, `day`, `crowd` and `scorer`.
        family: the kind of wordings of the text, one of `FAMILIES`.
    """

    text: str
    summary: str
    facts: dict[str, str]
    family: str


def _split_names(parts: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return names of each kind: 240 known, 48 new ones with the same syllables."""
    names = [first + last for first in parts["first"] for last in parts["last"]]
    random.Random(7).shuffle(names)
    return {"known": names[48:], "new": names[:48], "strange": parts["strange"]}


_CLUBS, _PEOPLE = _split_names(_TOWNS), _split_names(_PLAYERS)


def football_reports(
    count: int,
    seed: int = 0,
    held_out: bool = False,
    names: str = "known",
    family: str | None = None,
) -> list[Report]:
    """Return football reports with their summaries.

    Args:
        count: how many.
        seed: decides what they say, and how.
        held_out: whether the crowds are ones that no other call uses.
        names: "known", of which there are 240 clubs and 240 players; "new", 48 others
            with the same syllables; or "strange", ten with others.
        family: one of `FAMILIES`; by default any but the last, `UNSEEN`.
    """
    require_at_least("count", count, 1)
    require_choice("names", names, _CLUBS)
    require_choice("family", family, (None, *FAMILIES))
    generator = random.Random(f"{seed} {held_out} {names}")
    seen = [one for one in FAMILIES if one != UNSEEN]
    return [
        _report(generator, family or generator.choice(seen), names, held_out)
        for _ in range(count)
    ]


def _report(
    generator: random.Random, family: str, names: str, held_out: bool
) -> Report:
    """Return one report, drawn by a generator."""
    draw = generator.random() < 0.15
    high, low = sorted(generator.choices(range(6), k=2), reverse=True)
    high += high == low
    if draw:
        high = low = generator.randint(1, 3)
    values = _drawn_values(generator, names, held_out, (high, low))
    wordings = _WORDINGS[family] | (_WORDINGS[family]["draw"] if draw else {})
    sentence_forms = [
        generator.choice(wordings[part])
        for part in ("first", "crowd", "goal", "last")
        if wordings[part]
    ]
    asides = [
        generator.choice(topic)
        for topic in generator.sample(_ASIDES, generator.randint(2, 4))
    ]
    # The opening stays first, and the result last if it has a sentence.
    end = len(sentence_forms) - bool(wordings["last"])
    middle = sentence_forms[1:end] + asides
    generator.shuffle(middle)
    sentences = []
    for form in sentence_forms[:1] + middle + sentence_forms[end:]:
        club = generator.choice((values["home"], values["away"]))
        sentences.append(form.format(**values, club=club))

    first, second = values["winner"], values["loser"]
    if draw:
        first, second = values["home"], values["away"]
    facts = {
        "first": first,
        "verb": ("drew with", "edged", "beat", "thrashed")[min(high - low, 3)],
        "second": second,
        **{name: values[name] for name in ("score", "day", "crowd", "scorer")},
    }
    return Report(" ".join(sentences), summary_of(facts), facts, family)


def _drawn_values(generator, names, held_out, goals):
    """Return {slot: value} for the wordings; `goals` has the winner's first."""
    home, away, other_club, next_club = generator.sample(_CLUBS[names], 4)
    scorer, player, coach = generator.sample(_PEOPLE[names], 3)
    day, day_before, day_after = generator.sample(_DAYS, 3)
    half_time = [generator.randint(0, most) for most in goals]
    less, more = sorted(generator.sample(range(6), 2))
    home_won = generator.random() < 0.5
    winner, loser = (home, away) if home_won else (away, home)
    sides = ("hosts", "guests") if home_won else ("guests", "hosts")
    # the score at half-time always has the hosts first
    at_home = half_time if home_won else half_time[::-1]
    crowd = 7 * generator.randint(43, 1_427)
    if not held_out:
        crowd += generator.randint(1, 6)
    return {
        "home": home,
        "away": away,
        "winner": winner,
        "loser": loser,
        "winning_side": sides[0],
        "losing_side": sides[1],
        "other_club": other_club,
        "next_club": next_club,
        "scorer": scorer,
        "player": player,
        "coach": coach,
        "day": day,
        "day_before": day_before,
        "day_after": day_after,
        "score": "{}-{}".format(*goals),
        "reversed": "{1}-{0}".format(*goals),
        "half_time": "{}-{}".format(*at_home),
        "won": f"{more}-{less}",
        "lost": f"{less}-{more}",
        "crowd": f"{crowd:,}",
        "last_crowd": f"{generator.randint(300, 9_999):,}",
        "number": generator.randint(2, 89),
    }


def summary_of(facts: dict[str, str]) -> str:
    """Return the sentence that states seven facts."""
    end = "made it even" if facts["verb"] == "drew with" else "scored the winner"
    return (
        "{first} {verb} {second} {score} on {day} before {crowd} fans, "
        f"and {{scorer}} {end}."
    ).format(**facts)


def stated_facts(summary: str) -> dict[str, str]:
    """Return the facts that a summary states, {} if it does not have the usual form."""
    match = _SUMMARY.fullmatch(summary.strip())
    return match.groupdict() if match else {}


def wrong_facts(summary: str, facts: dict[str, str]) -> list[str]:
    """Return the names of the facts that a summary does not state correctly.

    A draw has no order, so both of its clubs are right, or both are wrong.

    Example:
        >>> report = football_reports(1)[0]
        >>> wrong_facts(report.summary, report.facts)
        []
    """
    stated = stated_facts(summary)
    if stated.get("verb") == facts["verb"] == "drew with":
        clubs = {facts["first"], facts["second"]}
        if {stated["first"], stated["second"]} == clubs:
            stated |= {name: facts[name] for name in ("first", "second")}
    return [name for name in facts if stated.get(name) != facts[name]]


def clubs_exchanged(summary: str, facts: dict[str, str]) -> bool:
    """Return whether a summary exchanges the winner and the loser."""
    stated = stated_facts(summary)
    both = (stated.get("second"), stated.get("first"))
    return facts["verb"] != "drew with" and both == (facts["first"], facts["second"])


def invented(summary: str, text: str) -> set[str]:
    """Return the names, days and numbers of a summary that its text does not have."""
    names = re.compile(r"\[?[A-Z]\w+\]?|\d+(?:,\d+)*")
    return {*names.findall(summary)} - {*names.findall(text)}


class ReportWords:
    """The words of reports and of their summaries, as ids.

    Text and summary share one vocabulary, as in the paper. Each digit is a word, so
    that unseen numbers can be written.

    Args:
        reports: those that the vocabulary is built from.
        numbered: whether names in fewer than one of 40 reports become [1], [2] … in
            the order in which they first occur in a text, instead of having an id.
            The same name has the same number in the summary.

    Source: numbers for unknown words: Luong et al. 2015, section 3.1 (copyable model).
    """

    pad_id, bos_id, eos_id = Vocabulary.pad_id, Vocabulary.bos_id, Vocabulary.eos_id

    def __init__(self, reports: Sequence[Report], numbered: bool = False) -> None:
        seen = Counter(
            word
            for report in reports
            for word in {*words_of(f"{report.text} {report.summary}")}
        )
        least = len(reports) / 40 if numbered else 1
        known = [word for word in seen if seen[word] >= least]
        numbers = [f"[{place}]" for place in range(1, 13)] if numbered else []
        self.numbered = numbered
        self.vocabulary = Vocabulary(["[UNK]", *numbers, *known])

    def __len__(self) -> int:
        return len(self.vocabulary)

    def _numbers(self, text: str) -> dict[str, str]:
        """Return the number of each unknown name of a text."""
        unknown = dict.fromkeys(
            word
            for word in words_of(text)
            if word[0].isupper() and word not in self.vocabulary.ids
        )
        return {name: f"[{place}]" for place, name in enumerate([*unknown][:12], 1)}

    def ids(self, text: str, report: Report) -> list[int]:
        """Return the ids of a report's text or summary, and the end token."""
        numbers = self._numbers(report.text) if self.numbered else {}
        known = self.vocabulary.ids
        return self.vocabulary.encode(
            [
                word if word in known else numbers.get(word, "[UNK]")
                for word in words_of(text)
            ]
        )

    def batch(self, reports: Sequence[Report]) -> tuple[np.ndarray, np.ndarray]:
        """Return (text ids, summary ids), int64 arrays (reports, longest length).

        Rows end with the end token and are padded; `shift_right` adds the first token.
        """
        texts = [self.ids(report.text, report) for report in reports]
        summaries = [self.ids(report.summary, report) for report in reports]
        return tuple(
            pad_rows(rows, max(map(len, rows)), self.pad_id)
            for rows in (texts, summaries)
        )

    def text(self, ids: Iterable[int], report: Report) -> str:
        """Return what was written about a report, up to the first end token."""
        words = self.vocabulary.decode(ids)
        if self.numbered:
            names = {n: name for name, n in self._numbers(report.text).items()}
            words = [names.get(word, word) for word in words]
        return text_of(words)


def words_of(text: str) -> list[str]:
    """Return the words, single digits and marks of a text.

    Example:
        >>> words_of("Norwick won 2-1.")
        ['Norwick', 'won', '2', '-', '1', '.']
    """
    return re.findall(r"\d|[A-Za-z]+|[^\w\s]", text)


def text_of(words: Iterable[str]) -> str:
    """Return words as text: the reverse of `words_of`.

    Example:
        >>> text_of(["Norwick", "won", "2", "-", "1", "."])
        'Norwick won 2-1.'
    """
    text = re.sub(r" ([.,:])", r"\1", " ".join(words))
    text = re.sub(r"(?<=\d) (?=\d)", "", text)
    text = re.sub(r"(?<=\d), ?(?=\d{3}\b)", ",", text)
    return re.sub(r"(?<=\w) - (?=\w)", "-", text)
