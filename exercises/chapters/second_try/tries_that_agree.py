"""Find the bugs: tries that share a seed, and refusals without a vote."""

from exercises.engine.exercise import Exercise
from scratch.random_numbers import uniform_numbers

import numpy as np


def cases(draw):
    for questions, answers, tries in (
        (1, 2, 1),
        (1, 3, 5),
        (3, 4, 4),
        (4, 3, 7),
        (5, 5, 9),
        (8, 4, 12),
    ):
        logits = draw.normal(size=(questions, answers)).round(3)
        logits[::2, -1] += 1.5  # many refuse the first, the third, …
        yield clear(logits, tries, draw)


def clear(logits, tries, draw):
    """Return these with a seed for which no number is on the border of two answers."""
    while True:
        seed = int(draw.integers(1000))
        p = shares(logits)
        numbers = [uniform_numbers(seed + n, len(p), 1) for n in range(tries)]
        if min(np.abs(p.cumsum(-1) - u).min() for u in numbers) > 1e-4:
            return logits, tries, seed


def shares(logits):
    powers = np.exp(logits.astype(np.float64))
    return powers / powers.sum(-1, keepdims=True)


def reference(logits, tries, seed):
    p = shares(logits)
    best = []
    for row, line in enumerate(p):
        drawn = []
        for n in range(tries):
            number = uniform_numbers(seed + n, len(p), 1)[row, 0]
            drawn.append(int((line.cumsum()[:-1] <= number).sum()))
        best.append(int(np.bincount(drawn).argmax()))
    return np.array(best)


PROGRAM = {
    "torch": '''
from scratch.random_numbers import uniform_numbers


def voted(logits, tries, seed):
    """Return ids (questions,), integers.

    logits (questions, answers), the last a refusal;
    tries: how many answers vote; seed: of the first.
    """
    questions, answers = logits.shape
    end = torch.softmax(logits, dim=1).cumsum(1)[:, :-1]
    votes = torch.zeros((questions, answers))
    for n in range(tries):
        number = uniform_numbers(seed + n, questions, 1)
        drawn = (end <= torch.tensor(number)).sum(1)
        votes += torch.eye(answers)[drawn]
    return votes.argmax(1)
''',
    "tensorflow": '''
from scratch.random_numbers import uniform_numbers


def voted(logits, tries, seed):
    """Return ids (questions,), integers.

    logits (questions, answers), the last a refusal;
    tries: how many answers vote; seed: of the first.
    """
    questions, answers = logits.shape
    end = tf.cumsum(tf.nn.softmax(logits, 1), 1)[:, :-1]
    votes = tf.zeros((questions, answers))
    for n in range(tries):
        number = uniform_numbers(seed + n, questions, 1)
        below = end <= number.astype("float32")
        drawn = tf.reduce_sum(tf.cast(below, tf.int32), 1)
        votes += tf.one_hot(drawn, answers)
    return tf.argmax(votes, 1)
''',
}

EXERCISE = Exercise(
    title="More tries, the same score",
    kind="find the bug",
    difficulty=2,
    minutes=10,
    prompt="""
A model answers each question with one of a few whole answers; the last of them is *i
don't know*. `voted` draws `tries` answers to each question at temperature 1, as chapter
13 draws a token, and returns the id of the one that was drawn most often. Of equally
common ones, the smallest id wins. Try n has the seed `seed + n`.

It runs, but its score with 32 tries is what it is with one; and the questions that
nobody can answer come back with an answer. Two things are wrong: who draws, and who
votes. Fix both.
""",
    bug="Nothing is fixed yet",
    solution=PROGRAM,
    why="""
With one seed for all, each try draws the same answer, so the vote is unanimous and
worth no more than a single try. The same happens if 32 requests to a server all carry
the same seed. You can tell by the spread of the votes, which has to be looked at beside
the winner.

A refusal is an answer. If it has no vote, one number is enough to win over thirty-one
refusals, so the more often a model tries, the surer it invents something.
""",
    hints=(
        "Print `votes` for a question. How many different answers were drawn?",
        "Which number changes from one try to the next, and should?",
        "Each answer has a column of `votes`, the refusal as well.",
    ),
    mistakes="""
Nothing is fixed yet: all tries share one seed, and refusals have no vote.
- seed + n
+ seed
@torch
- votes.argmax(1)
+ votes[:, :-1].argmax(1)
@tensorflow
- tf.argmax(votes, 1)
+ tf.argmax(votes[:, :-1], 1)

Refusals vote now. But all tries still share one seed, so they draw the same answer.
- seed + n
+ seed

The tries differ now. But refusals still have no vote.
@torch
- votes.argmax(1)
+ votes[:, :-1].argmax(1)
@tensorflow
- tf.argmax(votes, 1)
+ tf.argmax(votes[:, :-1], 1)

The first try has the seed + 1 in your answer. Counting begins with 0.
- seed + n
+ seed + n + 1

Your tries have the seeds 0, 1, 2, …, whatever the seed is.
- seed + n
+ n

You multiply the seed by the number of the try. Add it.
- seed + n
+ seed * n

In a try, all questions share one random number. Each has its own.
- uniform_numbers(seed + n, questions, 1)
+ uniform_numbers(seed + n, questions, 1)[:1]

You draw all tries from one seed, a number for each place of a row. Try n has a seed of
its own.
- uniform_numbers(seed + n, questions, 1)
+ uniform_numbers(seed, questions, tries)[:, n : n + 1]

You take the probabilities of all answers as votes. Let each try draw one.
@torch
- torch.eye(answers)[drawn]
+ torch.softmax(logits, dim=1)
@tensorflow
- tf.one_hot(drawn, answers)
+ tf.nn.softmax(logits, 1)

The refusal wins as soon as it has a vote. It needs the most votes, like any answer.
@torch
- votes.argmax(1)
+ torch.where(votes[:, -1] > 0, answers - 1, votes.argmax(1))
@tensorflow
- tf.argmax(votes, 1)
+ tf.where(votes[:, -1] > 0, answers - 1, tf.argmax(votes, 1))

The last try alone decides. Add up the votes.
- votes += 
+ votes = 

Your softmax runs over the questions. The probabilities of one question must sum to 1.
- softmax(logits, dim=1)
+ softmax(logits, dim=0)
- softmax(logits, 1)
+ softmax(logits, 0)

You return how many votes the winner has. Its id is asked for.
@torch
- votes.argmax(1)
+ votes.amax(1).long()
@tensorflow
- tf.argmax(votes, 1)
+ tf.cast(tf.reduce_max(votes, 1), tf.int64)
""",
    reference=reference,
    cases=cases,
)
