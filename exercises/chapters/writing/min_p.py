"""Build min-p: a threshold that moves with the likeliest token's probability."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, vocab_size, middle, min_p in (
        (1, 3, 0.0, 0.3),
        (4, 6, -30.0, 0.1),
        (3, 7, 3.0, 0.25),
        (5, 9, 1.0, 0.04),
        (4, 8, -2.0, 0.5),
    ):
        yield drawn(draw, batch, vocab_size, middle, min_p), min_p
    low, high = sorted(draw.normal(size=2))
    yield np.array([[low, high, high, low]]), 1.0  # two have exactly the threshold


def drawn(draw, batch, vocab_size, middle, min_p):
    """Draw until no token is near the threshold, and rows keep unlike numbers."""
    while True:
        spread = (1 - min_p) * draw.uniform(0.6, 2.7, size=(batch, 1))
        logits = middle + spread * draw.normal(size=(batch, vocab_size))
        above = logits - logits.max(1, keepdims=True) - np.log(min_p)
        kept = (above > 0).sum(1)
        if (
            np.abs(above).min() > 0.05
            and len(set(kept)) > batch // 2
            and kept.max() >= 2
            and kept.min() < vocab_size
        ):
            return logits


def reference(logits, min_p):
    rows = []
    for row in logits.astype(np.float64):
        odds = np.exp(row - row.max())  # how likely, compared with the likeliest
        odds[odds < min_p] = 0
        rows.append(odds / odds.sum())
    return np.array(rows)


EXERCISE = Exercise(
    title="A threshold that moves",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt="""
Top-k keeps as many tokens when the model is sure as when it is not. **Min-p** keeps the
tokens whose probability is at least `min_p` times that of the likeliest token: if that
has 0.9, a `min_p` of 0.1 keeps what has at least 0.09; if it has 0.05, what has at
least 0.005. Return the probabilities of the kept tokens, which sum to 1 again, and 0
for all others. Each row of a batch has its own threshold.
""",
    solution={
        "torch": '''
def min_p_probabilities(logits, min_p):
    """Return (batch, vocab_size): rows that sum to 1.

    logits (batch, vocab_size); min_p, from 0 to 1.
    """
    share = torch.softmax(logits, dim=1)
    least = min_p * share.amax(dim=1, keepdim=True)
    kept = torch.where(share >= least, share, 0.0)
    return kept / kept.sum(dim=1, keepdim=True)
''',
        "tensorflow": '''
def min_p_probabilities(logits, min_p):
    """Return (batch, vocab_size): rows that sum to 1.

    logits (batch, vocab_size); min_p, from 0 to 1.
    """
    share = tf.nn.softmax(logits, axis=1)
    top = tf.reduce_max(share, axis=1, keepdims=True)
    kept = tf.where(share >= min_p * top, share, 0.0)
    return kept / tf.reduce_sum(kept, axis=1, keepdims=True)
''',
    },
    why=r"""
When the model is sure, the threshold is high and only a few tokens remain; when many
tokens are plausible, it is low and most of them may be drawn. No sorting is needed, and
the likeliest token always stays. In logits, the condition reads: within
$-\ln(\text{min\_p})$ of the largest. `transformers` has it as `min_p` of `generate`
([Nguyen et al., 2024](https://arxiv.org/abs/2407.01082)).
""",
    hints=(
        "Start with the probabilities. Which number of each row is the largest?",
        "Compare each row with `min_p` times its own largest probability; keep that "
        "axis, so that it broadcasts.",
        "Set the others to 0, and divide each row by its sum.",
    ),
    mistakes="""
Your threshold is `min_p` itself. It is `min_p` times the largest probability of the
row.
- min_p * share.amax(dim=1, keepdim=True)
+ min_p
- min_p * top
+ min_p

The probabilities of the kept tokens do not sum to 1 again.
- kept / kept.sum(dim=1, keepdim=True)
+ kept
- kept / tf.reduce_sum(kept, axis=1, keepdims=True)
+ kept

You keep the unlikely tokens, and drop those above the threshold.
- share >=
+ share <

The tokens that you drop have a logit of 0, and so a probability. Minus infinity has
none.
@torch
- share, 0.0)
+ logits, 0.0)
- kept / kept.sum(dim=1, keepdim=True)
+ torch.softmax(kept, dim=1)
@tensorflow
- share, 0.0)
+ logits, 0.0)
- kept / tf.reduce_sum(kept, axis=1, keepdims=True)
+ tf.nn.softmax(kept, axis=1)

You take the softmax of probabilities at the end. Divide by their sum.
@torch
- kept / kept.sum(dim=1, keepdim=True)
+ torch.softmax(kept, dim=1)
@tensorflow
- kept / tf.reduce_sum(kept, axis=1, keepdims=True)
+ tf.nn.softmax(kept, axis=1)

You take the softmax of the kept probabilities alone. They are no logits: divide by
their sum.
- kept / kept.sum(dim=1, keepdim=True)
+ torch.softmax(kept.where(kept > 0, -torch.inf), dim=1)
- kept / tf.reduce_sum(kept, axis=1, keepdims=True)
+ tf.nn.softmax(tf.where(kept > 0, kept, -np.inf), axis=1)

You compare logits with `min_p` times the largest logit. Compare probabilities.
@torch
- share.amax
+ logits.amax
- share >=
+ logits >=
@tensorflow
- reduce_max(share
+ reduce_max(logits
- share >=
+ logits >=

You compare logits with a threshold of probabilities.
- share >=
+ logits >=

The threshold is the same for all rows. Each row has its own largest probability.
- share.amax(dim=1, keepdim=True)
+ share.max()
- tf.reduce_max(share, axis=1, keepdims=True)
+ tf.reduce_max(share)

You take the largest probability of each token in the batch. It is that of each row.
- share.amax(dim=1, keepdim=True)
+ share.amax(dim=0)
- tf.reduce_max(share, axis=1, keepdims=True)
+ tf.reduce_max(share, axis=0)

The threshold of the first row is used for all.
- share.amax(dim=1, keepdim=True)
+ share[0].max()
- tf.reduce_max(share, axis=1, keepdims=True)
+ tf.reduce_max(share[0])

Your softmax runs over the batch. It belongs to the vocabulary.
- softmax(logits, dim=1)
+ softmax(logits, dim=0)
- softmax(logits, axis=1)
+ softmax(logits, axis=0)

Only the likeliest token is left.
- min_p * share
+ share
- min_p * top
+ top

All tokens are kept. Is your threshold always below the smallest probability?
- share >=
+ share <= 1.0 +

The threshold is `min_p` times the mean of the row. It is `min_p` times the largest.
- share.amax(
+ share.mean(
- reduce_max
+ reduce_mean

The threshold is too near the largest probability. Is it (1 - min_p) times that, or a
logit that is `min_p` less?
- min_p * share
+ (1 - min_p) * share
- min_p * top
+ (1 - min_p) * top

The threshold is the largest probability minus `min_p`. It is a product.
- min_p * share.amax(dim=1, keepdim=True)
+ share.amax(dim=1, keepdim=True) - min_p
- min_p * top
+ top - min_p

That is top-p: the tokens that reach a total of `min_p`.
@torch
- least = min_p * share.amax(dim=1, keepdim=True)
+ ranked = share.sort(dim=1, descending=True).values
+     before = ranked.cumsum(dim=1) - ranked
+     number = (before < min_p).sum(dim=1, keepdim=True)
+     least = ranked.gather(1, number - 1)
@tensorflow
- top = tf.reduce_max(share, axis=1, keepdims=True)
+ ranked = tf.sort(share, axis=1, direction="DESCENDING")
+     before = tf.cumsum(ranked, axis=1, exclusive=True)
+     number = tf.reduce_sum(tf.cast(before < min_p, tf.int32), 1)
+     top = tf.gather(ranked, number - 1, batch_dims=1)[:, None]
- min_p * top
+ top

That is top-p of 1 - min_p: the likeliest tokens, until only `min_p` is left.
@torch
- least = min_p * share.amax(dim=1, keepdim=True)
+ ranked = share.sort(dim=1, descending=True).values
+     before = ranked.cumsum(dim=1) - ranked
+     number = (before < 1 - min_p).sum(dim=1, keepdim=True)
+     least = ranked.gather(1, number - 1)
@tensorflow
- top = tf.reduce_max(share, axis=1, keepdims=True)
+ ranked = tf.sort(share, axis=1, direction="DESCENDING")
+     before = tf.cumsum(ranked, axis=1, exclusive=True)
+     number = tf.reduce_sum(tf.cast(before < 1 - min_p, tf.int32), 1)
+     top = tf.gather(ranked, number - 1, batch_dims=1)[:, None]
- min_p * top
+ top

All kept tokens get the same. They keep their proportions.
@torch
- share, 0.0)
+ torch.ones_like(share), 0.0)
@tensorflow
- share, 0.0)
+ tf.ones_like(share), 0.0)

You return which tokens are kept. Their probabilities are wanted.
@torch
- kept / kept.sum(dim=1, keepdim=True)
+ share >= least
@tensorflow
- kept / tf.reduce_sum(kept, axis=1, keepdims=True)
+ share >= min_p * top

You return logits. Probabilities are wanted.
@torch
- kept / kept.sum(dim=1, keepdim=True)
+ logits.where(share >= least, -torch.inf)
@tensorflow
- kept / tf.reduce_sum(kept, axis=1, keepdims=True)
+ tf.where(share >= min_p * top, logits, -np.inf)

The kept probabilities are divided by the largest. Divide them by their sum.
- kept.sum(
+ kept.amax(
- tf.reduce_sum(kept
+ tf.reduce_max(kept

You divide by the sum of the whole batch. Each row sums to 1.
- kept.sum(dim=1, keepdim=True)
+ kept.sum()
- tf.reduce_sum(kept, axis=1, keepdims=True)
+ tf.reduce_sum(kept)

You divide by the sums of the columns. Each row sums to 1.
- kept.sum(dim=1, keepdim=True)
+ kept.sum(dim=0)
- tf.reduce_sum(kept, axis=1, keepdims=True)
+ tf.reduce_sum(kept, axis=0)

Every row keeps as many tokens as the row that keeps the most. Each row has its own
number.
@torch
- torch.where(share >= least, share, 0.0)
+ share
-     return
+     most = (share >= least).sum(dim=1).max()
+     kept = torch.where(share >= share.topk(most, dim=1).values[:, -1:], share, 0.0)
+     return
@tensorflow
- tf.where(share >= min_p * top, share, 0.0)
+ share
-     return
+     most = np.count_nonzero(share >= min_p * top, axis=1).max()
+     least = tf.math.top_k(share, most).values[:, -1:]
+     kept = tf.where(share >= least, share, 0.0)
+     return

You compare log-probabilities with `min_p` times the largest. The product is one of
probabilities: with logarithms it becomes a sum.
@torch
- least = min_p * share.amax(dim=1, keepdim=True)
+ least = (min_p * share.log().amax(dim=1, keepdim=True)).exp()
@tensorflow
- min_p * top
+ top**min_p

You divide by the sum of all probabilities, or by that of the dropped ones. Divide by
the sum of those kept.
@torch
- kept.sum(dim=1, keepdim=True)
+ (share - kept).sum(dim=1, keepdim=True)
@tensorflow
- tf.reduce_sum(kept, axis=1, keepdims=True)
+ tf.reduce_sum(share - kept, axis=1, keepdims=True)

What the dropped tokens had is shared out evenly among the kept ones. They keep their
proportions instead.
@torch
- kept / kept.sum(dim=1, keepdim=True)
+ kept + (share >= least) * (1 - kept.sum(1, True)) / (share >= least).sum(1, True)
@tensorflow
- kept / tf.reduce_sum(kept, axis=1, keepdims=True)
+ kept + tf.cast(kept > 0, tf.float32) * (
+         1 - tf.reduce_sum(kept, 1, True)
+     ) / tf.reduce_sum(tf.cast(kept > 0, tf.float32), 1, True)

All your steps run over the batch. They belong to the vocabulary.
@torch
- dim=1
+ dim=0
@tensorflow
- axis=1
+ axis=0

Your probabilities are sorted. Give them in the order of the ids.
@torch
- kept / kept.sum(dim=1, keepdim=True)
+ (kept / kept.sum(dim=1, keepdim=True)).sort(1, descending=True).values
@tensorflow
- kept / tf.reduce_sum(kept, axis=1, keepdims=True)
+ tf.sort(kept / tf.reduce_sum(kept, 1, True), 1, "DESCENDING")

What you drop has a logit of -10, and so a probability. Minus infinity has none.
@torch
- share, 0.0)
+ logits, -10.0)
- kept / kept.sum(dim=1, keepdim=True)
+ torch.softmax(kept, dim=1)
@tensorflow
- share, 0.0)
+ logits, -10.0)
- kept / tf.reduce_sum(kept, axis=1, keepdims=True)
+ tf.nn.softmax(kept, axis=1)

A token with exactly the threshold is dropped. Keep what has at least `min_p` times the
largest probability.
- share >=
+ share >

You compare logits with the largest minus `min_p`. A share of a probability is a
difference of logits by ln `min_p`.
@torch
- least = min_p * share.amax(dim=1, keepdim=True)
+ share, least = logits, logits.amax(dim=1, keepdim=True) - min_p
-     kept = torch.where(share >= least, share, 0.0)
-     return kept / kept.sum(dim=1, keepdim=True)
+     kept = torch.where(share >= least, share, -torch.inf)
+     return torch.softmax(kept, dim=1)
@tensorflow
- kept = tf.where(share >= min_p * top, share, 0.0)
+ top = tf.reduce_max(logits, axis=1, keepdims=True)
+     kept = tf.where(logits >= top - min_p, logits, -np.inf)
- kept / tf.reduce_sum(kept, axis=1, keepdims=True)
+ tf.nn.softmax(kept, axis=1)

Your threshold is `min_p` times the second-largest probability. Take the largest.
@torch
- share.amax(dim=1, keepdim=True)
+ share.topk(2, dim=1).values[:, 1:]
@tensorflow
- tf.reduce_max(share, axis=1, keepdims=True)
+ tf.math.top_k(share, 2).values[:, 1:]

The kept probabilities are divided by their number. Divide them by their sum.
@torch
- kept.sum(dim=1, keepdim=True)
+ (kept > 0).sum(dim=1, keepdim=True)
@tensorflow
- tf.reduce_sum(kept, axis=1, keepdims=True)
+ tf.reduce_sum(tf.cast(kept > 0, tf.float32), 1, True)

What is below the threshold is raised to it. It should become 0.
- share, 0.0)
+ share, least)
@tensorflow
- top = tf
+ least = min_p * tf
- min_p * top
+ least
""",
    reference=reference,
    cases=cases,
)
