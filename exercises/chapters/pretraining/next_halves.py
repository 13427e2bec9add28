"""Build one example of next-sentence prediction: ids, segments and the label."""

from exercises.engine.exercise import Exercise

CLS, SEP = 2, 3


def cases(draw):
    for number in (1, 2, 3, 4, 5):
        heads = [words(draw, 1, 5) for _ in range(number)]
        tails = [words(draw, 2, 6) for _ in range(number)]
        if number == 2:  # B may repeat A
            heads[1] = list(tails[0])
        if number > 3:  # two texts that end alike, and two that begin alike
            tails[1], heads[2] = list(tails[0]), list(heads[0])
        if number > 4:  # and one that is there twice
            heads[4], tails[4] = list(heads[3]), list(tails[3])
        halves = list(zip(heads, tails, strict=True))
        cls_id, sep_id = (int(one) for one in draw.permutation(range(100, 120))[:2])
        pairs = {(0, 0), (0, 1), (1, 0), (0, 2), (number - 1, number - 2)}
        for first, second in sorted(pairs):
            if max(first, second) < number and second >= 0:
                yield halves, first, second, cls_id, sep_id


def words(draw, least, most):
    return [int(one) for one in draw.integers(5, 90, draw.integers(least, most))]


def reference(halves, first, second, cls_id, sep_id):
    a, b = halves[first][0], halves[second][1]
    ids, segments = [cls_id], [0]
    for token in [*a, sep_id]:
        ids.append(token)
        segments.append(0)
    for token in [*b, sep_id]:
        ids.append(token)
        segments.append(1)
    return ids, segments, 0 if halves[first][1] == b else 1


EXERCISE = Exercise(
    title="Does it follow?",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt="""
`halves` is a list of texts, each cut into two lists of ids: its first half and its
second half. Join the first half of text number `first` and the second half of text
number `second` into one example of next-sentence prediction. Return three things:

- the ids, `[CLS] A [SEP] B [SEP]`;
- the segment ids: 0 up to the first `[SEP]`, including it, then 1;
- the label, as in `NextSentence`: 0 if B follows A, 1 if it does not.

Two texts may have **equal** second halves. Then B does follow, whichever of the two it
was taken from.
""",
    solution='''
def next_half(halves, first, second, cls_id, sep_id):
    """Return ids, segment ids and the label: two lists, a number.

    halves: [(ids of the first half, ids of the second), ...];
    first, second: the texts that A and B are taken from.
    """
    a, follows = halves[first]
    b = halves[second][1]
    ids = [cls_id, *a, sep_id, *b, sep_id]
    segment_ids = [0] * (len(a) + 2) + [1] * (len(b) + 1)
    return ids, segment_ids, int(b != follows)
''',
    why="""
The label says whether the two halves belong together, so it compares the halves and not
the numbers of the texts. In our data, few texts end alike (254 of 11,370 in the
five-word version), and only one of the pairs drawn gets a wrong label (a text that drew
its own half), so `pairs_of` ignores this. But where texts repeat themselves, a B that
is drawn at random may be a right one. Labelled 1, such an example would contradict
another with the label 0, and the model could satisfy only one of them.
""",
    hints=(
        "Take A and B first: `halves[first][0]` and `halves[second][1]`.",
        "Segment 0 has two tokens more than A, and segment 1 has one more than B.",
        "Compare B with the second half that belongs to A. `first == second` is not "
        "enough.",
    ),
    mistakes="""
The label compares the numbers of the texts. Another text may have the same second half.
- int(b != follows)
+ int(first != second)

The labels are inverted: 0 means that B follows A.
- b != follows
+ b == follows

The labels are inverted, and they compare the numbers of the texts, not the halves.
- b != follows
+ first == second

The label compares the whole texts. Only the second halves have to be equal.
- b != follows
+ halves[second] != halves[first]

The label compares the first halves. Whether B follows depends on the second.
- b != follows
+ halves[second][0] != a

The label compares A with B.
- b != follows
+ b != a

The label is always 1: B may be the half that follows.
- int(b != follows)
+ 1

The label is always 0: B may be from another text.
- int(b != follows)
+ 0

The label is a truth value. Return 0 or 1.
- int(b != follows)
+ b != follows

The first `[SEP]` belongs to segment 0, and yours has 1.
- (len(a) + 2) + [1] * (len(b) + 1)
+ (len(a) + 1) + [1] * (len(b) + 2)

The last `[SEP]` belongs to segment 1, and yours has 0.
- [1] * (len(b) + 1)
+ [1] * len(b) + [0]

All segment ids are 0. The second half has 1.
- [1] *
+ [0] *

Your segments are 1 and 2. They are 0 and 1.
- [0] * (len(a) + 2) + [1] *
+ [1] * (len(a) + 2) + [2] *

The segments are swapped: the first half has 0.
- [0] * (len(a) + 2) + [1] *
+ [1] * (len(a) + 2) + [0] *

The segment ids leave out the special tokens: there must be one for each id.
- (len(a) + 2) + [1] * (len(b) + 1)
+ len(a) + [1] * len(b)

There is no `[CLS]` at the beginning.
- [cls_id, *a,
+ [*a,
- (len(a) + 2)
+ (len(a) + 1)

There is no `[SEP]` between the halves.
- *a, sep_id, *b
+ *a, *b
- (len(a) + 2)
+ (len(a) + 1)

There is no `[SEP]` at the end.
- *b, sep_id]
+ *b]
- (len(b) + 1)
+ len(b)

A second `[CLS]` is in front of B. There is one, at the beginning.
- sep_id, *b
+ sep_id, cls_id, *b
- (len(b) + 1)
+ (len(b) + 2)

B comes before A.
- *a, sep_id, *b
+ *b, sep_id, *a
- (len(a) + 2) + [1] * (len(b) + 1)
+ (len(b) + 2) + [1] * (len(a) + 1)

A and B are taken from the wrong texts: A is the first half of `first`.
- a, follows = halves[first]
+ a, follows = halves[second]
- b = halves[second]
+ b = halves[first]

Both halves are taken from the text `first`.
- b = halves[second]
+ b = halves[first]

B is the first half of its text. Take the second.
- halves[second][1]
+ halves[second][0]
- int(b != follows)
+ int(halves[second][1] != follows)

Both halves are taken from the text `first`, and the label compares the numbers of the
texts.
- b = halves[second]
+ b = halves[first]
- b != follows
+ first != second

A and B are lists inside your list. Take their ids, as in `*a`.
- *a, sep_id, *b
+ a, sep_id, b

Two `[SEP]` are between the halves, as in RoBERTa. BERT has one.
- *a, sep_id, *b
+ *a, sep_id, sep_id, *b
- (len(b) + 1)
+ (len(b) + 2)

`[CLS]` and `[SEP]` have changed places.
- [cls_id, *a, sep_id, *b, sep_id]
+ [sep_id, *a, cls_id, *b, cls_id]

The label is missing: return three things.
- return ids, segment_ids, int(b != follows)
+ return ids, segment_ids

The label comes last: ids, segment ids, label.
- segment_ids, int(b != follows)
+ int(b != follows), segment_ids

A is the second half of its text. Take the first.
- a, follows = halves[first]
+ _, a = _, follows = halves[first]

The label compares lengths. The second halves have to be equal.
- b != follows
+ len(b) != len(follows)
""",
    reference=reference,
    cases=cases,
)
