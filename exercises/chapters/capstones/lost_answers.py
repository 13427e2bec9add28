"""Build the account of a system of two parts: which of them lost the answer?"""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    # all three are right in a foreign text, the first although its own isn't found
    yield (
        np.array([[0.9, 0.8, 0.1], [0.9, 0.8, 0.1], [0.2, 0.8, 0.9]]),
        np.array([[4.0, 9.0, 1.0], [4.0, 9.0, 1.0], [7.0, 3.0, 8.0]]),
        np.array([[True, True, False], [True, True, False], [False, False, True]]),
        np.array([2, 0, 1]),
        2,
    )
    for questions, texts, k in (
        (2, 3, 1),
        (4, 3, 3),
        (5, 4, 2),
        (8, 6, 2),
        (12, 5, 3),
        (20, 8, 4),
    ):
        own = draw.integers(texts, size=questions)
        is_own = np.eye(texts, dtype=bool)[own]
        # numbers that are all different, larger for a question's own text
        found = draw.permutation(questions * texts).reshape(questions, texts)
        found = found / found.size + 0.35 * is_own
        sure = draw.permutation(questions * texts).reshape(questions, texts)
        sure = sure / sure.size * 20 - 10 + 4 * is_own
        right = draw.random((questions, texts)) < np.where(is_own, 0.55, 0.15)
        yield found, sure, right, own, k


def reference(found, sure, right, own, k):
    counts = [0] * 4
    for row in range(len(own)):
        best = sorted(range(found.shape[1]), key=lambda text: -found[row, text])[:k]
        taken = max(best, key=lambda text: sure[row, text])
        if right[row, taken]:
            counts[0] += 1
        elif own[row] not in best:
            counts[1] += 1
        elif taken != own[row]:
            counts[2] += 1
        else:
            counts[3] += 1
    return [count / len(own) for count in counts]


EXERCISE = Exercise(
    title="Who lost the answer?",
    kind="build",
    difficulty=2,
    minutes=20,
    prompt="""
A search scores all texts of a library for each question, and a reader answers from each
of the k texts with the highest scores. Of these k answers, the one with the highest
score **of the reader** is given.

`found` (questions, texts) holds the scores of the search, `sure` (questions, texts)
those of the reader's answer in each text, and `right` (questions, texts) whether that
answer is right. `own` (questions,) is the number of the text that the question was
written about. No two scores are equal. All are NumPy arrays.

Sort each question into one of four cases, the first that fits, and return their shares
of all questions, in this order:

1. the answer that is given is **right**, in whatever text it was found;
2. the **search** lost it: the question's own text isn't among the k;
3. the **choice** lost it: the own text is among the k, but the answer was taken from
   another one;
4. the **reader** lost it: the answer was taken from the own text, and is wrong.
""",
    solution='''
def lost_answers(found, sure, right, own, k):
    """Return four shares: right, search, choice, reader.

    found, sure, right (questions, texts); own (questions,).
    """
    rows = np.arange(len(own))
    order = np.argsort(-found, axis=1)
    best = order[:, :k]
    at = sure[rows[:, None], best].argmax(1)
    taken = best[rows, at]
    good = right[rows, taken]
    there = (best == own[:, None]).any(1)
    return (
        good.mean(),
        (~good & ~there).mean(),
        (~good & there & (taken != own)).mean(),
        (~good & (taken == own)).mean(),
    )
''',
    why="""
One score for the whole system doesn't tell you what to work on. The four shares do: a
better search can win the second at most, a better threshold or a better comparison of
scores the third, and a better reader the fourth. More texts (a larger k) move questions
from the second case to the first, but to the third as well, because each text that is
read is another chance for a wrong answer to be the surest.

Some answers are right in a foreign text, by chance or because that text says the same.
They count as right here, so look at a few: a user who checks the source would find
another text.
""",
    hints=(
        "`np.argsort(-found, axis=1)[:, :k]` has the numbers of the k texts, the best "
        "first.",
        "Which of these k has the highest score of the reader? `best[rows, at]` turns "
        "its place among the k into the number of a text.",
        "A question whose answer is right belongs to the first case, even if its own "
        "text wasn't found.",
    ),
    mistakes="""
You give the answer from the text that the search likes best. The reader's own score
decides among the k.
- sure[rows[:, None], best].argmax(1)
+ 0 * rows

The reader answers from all texts in your account. It has only the k that were found.
- best = order[:, :k]
+ best = order

You take the k texts with the lowest scores.
- np.argsort(-found, axis=1)
+ np.argsort(found, axis=1)

The texts are sorted over the questions: each question has its own order.
- np.argsort(-found, axis=1)
+ np.argsort(-found, axis=0) % found.shape[1]

The place among the k is not the number of a text.
- taken = best[rows, at]
+ taken = at

You take the answer with the reader's lowest score.
- best].argmax(1)
+ best].argmin(1)

The scores of the reader are those of the first texts of the library, not of the k that
were found.
- sure[rows[:, None], best].argmax(1)
+ sure[:, :k].argmax(1)

If the own text wasn't found, no answer counts as right in yours. It may be right in
another text.
- good = right[rows, taken]
+ good = right[rows, taken] & (best == own[:, None]).any(1)

An answer counts as right in yours only if it was taken from the own text.
- good = right[rows, taken]
+ good = right[rows, taken] & (taken == own)

You ask whether the answer would be right in the own text. It is given from the text
that was chosen.
- good = right[rows, taken]
+ good = right[rows, own]

An answer counts as right if any of the k texts has a right one. Only one is given.
- good = right[rows, taken]
+ good = right[rows[:, None], best].any(1)

The search has lost it only if the own text isn't among the k. You look at the first
alone.
- there = (best == own[:, None]).any(1)
+ there = best[:, 0] == own

The second share counts right answers, too. A question belongs to the first case that
fits.
- (~good & ~there)
+ (~there)

The third share counts questions whose own text wasn't found. Those belong to the
search.
- (~good & there & (taken != own))
+ (~good & (taken != own))

The third share counts right answers, too. A question belongs to the first case that
fits.
- (~good & there & (taken != own))
+ (there & (taken != own))

The shares of the choice and of the reader are swapped.
- & (taken != own)).mean(),
-         (~good & (taken == own)).mean(),
+ & (taken == own)).mean(),
+         (~good & there & (taken != own)).mean(),

You return how many questions each case has. Their shares are asked for.
- good.mean(),
+ good.sum(),
- ~there).mean(),
+ ~there).sum(),
- != own)).mean(),
+ != own)).sum(),
- == own)).mean(),
+ == own)).sum(),
""",
    reference=reference,
    cases=cases,
    equivalent={
        "rows = np.arange(len(right))": "All have a row for each question.",
    },
)
