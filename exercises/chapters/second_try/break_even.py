"""Predict after how many questions training has paid, in tokens."""

from math import floor

from exercises.engine.exercise import Exercise

PASSES = 4  # a token is written in one pass and learned from in three


def values(draw):
    """Draw an account in which no two mistakes give the same number."""
    while True:
        found = {
            "tries": int(draw.choice([4, 6, 8, 10, 12, 16])),
            "single": int(draw.integers(20, 50)) / 100,
            "vote": int(draw.integers(60, 90)) / 100,
            "trained": int(draw.integers(60, 95)) / 100,
            "short": int(draw.integers(80, 200)) / 10,
            "long": int(draw.integers(150, 320)) / 10,
            "drawn": int(draw.integers(10, 50)) * 1000,
        }
        if found["tries"] * found["short"] > found["long"] + 10 and is_clear(**found):
            return found


def is_clear(**account):
    """Whether the numbers of all mistakes differ from the right ones and each other."""
    right = reference(**account)
    return (
        all(
            min(abs(a / b - 1) for i, a in enumerate(kind) for b in kind[:i]) > 0.003
            for kind in (
                [right[0], *wrong_vote(**account).values()],
                [right[1], *wrong_trained(**account).values()],
                [right[2], *wrong_questions(**account).values()],
            )
        )
        and abs(right[0] - right[1]) > 0.5
    )


def reference(tries, vote, trained, short, long, drawn, **_):
    questions = PASSES * drawn / (tries * short - long)
    return [tries * short / vote, long / trained, floor(questions) + 1]


def wrong_vote(tries, single, vote, short, **_):
    """Return what a reader may take for the vote's tokens a right answer."""
    return {
        "one try": short / vote,
        "a question": tries * short,
        "wrong ones": tries * short / (1 - vote),
        "single": tries * short / single,
    }


def wrong_trained(trained, long, **_):
    """Return what a reader may take for the trained model's."""
    return {
        "a question": long,
        "wrong ones": long / (1 - trained),
    }


def wrong_questions(tries, vote, trained, short, long, drawn, **_):
    """Return what a reader may take for the number of questions."""
    saved = tries * short - long
    found = {
        "written only": drawn / saved,
        "learned only": (PASSES - 1) * drawn / saved,
        "forward and backward": 2 * drawn / saved,
        "own tokens free": PASSES * drawn / (tries * short),
        "right answers": PASSES * drawn / (tries * short / vote - long / trained),
    }
    if tries > 4:  # otherwise the vote of one try less may not cost more
        found["one try less"] = PASSES * drawn / ((tries - 1) * short - long)
    return {name: floor(number) + 1 for name, number in found.items()}


EXERCISE = Exercise(
    title="When has training paid?",
    kind="predict",
    difficulty=2,
    minutes=10,
    prompt="""
A model of the number game, asked in three ways:

| way | right | tokens of one answer |
|---|---|---|
| one answer | {{single}} | {{short}} |
| a vote of {{tries}} | {{vote}} | {{short}} |
| one answer, after reward training | {{trained}} | {{long}} |

Reward training wrote {{drawn}} tokens and learned from all of them. A token takes one
pass when it is written and three more when it is learned from (one forwards, and a
backward pass that costs as much as two). There is no reference model, and prompts are
left out.

What do the vote and the trained model pay in **tokens a right answer**, on average? And
after how many questions has training paid: what is the smallest number of questions for
which training and the trained model's answers take **fewer** passes than the vote's?
Give the first two to three decimals, the last as a whole number.
""",
    starter="""
account = ...  # such as [123.456, 23.456, 1234]
""",
    solution="""
by_vote = {{tries}} * {{short}}  # tokens a question
saved = by_vote - {{long}}
training = 4 * {{drawn}}
questions = int(training // saved) + 1
account = [by_vote / {{vote}}, {{long}} / {{trained}}, questions]
""",
    why="""
A vote pays for its tries again at each question, training once. So the question isn't
which of the two is cheaper, but for how many questions the model will be used: before
the break-even point the vote is cheaper, after it training.

A share belongs beside it, because tokens a right answer say nothing about the answers
that are wrong: a single try takes few of them and is wrong most of the time. And tokens
aren't seconds. The tries of a vote can share steps (chapter 19), while the tokens of a
longer answer have to wait for each other.
""",
    hints=(
        "How many tokens does a vote write for a question? Divide by the share of "
        "questions that it gets right.",
        "Training takes 4 passes for each of its tokens. The trained model isn't free "
        "afterwards: what does each question save?",
        "Divide the passes of training by what a question saves. The next larger whole "
        "number is the first at which training has cost less.",
    ),
    mistakes="""
You count one try of the vote. It writes {{tries}} answers for each question.
+ account = [wrong_vote(tries, single, vote, short)["one try"], *right[1:]]

The first number is the vote's tokens for a question. Not every question gets a right
answer: divide by the share.
+ account = [wrong_vote(tries, single, vote, short)["a question"], *right[1:]]

The first number is what a wrong answer of the vote costs. Divide by the share that is
right.
+ account = [wrong_vote(tries, single, vote, short)["wrong ones"], *right[1:]]

You divide the vote's tokens by the share of a single try. The vote has its own.
+ account = [wrong_vote(tries, single, vote, short)["single"], *right[1:]]

The second number is the trained model's tokens for a question. Divide by the share that
is right.
+ account = [right[0], wrong_trained(trained, long)["a question"], right[2]]

The second number is what a wrong answer of the trained model costs. Divide by the share
that is right.
+ account = [right[0], wrong_trained(trained, long)["wrong ones"], right[2]]

The first two numbers are the tokens of a question. Divide each by its share.
+ account = [tries * short, long, right[2]]

The first two numbers are right. Training learned from its tokens, too: each takes four
passes, not one.
+ all_but = wrong_questions(tries, vote, trained, short, long, drawn)
+ account = [*right[:2], all_but["written only"]]

The first two numbers are right. Training had to write its tokens before it learned from
them: each takes four passes, not three.
+ all_but = wrong_questions(tries, vote, trained, short, long, drawn)
+ account = [*right[:2], all_but["learned only"]]

The first two numbers are right. A backward pass costs as much as two forward ones, and
writing is a pass as well: each token takes four passes, not two.
+ all_but = wrong_questions(tries, vote, trained, short, long, drawn)
+ account = [*right[:2], all_but["forward and backward"]]

The first two numbers are right. The trained model's answers aren't free: a question
saves the vote's tokens less its own.
+ all_but = wrong_questions(tries, vote, trained, short, long, drawn)
+ account = [*right[:2], all_but["own tokens free"]]

The first two numbers are right. The last is a number of right answers: you divided by
the difference in tokens a right answer. Both ways answer each question.
+ all_but = wrong_questions(tries, vote, trained, short, long, drawn)
+ account = [*right[:2], all_but["right answers"]]

The first two numbers are right. At your number of questions, training has not cost less
yet. It has one question later.
+ account = [*right[:2], right[2] - 1]
""",
    reference=reference,
    values=values,
    equivalent={
        "questions = int(training / saved) + 1": "The quotient is not a whole number.",
        "training = 4 * 12999": "A token more or less pays at the same question.",
        "training = 4 * 13001": "A token more or less pays at the same question.",
    },
)
