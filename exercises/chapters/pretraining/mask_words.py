"""Build the masking of a batch: 80 % [MASK], 10 % another token, 10 % as it was."""

from exercises.engine.exercise import Exercise

import numpy as np

IGNORED = -100


def cases(draw):
    for batch, length, vocab_size in ((1, 6, 20), (2, 9, 30), (3, 12, 40), (4, 25, 90)):
        ids = draw.integers(0, vocab_size, (batch, length))
        special = np.zeros((batch, length), dtype=bool)
        special[:, 0] = True
        for row in special:  # what follows the text is special, too
            row[draw.integers(length - 2, length) :] = True
        # About two tokens in three are chosen, some of the special ones among them.
        chance = draw.uniform(0, 0.23, (batch, length))
        action = draw.uniform(0, 1, (batch, length))
        # Each thing happens at least once.
        chance[0, :5] = 0.01, 0.02, 0.03, 0.04, 0.2
        action[0, :5] = 0.1, 0.95, 0.85, 0.5, 0.6
        other = (ids + draw.integers(1, vocab_size, ids.shape)) % vocab_size
        yield ids, special, chance, action, other, int(draw.integers(100, 200))


def reference(ids, special, chance, action, other_ids, mask_id):
    inputs, targets = ids.copy(), np.full_like(ids, IGNORED)
    for at in np.ndindex(ids.shape):
        if special[at] or chance[at] >= 0.15:
            continue
        targets[at] = ids[at]
        if action[at] < 0.8:
            inputs[at] = mask_id
        elif action[at] >= 0.9:
            inputs[at] = other_ids[at]
    return inputs, targets


NO_BOUND = "No number that is drawn is exactly this bound."

EXERCISE = Exercise(
    title="Hide the words",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt="""
Mask a batch. All that is random is passed in, so that it can be repeated: `chance` and
`action` are uniform from 0 to 1, and `other_ids` holds random tokens.

- A token is **chosen** if its `chance` is below 0.15. Special tokens are never chosen.
- A chosen token becomes `mask_id` if its `action` is below 0.8. From 0.9 on, it becomes
  the token of `other_ids` at its place. In between, it stays as it is.
- The target of a chosen token is its id, and that of all others is −100.

Every token is drawn by itself here. The chapter's function draws a fixed number in
each row instead.
""",
    solution={
        "torch": '''
def mask_words(
    ids, special, chance, action, other_ids, mask_id
):
    """Return inputs and targets, both (batch, length).

    special (batch, length): True at special tokens, padding;
    chance, action, other_ids (batch, length).
    """
    chosen = (chance < 0.15) & ~special
    hidden = chosen & (action < 0.8)
    random = chosen & (action >= 0.9)
    inputs = torch.where(hidden, mask_id, ids)
    inputs = torch.where(random, other_ids, inputs)
    targets = torch.where(chosen, ids, -100)
    return inputs, targets
''',
        "tensorflow": '''
def mask_words(
    ids, special, chance, action, other_ids, mask_id
):
    """Return inputs and targets, both (batch, length).

    special (batch, length): True at special tokens, padding;
    chance, action, other_ids (batch, length).
    """
    chosen = (chance < 0.15) & ~special
    hidden = chosen & (action < 0.8)
    random = chosen & (action >= 0.9)
    inputs = tf.where(hidden, mask_id, ids)
    inputs = tf.where(random, other_ids, inputs)
    targets = tf.where(chosen, ids, -100)
    return inputs, targets
''',
    },
    why="""
Two numbers are drawn for each token: one decides whether the model is asked, the other
what it reads there. The targets come from the ids as they were before anything was
replaced. The value −100 marks the places that do not count: it is no token's id, so it
cannot be confused with one, and PyTorch's cross-entropy leaves it out by default.
""",
    hints=(
        "First a mask of the chosen tokens, from `chance` and `special`. All else "
        "happens inside it.",
        "Two more masks, each `chosen & …`, say where `mask_id` and `other_ids` go.",
        "`where(condition, a, b)` takes `a` where the condition is true. You need it "
        "three times; the targets take `ids`, not the inputs.",
    ),
    mistakes="""
Special tokens are chosen as well: `[CLS]`, `[SEP]` and padding must stay.
- (chance < 0.15) & ~special
+ chance < 0.15

Only special tokens are chosen: the mask `special` is inverted.
- & ~special
+ & special

The targets are read after the tokens were replaced: they hold `mask_id` and random
tokens instead of the words.
- (chosen, ids, -100)
+ (chosen, inputs, -100)

Every token has a target. Only chosen ones do; the others get −100.
-     targets = torch.where(chosen, ids, -100)
-     return inputs, targets
+     return inputs, ids
-     targets = tf.where(chosen, ids, -100)
-     return inputs, targets
+     return inputs, ids

Only hidden tokens have a target. All chosen ones do, whatever the model reads there.
- (chosen, ids, -100)
+ (hidden, ids, -100)

Chosen tokens that stay as they are have no target. The model is asked there, too.
- (chosen, ids, -100)
+ (hidden | random, ids, -100)

Random tokens have no target. All chosen tokens do.
- (chosen, ids, -100)
+ (chosen & ~random, ids, -100)

The targets are inverted: −100 belongs where no token was chosen.
- (chosen, ids, -100)
+ (~chosen, ids, -100)

Your targets mark what does not count with 0, which is the id of a token.
- -100
+ 0

Your targets mark what does not count with −1. The task asks for −100.
- -100
+ -1

Every chosen token is replaced by `mask_id`. Only those with an `action` below 0.8 are.
- hidden = chosen & (action < 0.8)
+ hidden = chosen
- random = chosen & (action >= 0.9)
+ random = chosen & ~chosen

No chosen token stays as it is: those with an action from 0.8 to 0.9 become random.
- action >= 0.9
+ action >= 0.8

Chosen tokens that should stay are hidden: the first condition needs `action`, too.
- hidden = chosen & (action < 0.8)
+ hidden = chosen

No token becomes a random one. From an action of 0.9 on, it takes that of `other_ids`.
- random = chosen & (action >= 0.9)
+ random = chosen & ~chosen

Those with an action from 0.8 to 0.9 become random, and those from 0.9 on stay: it is
the other way round.
- action >= 0.9
+ action >= 0.8) & (action < 0.9

Tokens become random that were not chosen: the second `where` needs the mask, too.
- random = chosen & (action >= 0.9)
+ random = action >= 0.9

Tokens are hidden that were not chosen.
- hidden = chosen & (action < 0.8)
+ hidden = action < 0.8

Tokens are replaced whether they were chosen or not: both masks need `chosen`.
- hidden = chosen & (action < 0.8)
+ hidden = action < 0.8
- random = chosen & (action >= 0.9)
+ random = action >= 0.9

The hidden tokens are shown again: the second `where` starts from `ids` instead of the
inputs made so far.
- random, other_ids, inputs
+ random, other_ids, ids

Hidden and shown tokens have changed places in your first `where`.
- (hidden, mask_id, ids)
+ (hidden, ids, mask_id)

The tokens with a large chance are chosen. Those below 0.15 should be.
- chance < 0.15
+ chance >= 0.15

`chance` and `action` have changed places.
- chance < 0.15
+ action < 0.15
- action < 0.8
+ chance < 0.8
- action >= 0.9
+ chance >= 0.9

One random number decides both: you cut `chance` at 0.12 and 0.135. Which token becomes
which depends on `action`.
- action < 0.8
+ chance < 0.12
- action >= 0.9
+ chance >= 0.135

Every token with an action below 0.9 becomes a random one: your second `where`
overwrites the hidden ones.
- action >= 0.9
+ action < 0.9

Special tokens are replaced, although they have no target.
- chosen & (action < 0.8)
+ (chance < 0.15) & (action < 0.8)
- chosen & (action >= 0.9)
+ (chance < 0.15) & (action >= 0.9)

The random tokens are those with a small `action`. Those from 0.9 on should be.
- action >= 0.9
+ action < 0.1

Your bounds are mirrored: a small `action` hides a token, and one from 0.9 on makes it
random.
- action < 0.8
+ action >= 0.2
- action >= 0.9
+ action < 0.1

Special tokens keep their places, but they have targets: the last `where` needs the
whole condition.
- (chosen, ids, -100)
+ (chance < 0.15, ids, -100)

The chosen tokens are hidden, and all others become random: the two `where` need masks
of their own.
- random = chosen & (action >= 0.9)
+ random = ~chosen

Inputs and targets are returned in the wrong order.
- return inputs, targets
+ return targets, inputs

Only the inputs are returned. Return the targets, too.
- return inputs, targets
+ return inputs
""",
    reference=reference,
    cases=cases,
    equivalent={
        "chosen = (chance <= 0.15) & ~special": NO_BOUND,
        "hidden = chosen & (action <= 0.8)": NO_BOUND,
        "random = chosen & (action > 0.9)": NO_BOUND,
    },
)
