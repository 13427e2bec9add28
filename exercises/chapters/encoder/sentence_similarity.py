"""Explore: how alike two sentences are to the real model."""

from exercises.engine.exercise import Exercise
from exercises.engine.minilm import read, tensors

import numpy as np

PAIRS = (
    ("the train was late again", "we waited an hour for the train"),
    ("she plays the violin", "he is learning a new instrument"),
    ("the soup is too salty", "there is a storm over the sea"),
    ("a dog barked all night", "the neighbours could not sleep"),
)


def values(draw):
    one, other = PAIRS[draw.integers(len(PAIRS))]
    return {"one": one, "other": other}


def cosine(a, b):
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def pooled(sentence):
    """What BERT's pooler makes of the first token, for those who take that."""
    kernel, bias = (tensors()[f"pooler.dense.{part}"] for part in ("weight", "bias"))
    return np.tanh(read(sentence).hidden[0] @ kernel.T + bias)


def reference(one, other):
    return cosine(read(one).hidden.mean(0), read(other).hidden.mean(0))


EXERCISE = Exercise(
    title="How alike?",
    kind="explore",
    difficulty=2,
    minutes=15,
    prompt="""
The bundled MiniLM was trained for this: the mean of a sentence's vectors after the last
layer, over all its real tokens with `[CLS]` and `[SEP]`, says what the sentence is
about. What is the cosine of “{{one}}” and “{{other}}”? Three decimals.
""",
    starter="""
similarity = ...  # a number from -1 to 1
""",
    solution={
        "torch": """
from scratch.weights import load_checkpoint

model, tokenizer = load_checkpoint()
model.eval()


def meaning(sentence):
    ids = torch.tensor([tokenizer.encode(sentence)])
    with torch.no_grad():
        hidden, weights = model(ids)
    mean = hidden[0].mean(0)
    return mean / mean.norm()


similarity = float(meaning("{{one}}") @ meaning("{{other}}"))
""",
        "tensorflow": """
from scratch.weights import load_checkpoint

model, tokenizer = load_checkpoint(framework="tensorflow")


def meaning(sentence):
    ids = tf.constant([tokenizer.encode(sentence)])
    hidden, weights = model(ids)
    mean = hidden[0].numpy().mean(0)
    return mean / np.linalg.norm(mean)


similarity = float(meaning("{{one}}") @ meaning("{{other}}"))
""",
    },
    why="""
The two sentences share few words or none, and the model still finds them more or less
alike. Read one at a time, they need no padding. In one batch, the shorter is padded,
and the mean has to leave the padding out: divide the sum of the real vectors by their
number.
""",
    hints=(
        "Encode each sentence by itself: then there is no padding to care about.",
        "`hidden` is (batch, length, d_model). The mean runs over the length.",
        "A cosine is the dot product of the two means, divided by both lengths.",
    ),
    mistakes="""
That is the cosine of the two `[CLS]` vectors. This model was trained with means.
+ from exercises.chapters.encoder.sentence_similarity import cosine
+ from exercises.engine.minilm import read
+ similarity = cosine(read(one).hidden[0], read(other).hidden[0])

That is the cosine of what the pooler puts out. This model was trained with means of the
last layer.
+ from exercises.chapters.encoder.sentence_similarity import cosine, pooled
+ similarity = cosine(pooled(one), pooled(other))

That is a dot product. A cosine divides by both lengths.
+ from exercises.engine.minilm import read
+ means = read(one).hidden.mean(0), read(other).hidden.mean(0)
+ similarity = float(means[0] @ means[1])

`[CLS]` or `[SEP]`, or both, are left out of your means. The model was trained with
them.
+ from exercises.chapters.encoder.sentence_similarity import cosine
+ from exercises.engine.minilm import read
+ means = [read(s).hidden[1:-1].mean(0) for s in (one, other)]
+ similarity = cosine(*means)

You read both as one pair. Each should be read by itself.
+ from exercises.chapters.encoder.sentence_similarity import cosine
+ from exercises.engine.minilm import read
+ pair, first = read(one, other).hidden, len(read(one).hidden)
+ similarity = cosine(pair[:first].mean(0), pair[first:].mean(0))

That is a distance: 1 for nothing in common.
+ similarity = 1 - right
""",
    reference=reference,
    values=values,
    tolerance=0.0004,
    equivalent=dict.fromkeys(
        (
            "mean = hidden[0].sum(0)",
            "mean = hidden[0].numpy().sum(0)",
            "mean = hidden[-1].mean(0)",
            "mean = hidden[-1].numpy().mean(0)",
        ),
        "A cosine asks for the direction only, and the batch has one sentence.",
    ),
)
