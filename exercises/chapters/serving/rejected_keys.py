"""Find the bugs: what stays in the cache when guesses are rejected."""

from exercises.engine.exercise import Exercise

# What the model writes where a guess is kept (1) or missed (0), guess by guess.
PATTERNS = ("", "1", "0", "11", "10", "01", "101", "0111", "11010", "1111")


def cases(draw):
    for before, pattern in enumerate(PATTERNS, 1):
        guesses, written = [], []
        for kept in pattern:
            guess, other = draw.choice(50, 2, replace=False).tolist()
            guesses.append(guess)
            written.append(guess if kept == "1" else other)
        # the tokens of a text may repeat; these don't, so that any mix-up shows
        ids = (50 + draw.permutation(50)[: before + 1]).tolist()
        written.append(ids.pop())
        length = before + len(pattern)
        keys = draw.normal(size=(2, length, 3))
        values = draw.normal(size=(2, length, 4))
        yield ids, guesses, written, keys[None], values[None]


def reference(ids, guesses, written, keys, values):
    misses = [n for n, guess in enumerate(guesses) if guess != written[n]]
    kept = min(misses, default=len(guesses))
    known = len(ids) + kept
    text = ids + guesses[:kept] + [written[kept]]
    return text, keys[:, :, :known], values[:, :, :known]


PROGRAM = '''
def after_call(ids, guesses, written, keys, values):
    """Return the text, a list, and two tensors, cut.

    ids, guesses, written: lists of ids; keys and values
    (1, heads, ids and guesses, d_k or d_v).
    """
    kept = 0
    for guess, token in zip(guesses, written):
        if guess != token:
            break
        kept += 1
    text = [*ids, *written[: kept + 1]]
    length = len(text) - 1
    return text, keys[:, :, :length], values[:, :, :length]
'''

EXERCISE = Exercise(
    title="After a rejected guess",
    kind="find the bug",
    difficulty=2,
    minutes=10,
    prompt="""
A call of greedy speculative decoding: the model has read `ids` and all `guesses`, and
its cache holds a key and a value for each of these tokens. `written[0]` is the token
that it writes after `ids`, `written[1]` the one after the first guess, and so on, one
more than there are guesses. `after_call` returns the longer text, and the cache for the
next call, which will read those tokens of the text that are not in the cache.

It runs, and a text begins as it does without a draft. But once a guess has been
rejected, the text can become a different one. Two things are wrong: what counts as
kept, and what stays in the cache. Fix both.
""",
    bug="Nothing is fixed yet",
    solution={"torch": PROGRAM, "tensorflow": PROGRAM},
    why="""
A rejected guess has been read, so its keys and values are in the cache. If they stay,
every later token attends to a word that is not in the text. No error tells you, because
the shapes fit. Compare with `generate`, which has to write the same text.

After a miss, the newest token is the model's own. It was written in this call, but not
read: at its place the cache holds the *guess*. So the cache ends one token before the
text, and the next call reads the newest token. With all guesses kept, the cache has
that length already.
""",
    hints=(
        "Take the guesses 7, 8, 9, and let the model write 7, 5, 9, 4. Which tokens "
        "belong to the text? After which text did the model write 9?",
        "Which token's key is at the place of the model's own token?",
        "Stop counting at the first miss. The cache keeps `len(text) - 1` tokens.",
    ),
    mistakes="""
Nothing is fixed yet: guesses after a miss are counted, and a rejected guess stays in
the cache.
-             break
-         kept += 1
+             continue
+         kept += 1
- = len(text) - 1
+ = len(text)

What is kept is right. But at the place of the newest token, the cache still holds the
rejected guess: end one token earlier.
- = len(text) - 1
+ = len(text)

The cache is one token shorter than the text, as it should be. But you still count
guesses after a miss: they continue another text.
-             break
-         kept += 1
+             continue
+         kept += 1

The cache keeps all guesses, also the rejected ones. Every later token attends to them.
- = len(text) - 1
+ = keys.shape[2]

You throw away the newest kept token with the rejected guesses, so the next call reads
it twice. Its key is right: keep it.
- = len(text) - 1
+ = len(text) - 2

You cut the cache to the length before the guesses. Those that are kept have been read
already.
- = len(text) - 1
+ = len(ids)

After a miss, your text has the rejected guess. The model's own token belongs there.
- *written[: kept + 1]
+ *[*guesses, written[-1]][: kept + 1]

The model's own token is missing in the text: each call gives one more than the guesses
that are kept.
- written[: kept + 1]]
-     length = len(text) - 1
+ written[:kept]]
+     length = len(text)

Where all guesses are kept, your text lacks the model's own token after them.
-     text =
+     kept = min(kept, max(len(guesses) - 1, 0))
+     text =

You take all that the model has written, as if every guess were kept. Stop at the first
miss.
-         if guess != token:
-             break
-         kept += 1
+         kept += 1

The keys are cut, but not the values. Each key needs its value.
- values[:, :, :length]
+ values

The values are cut, but not the keys. Each value needs its key.
- keys[:, :, :length]
+ keys

You set the rejected keys and values to 0. A key of 0 has the score 0, and still gets a
share of each softmax: cut it off.
@torch
-     return text, keys[:, :, :length], values[:, :, :length]
+     keys, values = keys.clone(), values.clone()
+     keys[:, :, length:], values[:, :, length:] = 0, 0
+     return text, keys, values
@tensorflow
-     return text, keys[:, :, :length], values[:, :, :length]
+     real = tf.range(keys.shape[2])[:, None] < length
+     return text, tf.where(real, keys, 0.0), tf.where(real, values, 0.0)

One miss, and you throw all guesses away. Those before it are kept.
-             break
-         kept += 1
+             kept = 0
+             break
+         kept += 1

You compare each guess with the token that the model writes after it. Guess 0 is a guess
of `written[0]`.
- zip(guesses, written)
+ zip(guesses, written[1:])
""",
    reference=reference,
    cases=cases,
    equivalent={
        "for guess, token in zip(written, guesses):": "Both are only compared.",
    },
)
