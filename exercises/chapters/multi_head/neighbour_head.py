"""Explore: find the head of the real model that looks two tokens aside."""

from exercises.engine.exercise import Exercise
from exercises.engine.minilm import MORE_SENTENCES, read

import numpy as np

# In these the head is in layer 0, or layer and head are the same number.
BY_CHANCE = (
    ("all the shops were closed on sunday", -2),
    ("he bought bread and cheese for lunch", 2),
    ("her brother plays the piano very well", 2),
    ("the teacher asked a hard question", -2),
)
TASKS = [
    (sentence, step)
    for sentence in MORE_SENTENCES
    for step in (-2, 2)
    if (sentence, step) not in BY_CHANCE
]


def values(draw):
    return task(*TASKS[draw.integers(len(TASKS))])


def task(sentence, step):
    return {
        "sentence": sentence,
        "side": "before" if step < 0 else "after",
        "step": step,
    }


def best(shares):
    """Return layer, head and share of the head with the largest of (layers, heads)."""
    layer, head = np.unravel_index(shares.argmax(), shares.shape)
    return np.array([layer, head, shares.max()])


def reference(sentence, side, step):
    attentions = read(sentence).attentions  # (layers, heads, queries, keys)
    return best(np.diagonal(attentions, step, axis1=2, axis2=3).mean(-1))


EXERCISE = Exercise(
    title="Two positions away",
    kind="explore",
    difficulty=2,
    minutes=15,
    prompt="""
Load MiniLM with `load_checkpoint` from `readymade.weights` (for TensorFlow, pass
`framework="tensorflow"`) and give it the sentence “{{sentence}}”. For each of its 72
heads, take the weight that each query gives to the token **two positions {{side}}** it.
Average it over all queries that have such a token, `[CLS]` and `[SEP]` included. Which
head has the largest mean, in which layer, and how large is that mean? Count layers and
heads from 0, and give the mean to three decimals.
""",
    starter="""
head_and_mean = ...  # layer, head, mean: (5, 11, 0.123)
""",
    solution={
        "torch": """
from readymade.weights import load_checkpoint

model, tokenizer = load_checkpoint()
model.eval()
ids = torch.tensor([tokenizer.encode("{{sentence}}")])
with torch.no_grad():
    hidden, weights = model(ids)
weights = torch.stack(weights)[:, 0]  # (layers, heads, queries, keys)
means = weights.diagonal({{step}}, dim1=2, dim2=3).mean(-1)
layer, head = divmod(int(means.argmax()), means.shape[1])
head_and_mean = (layer, head, float(means.max()))
""",
        "tensorflow": """
from readymade.weights import load_checkpoint

model, tokenizer = load_checkpoint(framework="tensorflow")
ids = tf.constant([tokenizer.encode("{{sentence}}")])
hidden, weights = model(ids)
weights = np.stack(weights)[:, 0]  # (layers, heads, queries, keys)
means = weights.diagonal({{step}}, axis1=2, axis2=3).mean(-1)
layer, head = divmod(int(means.argmax()), means.shape[1])
head_and_mean = (layer, head, float(means.max()))
""",
    },
    why="""
The weights for the token two positions {{side}} a query form a diagonal of each matrix
of weights, two away from the main one. Even the best head has a mean far below 1, so in
this sentence no head is devoted to this position as one is to the previous token.
""",
    hints=(
        "`hidden, weights = model(ids)`: the weights are one tensor (batch, heads, "
        "queries, keys) for each layer.",
        "In a matrix of queries by keys, where are the weights for the token two "
        "positions {{side}} each query?",
        "Compute the mean of that diagonal for every head, and look for the largest.",
    ),
    mistakes="""
Layers and heads are counted from 0, as in the tensors. You counted from 1.
+ head_and_mean = right + [1, 1, 0]

The head and the mean are right. The first layer is layer 0.
+ head_and_mean = right + [1, 0, 0]

The layer and the mean are right. The first head is head 0.
+ head_and_mean = right + [0, 1, 0]

The layer and the head are right. The mean is a number between 0 and 1, not a
percentage.
+ head_and_mean = right * [1, 1, 100]

That is the weight of each token for itself: the main diagonal.
+ head_and_mean = reference(sentence, side, 0)

That head attends to the next position on the other side. Which diagonal is two
positions {{side}}?
+ head_and_mean = reference(sentence, side, -step // 2)

That head attends four positions away.
+ head_and_mean = reference(sentence, side, 2 * step)

That head attends three positions away.
+ head_and_mean = reference(sentence, side, step // 2 * 3)

The layer comes first, then the head.
+ head_and_mean = right[[1, 0, 2]]

That head attends to the other side. Are the queries your rows?
+ head_and_mean = reference(sentence, side, -step)

That head attends to the next position on that side. Which diagonal is two positions
{{side}}?
+ head_and_mean = reference(sentence, side, step // 2)

You left out `[CLS]` and `[SEP]` as queries. Here they count.
+ weights = read(sentence).attentions
+ means = np.diagonal(weights[:, :, 1:-1], step + 1, 2, 3).mean(-1)
+ head_and_mean = best(means)

You cut `[CLS]` and `[SEP]` off, as queries and as keys. Here they count.
+ weights = read(sentence).attentions
+ weights = weights[:, :, 1:-1, 1:-1]
+ means = np.diagonal(weights, step, 2, 3).mean(-1)
+ head_and_mean = best(means)

That is the head with the smallest mean. The largest is asked for.
+ means = np.diagonal(read(sentence).attentions, step, 2, 3).mean(-1)
+ head_and_mean = best(-means) * [1, 1, -1]

You counted how often that token gets the largest weight. What is the mean of the
weights?
+ weights = read(sentence).attentions
+ largest = weights == weights.max(-1, keepdims=True)
+ head_and_mean = best(np.diagonal(largest, step, 2, 3).mean(-1))

You divided by the number of tokens, but two of them have no token there.
+ weights = read(sentence).attentions
+ means = np.diagonal(weights, step, 2, 3).sum(-1)
+ head_and_mean = best(means / weights.shape[2])

That is the largest single weight, not the largest mean.
+ weights = read(sentence).attentions
+ head_and_mean = best(np.diagonal(weights, step, 2, 3).max(-1))

That is the head's index among all 72. Give its layer, and its index in that layer.
+ head_and_mean = [0, 12 * right[0] + right[1], right[2]]

Your tokens lack `[CLS]` and `[SEP]`. The tokenizer's `encode` adds them.
+ weights = read(sentence, special_tokens=False).attentions
+ head_and_mean = best(np.diagonal(weights, step, 2, 3).mean(-1))

That is the sum of the weights, not their mean.
+ weights = read(sentence).attentions
+ head_and_mean = best(np.diagonal(weights, step, 2, 3).sum(-1))

You looked at the last layer only. The model has six.
+ means = np.diagonal(read(sentence).attentions, step, 2, 3).mean(-1)
+ head_and_mean = best(means[5:]) + [5, 0, 0]

You looked at the first layer only. The model has six.
+ means = np.diagonal(read(sentence).attentions, step, 2, 3).mean(-1)
+ head_and_mean = best(means[:1])
""",
    reference=reference,
    values=values,
    book=task("she sells sea shells by the shore", 2),
    tolerance=0.0006,
    equivalent=dict.fromkeys(
        (
            "weights = torch.stack(weights)[:, -1]  # (layers, heads, queries, keys)",
            "weights = np.stack(weights)[:, -1]  # (layers, heads, queries, keys)",
        ),
        "There is one sentence only.",
    ),
)
