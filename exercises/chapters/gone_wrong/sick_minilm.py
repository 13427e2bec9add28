"""Explore: how far padding that is not masked moves the real model's vector."""

from exercises.engine.exercise import Exercise
from exercises.engine.minilm import SENTENCES, read

import numpy as np


def values(draw):
    return {
        "sentence": SENTENCES[draw.integers(len(SENTENCES))],
        # With 20, "the cat sat on the mat" has the same cosine without [CLS].
        "padding": int(draw.integers(5, 20)),
    }


def likeness(one, other):
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def unmasked(sentence, padding):
    """Return the vectors (length + padding, 384) of a model that sees the padding."""
    text = f"[CLS] {sentence} [SEP]" + " [PAD]" * padding
    return read(text, special_tokens=False).hidden


def reference(sentence, padding):
    healthy = read(sentence).hidden
    sick = unmasked(sentence, padding)[: len(healthy)]
    return likeness(healthy.mean(0), sick.mean(0))


A_SUM = "A cosine does not depend on how long a vector is."
ONE_ROW = "The batch has one row."
SPREAD = "A mask that is True everywhere is broadcast from any shape."
SYMMETRIC = "A cosine is symmetric."

EXERCISE = Exercise(
    title="MiniLM without a mask",
    kind="explore",
    difficulty=3,
    minutes=20,
    prompt="""
A program pads the sentence “{{sentence}}” with **{{padding}}** padding tokens (id 0)
behind `[SEP]`, and forgets the mask, so every token attends to all of them. How similar
is the sentence vector to the right one, without any padding? Both vectors are means
over the sentence's real tokens, including `[CLS]` and `[SEP]`. Give the cosine
similarity to four decimals.

Without a mask, our encoder finds the padding by itself. To make it see everything, give
it an `attention_mask` of shape (1, 1, 1, length) that is `True` everywhere.
""",
    starter="""
cosine = ...  # a number from -1 to 1
""",
    solution={
        "torch": """
from readymade.weights import load_checkpoint

model, tokenizer = load_checkpoint()
model.eval()
ids = tokenizer.encode("{{sentence}}")
padded = torch.tensor([ids + [0] * {{padding}}])
everything = torch.ones(1, 1, 1, padded.shape[1], dtype=torch.bool)
with torch.no_grad():
    healthy = model(torch.tensor([ids]))[0][0].mean(0)
    hidden = model(padded, everything)[0][0]
sick = hidden[: len(ids)].mean(0)
cosine = float(torch.cosine_similarity(healthy, sick, dim=0))
""",
        "tensorflow": """
from readymade.weights import load_checkpoint

model, tokenizer = load_checkpoint(framework="tensorflow")
ids = tokenizer.encode("{{sentence}}")
padded = tf.constant([ids + [0] * {{padding}}])
everything = tf.ones((1, 1, 1, padded.shape[1]), tf.bool)
healthy = tf.reduce_mean(model(tf.constant([ids]))[0][0], 0)
hidden = model(padded, everything)[0][0]
sick = tf.reduce_mean(hidden[: len(ids)], 0)
product = tf.reduce_sum(healthy * sick)
cosine = float(product / (tf.norm(healthy) * tf.norm(sick)))
""",
    },
    why="""
Every query spends part of its attention on the padding, which means nothing, so all
vectors move. The more padding, the further: the same sentence gets one vector in a
short batch and another in a long one. The program still works, and still finds similar
sentences; only a comparison with the right vector shows the mistake.
""",
    hints=(
        "First compute the vector of the sentence alone.",
        "Append {{padding}} zeros to the ids, and pass the model a mask of `True`.",
        "Average the vectors of the real tokens only, in both cases.",
    ),
    mistakes="""
A cosine of 1 means that the mask was there. Did you pass one that is True everywhere?
+ cosine = 1 - 1e-9

Your mean includes the vectors at the padding. Average the real tokens only.
+ one, other = read(sentence).hidden, unmasked(sentence, padding)
+ cosine = likeness(one.mean(0), other.mean(0))

That is 1 minus the cosine, the cosine distance.
+ cosine = 1 - right

That is the cosine of the vectors of `[CLS]`. Take the mean over the real tokens.
+ cosine = likeness(read(sentence).hidden[0], unmasked(sentence, padding)[0])

That is the cosine of the vectors of `[SEP]`. Take the mean over the real tokens.
+ one = read(sentence).hidden
+ cosine = likeness(one[-1], unmasked(sentence, padding)[len(one) - 1])

That is the mean over the words only. `[CLS]` and `[SEP]` are tokens, too.
+ one = read(sentence).hidden
+ other = unmasked(sentence, padding)[: len(one)]
+ cosine = likeness(one[1:-1].mean(0), other[1:-1].mean(0))

That is the mean over the padding. Average the vectors of the real tokens.
+ one = read(sentence).hidden
+ cosine = likeness(one.mean(0), unmasked(sentence, padding)[len(one) :].mean(0))

The model has read the sentence without `[CLS]` and `[SEP]`. The tokenizer adds them by
itself.
+ one = read(sentence, special_tokens=False).hidden
+ text = sentence + " [PAD]" * padding
+ other = read(text, special_tokens=False).hidden[: len(one)]
+ cosine = likeness(one.mean(0), other.mean(0))

The padding stands before `[SEP]`. It comes behind it.
+ one = read(sentence).hidden
+ text = sentence + " [PAD]" * padding
+ other = read(text).hidden
+ kept = np.concatenate([other[: len(one) - 1], other[-1:]])
+ cosine = likeness(one.mean(0), kept.mean(0))

That is the dot product. Divide it by the two norms.
+ one = read(sentence).hidden
+ other = unmasked(sentence, padding)[: len(one)]
+ cosine = float(one.mean(0) @ other.mean(0))

That is the distance of the two vectors. The cosine is wanted.
+ one = read(sentence).hidden
+ other = unmasked(sentence, padding)[: len(one)]
+ cosine = float(np.linalg.norm(one.mean(0) - other.mean(0)))

You averaged the cosines of the tokens. Average the vectors first.
+ one = read(sentence).hidden
+ other = unmasked(sentence, padding)[: len(one)]
+ cosine = float(np.mean([likeness(*pair) for pair in zip(one, other)]))

That is an angle. Its cosine is wanted.
+ cosine = float(np.arccos(right))

That is a cosine in percent. Give it as a number up to 1.
+ cosine = 100 * right

You padded the sentence to {{padding}} tokens in all. {{padding}} padding tokens follow
it.
+ one = read(sentence).hidden
+ other = unmasked(sentence, max(padding - len(one), 1))[: len(one)]
+ cosine = likeness(one.mean(0), other.mean(0))

The padding stands in front of the sentence. It comes behind `[SEP]`.
+ one = read(sentence).hidden
+ text = "[PAD] " * padding + f"[CLS] {sentence} [SEP]"
+ other = read(text, special_tokens=False).hidden[padding:]
+ cosine = likeness(one.mean(0), other.mean(0))

`[SEP]` is missing from your means. It is a token, too.
+ one = read(sentence).hidden
+ other = unmasked(sentence, padding)[: len(one)]
+ cosine = likeness(one[:-1].mean(0), other[:-1].mean(0))

`[CLS]` is missing from your means. It is a token, too.
+ one = read(sentence).hidden
+ other = unmasked(sentence, padding)[: len(one)]
+ cosine = likeness(one[1:].mean(0), other[1:].mean(0))

Your two means are over different tokens: one has `[CLS]` and `[SEP]`, the other has
not.
+ one = read(sentence).hidden
+ other = unmasked(sentence, padding)[: len(one)]
+ cosine = likeness(one.mean(0), other[1:-1].mean(0))
""",
    reference=reference,
    values=values,
    book={"sentence": "we walked home in the rain", "padding": 15},
    tolerance=6e-5,
    equivalent={
        "healthy = model(torch.tensor([ids]))[0][0].sum(0)": A_SUM,
        "sick = hidden[: len(ids)].sum(0)": A_SUM,
        "healthy = tf.reduce_sum(model(tf.constant([ids]))[0][0], 0)": A_SUM,
        "sick = tf.reduce_sum(hidden[: len(ids)], 0)": A_SUM,
        "healthy = model(torch.tensor([ids]))[0][-1].mean(0)": ONE_ROW,
        "healthy = tf.reduce_mean(model(tf.constant([ids]))[0][-1], 0)": ONE_ROW,
        "hidden = model(padded, everything)[0][-1]": ONE_ROW,
        "everything = torch.ones(1, 1, 1, padded.shape[0], dtype=torch.bool)": SPREAD,
        "everything = torch.ones(1, 1, padded.shape[1], 1, dtype=torch.bool)": SPREAD,
        "everything = tf.ones((1, 1, 1, padded.shape[0]), tf.bool)": SPREAD,
        "everything = tf.ones((1, 1, padded.shape[1], 1), tf.bool)": SPREAD,
        "cosine = float(torch.cosine_similarity(sick, healthy, dim=0))": SYMMETRIC,
        "product = tf.reduce_sum(sick * healthy)": SYMMETRIC,
        "cosine = float(product / (tf.norm(sick) * tf.norm(healthy)))": SYMMETRIC,
        "cosine = float(torch.cosine_similarity(healthy, sick, dim=-1))": (
            "A vector has one axis."
        ),
    },
)
