"""Build the loss that keeps the experts of a mixture evenly loaded."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    yield np.array([[[0.5, 2.0, 1.0], [0.1, -0.3, 1.5]]]), 1
    for batch, length, experts, chosen in (
        (1, 3, 4, 2),
        (2, 3, 5, 2),
        (3, 2, 6, 3),
        (2, 5, 3, 1),
        (3, 4, 4, 3),
    ):
        scores = 2 * draw.normal(size=(batch, length, experts)) + draw.normal(
            size=experts
        )
        # no two nearly alike: which is larger must not depend on rounding
        yield np.round(scores, 2) + 0.0007 * draw.permutation(experts), chosen


def reference(scores, num_chosen):
    experts = scores.shape[-1]
    tokens = scores.astype(np.float64).reshape(-1, experts)
    load, share = np.zeros(experts), np.zeros(experts)
    for token in tokens:
        load[np.argsort(token)[-num_chosen:]] += 1 / (len(tokens) * num_chosen)
        share += np.exp(token) / np.exp(token).sum() / len(tokens)
    return np.asarray(experts * load @ share)


EXERCISE = Exercise(
    title="An even load",
    kind="build",
    difficulty=3,
    minutes=15,
    prompt=r"""
A router that prefers a few experts leaves the others untrained, and all tokens wait for
the busiest one. The [Switch Transformer](https://arxiv.org/abs/2101.03961) therefore
adds a loss that is 1 where the load is even, and as a rule larger where it isn't:

$$ \text{experts} \cdot \sum_e f_e\, P_e $$

$f_e$ is the fraction of all choices that fell on expert $e$: each token of the batch
chooses the `num_chosen` experts with its highest scores. $P_e$ is the mean over all
tokens of the probability of expert $e$, by a softmax over the scores of **all**
experts. Write this loss.
""",
    solution={
        "torch": '''
def balance_loss(scores, num_chosen):
    """Return a scalar tensor: 1 where the load is even.

    scores (batch, length, experts).
    """
    experts = scores.shape[-1]
    chosen = scores.topk(num_chosen).indices
    load = nn.functional.one_hot(chosen, experts) * 1.0
    load = load.mean((0, 1, 2))  # (experts,)
    share = torch.softmax(scores, dim=-1)
    share = share.mean((0, 1))  # (experts,)
    return experts * (load * share).sum()
''',
        "tensorflow": '''
def balance_loss(scores, num_chosen):
    """Return a scalar tensor: 1 where the load is even.

    scores (batch, length, experts).
    """
    experts = scores.shape[-1]
    chosen = tf.math.top_k(scores, num_chosen).indices
    load = tf.one_hot(chosen, experts)
    load = tf.reduce_mean(load, (0, 1, 2))  # (experts,)
    share = tf.nn.softmax(scores, axis=-1)
    share = tf.reduce_mean(share, (0, 1))  # (experts,)
    return experts * tf.reduce_sum(load * share)
''',
    },
    why="""
One-hot vectors have a 1 for each choice, so their mean over all tokens and all choices
is the fraction of each expert. Counting has no gradient; the probabilities have one.
Each probability is multiplied by the load of its expert, so the gradient lowers the
scores of the busy experts most. The factor makes an even load 1, however many experts
there are: `experts * experts * (1 / experts) ** 2`.
""",
    hints=(
        "Both the load and the mean probabilities are vectors with a number for each "
        "expert, which sum to 1.",
        "`one_hot` of the chosen places is (batch, length, num_chosen, experts). Over "
        "which axes is its mean the load?",
        "The load is the mean over the first three axes; the mean probability is taken "
        "over the first two. Multiply the two vectors, sum, and multiply by the number "
        "of experts.",
    ),
    mistakes="""
Your load is how many of the tokens chose an expert. It is a fraction of all choices,
and a token makes `num_chosen` of them.
- load.mean((0, 1, 2))
+ load.sum(2).mean((0, 1))
- tf.reduce_mean(load, (0, 1, 2))
+ tf.reduce_mean(tf.reduce_sum(load, 2), (0, 1))

The factor is missing, or a mean over the experts takes it away: an even load should
give 1, whatever the number of experts is.
- return experts * (load
+ return (load
- return experts * tf
+ return tf

You took the mean over the experts, and there is no factor. An even load should give 1.
- experts * (load * share).sum()
+ (load * share).mean()
- experts * tf.reduce_sum(load * share)
+ tf.reduce_mean(load * share)

You count the choices. The load is a fraction of them.
- load.mean((0, 1, 2))
+ load.sum((0, 1, 2))
- tf.reduce_mean(load, (0, 1, 2))
+ tf.reduce_sum(load, (0, 1, 2))

You add the probabilities of all tokens. Take their mean.
- share.mean((0, 1))
+ share.sum((0, 1))
- tf.reduce_mean(share, (0, 1))
+ tf.reduce_sum(share, (0, 1))

You use the mean scores. The softmax makes probabilities of them.
- torch.softmax(scores, dim=-1)
+ scores
- tf.nn.softmax(scores, axis=-1)
+ scores

You square the load and leave out the probabilities, so nothing can be learned:
counting has no gradient.
- load * share
+ load * load + 0 * share

You square the probabilities and leave out the load.
- load * share
+ share * share

The softmax is taken over the tokens. The probabilities of one token, over the experts,
must sum to 1.
- torch.softmax(scores, dim=-1)
+ torch.softmax(scores, dim=1)
- tf.nn.softmax(scores, axis=-1)
+ tf.nn.softmax(scores, axis=1)

The softmax is taken over the batch. The probabilities of one token, over the experts,
must sum to 1.
- torch.softmax(scores, dim=-1)
+ torch.softmax(scores, dim=0)
- tf.nn.softmax(scores, axis=-1)
+ tf.nn.softmax(scores, axis=0)

Only each token's best expert counts in your load. A token makes `num_chosen` choices.
- scores.topk(num_chosen)
+ scores.topk(1)
- tf.math.top_k(scores, num_chosen)
+ tf.math.top_k(scores, 1)

Whatever number is asked for, you choose two experts.
- scores.topk(num_chosen)
+ scores.topk(2)
- tf.math.top_k(scores, num_chosen)
+ tf.math.top_k(scores, 2)

You chose the experts with the lowest scores.
- scores.topk(num_chosen)
+ scores.topk(num_chosen, largest=False)
- tf.math.top_k(scores, num_chosen)
+ tf.math.top_k(-scores, num_chosen)

Your probabilities are those of the chosen experts alone, the weights of the mixture.
Take the softmax over the scores of all experts.
@torch
- torch.softmax(scores, dim=-1)
+ scores.gather(-1, chosen).softmax(dim=-1)
+     share = torch.zeros_like(scores).scatter(-1, chosen, share)
@tensorflow
- tf.nn.softmax(scores, axis=-1)
+ tf.nn.softmax(tf.math.top_k(scores, num_chosen).values)
+     share = tf.reduce_sum(share[..., None] * tf.one_hot(chosen, experts), 2)

You multiply load and probability token by token. Take both means first.
@torch
-     load = load.mean((0, 1, 2))  # (experts,)
+     load = load.mean(2)
-     share = share.mean((0, 1))  # (experts,)
+     share = share / len(scores) / scores.shape[1]
@tensorflow
-     load = tf.reduce_mean(load, (0, 1, 2))  # (experts,)
+     load = tf.reduce_mean(load, 2)
-     share = tf.reduce_mean(share, (0, 1))  # (experts,)
+     share = share / len(scores) / scores.shape[1]

Load and probability are added. Multiply them.
- load * share
+ load + share

Your loss has the wrong sign: it would be lowest where one expert gets all tokens.
- return experts *
+ return -experts *

You return a number for each expert. Sum them.
- (load * share).sum()
+ (load * share)
- tf.reduce_sum(load * share)
+ (load * share)

You subtract 1, so that an even load gives 0. Here it gives 1.
- (load * share).sum()
+ (load * share).sum() - 1
- tf.reduce_sum(load * share)
+ tf.reduce_sum(load * share) - 1

You take the softmax of the mean scores. Take the mean of the probabilities.
- share = torch.softmax(scores, dim=-1)
+ share = scores
- share.mean((0, 1))
+ torch.softmax(share.mean((0, 1)), dim=-1)
- share = tf.nn.softmax(scores, axis=-1)
+ share = scores
- tf.reduce_mean(share, (0, 1))
+ tf.nn.softmax(tf.reduce_mean(share, (0, 1)))

You compute a loss for each text and take their mean. The load counts the tokens of the
whole batch.
@torch
- load.mean((0, 1, 2))
+ load.mean((1, 2))
- share.mean((0, 1))
+ share.mean(1)
- (load * share).sum()
+ (load * share).sum(-1).mean()
@tensorflow
- tf.reduce_mean(load, (0, 1, 2))
+ tf.reduce_mean(load, (1, 2))
- tf.reduce_mean(share, (0, 1))
+ tf.reduce_mean(share, 1)
- tf.reduce_sum(load * share)
+ tf.reduce_mean(tf.reduce_sum(load * share, -1))

Your probabilities are sigmoids. They are a softmax over all experts.
- torch.softmax(scores, dim=-1)
+ torch.sigmoid(scores)
- tf.nn.softmax(scores, axis=-1)
+ tf.sigmoid(scores)

You use the logarithms of the probabilities.
- torch.softmax(scores, dim=-1)
+ torch.log_softmax(scores, dim=-1)
- tf.nn.softmax(scores, axis=-1)
+ tf.nn.log_softmax(scores, axis=-1)

That is the load of the busiest expert. Sum over all experts.
- (load * share).sum()
+ load.max()
- tf.reduce_sum(load * share)
+ tf.reduce_max(load)

Your load is the squared distance from an even one. Multiply the load by the mean
probabilities.
- (load * share).sum()
+ ((load - 1 / experts) ** 2).sum()
- tf.reduce_sum(load * share)
+ tf.reduce_sum((load - 1 / experts) ** 2)

The factor is the number of experts, not the number of chosen ones.
- return experts *
+ return num_chosen *

You divide by the number of experts. It is a factor.
- return experts * (load * share).sum()
+ return (load * share).sum() / experts / experts
- return experts * tf.reduce_sum(load * share)
+ return tf.reduce_sum(load * share) / experts / experts

Your load is each expert's mean score where it was chosen. Count the choices.
@torch
- nn.functional.one_hot(chosen, experts) * 1.0
+ nn.functional.one_hot(chosen, experts) * scores[:, :, None]
@tensorflow
- tf.one_hot(chosen, experts)
+ tf.one_hot(chosen, experts) * scores[:, :, None]

Your probabilities are 0 for the experts that were not chosen. Those count, too.
@torch
- torch.softmax(scores, dim=-1)
+ torch.softmax(scores, dim=-1)
+     share = share * nn.functional.one_hot(chosen, experts).sum(2)
@tensorflow
- tf.nn.softmax(scores, axis=-1)
+ tf.nn.softmax(scores, axis=-1)
+     share = share * tf.reduce_sum(tf.one_hot(chosen, experts), 2)

You square the difference of load and probability. Multiply the two.
- load * share
+ (load - share) ** 2

The factor is the number of experts, not its square.
- return experts *
+ return experts**2 *

No gradient leads from your loss back to the scores, so the router would learn nothing
from it: it is a plain number, was computed in NumPy, or a tensor was detached.
@torch
- return experts * (load * share).sum()
+ return float(experts * (load * share).sum())
@tensorflow
- return experts * tf.reduce_sum(load * share)
+ return float(experts * tf.reduce_sum(load * share))
""",
    reference=reference,
    cases=cases,
    learns=True,
    equivalent={
        "load = nn.functional.one_hot(chosen, experts) / 1.0": "It makes floats, too.",
    },
)
