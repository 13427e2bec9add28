"""A mistake is a sentence and a diff, and a diff that does not fit is an error."""

from readymade.mistake_language import mistakes_from

import pytest

PROGRAMS = {"torch": "x = torch.a(1)\ny = x\n", "tensorflow": "x = tf.b(1)\ny = x\n"}


@pytest.mark.parametrize(
    ("diff", "torch", "tensorflow"),
    [
        ("- x\n+ z", "z = torch.a(1)\ny = z\n", "z = tf.b(1)\ny = z\n"),
        ("- (1)\n+", "x = torch.a\ny = x\n", "x = tf.b\ny = x\n"),
        ("- y = x", "x = torch.a(1)\n", "x = tf.b(1)\n"),
        (
            "- (1)\n- y\n+ (2)\n+\n+ y",
            "x = torch.a(2)\n\ny = x\n",
            "x = tf.b(2)\n\ny = x\n",
        ),
        (
            "- torch.a\n+ one\n- tf.b\n+ other",
            "x = one(1)\ny = x\n",
            "x = other(1)\ny = x\n",
        ),
        (
            "- y = x\n\n- 1\n+ 2\n@tensorflow\n- 2\n+ 3",
            "x = torch.a(2)\n",
            "x = tf.b(3)\n",
        ),
        ("+ y = 1\n+ z = 2", "y = 1\nz = 2", "y = 1\nz = 2"),
    ],
)
def test_a_diff_changes_what_it_says(diff, torch, tensorflow):
    (mistake,) = mistakes_from(f"\nYou changed it,\nand it is wrong.\n{diff}\n")
    assert mistake.says == "You changed it, and it is wrong."
    assert mistake.made_in(PROGRAMS) == {"torch": torch, "tensorflow": tensorflow}


def test_a_label_keeps_a_mistake_to_one_framework():
    (mistake,) = mistakes_from("In place.\n@torch\n- y = x\n+ y += x")
    assert mistake.made_in(PROGRAMS) == {"torch": "x = torch.a(1)\ny += x\n"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("One.\n- x\n+ z\n\nTwo.\n- y\n+ z\n- old\n+ new", "line 8 is 'old'"),
        ("One.\n@torch\n- tf.b\n+ tf.c", "line 3 is 'tf.b'"),
        ("One.\n- tf.b\n+ tf.c", "'One.' changes nothing in torch"),
        ("One.\n- x\n+ z\n- z\n+ x", "'One.' changes nothing in torch"),
        ("- x\n+ z", "line 1 is '- x': wanted a sentence"),
        ("One.\n\nTwo.\n- x\n+ z", "mistake is 'One.': wanted an edit"),
        ("One.\n- x\n\n+ z", "line 4 has no `-`"),
    ],
)
def test_a_diff_that_does_not_fit_is_an_error(text, words):
    with pytest.raises(ValueError) as error:
        for mistake in mistakes_from(text):
            mistake.made_in(PROGRAMS)
    assert words in str(error.value)
