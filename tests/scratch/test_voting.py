"""A vote chooses the commonest answer, and its probability is what draws show."""

from scratch.voting import majority, vote_wins

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

ANSWERS = st.lists(st.one_of(st.none(), st.integers(0, 3)), min_size=1, max_size=12)


@given(ANSWERS)
def test_the_answer_chosen_is_the_commonest_and_the_earliest_of_these(answers):
    """For any answers: none has more votes, and none with as many came before."""
    chosen = majority(answers)
    votes = [answer for answer in answers if answer is not None]
    if not votes:
        assert chosen is None
        return
    most = max(map(votes.count, votes))
    assert votes.count(chosen) == most
    assert all(votes.count(one) < most for one in votes[: votes.index(chosen)])


@pytest.mark.parametrize(
    ("answers", "chosen"),
    [
        ([None, None, None, 7], 7),  # None has no vote
        ([None, None], None),
        ([3, 12, 12, 3, 5], 3),  # a tie: the one given first, though 12 got two first
        ([9, 2, 2], 2),
        (["refused", 4, "refused"], "refused"),  # votes, because the caller says so
        ((0, 0, 1), 0),  # an answer that is false is still an answer
    ],
)
def test_who_votes_and_who_wins(answers, chosen):
    assert majority(answers) == chosen


def test_three_tries_by_hand():
    """By hand: two or three right, and one right that came first among three."""
    p, q = 0.4, 0.6
    at_least_two = p**3 + 3 * p**2 * q
    assert vote_wins(p, [q], 3) == pytest.approx(at_least_two)
    others = [0.2, 0.2, 0.2]
    all_differ = q**2 * (2 / 3)  # the two wrong ones differ; a third of 3 orders
    assert vote_wins(p, others, 3) == pytest.approx(at_least_two + p * all_differ)
    assert vote_wins(p, [q], 1) == vote_wins(p, [0.3, 0.3], 2) == pytest.approx(p)
    assert vote_wins(1, [], 5) == 1


def test_draws_win_as_often_as_the_formula_says():
    """2,000 votes of seven: within four standard errors, 0.045."""
    p = [0.3, 0.4, 0.2, 0.1]
    drawn = np.random.default_rng(0).choice(4, (2_000, 7), p=p).tolist()
    won = np.mean([majority(row) == 0 for row in drawn])
    assert won == pytest.approx(vote_wins(p[0], p[1:], 7), abs=0.045)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: majority("12"), TypeError, "answers is a str: wanted a list"),
        (lambda: majority([]), ValueError, "answers is empty: wanted at least one"),
        (lambda: majority(iter([1])), TypeError, "answers is a list_iterator: wanted"),
        (lambda: vote_wins(0.4, [0.4], 3), ValueError, "right and wrong sum to 0.8"),
        (lambda: vote_wins(0.4, 0.6, 3), TypeError, "wrong is a float: wanted a list"),
        (lambda: vote_wins(-0.5, [0.5, 1], 3), ValueError, "right is -0.5: wanted 0 ≤"),
        (lambda: vote_wins(0.4, [0.6], 0), ValueError, "tries is 0: wanted at least 1"),
        (lambda: vote_wins(0.4, [0.6], 32), ValueError, "tries is 32 with 2 answers"),
    ],
)
def test_what_makes_no_sense_is_refused(call, error, words):
    with pytest.raises(error, match=f"^{words}"):
        call()
