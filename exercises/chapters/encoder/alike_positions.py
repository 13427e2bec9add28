"""Explore: how alike the positions of the real model are after each layer."""

from exercises.engine.exercise import Exercise
from exercises.engine.minilm import MORE_SENTENCES, read

import numpy as np

PAIRS = [(sentence, layers) for layers in (3, 4) for sentence in MORE_SENTENCES]


def values(draw):
    sentence, layers = PAIRS[draw.integers(len(PAIRS))]
    return {"sentence": sentence, "layers": layers}


def cosines(x):
    """Return the cosines of all positions of x (length, d_model) with each other."""
    directions = x / np.linalg.norm(x, axis=1, keepdims=True)
    return directions @ directions.T


def mean_cosine(x):
    """Return the mean cosine of two different positions."""
    return float(cosines(x)[~np.eye(len(x), dtype=bool)].mean())


def reference(sentence, layers):
    return mean_cosine(read(sentence).streams[layers])


EXERCISE = Exercise(
    title="Do the positions of a trained model collapse?",
    kind="explore",
    difficulty=3,
    minutes=20,
    prompt="""
Figure 6.1 measured stacks with random weights. Measure a trained one: give the bundled
MiniLM the sentence “{{sentence}}”, and take the vectors after
**{{layers}}** of its six layers. What is the mean cosine of two **different** positions
there, including `[CLS]` and `[SEP]`? Three decimals.

`load_checkpoint()` from `readymade.weights` returns the model and its tokenizer (in
TensorFlow, `load_checkpoint(framework="tensorflow")`). `tokenizer.encode(text)` gives
the ids, `model.embeddings` takes a batch of them, and each of `model.layers` takes `x`
and returns the new `x` and its attention weights.
""",
    starter="""
similarity = ...  # a number from -1 to 1
""",
    solution={
        "torch": """
from readymade.weights import load_checkpoint

model, tokenizer = load_checkpoint()
model.eval()
ids = torch.tensor([tokenizer.encode("{{sentence}}")])
with torch.no_grad():
    x = model.embeddings(ids)
    for layer in model.layers[:{{layers}}]:
        x, weights = layer(x)
directions = nn.functional.normalize(x[0], dim=1)
cosines = directions @ directions.T
n = len(cosines)
similarity = float((cosines.sum() - n) / (n * n - n))
""",
        "tensorflow": """
from readymade.weights import load_checkpoint

model, tokenizer = load_checkpoint(framework="tensorflow")
ids = tf.constant([tokenizer.encode("{{sentence}}")])
x = model.embeddings(ids)
for layer in list(model.layers)[:{{layers}}]:
    x, weights = layer(x)
directions = tf.math.l2_normalize(x[0], axis=1)
cosines = directions @ tf.transpose(directions)
n = len(cosines)
similarity = float((tf.reduce_sum(cosines) - n) / (n * n - n))
""",
    },
    why="""
Attention takes a mean over all positions and makes them more alike, in every layer for
the sentences of this exercise; the feed-forward network after it makes them less alike
again. Even after the sixth layer of the trained model, the mean cosine stays well below
1 (0.32 to 0.50): the positions remain distinct.
""",
    hints=(
        "Run the embeddings, then as many layers as asked for, starting with the "
        "first.",
        "Divide each vector by its magnitude. The cosines of all pairs are then one "
        "matrix product.",
        "The matrix of n × n cosines has n ones on its diagonal. Take the mean of all "
        "others.",
    ),
    mistakes="""
You counted each position with itself. The ones on the diagonal are not part of
the mean.
+ similarity = float(cosines(read(sentence).streams[layers]).mean())

That is the state after one layer fewer. The embeddings are not a layer.
+ similarity = reference(sentence, layers - 1)

That is the state after one layer more. `[:{{layers}}]` stops after {{layers}}.
+ similarity = reference(sentence, layers + 1)

That is the state after the last layer. Stop after {{layers}} of the six.
+ similarity = reference(sentence, 6)

You left out `[CLS]` and `[SEP]`. They are positions, too.
+ similarity = mean_cosine(read(sentence).streams[layers][1:-1])

The model has read the sentence without `[CLS]` and `[SEP]`. The tokenizer adds them by
itself.
+ similarity = mean_cosine(read(sentence, special_tokens=False).streams[layers])

That is a mean of dot products. Divide each vector by its magnitude first.
+ x = read(sentence).streams[layers]
+ similarity = float((x @ x.T)[~np.eye(len(x), dtype=bool)].mean())

You compared neighbouring positions only. Take all pairs.
+ similarity = float(np.diagonal(cosines(read(sentence).streams[layers]), 1).mean())

That compares `[CLS]` with the other positions only. Take all pairs.
+ similarity = float(cosines(read(sentence).streams[layers])[0, 1:].mean())

You subtracted the ones from the sum, but divided by all n² pairs.
+ n = len(read(sentence).tokens)
+ similarity = right * (n - 1) / n

You compared the dimensions with each other. The positions are the rows of `x`.
+ similarity = mean_cosine(read(sentence).streams[layers].T)

That is a distance, 1 minus the cosine.
+ similarity = 1 - right

That is the sum of the cosines. Divide it by the number of pairs.
+ n = len(read(sentence).tokens)
+ similarity = right * (n * n - n)

That is half of it: you added the pairs above the diagonal, but divided by all n² pairs.
+ n = len(read(sentence).tokens)
+ similarity = right * (n - 1) / n / 2

That is the highest cosine of two positions. Take the mean of all pairs.
+ found = cosines(read(sentence).streams[layers])
+ similarity = float(found[~np.eye(len(found), dtype=bool)].max())

That is the lowest cosine of two positions. Take the mean of all pairs.
+ similarity = float(cosines(read(sentence).streams[layers]).min())

You subtracted the mean vector of the positions first: that is a correlation. Here the
vectors are compared as they are.
+ x = read(sentence).streams[layers]
+ similarity = mean_cosine(x - x.mean(0))

That is half of it: you added the pairs above the diagonal only, but divided by n² − n,
which counts every pair twice.
+ similarity = right / 2
""",
    reference=reference,
    values=values,
    book={"sentence": "we walked home in the rain", "layers": 1},
    tolerance=0.0006,
    equivalent={
        "directions = nn.functional.normalize(x[-1], dim=1)": "One sentence only.",
        "directions = tf.math.l2_normalize(x[-1], axis=1)": "One sentence only.",
    },
)
