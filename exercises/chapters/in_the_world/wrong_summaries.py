"""Build a check of facts: which summaries state another result than their report?"""

import itertools

from exercises.engine.exercise import Exercise

CLUBS = ("Norwick", "Hallbury", "Penford", "Ashley")
DAYS = ("Friday", "Sunday")


def cases(draw):
    yield "Penford beat Ashley 2-1 on Friday.", []
    for report, summary in (
        ("Penford beat Ashley 2-1 on Friday.", "Penford beat Ashley 2-1 on Friday."),
        ("Penford beat Ashley 2-1 on Friday.", "Ashley beat Penford 2-1 on Friday."),
        ("Penford beat Ashley 2-1 on Friday.", "Ashley lost to Penford 1-2 on Friday."),
        ("Ashley lost to Penford 0-1 on Sunday.", "Penford beat Ashley 1-0 on Sunday."),
        (
            "Ashley drew with Wick 0-0 on Sunday.",
            "Wick drew with Ashley 0-0 on Sunday.",
        ),
        ("Ashley beat Penford 10-1 on Sunday.", "Ashley beat Penford 11-1 on Sunday."),
        ("Ashley beat Penford 10-1 on Sunday.", "Ashley beat Penford 20-1 on Sunday."),
        (
            "Wick lost to Penford 1-10 on Sunday.",
            "Wick lost to Penford 1-11 on Sunday.",
        ),
        ("Wick beat Penford 5-0 on Sunday.", "Wick beat Penford 3-2 on Sunday."),
    ):
        yield report, [summary]
    yield "Ashley drew with Penford 1-1 on Sunday.", every_summary("Ashley", "Penford")
    for winner, loser, day in (
        ("Hallbury", "Norwick", "Sunday"),
        ("Norwick", "Penford", "Friday"),
    ):
        goals = sorted(draw.permutation(6)[:2], reverse=True)
        for words in (("beat", goals), ("lost to", goals[::-1])):
            clubs = (winner, loser) if words[0] == "beat" else (loser, winner)
            report = sentence(*clubs, *words, day)
            yield report, shuffled(draw, every_summary(winner, loser, goals))
    goals = [int(draw.integers(5))] * 2
    report = sentence("Norwick", "Ashley", "drew with", goals, "Friday")
    yield report, shuffled(draw, every_summary("Ashley", "Norwick", goals))


def sentence(first, second, verb, goals, day):
    return f"{first} {verb} {second} {goals[0]}-{goals[1]} on {day}."


def every_summary(one, other, goals=(1, 1)):
    """Return all that can be said with two of these clubs and days, and near misses."""
    third = next(club for club in CLUBS if club not in (one, other))
    pairs = [(one, other), (other, one), (one, third), (third, other)]
    high, low = max(goals), min(goals)
    found = []
    for (first, second), day in itertools.product(pairs, DAYS):
        found += [
            sentence(first, second, "beat", (high + 1, low), day),
            sentence(first, second, "lost to", (low, high + 1), day),
            sentence(first, second, "drew with", (high, high), day),
            sentence(first, second, "drew with", (low, low), day),
        ]
        if high > low:
            found += [
                sentence(first, second, "beat", (high, low), day),
                sentence(first, second, "beat", (high + 2, low + 2), day),
                sentence(first, second, "lost to", (low, high), day),
            ]
    return found


def shuffled(draw, summaries):
    return list(map(str, draw.permutation(summaries)))


def reference(report, summaries):
    """Say everything as goals of each club."""

    def told(text):
        *clubs, score, _, day = text.removesuffix(".").split()
        one, other = map(int, score.split("-"))
        return {(clubs[0], one), (clubs[-1], other), (day, -1)}

    return [k for k, text in enumerate(summaries) if told(text) != told(report)]


EXERCISE = Exercise(
    title="High score, wrong result",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt="""
“Norwick beat Hallbury 2-1 on Friday.” and “Hallbury beat Norwick 2-1 on Friday.” have a
ROUGE-1 of 1. Write a check that compares what is **stated**. Reports and summaries have
one of these three forms, whose score always begins with the club that is named first:

- `Norwick beat Hallbury 2-1 on Friday.`
- `Hallbury lost to Norwick 1-2 on Friday.`
- `Norwick drew with Hallbury 1-1 on Friday.`

Every club is one word. The score fits the verb in every sentence. The first two
sentences state the same result. For a draw, the order of the clubs doesn't matter.
Return the indices of the summaries whose result is not the report's: other clubs,
another winner, another score or another day.
""",
    solution='''
def wrong_summaries(report, summaries):
    """Return the indices of the wrong summaries, in order.

    report: a sentence; summaries: a list of sentences.
    """

    def stated(text):
        words = text.rstrip(".").split()
        first, second, score, day = words[0], words[-4], words[-3], words[-1]
        goals = score.split("-")
        result = sorted([(first, goals[0]), (second, goals[1])])
        return result, day

    right = stated(report)
    wrong = [k for k, text in enumerate(summaries) if stated(text) != right]
    return wrong
''',
    why="""
Sentences are compared by what they state, so each is turned into one form first: here,
the goals of each club and the day. The verb is not needed, because the goals say who
won, and sorting takes the order away. A ROUGE score asks which words are in common and
can't tell a result from its opposite. A program can, but only for facts that it can
read. Test the checker, too: one that calls “A drew with B” and “B drew with A”
different finds mistakes that aren't there.
""",
    hints=(
        "Turn each sentence into something that is equal for equal results, and "
        "compare that.",
        "How many goals did each club score? With that, who is named first doesn't "
        "matter.",
        "`words[0]` is the first club. Count the second club, the score and the day "
        "from the end: the verbs have different lengths.",
    ),
    mistakes="""
You compare the sentences as they are. The same result can be told in other words.
- stated(text) != right
+ text != report

You compare the words, whatever their order. That is what ROUGE-1 does: a sentence with
winner and loser exchanged has the same words.
- stated(text) != right
+ sorted(text.split()) != sorted(report.split())

The clubs are compared, but not who scored which goals.
-         goals = score.split("-")
-         result = sorted([(first, goals[0]), (second, goals[1])])
-         return result, day
+         return sorted([first, second]), sorted(score), day

A draw has no order: “A drew with B” and “B drew with A” are the same.
- sorted([(first, goals[0]), (second, goals[1])])
+ sorted([(first, goals[0]), (second, goals[1])])
+         if "drew" in words:
+             result = [(first, goals[0]), (second, goals[1])]

The verb need not be the same: “A beat B 2-1” and “B lost to A 1-2” state one result.
- return result, day
+ return result, day, words[1]

The day is not compared.
- return result, day
+ return result

The score is not compared, only who won.
-         result = sorted([(first, goals[0]), (second, goals[1])])
-         return result, day
+         ahead = int(goals[0]) - int(goals[1])
+         signs = (ahead > 0) - (ahead < 0)
+         return sorted([(first, signs), (second, -signs)]), day

You compare by how many goals a club won, not the score.
-         result = sorted([(first, goals[0]), (second, goals[1])])
-         return result, day
+         ahead = int(goals[0]) - int(goals[1])
+         return sorted([(first, ahead), (second, -ahead)]), day

The clubs are not compared, only the goals and the day.
- result = sorted([(first, goals[0]), (second, goals[1])])
+ result = sorted(goals)

The second club is not compared.
- (second, goals[1])
+ ("", goals[1])

The first club is not compared.
- (first, goals[0])
+ ("", goals[0])

You take the second club from a place counted from the front. “lost to” and “drew with”
are two words, so it is “to” or “with” there.
- words[-4]
+ words[2]

“lost to” is turned round twice: the score already begins with the club that is named
first.
- goals = score.split("-")
+ goals = score.split("-")
+         goals = goals[::-1] if "lost" in words else goals

You return the summaries that are right. The wrong ones are asked for.
- stated(text) != right
+ stated(text) == right

You return the summaries themselves. Their indices are asked for.
- [k for k, text
+ [text for k, text

You return True and False for every summary. The indices of the wrong ones are asked
for.
- [k for k, text in enumerate(summaries) if stated(text) != right]
+ [stated(text) != right for text in summaries]

The indices count from 1. The first summary is number 0.
- enumerate(summaries)
+ enumerate(summaries, 1)

You return how many are wrong. Their indices are asked for.
- [k for k, text in enumerate(summaries) if stated(text) != right]
+ sum(stated(text) != right for text in summaries)
""",
    reference=reference,
    cases=cases,
)
