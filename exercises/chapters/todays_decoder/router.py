"""Build the router of a mixture of experts: softmax over the best few."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    yield np.array([[[0.5, 2.0, 1.0]]]), 2
    for batch, length, experts, chosen in (
        (1, 2, 3, 1),
        (1, 3, 4, 2),
        (2, 3, 5, 2),
        (3, 2, 6, 3),
        (2, 4, 3, 3),
    ):
        scores = 2 * draw.normal(size=(batch, length, experts))
        # no two nearly alike: which is larger must not depend on rounding
        yield np.round(scores, 2) + 0.003 * draw.permutation(experts), chosen


def reference(scores, num_chosen):
    weights = np.zeros(scores.shape)
    for at in np.ndindex(scores.shape[:-1]):
        best = np.argsort(scores[at])[-num_chosen:]
        shares = np.exp(scores[at][best] - scores[at].max())
        weights[at][best] = shares / shares.sum()
    return weights


EXERCISE = Exercise(
    title="The best few experts",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt="""
In a mixture of experts, a layer has several feed-forward networks, the experts, and a
router decides which of them compute a token. A linear layer gives every token one score
for each expert; only the `num_chosen` experts with the highest scores are used, and the
softmax is taken over **their** scores alone. All other experts have the weight 0.
(Mixtral chooses 2 of 8.)

Write the router: from the scores to the weights.
""",
    solution={
        "torch": '''
def route(scores, num_chosen):
    """Return the weight of each expert for each token.

    scores and the result (batch, length, experts).
    """
    best, chosen = scores.topk(num_chosen)
    shares = torch.softmax(best, dim=-1)
    weights = torch.zeros_like(scores)
    return weights.scatter(-1, chosen, shares)
''',
        "tensorflow": '''
def route(scores, num_chosen):
    """Return the weight of each expert for each token.

    scores and the result (batch, length, experts).
    """
    best, chosen = tf.math.top_k(scores, num_chosen)
    shares = tf.nn.softmax(best)[..., None]
    where = tf.one_hot(chosen, scores.shape[-1])
    return tf.reduce_sum(where * shares, axis=-2)
''',
    },
    why="""
`topk` returns the highest scores of each token and their places. The softmax is taken
over these few, and its results go back to their places. (Setting all other scores to −∞
before an ordinary softmax gives the same.) A token's cost depends on how many experts
are chosen, not on how many there are: the model has many more parameters than it uses
for any one token.
""",
    hints=(
        "`scores.topk(k)` and `tf.math.top_k(scores, k)` return the highest scores and "
        "their places.",
        "Take the softmax over the highest scores only, so that it has `num_chosen` "
        "entries.",
        "To put them back, use `scatter` on zeros in PyTorch, and in TensorFlow a sum "
        "of `tf.one_hot(places, experts)` times the shares.",
    ),
    mistakes="""
The weights of a token don't sum to 1: you took the softmax over all experts, and then
removed the others. Take it over the chosen ones.
@torch
- torch.softmax(best, dim=-1)
+ torch.softmax(scores, dim=-1).topk(num_chosen)[0]
@tensorflow
- tf.nn.softmax(best)[..., None]
+ tf.math.top_k(tf.nn.softmax(scores), num_chosen)[0][..., None]

You took the softmax over all experts and kept them all.
@torch
- weights.scatter(-1, chosen, shares)
+ torch.softmax(scores, dim=-1)
@tensorflow
- tf.reduce_sum(where * shares, axis=-2)
+ tf.nn.softmax(scores)

You chose the experts with the lowest scores.
- scores.topk(num_chosen)
+ scores.topk(num_chosen, largest=False)
@tensorflow
-     best, chosen = tf.math.top_k(scores, num_chosen)
+     best, chosen = tf.math.top_k(-scores, num_chosen)
+     best = -best

The chosen experts have equal weights. The softmax of their scores is wanted.
- torch.softmax(best, dim=-1)
+ torch.ones_like(best) / num_chosen
- tf.nn.softmax(best)[..., None]
+ tf.ones_like(best)[..., None] / num_chosen

Each chosen expert has the weight 1. The softmax of their scores is wanted.
- torch.softmax(best, dim=-1)
+ torch.ones_like(best)
- tf.nn.softmax(best)[..., None]
+ tf.ones_like(best)[..., None]

The weights are the sigmoids of the scores, as in some newer models. Here they are a
softmax over the chosen ones.
- torch.softmax(best, dim=-1)
+ torch.sigmoid(best)
- tf.nn.softmax(best)[..., None]
+ tf.sigmoid(best)[..., None]

The weights are sigmoids divided by their sum. Here they are a softmax over the chosen
scores.
@torch
- torch.softmax(best, dim=-1)
+ torch.sigmoid(best) / torch.sigmoid(best).sum(-1, keepdim=True)
@tensorflow
- tf.nn.softmax(best)[..., None]
+ (tf.sigmoid(best) / tf.reduce_sum(tf.sigmoid(best), -1, True))[..., None]

You return the chosen scores themselves, without a softmax.
- torch.softmax(best, dim=-1)
+ best
- tf.nn.softmax(best)[..., None]
+ best[..., None]

The chosen scores are divided by their sum. A softmax takes their exponentials first.
- torch.softmax(best, dim=-1)
+ best / best.sum(-1, keepdim=True)
- tf.nn.softmax(best)[..., None]
+ (best / tf.reduce_sum(best, -1, True))[..., None]

These are exponentials that are not divided by their sum.
- torch.softmax(best, dim=-1)
+ torch.exp(best)
- tf.nn.softmax(best)[..., None]
+ tf.exp(best)[..., None]

Whatever number is asked for, you choose two experts.
- scores.topk(num_chosen)
+ scores.topk(2)
- tf.math.top_k(scores, num_chosen)
+ tf.math.top_k(scores, 2)

Only one expert is used for each token, the best.
- scores.topk(num_chosen)
+ scores.topk(1)
- tf.math.top_k(scores, num_chosen)
+ tf.math.top_k(scores, 1)

The weights stand in the order of the scores, the highest first. Each belongs at its
expert's place.
@torch
- weights.scatter(-1, chosen, shares)
+ nn.functional.pad(shares, (0, scores.shape[-1] - num_chosen))
@tensorflow
- tf.reduce_sum(where * shares, axis=-2)
+ tf.pad(shares[..., 0], [[0, 0], [0, 0], [0, scores.shape[-1] - num_chosen]])

You return the weights of the chosen experts alone. The others need their zeros.
- weights.scatter(-1, chosen, shares)
+ shares
- tf.reduce_sum(where * shares, axis=-2)
+ shares[..., 0]

The chosen experts have each other's weights: the higher score should get the larger
weight.
@torch
- torch.softmax(best, dim=-1)
+ torch.softmax(best, dim=-1).flip(-1)
@tensorflow
- tf.nn.softmax(best)[..., None]
+ tf.nn.softmax(best)[..., ::-1, None]

The lower score gets the larger weight: is there a minus in your softmax?
- torch.softmax(best, dim=-1)
+ torch.softmax(-best, dim=-1)
- tf.nn.softmax(best)[..., None]
+ tf.nn.softmax(-best)[..., None]

The softmax is taken over the tokens. The weights of one token, over its experts, must
sum to 1.
- torch.softmax(best, dim=-1)
+ torch.softmax(best, dim=1)
- tf.nn.softmax(best)[..., None]
+ tf.nn.softmax(best, axis=1)[..., None]

The softmax is taken over the batch. The weights of one token, over its experts, must
sum to 1.
- torch.softmax(best, dim=-1)
+ torch.softmax(best, dim=0)
- tf.nn.softmax(best)[..., None]
+ tf.nn.softmax(best, axis=0)[..., None]

The scores of the other experts are set to 0, not to −∞, before the softmax, so these
experts keep a weight.
@torch
- weights.scatter(-1, chosen, shares)
+ torch.softmax(weights.scatter(-1, chosen, best), dim=-1)
@tensorflow
- tf.reduce_sum(where * shares, axis=-2)
+ tf.nn.softmax(tf.reduce_sum(where * best[..., None], axis=-2))

The softmax is taken twice.
@torch
- torch.softmax(best, dim=-1)
+ torch.softmax(torch.softmax(best, dim=-1), dim=-1)
@tensorflow
- tf.nn.softmax(best)[..., None]
+ tf.nn.softmax(tf.nn.softmax(best))[..., None]

The softmax of all experts' weights is taken once more over the chosen ones. It belongs
to their scores.
@torch
- torch.softmax(best, dim=-1)
+ torch.softmax(torch.softmax(scores, dim=-1).topk(num_chosen)[0], dim=-1)
@tensorflow
- tf.nn.softmax(best)[..., None]
+ tf.nn.softmax(tf.math.top_k(tf.nn.softmax(scores), num_chosen)[0])[..., None]

All tokens use the same experts, those of the first one. Each token has its own.
@torch
-     shares = torch
+     chosen = chosen[:1, :1].expand_as(chosen)
+     best = scores.gather(-1, chosen)
+     shares = torch
@tensorflow
-     shares = tf
+     chosen = tf.zeros_like(chosen) + chosen[:1, :1]
+     best = tf.gather(scores, chosen, batch_dims=2)
+     shares = tf

You choose tokens for each expert. Choose experts for each token.
@torch
-     best, chosen = scores.topk(num_chosen)
+     best, chosen = scores.topk(num_chosen, dim=1)
-     shares = torch.softmax(best, dim=-1)
+     shares = torch.softmax(best, dim=1)
- weights.scatter(-1,
+ weights.scatter(1,
@tensorflow
-     best, chosen = tf.math.top_k(scores, num_chosen)
+     columns = tf.transpose(scores, (0, 2, 1))
+     best, chosen = tf.math.top_k(columns, num_chosen)
- tf.one_hot(chosen, scores.shape[-1])
+ tf.one_hot(chosen, scores.shape[1])
- tf.reduce_sum(where * shares, axis=-2)
+ tf.transpose(tf.reduce_sum(where * shares, axis=-2), (0, 2, 1))

You choose one expert too many.
- scores.topk(num_chosen)
+ scores.topk(min(num_chosen + 1, scores.shape[-1]))
- tf.math.top_k(scores, num_chosen)
+ tf.math.top_k(scores, min(num_chosen + 1, scores.shape[-1]))

The last of the chosen experts is lost: you keep the scores above its score, without it.
@torch
- weights.scatter(-1, chosen, shares)
+ torch.softmax(scores.masked_fill(scores <= best[..., -1:], -1e9), dim=-1)
@tensorflow
- tf.reduce_sum(where * shares, axis=-2)
+ tf.nn.softmax(tf.where(scores > best[..., -1:], scores, -1e9))

Your index writes to the chosen experts of all tokens. Use `scatter` along the last
axis.
@torch
-     return weights.scatter(-1, chosen, shares)
+     weights[..., chosen] = shares
+     return weights

All weights together sum to 1. Those of each token should.
@torch
- torch.softmax(best, dim=-1)
+ torch.exp(best) / torch.exp(best).sum()
@tensorflow
- tf.nn.softmax(best)[..., None]
+ (tf.exp(best) / tf.reduce_sum(tf.exp(best)))[..., None]

The chosen experts get the weights of the first experts: take the softmax over the
chosen scores.
@torch
- torch.softmax(best, dim=-1)
+ torch.softmax(scores, dim=-1)
@tensorflow
- tf.nn.softmax(best)[..., None]
+ tf.nn.softmax(scores)[..., :num_chosen, None]

These are the logarithms of the weights.
- torch.softmax(best, dim=-1)
+ torch.log_softmax(best, dim=-1)
- tf.nn.softmax(best)[..., None]
+ tf.nn.log_softmax(best)[..., None]

You chose the largest absolute values. A score far below 0 means that an expert is not
wanted.
@torch
- scores.topk(num_chosen)
+ scores.abs().topk(num_chosen)
@tensorflow
- tf.math.top_k(scores, num_chosen)
+ tf.math.top_k(abs(scores), num_chosen)

The weights go through a second softmax over all experts, so that none of them is 0.
@torch
- weights.scatter(-1, chosen, shares)
+ torch.softmax(weights.scatter(-1, chosen, shares), dim=-1)
@tensorflow
- tf.reduce_sum(where * shares, axis=-2)
+ tf.nn.softmax(tf.reduce_sum(where * shares, axis=-2))

Experts that were not chosen have −∞. Their weight is 0.
@torch
- torch.zeros_like(scores)
+ torch.full_like(scores, -math.inf)
@tensorflow
- tf.reduce_sum(where * shares, axis=-2)
+ tf.math.log(tf.reduce_sum(where * tf.exp(shares), axis=-2))

You multiply the scores of the chosen experts by their weights. Return the weights
alone.
@torch
- weights.scatter(-1, chosen, shares)
+ weights.scatter(-1, chosen, shares) * scores
@tensorflow
- tf.reduce_sum(where * shares, axis=-2)
+ tf.reduce_sum(where * shares, axis=-2) * scores

The first experts are chosen, whatever their scores. Which are the highest?
@torch
-     shares = torch
+     chosen = torch.zeros_like(chosen) + torch.arange(num_chosen)
+     best = scores.gather(-1, chosen)
+     shares = torch
@tensorflow
-     shares = tf
+     chosen = tf.zeros_like(chosen) + tf.range(num_chosen)
+     best = tf.gather(scores, chosen, batch_dims=2)
+     shares = tf

You divide the chosen scores by the sum of their absolute values. A softmax takes their
exponentials first.
@torch
- weights.scatter(-1, chosen, shares)
+ weights.scatter(-1, chosen, best / best.abs().sum(-1, keepdim=True))
@tensorflow
- tf.reduce_sum(where * shares, axis=-2)
+ tf.reduce_sum(where * (best / tf.norm(best, 1, 2, True))[..., None], axis=2)

The weights go back along the positions. The experts are the last axis.
@torch
- weights.scatter(-1,
+ weights.scatter(1,
@tensorflow
- tf.reduce_sum(where * shares, axis=-2)
+ tf.reduce_sum(where * shares, axis=1)

The other experts took part in the softmax with a score of 0, and were removed
afterwards.
@torch
- weights.scatter(-1, chosen, shares)
+ torch.softmax(weights.scatter(-1, chosen, best), -1)
+     return weights * torch.zeros_like(scores).scatter(-1, chosen, 1.0)
-     return torch
+     weights = torch
@tensorflow
- return tf.reduce_sum(where * shares, axis=-2)
+ weights = tf.nn.softmax(tf.reduce_sum(where * best[..., None], axis=-2))
+     return weights * tf.reduce_sum(where, axis=-2)
""",
    reference=reference,
    cases=cases,
    equivalent={
        "return tf.reduce_sum(where * shares, axis=+2)": "There are four axes.",
    },
)
