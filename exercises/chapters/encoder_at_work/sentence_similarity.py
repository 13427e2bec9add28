"""Explore: how similar two sentences are to the real model."""

from exercises.engine.exercise import Exercise
from exercises.engine.minilm import read, tensors

import numpy as np

# The other is always the longer: in one batch, the first is padded.
ONE = (
    "the bread is still warm",
    "he lost his keys",
    "the train was late again",
    "the garden needs water",
    "her phone is broken",
    "the cat is hungry",
    "the concert was wonderful",
    "the lake is frozen",
    "the shop is closed",
    "my tooth hurts",
)
OTHER = (
    "my grandmother baked it this morning in her old oven",
    "she found them under the sofa when she cleaned the room",
    "we waited an hour on the platform because nobody knew when it would come",
    "it has not rained for three weeks and the roses are turning brown",
    "it fell into the sink while she was washing the dishes",
    "it sat beside its empty bowl and waited for someone to come home",
    "the audience stood up and clapped until the orchestra played again",
    "the children skated across it every day after school until march",
)
# Pairs of which a mistake below gives the right cosine by chance.
BY_CHANCE = (
    *((0, 6), (1, 0), (3, 1), (3, 4), (4, 3), (4, 6), (5, 1), (5, 4), (5, 5)),
    *((6, 2), (6, 7), (7, 3), (7, 6), (7, 7)),
    *((8, 0), (8, 2), (8, 3), (8, 6), (8, 7), (9, 0)),
)
PAIRS = [
    (one, other)
    for i, one in enumerate(ONE)
    for j, other in enumerate(OTHER)
    if (i, j) not in BY_CHANCE
]


def values(draw):
    one, other = PAIRS[draw.integers(len(PAIRS))]
    return {"one": one, "other": other}


def cosine(a, b):
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def padded(one, other):
    """Return what the model puts out for the first in one batch with the second."""
    return read(one, padding=len(read(other).tokens) - len(read(one).tokens)).hidden


def pooled(sentence):
    """Return what BERT's pooler makes of the first token."""
    kernel, bias = (tensors()[f"pooler.dense.{part}"] for part in ("weight", "bias"))
    return np.tanh(read(sentence).hidden[0] @ kernel.T + bias)


def reference(one, other):
    return cosine(read(one).hidden.mean(0), read(other).hidden.mean(0))


EXERCISE = Exercise(
    title="How similar are they?",
    kind="explore",
    difficulty=2,
    minutes=15,
    prompt="""
Compute two sentence vectors with the bundled MiniLM: the mean over the real tokens,
including `[CLS]` and `[SEP]`. What is the cosine of “{{one}}” and “{{other}}”? Three
decimals.
""",
    starter="""
similarity = ...  # a number from -1 to 1
""",
    solution={
        "torch": """
from readymade.weights import load_checkpoint

model, tokenizer = load_checkpoint()
model.eval()


def meaning(sentence):
    ids = torch.tensor([tokenizer.encode(sentence)])
    with torch.no_grad():
        hidden, weights = model(ids)
    mean = hidden[0].mean(0)
    return mean / mean.norm()


one = meaning("{{one}}")
other = meaning("{{other}}")
similarity = float(one @ other)
""",
        "tensorflow": """
from readymade.weights import load_checkpoint

model, tokenizer = load_checkpoint(framework="tensorflow")


def meaning(sentence):
    ids = tf.constant([tokenizer.encode(sentence)])
    hidden, weights = model(ids)
    mean = hidden[0].numpy().mean(0)
    return mean / np.linalg.norm(mean)


one = meaning("{{one}}")
other = meaning("{{other}}")
similarity = float(one @ other)
""",
    },
    why="""
Encoded one at a time, the sentences have no padding, so a plain mean is right. In a
common batch, the shorter one is padded, and its mean has to leave the padding out:
divide the sum of the real vectors by their number.
""",
    hints=(
        "Encode each sentence by itself. Then there is no padding to leave out.",
        "`hidden` is (batch, length, d_model). The mean runs over the length.",
        "A cosine is the dot product of the two means, divided by both norms.",
    ),
    mistakes="""
You encoded both in one batch, and the mean of the shorter one includes its padding.
+ similarity = cosine(padded(one, other).mean(0), read(other).hidden.mean(0))

That is the cosine of the two `[CLS]` vectors. This model was trained with means.
+ similarity = cosine(read(one).hidden[0], read(other).hidden[0])

That is the cosine of the pooler's outputs. This model was trained with means of the
last layer.
+ similarity = cosine(pooled(one), pooled(other))

That is a dot product. A cosine divides by both norms.
+ means = read(one).hidden.mean(0), read(other).hidden.mean(0)
+ similarity = float(means[0] @ means[1])

`[CLS]` and `[SEP]` are left out of your means. The model was trained with them.
+ means = [read(s).hidden[1:-1].mean(0) for s in (one, other)]
+ similarity = cosine(*means)

`[CLS]` is left out of your means. The model was trained with it.
+ means = [read(s).hidden[1:].mean(0) for s in (one, other)]
+ similarity = cosine(*means)

`[SEP]` is left out of your means. The model was trained with it.
+ means = [read(s).hidden[:-1].mean(0) for s in (one, other)]
+ similarity = cosine(*means)

The model has read the sentences without `[CLS]` and `[SEP]`. The tokenizer adds them by
itself.
+ means = [read(s, special_tokens=False).hidden.mean(0) for s in (one, other)]
+ similarity = cosine(*means)

You encoded both as one pair. Encode each by itself.
+ pair, first = read(one, other).hidden, len(read(one).hidden)
+ similarity = cosine(pair[:first].mean(0), pair[first:].mean(0))

That is the cosine of the embeddings' means. Take the output of the last layer.
+ similarity = cosine(*(read(s).streams[0].mean(0) for s in (one, other)))

That is max pooling. This model was trained with means.
+ similarity = cosine(*(read(s).hidden.max(0) for s in (one, other)))

That is the layer before the last. Take the output of the last.
+ similarity = cosine(*(read(s).streams[5].mean(0) for s in (one, other)))

That is the mean of the cosines of all pairs of tokens. Take the cosine of the means.
+ pairs = [(a, b) for a in read(one).hidden for b in read(other).hidden]
+ similarity = sum(cosine(a, b) for a, b in pairs) / len(pairs)

That is a distance, 1 minus the cosine.
+ similarity = 1 - right

That is the distance of the two vectors of norm 1, not their cosine.
+ similarity = math.sqrt(2 - 2 * right)

That is an angle. Its cosine is wanted.
+ similarity = math.acos(right)

That is an angle in degrees. Its cosine is wanted.
+ similarity = math.degrees(math.acos(right))

That is the cosine of the two `[SEP]` vectors. This model was trained with means.
+ similarity = cosine(read(one).hidden[-1], read(other).hidden[-1])

That is the distance of the two means as they are, not their cosine.
+ means = read(one).hidden.mean(0), read(other).hidden.mean(0)
+ similarity = float(np.linalg.norm(means[0] - means[1]))
""",
    reference=reference,
    values=values,
    book={"one": ONE[2], "other": OTHER[2]},
    tolerance=0.0006,
    equivalent=dict.fromkeys(
        (
            "mean = hidden[0].sum(0)",
            "mean = hidden[0].numpy().sum(0)",
            "mean = hidden[-1].mean(0)",
            "mean = hidden[-1].numpy().mean(0)",
        ),
        "A cosine depends on the direction only, and the batch has one sentence.",
    ),
)
