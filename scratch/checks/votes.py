"""Checks of votes."""

from scratch.checks.numbers import require_at_least, require_fraction

MOST_WAYS = 10**6  # a second or two


def require_votes(answers):
    """Raise unless `answers` is a list, not empty. A text would vote by its letters."""
    if not isinstance(answers, (list, tuple)):
        raise TypeError(f"answers is a {type(answers).__name__}: wanted a list")
    if not answers:
        raise ValueError("answers is empty: wanted at least one answer or None")


def require_vote(right, wrong, tries):
    """Raise unless the probabilities sum to 1, and few enough answers are counted."""
    if not isinstance(wrong, (list, tuple)):
        raise TypeError(f"wrong is a {type(wrong).__name__}: wanted a list of numbers")
    for name, p in (("right", right), *(("a number in wrong", p) for p in wrong)):
        if p != 1:
            require_fraction(name, p)
    if abs(right + sum(wrong) - 1) > 1e-9:
        raise ValueError(f"right and wrong sum to {right + sum(wrong):g}: wanted 1")
    require_at_least("tries", tries, 1)
    if (len(wrong) + 1) ** tries > MOST_WAYS:
        answers = f"{tries} with {len(wrong) + 1} answers"
        raise ValueError(f"tries is {answers}: wanted at most a million ways to answer")
