"""Whose file is it: the names that learning platforms give, and a class's roster.

Source: for Moodle, `get_student_prefix` and `load_submissionplugin_filelist` in
`mod/assign/classes/downloader.php`; for Canvas, `add_upload_submission` and
`get_filename` in `lib/content_zipper.rb`; for GitHub Classroom, `clone/student-repos`
in `github/gh-classroom`.
"""

import re
import unicodedata
from functools import cache
from itertools import islice, product

from exercises.marking.roster import Person, labelled, with_id

# "Ada Lovelace_17_assignsubmission_file", a folder, or "…_file_week3.ipynb". Of a team,
# both are the team's; the team of those who are in none has no number.
_MOODLE = re.compile(
    r"(?P<name>[^_]+)(_(?P<id>\d+))?_assignsubmission_[a-z]+(_.*)?", re.S
)
# "lovelaceada_LATE_17_4711_week3-1.ipynb", a user and a file; or "anon_1aB_4711_…".
_CANVAS = re.compile(
    r"((?P<name>[^_]+)(_LATE)?_(?P<id>\d+)|(LATE_)?(?P<anon>anon_[^_]+))_\d+_.+", re.S
)
_REPOSITORIES = "-submissions"  # after ASSIGNMENT; inside, ASSIGNMENT-USERNAME
LONG_ENOUGH = 4  # for a number to be an id wherever it is in a name
# What a team is called, as far as courses call it; 17 in "Gruppe 17" is no one's id.
_TEAM = re.compile(
    r"(?<![^\W\d])(\w*gr(?:ou?p|upp)(?:[aeo]|en)?s?|groep|grup[aeo]?|grp|ryhma|skupina"
    r"|csoport|\w*teams?|equip[aeo]s?|binomes?|trinomes?|pairs?|paare?|duos?|trios?"
    r"|squadra|zespol)(?![^\W\d])"
)
# Letters that are no other letter with an accent; and how accents are written without.
_LETTERS = {
    "ø": ("o", "oe"),
    "ł": ("l",),
    "ı": ("i",),
    "đ": ("d", "dj"),
    "ð": ("d", "dh"),
    "þ": ("th",),
    "æ": ("ae",),
    "œ": ("oe",),
    "ħ": ("h",),
    "ŧ": ("t",),
    "ŋ": ("n", "ng"),
    "ə": ("e", "a"),
    "ä": ("a", "ae"),
    "ö": ("o", "oe"),
    "ü": ("u", "ue"),
    "å": ("a", "aa"),
}
_MOST_SPELLINGS = 64


def owner(path):
    """Return the `Person` whose file or folder this is, or the team.

    Example:
        `Ada Lovelace_17_assignsubmission_file` -> `Person("Ada Lovelace", "17")`, and
        `ada.ipynb` -> `Person("ada")`.
    """
    # A zip of Windows, unpacked where a backslash separates nothing.
    name, is_inside, _ = path.name.partition("\\")
    if found := _MOODLE.fullmatch(name):
        return Person(found["name"], found["id"] or "")
    if is_inside or path.is_dir():
        in_folder = path.parent.resolve().name
        assignment = in_folder.removesuffix(_REPOSITORIES)
        is_named = assignment != in_folder
        return Person(name.removeprefix(f"{assignment}-" if is_named else ""))
    if found := _CANVAS.fullmatch(name):
        return Person(found["name"] or found["anon"], found["id"] or "")
    return Person(path.stem)


def whose(name, roster):
    """Return the student that a folder's or file's name tells for sure, or ""."""
    found = _MOODLE.fullmatch(name) or _CANVAS.fullmatch(name)
    is_told = bool(found and found["name"] and found["id"])
    bare = Person(name.rpartition(".")[0] or name)
    person = Person(found["name"], found["id"]) if is_told else bare
    fits = fitting(person, roster)
    return labelled(fits[0]) if len(fits) == 1 else with_id(person) * is_told


def group_of(person, groups, *, exactly):
    """Return which of a roster's groups a file's name is, or has in it."""
    if exactly:
        words = set(_joined_spellings(person.name))
        return [one for one in groups if words.intersection(_joined_spellings(one))]
    names = [f" {plain_words(one)} " for one in groups]
    words = f" {plain_words(person.name)} "
    named = zip(groups, names, strict=True)
    # A letter, or a word, may stand there for something else.
    return [one for one, name in named if " " in name.strip() and name in words]


def fitting(person, roster):
    """Return the students on a roster whom a file's name fits, or a part of it."""
    return _fitting(person, roster, _plainly) or _fitting(person, roster, spellings)


def _fitting(person, roster, spelled):
    """Return them, with names `spelled` in one way or in many."""
    named = [one for one in roster if _has_name(one, person, spelled)]
    numbered = [one for one in roster if _has_number(one, person)]
    both = [one for one in named if one in numbered]
    if both or named or numbered:
        return both or named or numbered
    parts = [_parts(one, person, spelled) for one in roster]
    most = max(parts, default=0)  # `release --each` gives it both parts
    return [one for one, n in zip(roster, parts, strict=True) if n == most > 0]


def _has_name(one, person, spelled):
    """Whether this is a student's name, with or without spaces, or the student's id."""
    names = {text.replace(" ", "") for text in spelled(person.name)}
    # What a platform calls "17" is a team.
    is_short = one.id.isdecimal() and len(one.id) < LONG_ENOUGH
    if _joined(one.id) in names and not (person.id and is_short):
        return True
    return one.name != one.id and not names.isdisjoint(_joined_turns(one.name, spelled))


def _has_number(one, person):
    """Whether a platform gives the student's id, and part of the name.

    Platforms number their users in ways of their own: an equal number may be chance.
    """
    whole = one.name if one.name != one.id else ""
    return one.id.casefold() == person.id.casefold() and may_be(person.name, whole)


def may_be(name, whole):
    """Whether what a platform calls this, a person or a team, may be one person.

    Args:
        name: such as "lovelaceada", "A. Lovelace" or "Gruppe 17-Ada Lovelace".
        whole: the person's own name; "" where it is not known.
    """
    alone = _of_one(name)
    if is_team(alone, whole):
        return False
    if not whole:
        return alone == name
    ways = product(spellings(alone), spellings(whole))
    ways = [(words.split(), own.split()) for words, own in ways]
    if any(set(own) <= set(words) for words, own in ways):
        return True
    return alone == name and any(_is_part(words, own) for words, own in ways)


def _is_part(words, own):
    """Whether words are some of a person's, or their first letters, or all in one."""
    begins = all(any(part.startswith(word) for part in own) for word in words)
    left = "".join(words)
    for part in sorted(own, key=len, reverse=True):
        left = left.replace(part, "", 1)
    return not left or (begins and not set(own).isdisjoint(words))


def is_team(name, whole=""):
    """Whether this is what teams are called, or a number, and no part of a name."""
    return is_number(name) or bool(_team_words(name, whole))


def is_number(name):
    """Whether there is no letter in a name: anyone's, or a team's."""
    return not re.search(r"[^\W\d_]", name)


def _team_words(name, whole):
    return _all_team_words(name).difference(plain_words(whole).split())


@cache
def _all_team_words(name):
    return frozenset(_TEAM.findall(plain_words(name)))


def _of_one(name):
    """Return a name without the group that Moodle puts before: "Gruppe 17-Ada"."""
    group, _, rest = name.partition("-")
    return rest if rest and _TEAM.search(plain_words(group)) else name


def _parts(one, person, spelled):
    """Return whether a student's id, full name (1) or both (2) are in a file's name."""
    number, turns = f" {plain_words(one.id)} ", _turns(one.name, spelled)
    is_long = len(one.id) >= LONG_ENOUGH and re.search(r"\d", one.id)
    most = 0
    name = _of_one(person.name) if person.id else person.name
    for text in spelled(name):
        words = f" {text} "
        has_id = words.endswith(number) or bool(is_long and number in words)
        has_name = any(" " in turn and f" {turn} " in words for turn in turns)
        of_team = _team_words(text, one.name)
        if person.id:  # the name is a platform's, and of a team all of it
            has_name = has_name and not of_team
        if person.id or of_team:
            has_id = has_id and has_name
        most = max(most, has_id + has_name)
    return most


@cache
def _turns(name, spelled):
    """Return a name's words, beginning with each: the last name may come first."""
    found = []
    for text in spelled(name):
        words = text.split()
        found += [" ".join(words[n:] + words[:n]) for n in range(len(words))]
    return found


@cache
def _joined_turns(name, spelled):
    return frozenset(turn.replace(" ", "") for turn in _turns(name, spelled))


def _joined_spellings(name):
    return [text.replace(" ", "") for text in spellings(name)]


def _joined(text):
    return plain_words(text).replace(" ", "")


def forms(name, spelled=None):
    """Return how a name is compared: its words in any order, and as one word.

    A number is the same without its first zeros, which spreadsheets leave out.

    Example:
        "Lovelace, Ada" is "ada lovelace", as "ada_lovelace" is, or "lovelaceada".
    """
    found = []
    for text in (spelled or _plainly)(name):
        words = re.sub(r"\b0+(?=\d+\b)", "", text).split()
        found += [" ".join(sorted(words)), "".join(words)] if words else []
    return found


def plain_words(text):
    """Return a text's words without accents, capitals and punctuation."""
    return _plainly(text)[0]


@cache
def _plainly(text):
    return _spelled(text, 1)


@cache
def spellings(text):
    """Return a text's plain words in all ways in which people write its letters.

    Example:
        "Jürgen Groß" -> ("jurgen gross", "juergen gross").
    """
    return _spelled(text, _MOST_SPELLINGS)


def _spelled(text, most):
    letters = unicodedata.normalize("NFC", text.casefold())
    ways = product(*(_LETTERS.get(one, (one,)) for one in letters))
    found = {}
    for way in islice(ways, most):
        plain = unicodedata.normalize("NFKD", "".join(way))
        bare = "".join(one for one in plain if not unicodedata.combining(one))
        found[" ".join(re.findall(r"[^\W_]+", bare))] = None
    return tuple(found)
