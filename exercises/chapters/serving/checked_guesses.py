"""Build the check of speculative decoding: which guesses stay, and what comes next."""

from itertools import product

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    yield (  # a random number on the border
        np.array([[0.25, 0.75], [0.5, 0.5]]),
        np.array([[0.5, 0.5]]),
        [0],
        np.array([0.5]),
    )
    for words, kept in (
        (3, [True]),
        (3, [False]),
        (4, [True, True]),
        (4, [True, False]),
        (5, [False, True, True]),
        (5, [True, False, True, False]),
        (5, [True, True, True]),
        (6, [True, True, False, True, True]),
    ):
        yield drawn(draw, words, kept)
    p = draw.dirichlet([2] * 3)  # a draft that is the target
    yield np.array([p, p[::-1]]), p[None], [1], np.array([0.999])


def drawn(draw, words, kept):
    """Draw distributions, guesses and numbers, so that these guesses are kept."""
    while True:
        target = draw.dirichlet([1.5] * words, len(kept) + 1)
        draft = draw.dirichlet([1.5] * words, len(kept))
        guesses = [int(draw.choice(words, p=q)) for q in draft]
        at = np.arange(len(kept)), guesses
        ratio = target[at] / draft[at]
        uniform = draw.random(len(kept))
        if ((uniform < ratio) != kept).any() or min(np.abs(uniform - ratio)) < 0.02:
            continue
        # where a guess that is likelier for the draft is kept all the same
        lucky = [ratio[n] < 0.9 for n in range(len(kept)) if kept[n]]
        if lucky and not any(lucky):
            continue
        return target, draft, guesses, uniform


def reference(target, draft, guesses, uniform):
    rows = np.arange(len(guesses))
    bound = uniform * draft[rows, guesses]
    missed = np.flatnonzero(bound >= target[rows, guesses])
    if not len(missed):
        return len(guesses), target[-1]
    place = int(missed[0])
    lacking = (target[place] - draft[place]).clip(min=0)
    return place, lacking / lacking.sum()


EXERCISE = Exercise(
    title="Check the guesses",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt="""
One call of speculative decoding: the draft has guessed `k` tokens, `guesses[0]` first,
and the target has read all of them in one call. Row `n` of `draft` is the distribution
from which guess `n` was drawn. Row `n` of `target` is the target's distribution of the
same token, and its last row that of the token after all guesses.

Write `checked`: go through the guesses in order and keep guess `n` if its number
`uniform[n]` is below the ratio of its probabilities, target to draft. At the first one
that isn't kept, stop. Return how many are kept, and the distribution from which the
call's last token has to be drawn. A call always gives this one more token. Draw
nothing yourself.
""",
    solution='''
def checked(target, draft, guesses, uniform):
    """Return how many guesses are kept, and an array (vocab_size,).

    target (k + 1, vocab_size); draft (k, vocab_size); guesses, a list of k ids;
    uniform (k,), random numbers from 0 to 1.
    """
    for place, guess in enumerate(guesses):
        p, q = target[place], draft[place]
        if uniform[place] >= p[guess] / q[guess]:
            above = np.maximum(p - q, 0)
            return place, above / above.sum()
    return len(guesses), target[len(guesses)]
''',
    why="""
A rejected guess is replaced from the remainder, the part of the target's distribution
that kept guesses can't supply. With all guesses kept, nothing has to be corrected, and
the target's last row is used as it is: a token that costs no call of its own. Guesses
after the first rejected one were made for a text that doesn't exist, so they are thrown
away, however likely they look.

Where target and draft are equal, the ratio is 1 and no guess is rejected, so the
remainder, which would be 0 divided by 0, is never asked for.
""",
    hints=(
        "Two things can happen: a guess is rejected at some place, or all are kept. "
        "Each has a distribution of its own.",
        "A guess is kept if `uniform[n] < target[n][guess] / draft[n][guess]`.",
        "At the first rejected guess: `np.maximum(target[n] - draft[n], 0)`, divided "
        "by its sum. If all are kept: the last row of `target`.",
    ),
    mistakes="""
The remainder is |p − q|. Words that the draft guesses too often lack nothing: where q
is larger than p, it is 0.
- np.maximum(p - q, 0)
+ np.abs(p - q)

The remainder doesn't sum to 1: divide by its sum.
- above / above.sum()
+ above

After a rejected guess, you draw from the target as it is. With the guesses that are
kept, the words that the draft likes then come too often.
- above / above.sum()
+ p

A probability can't be negative: where q is larger than p, the remainder is 0. Cut p − q
off at 0 before you divide by the sum.
- np.maximum(p - q, 0)
+ p - q

After a rejected guess, you draw from the target without this guess. The remainder takes
each word's p − q instead.
- np.maximum(p - q, 0)
+ np.where(np.arange(len(p)) == guess, 0, p)

The remainder is q − p, the other way round.
- np.maximum(p - q, 0)
+ np.maximum(q - p, 0)

You keep a guess with the target's probability. Divide it by the draft's: a guess that
comes often may be rejected more often.
- p[guess] / q[guess]
+ p[guess]

You keep a guess only if it is the target's likeliest token. That is the rule of greedy
search.
- uniform[place] >= p[guess] / q[guess]
+ guess != p.argmax()

A number equal to the ratio is not below it: this guess is rejected.
- >= p[guess]
+ > p[guess]

The rows of the target are off by one: row 0 is about guess 0.
- target[place], draft
+ target[place + 1], draft

You count all guesses that pass, also those after a rejected one. They continue a text
that doesn't exist: stop at the first that is rejected.
-         if uniform[place] >= p[guess] / q[guess]:
-             above = np.maximum(p - q, 0)
-             return place, above / above.sum()
-     return len(guesses), target[len(guesses)]
+         above = np.maximum(p - q, 0)
+         if uniform[place] >= p[guess] / q[guess]:
+             break
+     ratios = [t[g] / d[g] for t, d, g in zip(target, draft, guesses)]
+     kept = sum(u < ratio for u, ratio in zip(uniform, ratios))
+     if kept == len(guesses):
+         return kept, target[kept]
+     return int(kept), above / above.sum()

One rejected guess, and you throw all away. Those before it are kept.
- return place, above
+ return 0, above

After a rejected guess, you count one too many: the token that is drawn is not a guess.
- return place, above
+ return place + 1, above

If all guesses are kept, the last token comes from the draft in your call. The target
has a row for it.
- target[len(guesses)]
+ draft[-1]

If all guesses are kept, there is still one more token, from the last row of the target.
- return len(guesses), target[len(guesses)]
+ return len(guesses), None
""",
    reference=reference,
    cases=cases,
    equivalent={
        "above = np.maximum(0, p - q)": "It is symmetric.",
    }
    | {
        f"return len({one}), target[len({other})]": "There are as many."
        for one, other in product(("guesses", "draft", "uniform"), repeat=2)
    },
)
