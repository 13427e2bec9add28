"""Build a repair of records: where the answers of a question really begin."""

import re

from exercises.engine.exercise import Exercise

WORDS = (
    "the",
    "old",
    "port",
    "of",
    "Zürich",
    "a",
    "café",
    "in",
    "May",
    "cost",
    "5",
    "€",
)


def cases(draw):
    yield record("Ann won.", ("Ann", 0))
    yield record("Nobody won.")
    yield record("Ann won.", ("Ben", 0))
    yield record("Ann won, then Ann lost.", ("Ann", 14))
    yield record("A café in Zürich costs 5 €.", ("Zürich", 11), ("5 €", 25), (".", 27))
    yield record("Ann met Ann and Ann.", ("Ann", 5), ("Ann", 12), ("Ann", 99))
    yield record("the end, The end", ("The", 3), ("The", 9), ("THE", 0))
    yield record("banana", ("ana", 2), ("ana", 1), ("ana", 3), ("nan", -5))
    yield record("so so so", ("so", -1), ("so", 2), ("so", 5), ("so", 6), ("so", 8))
    yield record("1x0 or 1.0 (net)", ("1.0", 0), ("(net", 3))
    yield record("in 1889 and 18 in 88", ("18", 9), ("88", 5), ("88", 12), ("89", 0))
    for length, answers in ((9, 2), (12, 3), (15, 4)):
        words = list(map(str, draw.choice(WORDS, size=length)))
        context = " ".join(words)
        found = []
        for kind in range(answers):
            first = int(draw.integers(length - 2))
            text = " ".join(words[first : first + int(draw.integers(1, 3))])
            start = len(" ".join(words[:first]).encode())  # bytes
            start += (0, 4, -3, 8)[kind]
            found.append((text, start))
        yield record(context, *found)
    yield record(
        "The Zürich team met the team of Bern; the team of Bern lost to a team of boys",
        *(("team", 18), ("the team", 29), ("team of", 70), ("Bern", 39), ("team", 22)),
        *(("Zürich team", 5), ("Teams", 4), ("boys", 20), (" team", 10), ("the", 30)),
    )


def record(context, *answers):
    return {
        "context": context,
        "answers": {
            "text": [text for text, _ in answers],
            "answer_start": [start for _, start in answers],
        },
    }


def reference(record):
    found = []
    answers = record["answers"]
    for text, start in zip(answers["text"], answers["answer_start"], strict=True):
        places = re.finditer(f"(?={re.escape(text)})", record["context"])
        ranked = sorted((abs(one.start() - start), one.start()) for one in places)
        found.append(ranked[0][1] if ranked else -1)
    return found


EXERCISE = Exercise(
    title="Where the answer really is",
    kind="build",
    difficulty=2,
    minutes=10,
    prompt="""
Somebody cleaned the contexts of a data set in SQuAD's form: spaces were dropped and
signs replaced, so some answers no longer begin at their `answer_start`. Write a repair.
For each answer of a record, return the place in `context`, in characters, at which its
`text` begins:

- Of several places, the one nearest to the given `answer_start`, and of two that are
  equally near, the first. Places may overlap: “ana” is twice in “banana”. A given start
  may even lie outside the context.
- If the text isn't there, −1. Upper and lower case count, and so do spaces.

A record may have several answers, or none.
""",
    solution='''
def answer_starts(record):
    """Return where the answers begin, a list of whole numbers.

    record: {"context": …, "answers": {"text": [one text for
    each answer], "answer_start": [one number for each]}, …}
    """
    context, answers = record["context"], record["answers"]
    found = []
    for text, start in zip(answers["text"], answers["answer_start"]):
        all_places = range(len(context))
        places = [at for at in all_places if context[at:].startswith(text)]
        nearest = min(places, key=lambda at: abs(at - start), default=-1)
        found.append(nearest)
    return found
''',
    why="""
An answer is right if `context[start : start + len(text)] == text`. Check this for every
record before you train: a start that is a few characters off gives another span, and no
error. Whether the text is somewhere in the context is not enough, because a short
answer may be there several times, and only one of them answers the question. Offsets
count characters, not bytes: every “ü” before an answer moves it by one in UTF-8. A
record whose answer isn't there at all has to be dropped, not guessed.
""",
    hints=(
        "First find all places at which a text begins: for each place in `context`, "
        "`context[at:].startswith(text)`.",
        "`min` takes a `key`, here the distance to the given start. Of two that are "
        "equal, it takes the first.",
        "`min` also takes a `default`, for a list that is empty.",
    ),
    mistakes="""
You return the first place of a text. The one nearest to the given start is wanted.
- key=lambda at: abs(at - start), 
+ key=lambda at: at, 

You return the last place of a text. The one nearest to the given start is wanted.
- key=lambda at: abs(at - start), 
+ key=lambda at: -at, 

You return the starts as they are given. Some do not fit.
- found.append(nearest)
+ found.append(start)

You keep the starts that fit, but where one does not, you return the first place, not
the nearest.
- found.append(nearest)
+ fits = context[max(start, 0) :].startswith(text) and start >= 0
+         found.append(start if fits else context.find(text))

You keep the starts that fit and return -1 for all others. Look for the nearest place.
- found.append(nearest)
+ fits = start >= 0 and context[start:].startswith(text)
+         found.append(start if fits else -1)

You look for the text from the given start on. It may also begin before.
- nearest = min(places, key=lambda at: abs(at - start), default=-1)
+ nearest = context.find(text, max(start, 0))

You look for the text from the given start on, and only if it isn't there, from the
beginning. The nearest place may be just before the start.
- nearest = min(places, key=lambda at: abs(at - start), default=-1)
+ nearest = context.find(text, max(start, 0))
+         nearest = context.find(text) if nearest < 0 else nearest

You look for the text up to the given start. It may also begin after it.
- nearest = min(places, key=lambda at: abs(at - start), default=-1)
+ nearest = max((at for at in places if at <= start), default=-1)

You return the place that is farthest from the given start.
- min(places
+ max(places

Of two places that are equally near, the first is wanted.
- abs(at - start), 
+ (abs(at - start), -at), 

Your places do not overlap. The search has to go on one character after a place.
-         all_places = range(len(context))
-         places = [at for at in all_places if context[at:].startswith(text)]
+         import re
+
+         places = [one.start() for one in re.finditer(re.escape(text), context)]

Upper and lower case count.
- context[at:].startswith(text)
+ context[at:].lower().startswith(text.lower())

You drop the spaces at the ends of an answer. They count.
- startswith(text)
+ startswith(text.strip())

You only find whole words. An answer may be a part of one.
- context[at:].startswith(text)
+ context[at:].startswith(text)
+                   and not context[at + len(text) :][:1].isalnum()
+                   and not (at and context[at - 1].isalnum())

You count bytes. The places are characters.
- found.append(nearest)
+ found.append(len(context[: max(nearest, 0)].encode()) if places else -1)

You compare bytes with a start in characters.
- key=lambda at: abs(at - start)
+ key=lambda at: abs(len(context[:at].encode()) - start)

You return where the answers end.
- found.append(nearest)
+ found.append(nearest + len(text) if places else -1)

You return pairs of start and end. The starts are wanted.
- found.append(nearest)
+ found.append((nearest, nearest + len(text)))

You return how far each answer was off. Its place is wanted.
- found.append(nearest)
+ found.append(nearest - start if places else -1)

You return whether each start fits. Return where the answer begins.
- found.append(nearest)
+ found.append(nearest == start)

Only the first answer is repaired. A record may have several.
-     return found
+     return found[:1]

If the text isn't there, -1 is wanted, not the given start.
- default=-1
+ default=start

If the text isn't there, -1 is wanted, not 0.
- default=-1
+ default=0

If the text isn't there, -1 is wanted, not `None`.
- default=-1
+ default=None

You leave out the answers that are not there. Their place in the list is -1.
-         found.append(nearest)
+         if places:
+             found.append(nearest)

If the text isn't there, there is no smallest distance. Return -1 then.
- , default=-1)
+ )

The place of a word is wanted in characters. You count words.
- found.append(nearest)
+ found.append(context[:nearest].count(" ") if places else -1)
""",
    reference=reference,
    cases=cases,
)
