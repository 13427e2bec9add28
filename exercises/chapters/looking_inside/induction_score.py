"""Predict the induction score of a head from its map."""

from exercises.engine.exercise import Exercise

import numpy as np

LENGTH = 6


def values(draw):
    """Draw a text in which two letters stand twice, and a causal map."""
    while True:
        letters = "".join(draw.permutation(list("ABCDAB")))
        copies = [letters.rindex(letter) - letters.index(letter) for letter in "AB"]
        weights = np.tril(np.stack([row(draw, n + 1) for n in range(LENGTH)]))
        if min(copies) > 1 and all_differ(letters, weights):
            return {"letters": letters, **as_words(letters, weights)}


def row(draw, keys):
    """Draw weights in fiftieths, none of which is 0."""
    shares = 1 + draw.multinomial(50 - keys, draw.dirichlet([0.7] * keys))
    return np.concatenate([shares, np.zeros(LENGTH - keys)]) / 50


def as_words(letters, weights):
    head = "    " + " ".join(f"{letter:>4}" for letter in letters)
    rows = [
        f"{letters[n]}   " + " ".join(f"{weight:4.2f}" for weight in weights[n])
        for n in range(LENGTH)
    ]
    queries = repeated(letters)
    return {
        "map": "\n".join([head, *rows]),
        "weights": weights.tolist(),
        "found": [float(weights[n, letters.index(letters[n]) + 1]) for n in queries],
        "queries": " and ".join(map(str, queries)),
    }


def repeated(letters):
    """Return the places whose letter stood before."""
    return [n for n in range(LENGTH) if letters[n] in letters[:n]]


def mean_weight(letters, weights, step):
    """Return the mean weight on the key `step` places after the earlier copy."""
    weights = np.array(weights)
    return float(
        np.mean(
            [weights[n, letters.index(letters[n]) + step] for n in repeated(letters)]
        )
    )


def previous(letters, weights):
    return float(np.mean([weights[n][n - 1] for n in repeated(letters)]))


def itself(letters, weights):
    return float(np.mean([weights[n][n] for n in repeated(letters)]))


def largest(letters, weights):
    return float(np.mean([max(weights[n]) for n in repeated(letters)]))


def all_differ(letters, weights):
    """Whether no wrong way gives the right number, or another's."""
    right = mean_weight(letters, weights, 1)
    one, other = (
        float(weights[n, letters.index(letters[n]) + 1]) for n in repeated(letters)
    )
    found = [
        right,
        mean_weight(letters, weights, 0),
        right * 2,
        right / 2,
        right / 3,
        right * 2 / 5,
        previous(letters, weights),
        itself(letters, weights),
        largest(letters, weights),
        one,
        other,
        1 - right,
    ]
    gaps = np.abs(np.subtract.outer(found, found)) + np.eye(len(found))
    return gaps.min() > 0.002


def reference(letters, weights, **_):
    return mean_weight(letters, weights, 1)


# The map of a head that does some induction. No draw has its score.
BOOK = np.array(
    [
        [100, 0, 0, 0, 0, 0],
        [74, 26, 0, 0, 0, 0],
        [57, 12, 31, 0, 0, 0],
        [39, 25, 13, 23, 0, 0],
        [4, 3, 81, 7, 5, 0],
        [5, 3, 43, 42, 5, 2],
    ]
)

EXERCISE = Exercise(
    title="The induction score of a head",
    kind="predict",
    difficulty=1,
    minutes=5,
    prompt="""
A head of a causal model read the text `{{letters}}`. This is its map, with a row for
each query and a column for each key:

```text
{{map}}
```

What is its **induction score**? Take each query whose letter stood before, look up the
weight on the key **right after that earlier copy**, and average. Places count from 0.
Give three decimals.
""",
    starter="""
induction_score = ...  # such as 0.425
""",
    solution="""
found = {{found}}  # at places {{queries}}, whose letters stood before
induction_score = sum(found) / len(found)
""",
    why="""
An induction head looks for an earlier copy of its token and reads what came next there:
if AB stood in the text, B is a good guess after another A. So the score is taken at the
key *after* the copy. A query without an earlier copy has no such key; to count its
weight as 0 would lower the score of a perfect head.
""",
    hints=(
        "Which two letters stand twice? Their second places are the queries.",
        "For each of the two queries, find the first place of its letter. The key is "
        "the place after that one.",
        "Queries are rows. Read one weight from each of the two rows, and take their "
        "mean.",
    ),
    mistakes="""
That is the weight on the earlier copy itself. What follows there is what an induction
head reads: take the key one place later.
+ induction_score = mean_weight(letters, weights, 0)

You averaged over all six queries. Four of them have no earlier copy, so they don't
count.
+ induction_score = right / 3

You averaged over five queries, all but the first. Only those whose letter stood before
count.
+ induction_score = right * 2 / 5

You averaged over all four places whose letter stands twice. At the first place of a
letter its copy is still to come, so that query doesn't count.
+ induction_score = right / 2

That is the score of a previous-token head: the weight on the key just before the query.
+ induction_score = previous(letters, weights)

That is the weight that each of these queries gives to itself.
+ induction_score = itself(letters, weights)

That is the mean of the largest weights. An induction score asks for the weight at one
key, whether it is the largest or not.
+ induction_score = largest(letters, weights)

That is the sum of the two weights. Take their mean.
+ induction_score = 2 * right

That is the weight of the first query with an earlier copy alone. There are two.
+ n = repeated(letters)[0]
+ induction_score = weights[n][letters.index(letters[n]) + 1]

That is the weight of the last query with an earlier copy alone. There are two.
+ n = repeated(letters)[1]
+ induction_score = weights[n][letters.index(letters[n]) + 1]

You read a column instead of a row: there, the query would come before its key, and a
causal map holds 0. Queries are the rows.
+ induction_score = 0.0

That is a percentage. A number from 0 to 1 is wanted.
+ induction_score = 100 * right
""",
    reference=reference,
    values=values,
    book={"letters": "CABDAB", **as_words("CABDAB", BOOK / 100)},
    tolerance=0.0006,
)
