"""Build texts that copy, but that no simple rule predicts."""

from exercises.engine.exercise import Exercise

import numpy as np

LENGTH, FIRST, VOCABULARY = 32, 20, 64
COUNT = 140
MOST, KNOWN = 0.3, 9


def cases(draw):
    for count in (1, 3):
        yield count, int(draw.integers(1000))


def reference(count, seed):
    draw = np.random.default_rng([8, seed])
    found = []
    for distances in (range(12, 21, 2), range(13, 20, 2)):
        rows = np.zeros((count, LENGTH), int)
        for row in rows:
            row[:FIRST] = 1 + draw.permutation(VOCABULARY - 1)[:FIRST]
            back = draw.choice(distances)
            row[FIRST:] = row[FIRST - back : LENGTH - back]
        found.append(rows)
    return tuple(found)


def known_places(ids):
    """Return {place: its original's} where an earlier copy tells what follows."""
    known = {}
    for place in range(FIRST, LENGTH):
        for earlier in range(1, place):
            pair = [ids[earlier - 1], ids[earlier]]
            if earlier < place - 1 and pair == [ids[place - 1], ids[place]]:
                known[place] = earlier
    return known


def texts_have_the_form(ask, draw):
    for which, rows in zip(("training", "test"), asked(ask, draw, 1), strict=True):
        for n, ids in enumerate(rows.tolist()):
            text = f"Text {n} of your {which} texts"
            outside = [token for token in ids if not 0 < token < VOCABULARY]
            if outside:
                return f"{text} holds the id {outside[0]}. Ids go from 1 to 63."
            again = [n for n in range(FIRST) if ids[n] in ids[:n]]
            if again:
                token, place = ids[again[0]], again[0]
                return (
                    f"{text} has the id {token} at the places {ids.index(token)} and "
                    f"{place}. The first 20 ids are all different, so that nothing in "
                    "them repeats, not even a block in a cycle."
                )
            most = max(ids, key=ids.count)
            if ids.count(most) > 2:
                return (
                    f"{text} has the id {most} {ids.count(most)} times, as in a cycle: "
                    "then many keys predict the same token. At most twice."
                )
            if len(known_places(ids)) < KNOWN:
                return (
                    f"{text} can be known at {len(known_places(ids))} of its last 12 "
                    "places: only there an earlier copy of the token before is "
                    "followed by the right one. At least 9 are wanted."
                )
    return None


def asked(ask, draw, seeds):
    """Return the training texts and the test texts of several seeds, as two arrays."""
    replies = [ask(COUNT, int(draw.integers(10_000))) for _ in range(seeds)]
    return [np.concatenate([np.array(one[n]) for one in replies]) for n in (0, 1)]


def the_seed_decides(ask, draw):
    seed = int(draw.integers(1000))
    one, same, other = (np.array(ask(5, s)[0]) for s in (seed, seed, seed + 1))
    if (one != same).any():
        text = int((one != same).any(1).argmax())
        return (
            f"Asked twice with seed {seed}, you return another text {text}. Draw from "
            "`np.random.default_rng(seed)`, so that a test can be repeated."
        )
    if (one == other).all():
        return f"The seeds {seed} and {seed + 1} give the same 5 texts."
    return None


def no_simple_rule_knows(ask, draw):
    train, _ = asked(ask, draw, 5)
    last = np.arange(FIRST + 1, LENGTH)

    def rights(back):
        return (train[:, last] == train[:, last - back]).mean()

    best = max(range(1, FIRST + 1), key=rights)
    if rights(best) > MOST:
        return (
            f"A rule that copies from {best} places back, and looks at no token, is "
            f"right at {rights(best):.0%} of the places 21 to 31 of your training "
            "texts. At most 30 % are allowed: let the distance change from text to "
            "text."
        )
    by_place = [
        max((train[:, place] == train[:, earlier]).mean() for earlier in range(place))
        for place in last
    ]
    if np.mean(by_place) > MOST:
        return (
            "A rule that copies, for each place, from one fixed earlier place is right "
            f"at {np.mean(by_place):.0%} of the places 21 to 31 of your training "
            "texts. At most 30 % are allowed: let the places change from text to text."
        )
    share = by_the_token_before(train)
    if share > MOST:
        return (
            "A table of which id follows which, counted in one half of your training "
            f"texts, is right at {share:.0%} of the places 21 to 31 of the other half. "
            "It needs no attention at all. Draw the ids anew for each text."
        )
    return None


def by_the_token_before(rows):
    """Return how often a table of pairs, counted in one half, is right in the other."""
    half = len(rows) // 2
    table = np.zeros((VOCABULARY, VOCABULARY), int)
    np.add.at(table, (rows[:half, :-1], rows[:half, 1:]), 1)
    guess = table.argmax(1)[rows[half:, FIRST:-1]]
    return (guess == rows[half:, FIRST + 1 :]).mean()


def the_test_is_another(ask, draw):
    train, test = asked(ask, draw, 1)
    copies = sum(row in train.tolist() for row in test.tolist())
    if copies:
        return (
            f"{copies} of your {COUNT} test texts are training texts. What a model has "
            "learned by heart passes such a test."
        )
    distances = [
        {place - earlier for ids in rows.tolist() for place, earlier in pairs_of(ids)}
        for rows in (train, test)
    ]
    both = sorted(set.intersection(*distances))
    if both:
        return (
            f"Copies stand {both[0]} places after the original in your training texts "
            "and in your test texts. A test on the same kind of text can't say whether "
            "a model looks for the token or for the distance: use distances there that "
            "no training text has."
        )
    return None


def pairs_of(ids):
    return known_places(ids).items()


EXERCISE = Exercise(
    title="A text that one layer can't learn",
    kind="build",
    difficulty=3,
    minutes=20,
    prompt="""
A head can look as if it did induction although the text has a shortcut. Write
`texts(count, seed)`, which returns `count` training texts and `count` test texts, each
a list of 32 ids from 1 to 63, such that only an earlier copy of a token tells what
follows it:

- The first 20 ids of a text are all different, and no id stands more than twice.
- At least 9 of the last 12 ids can be known: the id before stood earlier in the text,
  followed by the same id.
- Simpler rules don't know them. Copying from a fixed distance, copying from one fixed
  earlier place for each place, and a table of which id follows which in other texts are
  each right at no more than 30 % of the places 21 to 31 of the training texts.
- The test is of another kind: no distance between copy and original occurs both in
  training texts and in test texts.

The same seed returns the same texts, another seed others. Many answers are right.
""",
    solution='''
def texts(count, seed):
    """Return (training texts, test texts): two lists of count
    lists of 32 ids from 1 to 63.
    """
    draw = np.random.default_rng(seed)

    def text(distances):
        first = draw.permutation(np.arange(1, 64))[:20]
        begin = 20 - draw.choice(distances)
        return [*first.tolist(), *first[begin : begin + 12].tolist()]

    train = [text([12, 14, 16, 18, 20]) for _ in range(count)]
    test = [text([13, 15, 17, 19]) for _ in range(count)]
    return train, test
''',
    why="""
A model may take any shortcut that a text offers. If all copies stand at one distance, a
head that knows its place can copy from there without looking at a token. If a block
goes round and round, many keys give the right answer. If the ids are the same in each
text, a table of pairs is enough. Here the distance changes from text to text, so the
place says little, and the ids are drawn anew, so a pair in one text says nothing about
the next.

The test uses other distances, because a model that has learned the training distances
by heart would pass a test on its own kind of text. The check computes the simple rules
and trains nothing, so it can't rule out a shortcut that nobody has thought of. A
one-layer model that is trained on such texts, as in the chapter, says more.
""",
    hints=(
        "Draw 20 different ids from 1 to 63 for each text, then copy a stretch of 12 "
        "of them. Where the stretch begins is drawn for each text.",
        "A stretch that begins at place b is copied over a distance of 20 − b. Which "
        "distances can there be?",
        "There are nine, from 12 to 20. Give five of them to the training texts and "
        "the other four to the test texts.",
    ),
    mistakes="""
All copies stand at one distance: draw another one for each text.
- [12, 14, 16, 18, 20]
+ [16]

Two distances are too few: guessing one of them is right half the time.
- [12, 14, 16, 18, 20]
+ [12, 20]

A block goes round and round. Let only the last 12 ids repeat something, once.
-         first = draw.permutation(np.arange(1, 64))[:20]
-         begin = 20 - draw.choice(distances)
-         return [*first.tolist(), *first[begin : begin + 12].tolist()]
+         block = draw.permutation(np.arange(1, 64))
+         block = block[: draw.integers(8, 13)].tolist()
+         return (block * 4)[:32]

After the first 20 ids, their end goes round in a cycle. Copy a stretch of 12, once.
-         begin = 20 - draw.choice(distances)
-         return [*first.tolist(), *first[begin : begin + 12].tolist()]
+         size = draw.integers(3, 7)
+         return [*first.tolist(), *first[-size:].tolist() * 4][:32]

Your test texts are of the same kind as the training texts: give them other distances.
- [13, 15, 17, 19]
+ [12, 14, 16, 18, 20]

Your test texts are the training texts.
-     test = [text([13, 15, 17, 19]) for _ in range(count)]
+     test = train

Your distances depend on the place, but not on the text.
-     def text(distances):
+     order = [6, 0, 3, 9]
+ 
+     def text(distances):
- begin = 20 - draw.choice(distances)
+ pieces = [first[b + distances[0] % 2 :][:3].tolist() for b in order]
-         return [*first.tolist(), *first[begin : begin + 12].tolist()]
+         return [*first.tolist(), *sum(pieces, [])]

All texts are made of the same row of ids, so each id is followed by the same one
everywhere. Draw the ids anew for each text.
- first = draw.permutation(np.arange(1, 64))[:20]
+ first = np.roll(np.arange(1, 64), draw.integers(63))[:20]

What follows is shuffled, so an earlier copy doesn't predict it. Keep the stretch in its
order.
- *first[begin : begin + 12].tolist()
+ *draw.permutation(first[begin : begin + 12]).tolist()

The stretch is copied backwards: what followed a token then comes before it now.
- *first[begin : begin + 12].tolist()
+ *first[begin : begin + 12][::-1].tolist()

The first ids are drawn with repetition. `permutation` draws without.
- draw.permutation(np.arange(1, 64))[:20]
+ draw.integers(1, 64, 20)

The ids begin at 0, which is kept for the start token.
- np.arange(1, 64)
+ np.arange(64)

The seed is always the same, whatever `seed` says.
- default_rng(seed)
+ default_rng(0)
""",
    reference=reference,
    cases=cases,
    free=True,
    checks=(
        texts_have_the_form,
        the_seed_decides,
        no_simple_rule_knows,
        the_test_is_another,
    ),
    equivalent={
        f"{texts} for {name} in range(count)]": "A name that isn't used again."
        for texts in (
            "train = [text([12, 14, 16, 18, 20])",
            "test = [text([13, 15, 17, 19])",
        )
        for name in ("begin", "count", "seed", "test", "train")
    },
)
