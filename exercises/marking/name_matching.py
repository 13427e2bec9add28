"""Match files' names, as learning platforms give them, with students on the roster.

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

# "Ada Lovelace_17_assignsubmission_file", a folder, or "…_file_week3.ipynb". Name and
# number may be a team's; the default team, of students in no other, has no number.
_MOODLE = re.compile(
    r"(?P<name>[^_]+)(_(?P<id>\d+))?_assignsubmission_[a-z]+(_.*)?", re.S
)
# "lovelaceada_LATE_17_4711_week3-1.ipynb", a user and a file; or "anon_1aB_4711_…".
_CANVAS = re.compile(
    r"((?P<name>[^_]+)(_LATE)?_(?P<id>\d+)|(LATE_)?(?P<anon>anon_[^_]+))_\d+_.+", re.S
)
_REPOSITORIES = "-submissions"  # after ASSIGNMENT; inside, ASSIGNMENT-USERNAME
LONG_ENOUGH = 4  # for a number to be an id wherever it is in a name
# Words for a team: the 17 of "Gruppe 17" is nobody's id.
_TEAM = re.compile(
    r"(?<![^\W\d])(\w*gr(?:ou?p|upp)(?:[aeo]|en)?s?|groep|grup[aeo]?|grp|ryhma|skupina"
    r"|csoport|\w*teams?|equip[aeo]s?|binomes?|trinomes?|pairs?|paare?|duos?|trios?"
    r"|squadra|zespol)(?![^\W\d])"
)
# How letters are written without accents, where removing the accent is not all.
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
    """Return the `Person`, or the team, that a file's or folder's name gives.

    Example:
        `Ada Lovelace_17_assignsubmission_file` -> `Person("Ada Lovelace", "17")`, and
        `ada.ipynb` -> `Person("ada")`.
    """
    # A zip from Windows may be unpacked where a backslash does not separate folders.
    name, is_inside, _ = path.name.partition("\\")
    if moodle := _MOODLE.fullmatch(name):
        return Person(moodle["name"], moodle["id"] or "")
    if is_inside or path.is_dir():
        in_folder = path.parent.resolve().name
        assignment = in_folder.removesuffix(_REPOSITORIES)
        is_named = assignment != in_folder
        return Person(name.removeprefix(f"{assignment}-" if is_named else ""))
    if canvas := _CANVAS.fullmatch(name):
        return Person(canvas["name"] or canvas["anon"], canvas["id"] or "")
    return Person(path.stem)


def whose(name, roster):
    """Return the student whose name a folder or file certainly has, or ""."""
    match = _MOODLE.fullmatch(name) or _CANVAS.fullmatch(name)
    is_platforms = bool(match and match["name"] and match["id"])
    bare = Person(name.rpartition(".")[0] or name)
    person = Person(match["name"], match["id"]) if is_platforms else bare
    fits = fitting(person, roster)
    return labelled(fits[0]) if len(fits) == 1 else with_id(person) * is_platforms


def group_of(person, groups, *, exactly):
    """Return the groups whose name a file's name is, or contains."""
    if exactly:
        words = set(_joined_spellings(person.name))
        return [one for one in groups if words.intersection(_joined_spellings(one))]
    names = [f" {plain_words(one)} " for one in groups]
    words = f" {plain_words(person.name)} "
    named = zip(groups, names, strict=True)
    # A name of one word might be there by chance.
    return [one for one, name in named if " " in name.strip() and name in words]


def fitting(person, roster):
    """Return the students on a roster whom a file's name fits, wholly or in part."""
    return _fitting(person, roster, _plainly) or _fitting(person, roster, spellings)


def _fitting(person, roster, spell):
    """Return the students; `spell` gives one spelling of a name, or all."""
    named = [one for one in roster if _has_name(one, person, spell)]
    numbered = [one for one in roster if _has_number(one, person)]
    both = [one for one in named if one in numbered]
    if both or named or numbered:
        return both or named or numbered
    parts = [_parts(one, person, spell) for one in roster]
    most = max(parts, default=0)  # `release --each` writes both parts
    return [one for one, n in zip(roster, parts, strict=True) if n == most > 0]


def _has_name(one, person, spell):
    """Whether a file has a student's name, with or without spaces, or just the id."""
    names = {text.replace(" ", "") for text in spell(person.name)}
    # A platform calls a team "17", but nobody else.
    is_short = one.id.isdecimal() and len(one.id) < LONG_ENOUGH
    if _joined(one.id) in names and not (person.id and is_short):
        return True
    return one.name != one.id and not names.isdisjoint(_joined_turns(one.name, spell))


def _has_number(one, person):
    """Whether a platform gives a student's id and a part of the name.

    Platforms number users in their own way, so an equal number alone may be chance.
    """
    whole = one.name if one.name != one.id else ""
    return one.id.casefold() == person.id.casefold() and may_be(person.name, whole)


def may_be(name, whole):
    """Whether a platform's name, of a person or a team, may be a certain person's.

    Args:
        name: such as "lovelaceada", "A. Lovelace" or "Gruppe 17-Ada Lovelace".
        whole: the person's full name; "" where it is not known.
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
    """Whether words are part of a person's own, initials of them, or all joined."""
    begins = all(any(part.startswith(word) for part in own) for word in words)
    left = "".join(words)
    for part in sorted(own, key=len, reverse=True):
        left = left.replace(part, "", 1)
    return not left or (begins and not set(own).isdisjoint(words))


def is_team(name, whole=""):
    """Whether a name is a number, or has a word for a team that `whole` lacks."""
    return is_number(name) or bool(_team_words(name, whole))


def is_number(name):
    """Whether a name, of a person or a team, has no letters."""
    return not re.search(r"[^\W\d_]", name)


def _team_words(name, whole):
    return _all_team_words(name).difference(plain_words(whole).split())


@cache
def _all_team_words(name):
    return frozenset(_TEAM.findall(plain_words(name)))


def _of_one(name):
    """Return a name without the group that Moodle puts first, as in "Gruppe 17-Ada"."""
    group, _, rest = name.partition("-")
    return rest if rest and _TEAM.search(plain_words(group)) else name


def _parts(one, person, spell):
    """Count which of a student's id and full name are parts of a file's name."""
    number, turns = f" {plain_words(one.id)} ", _turns(one.name, spell)
    is_long = len(one.id) >= LONG_ENOUGH and re.search(r"\d", one.id)
    most = 0
    name = _of_one(person.name) if person.id else person.name
    for text in spell(name):
        words = f" {text} "
        has_id = words.endswith(number) or bool(is_long and number in words)
        has_name = any(" " in turn and f" {turn} " in words for turn in turns)
        of_team = _team_words(text, one.name)
        if person.id:  # a platform's name, which is a team's as a whole
            has_name = has_name and not of_team
        if person.id or of_team:
            has_id = has_id and has_name
        most = max(most, has_id + has_name)
    return most


@cache
def _turns(name, spell):
    """Return a name's words, starting at each, because the last name may come first."""
    turns = []
    for text in spell(name):
        words = text.split()
        turns += [" ".join(words[n:] + words[:n]) for n in range(len(words))]
    return turns


@cache
def _joined_turns(name, spell):
    return frozenset(turn.replace(" ", "") for turn in _turns(name, spell))


def _joined_spellings(name):
    return [text.replace(" ", "") for text in spellings(name)]


def _joined(text):
    return plain_words(text).replace(" ", "")


def forms(name, spell=None):
    """Return the forms in which names are compared: words sorted, and words joined.

    Numbers lose their leading zeros, which spreadsheets drop.

    Example:
        "Lovelace, Ada" -> ["ada lovelace", "lovelaceada"].
    """
    compared = []
    for text in (spell or _plainly)(name):
        words = re.sub(r"\b0+(?=\d+\b)", "", text).split()
        compared += [" ".join(sorted(words)), "".join(words)] if words else []
    return compared


def plain_words(text):
    """Return a text's words without accents, capitals and punctuation."""
    return _plainly(text)[0]


@cache
def _plainly(text):
    return _spelled(text, 1)


@cache
def spellings(text):
    """Return a text's plain words in all the ways in which people spell its letters.

    Example:
        "Jürgen Groß" -> ("jurgen gross", "juergen gross").
    """
    return _spelled(text, _MOST_SPELLINGS)


def _spelled(text, most):
    letters = unicodedata.normalize("NFC", text.casefold())
    ways = product(*(_LETTERS.get(one, (one,)) for one in letters))
    texts = {}  # in order, each once
    for way in islice(ways, most):
        plain = unicodedata.normalize("NFKD", "".join(way))
        bare = "".join(one for one in plain if not unicodedata.combining(one))
        texts[" ".join(re.findall(r"[^\W_]+", bare))] = None
    return tuple(texts)
