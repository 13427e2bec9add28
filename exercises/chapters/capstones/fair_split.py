"""Build a split that holds out meanings, not rows."""

from exercises.engine.exercise import Exercise


def pair(year, form):
    """Return one of three ways to write a year, and what it means."""
    return [f"{year}", f"the year {year}", f"A.D. {year}"][form], f"<{year}>"


def cases(draw):
    yield [pair(7, 0), pair(8, 0)], 1
    yield [pair(7, 0), pair(8, 0), pair(7, 1)], 1
    yield [pair(7, 0), pair(8, 0), pair(8, 1), pair(7, 0), pair(9, 2)], 2
    yield [pair(4, 0), pair(6, 0), pair(5, 0), pair(5, 0)], 2
    for size in (1, 2, 3):
        years = [int(year) for year in draw.permutation(90)[:6]]
        found = [pair(year, 0) for year in years]
        found += [pair(years[place], 1) for place in (0, 5, 2, 4)]
        found += [pair(years[place], 0) for place in (3, 4, 5)]
        order = draw.permutation(len(found))
        yield [found[place] for place in order], size


def reference(pairs, size):
    meanings = []
    for _, target in pairs:
        if target not in meanings:
            meanings.append(target)
    held_out = meanings[-size:]
    return (
        [one for one in pairs if one[1] not in held_out],
        [one for one in pairs if one[1] in held_out],
    )


def nothing_leaks(ask, draw):
    pairs, size = list(cases(draw))[-1]
    train, test = ask(pairs, size)
    known = {target for _, target in train}
    leaked = [source for source, target in test if target in known]
    if leaked:
        return (
            f"{len(leaked)} of {len(test)} held-out pairs leak, such as {leaked[0]!r}: "
            "training holds another pair with the same target."
        )
    return None


EXERCISE = Exercise(
    title="A split that doesn't leak",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt="""
Examples for a translator are pairs (source, target). The same target may occur in
several of them, because a pair is repeated, or because one thing can be written in two
ways: `("3 May 2021", "2021-05-03")` and `("May 3rd, 2021", "2021-05-03")`. If one of
them is in the training set and the other is held out, the test asks what the model has
already seen.

Hold out **targets**, not rows: the last `size` different targets, in the order in which
the targets first occur. Return two lists, the pairs to train on and all pairs whose
target is held out. Keep every pair, repeated ones included, in the given order.
""",
    solution='''
def fair_split(pairs, size):
    """Return (training pairs, held-out pairs).

    pairs: [(source, target)]; size: how many targets to hold out.
    """
    targets = list(dict.fromkeys(pair[1] for pair in pairs))
    held_out = set(targets[-size:])
    train = [pair for pair in pairs if pair[1] not in held_out]
    test = [pair for pair in pairs if pair[1] in held_out]
    return train, test
''',
    why="""
A split is fair if nothing that decides the answer is on both sides. Splitting rows at
random does not guarantee that: with repeated or paraphrased examples, a model that has
only memorized scores well. Decide first what counts as *the same example* (here the
target, elsewhere a patient, an author or a day), then hold out whole groups of them.
""",
    hints=(
        "List the different targets first: `dict.fromkeys` removes repetitions and "
        "keeps the order.",
        "The held-out set is made of targets. Which list does each pair belong to?",
        "Two list comprehensions: the target is in the held-out set, or it is not.",
    ),
    mistakes="""
You split the rows. A target that occurs in several rows can be on both sides.
+ def fair_split(pairs, size):
+     return pairs[:-size], pairs[-size:]

You removed repeated rows and then split the rest by rows. The same target can still be
on both sides, written in another way.
+ def fair_split(pairs, size):
+     rows = list(dict.fromkeys(pairs))
+     return rows[:-size], rows[-size:]

You hold out sources, or whole rows. The same target, written in another way, can still
be in training.
- (pair[1] for pair in pairs)
+ (pair[0] for pair in pairs)
- pair[1] not in
+ pair[0] not in
- pair[1] in
+ pair[0] in

You hold out the first targets. The last ones are asked for.
- targets[-size:]
+ targets[:size]

The order of targets is that of their first occurrence; you took that of their last.
- list(dict.fromkeys(pair[1] for pair in pairs))
+ list(dict.fromkeys(pair[1] for pair in pairs[::-1]))[::-1]

You sorted the targets. Keep the order in which they first occur.
- list(dict.fromkeys(pair[1] for pair in pairs))
+ sorted({target for _, target in pairs})

Repeated targets count twice in your `size`: you hold out too few different ones.
- list(dict.fromkeys(pair[1] for pair in pairs))
+ [target for _, target in pairs]

You dropped repeated pairs from the training set. Keep all pairs, in the given order.
- train = [pair for pair in pairs if pair[1] not in held_out]
+ train = [p for p in dict.fromkeys(pairs) if p[1] not in held_out]

You dropped repeated pairs. Keep all of them, in the given order.
-     held_out = set
+     pairs = list(dict.fromkeys(pairs))
+     held_out = set

You hold out one pair for each target and drop the others. All pairs with a held-out
target belong to the test.
- return train, test
+ places = [place for place, pair in enumerate(test)
+               if pair[1] not in [other[1] for other in test[:place]]]
+     return train, [test[place] for place in places]

The two lists are the wrong way round: training comes first.
- return train, test
+ return test, train

The pairs are grouped by target. Keep them in the given order.
- return train, test
+ return [pair for target in targets for pair in train if pair[1] == target], [
+         pair for target in targets for pair in test if pair[1] == target
+     ]

Nothing leaks, but you hold out the last rows, which may have fewer than `size` targets,
and you drop the pairs that would leak. Hold out targets, and keep every pair.
- held_out = set(targets[-size:])
+ test = pairs[-size:]
+     held_out = {target for _, target in test}
-     test = [pair for pair in pairs if pair[1] in held_out]

The order of the pairs has changed. Keep them as they are given.
- return train, test
+ return sorted(train), sorted(test)

Only one pair of each held-out target is held out; its other pairs are still in
training.
+ def fair_split(pairs, size):
+     last = {}
+     for place, (_, target) in enumerate(pairs):
+         last.setdefault(target, place)
+     held_out = set(list(last.values())[-size:])
+     return (
+         [pair for place, pair in enumerate(pairs) if place not in held_out],
+         [pair for place, pair in enumerate(pairs) if place in held_out],
+     )

The training set still holds everything.
- if pair[1] not in held_out
+ if True

You return targets. The pairs are asked for.
- [pair for pair in pairs if pair[1] not in
+ [pair[1] for pair in pairs if pair[1] not in
- [pair for pair in pairs if pair[1] in
+ [pair[1] for pair in pairs if pair[1] in

You cut the list where the first held-out target comes. Training targets that come again
after it belong to the training.
- train = [pair for pair in pairs if pair[1] not in held_out]
+ first = next(at for at, pair in enumerate(pairs) if pair[1] in held_out)
+     train = pairs[:first]
- test = [pair for pair in pairs if pair[1] in held_out]
+ test = pairs[first:]

The second list holds targets. All pairs with these targets are asked for.
- return train, test
+ return train, targets[-size:]

The second list holds a target for each pair. The pairs themselves are asked for.
- return train, test
+ return train, [target for _, target in test]

You hold out only targets that occur once. Those that are repeated count, too.
- targets = list(dict.fromkeys(pair[1] for pair in pairs))
+ every = [target for _, target in pairs]
+     targets = [target for target in every if every.count(target) == 1]
""",
    reference=reference,
    cases=cases,
    checks=(nothing_leaks,),
)
