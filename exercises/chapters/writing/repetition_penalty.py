"""Build the penalty on tokens that a text already has."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, length, vocab_size, penalty in (
        (1, 2, 4, 1.5),
        (2, 5, 8, 1.2),
        (3, 4, 7, 2.0),
        (4, 6, 9, 0.8),
    ):
        ids = np.stack([draw.permutation(vocab_size)[:length] for _ in range(batch)])
        ids[:, 2:3] = ids[:, 1:2]  # one token occurs twice
        logits = 2 * draw.normal(size=(batch, vocab_size))
        for row in range(batch):
            logits[row, ids[row, 0]] = draw.uniform(0.2, 0.9) * (-1) ** row
            logits[row, ids[row, 1]] = draw.uniform(1.1, 2.5) * -((-1) ** row)
        yield logits, ids, penalty


def reference(logits, ids, penalty):
    changed = logits.astype(np.float64)
    for row, said in zip(changed, ids, strict=True):
        for token in set(said.tolist()):
            row[token] *= penalty if row[token] < 0 else 1 / penalty
    return changed


EXERCISE = Exercise(
    title="Said before",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt="""
A **repetition penalty** makes the tokens that a text already has less likely. The logit
of such a token is divided by `penalty` if it is positive, and multiplied by it if it is
negative. A token that occurs several times is penalized once, and the logits of tokens
that have not occurred stay as they are. `ids` holds the text so far, one row for each
row of `logits`. Return the new logits, and leave the old ones unchanged.
""",
    solution={
        "torch": '''
def penalize(logits, ids, penalty):
    """Return the new logits, (batch, vocab_size).

    logits (batch, vocab_size); ids (batch, length),
    integers; penalty, a positive number.
    """
    one_hot = nn.functional.one_hot(ids, logits.shape[1])
    said = one_hot.any(dim=1)  # (batch, vocab_size)
    lower = torch.where(
        logits > 0, logits / penalty, logits * penalty
    )
    return torch.where(said, lower, logits)
''',
        "tensorflow": '''
def penalize(logits, ids, penalty):
    """Return the new logits, (batch, vocab_size).

    logits (batch, vocab_size); ids (batch, length),
    integers; penalty, a positive number.
    """
    one_hot = tf.one_hot(ids, logits.shape[1])
    said = tf.reduce_max(one_hot, axis=1) == 1.0
    lower = tf.where(
        logits > 0, logits / penalty, logits * penalty
    )
    return tf.where(said, lower, logits)
''',
    },
    why="""
A logit has no fixed zero: adding the same number to all of them changes no probability,
but it changes what this penalty does. The [CTRL paper](https://arxiv.org/abs/1909.05858)
(section 4.1) divides by the penalty only, which makes a token with a negative logit
*more* likely, so libraries multiply there; `transformers` calls it
`repetition_penalty`. It also hits the tokens that every text has to repeat, such as the
comma and *the*. Temperature, top-k and top-p know nothing of the text so far.
""",
    hints=(
        "First find out which tokens of the vocabulary occur in each row of `ids`. "
        "`one_hot` gives (batch, length, vocab_size).",
        "Compute the penalized logits of all tokens with `where`, by their sign.",
        "With another `where`, take the penalized logits for the tokens that occur.",
    ),
    mistakes="""
A negative logit divided by a penalty above 1 rises, so the token is more likely than
before. Multiply it.
- logits > 0, logits / penalty, logits * penalty
+ logits > 0, logits / penalty, logits / penalty

A positive logit multiplied by a penalty above 1 rises, so the token is more likely than
before. Divide it.
- logits > 0, logits / penalty, logits * penalty
+ logits > 0, logits * penalty, logits * penalty

The two signs are swapped: your penalty is a reward.
- logits > 0
+ logits < 0

You subtract the penalty. It divides or multiplies.
- logits > 0, logits / penalty, logits * penalty
+ logits > 0, logits - penalty, logits - penalty

The tokens that do not occur are penalized, and those that occur are not.
- where(said, lower, logits)
+ where(said, logits, lower)

All tokens are penalized, whether they occur or not.
- where(said, lower, logits)
+ where(said, lower, lower)

Nothing is penalized: those are the old logits.
- where(said, lower, logits)
+ where(said, logits, logits)

A token is penalized for each time it occurs. Once is enough.
@torch
- one_hot.any(dim=1)  # (batch, vocab_size)
+ one_hot.sum(dim=1)
- logits / penalty, logits * penalty
+ logits / penalty**said, logits * penalty**said
- return torch.where(said, lower, logits)
+ return lower
@tensorflow
- tf.reduce_max(one_hot, axis=1) == 1.0
+ tf.reduce_sum(one_hot, axis=1)
- logits / penalty, logits * penalty
+ logits / penalty**said, logits * penalty**said
- return tf.where(said, lower, logits)
+ return lower

The penalty is multiplied by the number of times that a token occurs.
@torch
- one_hot.any(dim=1)  # (batch, vocab_size)
+ one_hot.sum(dim=1)
- logits / penalty, logits * penalty
+ logits / (penalty * said), logits * penalty * said
- torch.where(said, lower, logits)
+ torch.where(said > 0, lower, logits)
@tensorflow
- tf.reduce_max(one_hot, axis=1) == 1.0
+ tf.reduce_sum(one_hot, axis=1)
- logits / penalty, logits * penalty
+ logits / (penalty * said), logits * penalty * said
- tf.where(said, lower, logits)
+ tf.where(said > 0, lower, logits)

A token that occurs twice escapes: you look for tokens that occur exactly once.
@torch
- one_hot.any(dim=1)
+ one_hot.sum(dim=1) == 1
@tensorflow
- reduce_max
+ reduce_sum

Only tokens that occur more than once are penalized. Once is enough.
@torch
- one_hot.any(dim=1)
+ one_hot.sum(dim=1) > 1
@tensorflow
- tf.reduce_max(one_hot, axis=1) == 1.0
+ tf.reduce_sum(one_hot, axis=1) > 1

Only the last token of the text is penalized. All that have occurred are.
- (ids, logits
+ (ids[:, -1:], logits

The last token of the text is not penalized.
- (ids, logits
+ (ids[:, :-1], logits

Only the first token of the text is penalized. All that have occurred are.
- (ids, logits
+ (ids[:, :1], logits

The first token of the text is not penalized.
- (ids, logits
+ (ids[:, 1:], logits

A token is penalized in every row once it occurs in any of them. Each row counts its own
tokens only.
@torch
- one_hot.any(dim=1)
+ one_hot.any(dim=1).any(dim=0)
@tensorflow
- tf.reduce_max(one_hot, axis=1)
+ tf.reduce_max(one_hot, axis=[0, 1])

The tokens of the first row are penalized in all rows. Each row has its own.
- said =
+ one_hot = one_hot[:1]
+     said =

A token is penalized only if it is likely. Negative logits are penalized, too.
- logits * penalty
+ logits

Only negative logits are penalized. Positive ones are, too.
- logits / penalty
+ logits

Tokens that occur are forbidden. A penalty only makes them less likely.
- where(said, lower, logits)
+ where(said, -math.inf, logits)

Tokens that occur get a logit of 0.
- where(said, lower, logits)
+ where(said, 0.0, logits)

Tokens that do not occur get a logit of 0. Their logits stay as they are.
- where(said, lower, logits)
+ where(said, lower, 0.0)

Only tokens that occur are left. The logits of the others stay as they are.
- where(said, lower, logits)
+ where(said, lower, -math.inf)

You return probabilities. Logits are wanted.
@torch
- return torch.where(said, lower, logits)
+ return torch.softmax(torch.where(said, lower, logits), 1)
@tensorflow
- return tf.where(said, lower, logits)
+ return tf.nn.softmax(tf.where(said, lower, logits), 1)

You penalize probabilities. Logits are wanted, before and after.
@torch
- one_hot =
+ logits = torch.softmax(logits, 1)
+     one_hot =
@tensorflow
- one_hot =
+ logits = tf.nn.softmax(logits, 1)
+     one_hot =

You penalize log-probabilities, all of them negative. The logits are wanted as they
come.
@torch
- one_hot =
+ logits = torch.log_softmax(logits, 1)
+     one_hot =
@tensorflow
- one_hot =
+ logits = tf.nn.log_softmax(logits, 1)
+     one_hot =

You divide by 1 + penalty. The penalty is the whole factor.
- logits / penalty, logits * penalty
+ logits / (1 + penalty), logits * (1 + penalty)

The magnitude of the logit, times the penalty, is subtracted. Divide or multiply.
- logits > 0, logits / penalty, logits * penalty
+ logits > 0, logits - logits * penalty, logits + logits * penalty

You divide for each time that a token occurs. Once is enough, and a negative logit is
multiplied.
@torch
- one_hot.any(dim=1)  # (batch, vocab_size)
+ one_hot.sum(dim=1)
- logits / penalty, logits * penalty
+ logits / penalty**said, logits / penalty**said
- return torch.where(said, lower, logits)
+ return lower
@tensorflow
- tf.reduce_max(one_hot, axis=1) == 1.0
+ tf.reduce_sum(one_hot, axis=1)
- logits / penalty, logits * penalty
+ logits / penalty**said, logits / penalty**said
- return tf.where(said, lower, logits)
+ return lower

You return the new logits of the tokens that occur. Those of the whole vocabulary are
wanted.
@torch
- torch.where(said, lower, logits)
+ lower.gather(1, ids)
@tensorflow
- tf.where(said, lower, logits)
+ tf.gather(lower, ids, batch_dims=1)

You divide probabilities by the penalty, and return their logarithms. It changes the
logits.
@torch
- torch.where(said, lower, logits)
+ torch.log_softmax(logits, 1) - said * math.log(penalty)
@tensorflow
- tf.where(said, lower, logits)
+ tf.nn.log_softmax(logits, 1) - tf.cast(said, tf.float32) * math.log(penalty)

You subtract the penalty for each time that a token occurs. That is the frequency
penalty of other libraries.
@torch
- torch.where(said, lower, logits)
+ logits - penalty * one_hot.sum(1)
@tensorflow
- tf.where(said, lower, logits)
+ logits - penalty * tf.reduce_sum(one_hot, 1)

You subtract the logarithm of the penalty. Divide or multiply.
- logits > 0, logits / penalty, logits * penalty
+ logits > 0, logits - math.log(penalty), logits - math.log(penalty)

All negative logits are multiplied, whether their tokens occur or not.
- where(said, lower, logits)
+ where(said | (logits < 0), lower, logits)

You return which tokens occur. The new logits are wanted.
- where(said, lower, logits)
+ where(said, True, False)

A part of the logit's magnitude is subtracted, 1 / penalty of it. Divide or multiply.
- logits > 0, logits / penalty, logits * penalty
+ logits > 0, logits - logits / penalty, logits + logits / penalty

An id is a column of `logits`. Your index takes it for a row.
@torch
- where(said, lower, logits)
+ where(said, lower, logits[ids[:, 0]])
""",
    reference=reference,
    cases=cases,
    equivalent={
        "logits >= 0, logits / penalty, logits * penalty": (
            "A logit of 0 stays 0 either way."
        ),
    },
)
