"""Build the evaluation of a translator by the length of its numbers."""

from exercises.engine.exercise import Exercise


def cases(draw):
    yield [7], ["sept"], ["sept"]
    yield [0, 10], ["zéro", "dix"], ["zéro", "onze"]
    yield [100, 1000, 999], ["cent", "mille", "neuf"], ["cent", "cent", "cent"]
    yield (
        [42, 7, 13, 413, 8],
        ["a b", "c", " d", "e", "f g"],
        ["a b", "c d", "d", "E", "f"],
    )
    for size in (5, 8, 12):
        digits = draw.integers(1, 7, size=size)
        numbers = [int(draw.integers(10 ** (d - 1), 10**d)) for d in digits]
        words = ["un", "deux", "cent un", "mille deux"]
        wanted = [words[i] for i in draw.integers(4, size=size)]
        written = [
            words[draw.integers(4)] if draw.random() < 0.5 else word for word in wanted
        ]
        yield numbers, written, wanted


def reference(numbers, written, wanted):
    found = {}
    for number, one, other in zip(numbers, written, wanted, strict=True):
        found.setdefault(len(f"{number}"), []).append(one == other)
    return {digits: sum(found[digits]) / len(found[digits]) for digits in found}


EXERCISE = Exercise(
    title="Exact match by length",
    kind="build",
    difficulty=1,
    minutes=15,
    prompt="""
One share of right answers hides where a translator fails. Return the share of exact
matches for each number of digits: `exact_by_length([7, 42, 13], ["sept", "quarante",
"treize"], ["sept", "quarante-deux", "treize"])` is `{1: 1.0, 2: 0.5}`.

A translation is right only if it equals the wanted text to the last letter. Lengths
that do not occur have no entry, and 0 has one digit.
""",
    solution='''
def exact_by_length(numbers, written, wanted):
    """Return {digits: share of exact matches}.

    numbers: integers from 0; written, wanted: texts, in their order.
    """
    right, count = {}, {}
    for number, text, truth in zip(numbers, written, wanted):
        digits = len(str(number))
        right[digits] = right.get(digits, 0) + (text == truth)
        count[digits] = count.get(digits, 0) + 1
    return {digits: right[digits] / count[digits] for digits in count}
''',
    why="""
Of numbers drawn evenly below a million, 90 % have six digits, so the total says almost
nothing about short ones. A table by length shows at a glance where the data were too
few. Report the counts beside the shares: 50 % of two numbers is one mistake.
""",
    hints=(
        "The number of digits is the length of `str(number)`.",
        "Keep two counts for each length: how many there are, and how many are right.",
        "A translation is right if `text == truth`.",
    ),
    mistakes="""
Those are counts. The share is wanted: divide by the number of translations of that
length.
- right[digits] / count[digits]
+ right[digits]

Those are percentages. A share lies between 0 and 1.
- right[digits] / count[digits]
+ 100 * right[digits] / count[digits]

That is the share of wrong translations.
- text == truth
+ text != truth

You divide by the number of all translations. Divide by those of that length.
- / count[digits]
+ / len(numbers)

You group by the length of the text. The digits of the number are meant.
- len(str(number))
+ len(truth)

You group by the length of what was written. The digits of the number are meant.
- len(str(number))
+ len(text)

You group by the number of words. The digits of the number are meant.
- len(str(number))
+ len(truth.split())

0 has one digit. Your count gives it none.
- len(str(number))
+ sum(number >= 10**power for power in range(9))

A power of ten counts with the shorter numbers: 10 has two digits, not one.
- len(str(number))
+ sum(number > 10**power for power in range(1, 9)) + 1

Your lengths are off by one: 7 has one digit.
- len(str(number))
+ len(str(number)) - 1

A length without any right translation is missing. Its share is 0.
- for digits in count}
+ for digits in count if right[digits]}

Lengths that do not occur have no entry.
- right[digits] / count[digits] for digits in count
+ right.get(digits, 0) / max(count.get(digits, 0), 1) for digits in range(1, 7)

You ignore spaces at the ends or capitals. To the last letter means without any repair.
- text == truth
+ text.strip().lower() == truth.strip().lower()

You ignore spaces at the ends. To the last letter means without any repair.
- text == truth
+ text.strip() == truth.strip()

You ignore capitals. To the last letter means without any repair.
- text == truth
+ text.lower() == truth.lower()

A translation that begins right counts as right. The whole text has to be equal.
- text == truth
+ truth.startswith(text)

You accept a text that is only a part of the right one. The whole text has to be equal.
- text == truth
+ text in truth

You accept a text that only contains the right one, or is part of it. The whole text has
to be equal.
- text == truth
+ truth in text or text in truth

You count right letters. A translation is right as a whole or not at all.
- (text == truth)
+ (
+             sum(a == b for a, b in zip(text, truth)) / max(len(text), len(truth))
+         )

You count right words. A translation is right as a whole or not at all.
- (text == truth)
+ (
+             sum(a == b for a, b in zip(text.split(), truth.split()))
+             / max(len(text.split()), len(truth.split()))
+         )

That is one share for all lengths together.
- right[digits] / count[digits] for
+ sum(right.values()) / len(numbers) for

The keys are texts. Use the number of digits itself, an integer.
- = len(str(number))
+ = str(len(str(number)))

You return the count beside the share. Only the share is wanted here.
- right[digits] / count[digits] for
+ (right[digits] / count[digits], count[digits]) for

You keep only the last translation of each length.
- right[digits] = right.get(digits, 0) + (text == truth)
+ right[digits] = text == truth
- count.get(digits, 0) + 1
+ 1

Lengths that do not occur, up to the longest that does, have no entry.
- right[digits] / count[digits] for digits in count
+ right.get(digits, 0) / count.get(digits, 1) for digits in range(1, max(count) + 1)

You count right letters, of those that are wanted. A translation is right as a whole or
not at all.
- (text == truth)
+ (
+             sum(a == b for a, b in zip(text, truth)) / max(len(truth), 1)
+         )

You group by the first digit. How many digits does the number have?
- len(str(number))
+ int(str(number)[0])

You accept a text that only contains the right one. The whole text has to be equal.
- text == truth
+ truth in text
""",
    reference=reference,
    cases=cases,
    equivalent={
        "for number, text, truth in zip(numbers, wanted, written):": (
            "Only whether the two are equal counts."
        ),
        "return {digits: right[digits] / count[digits] for digits in right}": (
            "Both have an entry for every length."
        ),
    },
)
