"""The files around marking: points, what lies beside submissions, odd machines."""

from scratch.exercises.grading.points import read_points

import pytest
from classroom import FUNCTION, VALUE


@pytest.mark.parametrize(
    "text",
    [
        f"exercise,points\n{VALUE},2.5\n{FUNCTION},3\n",
        f"\ufeffexercise;points\r\n{VALUE};2,5\r\n{FUNCTION};3\r\n",
        f'"exercise";"points"\n"{VALUE}";2.5\n"{FUNCTION}";3\n',
        f"# practice, week 3; marked\n\n{VALUE}, 2.5\n{FUNCTION},3\n;\n,,\n",
    ],
)
def test_points_are_read_as_a_spreadsheet_saves_them(tmp_path, text):
    points = tmp_path / "points.csv"
    points.write_text(text, encoding="utf-8", newline="")
    assert read_points(points) == {VALUE: 2.5, FUNCTION: 3}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("exercise,points\nattention.spraed,3", "line 2: no exercise .*did you mean"),
        (f"{FUNCTION},3\n\n{VALUE},2\n{VALUE},many", "line 4: no number of points"),
        (f"{FUNCTION};drei", "line 1: no number of points"),
        (f'{FUNCTION},"2,5"', "line 1: no number of points"),
        (b"\xff\xfe1\x00", "not a text file"),
    ],
)
def test_what_is_wrong_with_points_is_said_with_file_and_line(
    tmp_path, text, complaint
):
    points = tmp_path / "points.csv"
    points.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=rf"points\.csv.*{complaint}"):
        read_points(points)
