"""Several answers to one question, and a vote among them: self-consistency."""

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import product
from math import prod

from scratch.checks import require_vote, require_votes


def majority(answers: Sequence[Hashable]) -> Hashable:
    """Majority vote: the commonest of several answers to one question.

    Args:
        answers: what each try answered, in the order of the tries; None for a try in
            which no answer was found. None has no vote; whether a refusal is an answer
            is for the caller to say.

    Returns:
        The commonest answer; of equally common ones, the one that was given first.
        None if nobody votes.

    Raises:
        TypeError, ValueError: if the answers are no list (a text would vote by its
            letters), or if there are none.

    Example:
        [None, 7, 12, None, 12, None] -> 12

    Source: Wang et al. 2022 (self-consistency), section 2.
    """
    require_votes(answers)
    votes = Counter(answer for answer in answers if answer is not None)
    return max(votes, key=votes.get, default=None)


def vote_wins(right: float, wrong: Sequence[float], tries: int) -> float:
    """Probability that a majority vote of independent tries is right.

    Args:
        right: the probability of the right answer.
        wrong: that of each wrong answer.
        tries: how many vote. All ways in which they can answer are counted, so the
            number of answers to the power of `tries` is at most a million.

    Returns:
        From 0 to 1.

    Raises:
        TypeError, ValueError: if the probabilities don't sum to 1, or for too many
            tries.

    Example:
        0.4, [0.6], 3 -> 0.352
    """
    require_vote(right, wrong, tries)
    p = [right, *wrong]  # answer 0 is the right one
    ways = product(range(len(p)), repeat=tries)
    return sum(prod(p[one] for one in way) for way in ways if majority(way) == 0)
