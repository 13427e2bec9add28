"""A roster is read as spreadsheets save it, and says whose each file is."""

import csv
import re

from exercises.__main__ import main
from exercises.engine import notebooks
from exercises.engine.registry import number
from exercises.marking.name_matching import fitting, owner
from exercises.marking.release import release
from exercises.marking.release_identity import identity_of
from exercises.marking.roster import Person, labelled, read_roster

import pytest
from helpers.classroom import EMBEDDINGS, SEED, VALUE, notebook, solved, zipped

NUMBER = number(EMBEDDINGS)
CLASS = (
    ("s1815", "Ada Lovelace"),
    ("s1816", "King Lovelace, Ada"),
    ("grace-h", "Grace Hopper"),
    ("4711", "Zoë Weiß"),
    ("w1", "Wei Wang"),
    ("w2", "Wei Wang"),
    ("7", ""),
)
ROSTERS = {
    "commas": "id,name\n" + "".join(f'{id},"{name}"\n' for id, name in CLASS),
    "semicolons": "\ufeffName;ID;Group\r\n"
    + "".join(f"{name};{id};A\r\n" for id, name in CLASS)
    + ";;\r\n",
    "tabs": "id\tname\n" + "".join(f" {id} \t{name} \n" for id, name in CLASS),
    "sep": "sep=;\r\nid;name\r\n" + "".join(f"{id};{name}\r\n" for id, name in CLASS),
}


@pytest.mark.parametrize("text", ROSTERS.values(), ids=ROSTERS)
def test_a_roster_is_read_as_a_spreadsheet_saves_it(tmp_path, text):
    path = tmp_path / "roster.csv"
    path.write_text(text, encoding="utf-8", newline="")
    expected = [Person(name or id, id) for id, name in CLASS]
    assert read_roster(path) == expected


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "whose first line has nothing: wanted the columns id and name"),
        ("Ada,s1\n", "has ada, s1: wanted the columns id and name"),
        ("id,name\n1,Ada\n1,Alan\n", "Ada has the id '1': wanted one for each"),
        ("name,id\nAda\n", "Ada has the id '': wanted one for each"),
        ("id,name\n1,Zoë\n".encode("latin-1"), "not UTF-8: wanted “CSV UTF-8”"),
    ],
)
def test_what_is_wrong_with_a_roster_is_said(tmp_path, text, complaint):
    path = tmp_path / "roster.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=rf"roster\.csv.*{re.escape(complaint)}"):
        read_roster(path)


def test_a_roster_in_utf_16_is_read(tmp_path):
    """Excel calls it Unicode Text."""
    path = tmp_path / "roster.txt"
    path.write_text("id\tname\n4711\tZoë\n", encoding="utf-16")
    assert read_roster(path) == [Person("Zoë", "4711")]


OWNERS = {
    "ada_lovelace.ipynb": ["s1815"],
    "Lovelace, Ada - week 3.ipynb": ["s1815"],
    "S1815_week3.ipynb": ["s1815"],
    "Ada Lovelace_7_assignsubmission_file_week3.ipynb": ["s1815"],
    "lovelaceada_9_11_week3.ipynb": ["s1815"],
    "kinglovelaceada_LATE_9_11_grace-h.ipynb": ["s1816"],
    "ada_king_lovelace.ipynb": ["s1816"],
    "week3-grace-h/week3.ipynb": ["grace-h"],
    "weißzoe_4711_11_week3.ipynb": ["4711"],
    "Z. Weiss_4711_assignsubmission_file/a.ipynb": ["4711"],
    "week_4711.ipynb": ["4711"],
    "Participant_7_assignsubmission_file/a.ipynb": ["7"],
    "wang_wei_week3.ipynb": ["w1", "w2"],
    "wangwei_9_11_week3.ipynb": ["w1", "w2"],
    "Wei_Wang_w2.ipynb": ["w2"],  # the name that `release --each` gives
    "ada_lovelace_grace_hopper.ipynb": ["s1815", "grace-h"],
    # Another's number on a platform, a first name, a week.
    "Mary Somerville_4711_assignsubmission_file/a.ipynb": [],
    "ada.ipynb": [],
    "week_7_mary.ipynb": [],
    # Students choose their files' names.
    "Eve_5_assignsubmission_file_Ada Lovelace_7_assignsubmission_file_a.ipynb": [],
    "eve_5_11_ada_lovelace.ipynb": [],
}


@pytest.mark.parametrize("name", OWNERS)
def test_a_file_is_given_to_those_whom_its_name_fits(tmp_path, name):
    roster = [Person(name or id, id) for id, name in CLASS]
    notebook(tmp_path / name)
    (top,) = tmp_path.iterdir()
    assert [one.id for one in fitting(owner(top), roster)] == OWNERS[name]


@pytest.mark.usefixtures("bubblewrap")
def test_a_folder_is_marked_by_its_roster(tmp_path, capsys):
    """Two weeks in one folder, several platforms, two missing, one unknown."""
    folder, output = tmp_path / "in", tmp_path / "marks.csv"
    week3, _ = release("attention", SEED, tmp_path / "week3", [VALUE])
    week2, _ = release("embeddings", SEED, tmp_path / "week2", [EMBEDDINGS])
    this = identity_of(notebooks.read(week3))
    other = identity_of(notebooks.read(week2))
    notebook(folder / "ada_lovelace_week2.ipynb", other)
    notebook(folder / "ada_lovelace_week3.ipynb", this, *solved(VALUE))
    right = (folder / "ada_lovelace_week3.ipynb").read_bytes()
    zipped(folder / "hoppergrace_LATE_9_11_work.zip", {"right.ipynb": right})
    notebook(folder / "Zoë Weiß_3_assignsubmission_file" / "mine.ipynb", other)
    notebook(folder / "wei_wang.ipynb", this, *solved(VALUE))
    notebook(folder / "mary.ipynb", this, *solved(VALUE))
    (folder / "roster.csv").write_text(ROSTERS["commas"], encoding="utf-8")
    command = ["grade", str(folder), "--seed", SEED, "-o", str(output), "-j", "1"]
    command += ["--points", str(tmp_path / "week3" / "points.csv")]
    command += ["--roster", str(folder / "roster.csv")]
    assert main(command) == 0
    with output.open(newline="", encoding="utf-8-sig") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    missing = "nothing handed in"
    unknown = "may be of several on the roster: Wei Wang (w1), Wei Wang (w2)"
    of_week2 = f"this notebook is of another release: of exercises {NUMBER}, "
    assert {name: (row["total"], row["notes"]) for name, row in rows.items()} == {
        "Ada Lovelace (s1815)": (
            "1",
            f"also handed in ada_lovelace_week2.ipynb, of exercises {NUMBER}",
        ),
        "King Lovelace, Ada (s1816)": ("0", missing),
        "Grace Hopper (grace-h)": ("1", ""),
        "Zoë Weiß (4711)": ("0", f"{of_week2}no check ran of {VALUE}"),
        "Wei Wang (w1)": ("0", missing),
        "Wei Wang (w2)": ("0", missing),
        "7": ("0", missing),
        "mary": ("1", "not on the roster"),
        "wei_wang": ("1", unknown),
    }
    in_order = [labelled(Person(name or id, id)) for id, name in CLASS]
    assert list(rows)[: len(CLASS)] == in_order


def test_a_roster_alone_is_no_class(tmp_path, capsys):
    """As with the wrong folder."""
    roster, points = tmp_path / "roster.csv", tmp_path / "points.csv"
    roster.write_text(ROSTERS["commas"], encoding="utf-8")
    points.write_text(f"{VALUE},2\n")
    (tmp_path / "in").mkdir()
    command = ["grade", str(tmp_path / "in"), "--seed", SEED, "--points", str(points)]
    command += ["-o", str(tmp_path / "marks.csv"), "--roster", str(roster)]
    assert main([*command, "--unsafe-no-sandbox"]) == 1
    assert "holds no submission" in capsys.readouterr().err


# ---- Spellings ---------------------------------------------------------------------

SPELT = {
    "Jürgen Groß": ["juergen_gross", "jurgen gross", "GROSS, Jürgen"],
    "Søren Ørsted": ["soren_orsted", "soeren_oersted", "oerstedsoren_9_11_a"],
    "Łukasz Żółty": ["lukasz_zolty", "zoltylukasz_LATE_9_11_a"],
    "Işıl Çağrı": ["isil_cagri", "ISIL CAGRI"],
    "Đorđe Đurić": ["dorde_duric", "djordje_djuric"],
    "Þóra Æsa Guðmundsdóttir": ["thora_aesa_gudmundsdottir"],
    "Åse Blåbær": ["ase_blabaer", "aase_blaabaer"],
    "Chloé Lœuf": ["chloe_loeuf"],
    "Joao Mueller": ["joão_müller"],
}


@pytest.mark.parametrize("name", SPELT)
def test_a_name_is_known_however_its_letters_are_written(tmp_path, name):
    """Next to a name that a bolder rule would confuse with it."""
    others = ["Michal Bur", "Hans Jrgen", "Anna Oster"]
    roster = [Person(one, f"s{n}") for n, one in enumerate([name, *others])]
    for written in SPELT[name]:
        (one,) = fitting(owner(tmp_path / f"{written}.ipynb"), roster)
        assert one.name == name
    for written in ("michael_bur", "michal_bauer", "anna_ster"):
        assert fitting(owner(tmp_path / f"{written}.ipynb"), roster) == []


def test_a_name_that_is_the_same_letter_by_letter_comes_first(tmp_path):
    roster = [Person("Hans Müller", "s1"), Person("Hans Mueller", "s2")]
    (one,) = fitting(owner(tmp_path / "hans_mueller.ipynb"), roster)
    assert one.id == "s2"
    roster.append(Person("Hans Mueller", "s3"))
    assert len(fitting(owner(tmp_path / "hans_mueller.ipynb"), roster)) == 2
