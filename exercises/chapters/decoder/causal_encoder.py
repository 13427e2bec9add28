"""Explore: what a causal mask takes from each token of the real encoder."""

from exercises.engine.exercise import Exercise
from exercises.engine.minilm import SENTENCES, read

import numpy as np


def values(draw):
    return {"sentence": SENTENCES[draw.integers(len(SENTENCES))]}


def cosines(sentence, seen=np.tril):
    """Return the cosine of each token's vectors, without a mask and with one."""
    one, other = read(sentence).hidden, read(sentence, seen=seen).hidden
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    return (one * other).sum(1) / lengths


def later(square):
    """The mask inverted: of the keys, those after the query."""
    return np.triu(square, 1)


def lowest(found):
    return [int(found.argmin()), float(found.min())]


def reference(sentence):
    return lowest(cosines(sentence))


EXERCISE = Exercise(
    title="An encoder that may not look ahead",
    kind="explore",
    difficulty=2,
    minutes=20,
    prompt="""
Make a decoder of a real encoder: give the bundled MiniLM the sentence “{{sentence}}”
twice, as it is and with a **causal** mask. For each token, take the cosine of its two
vectors after the last layer. Which token's vector is turned the most? Give its place
(`[CLS]` is 0) and its cosine, to three decimals.
""",
    starter="""
place_and_cosine = ...  # such as (5, 0.125)
""",
    solution={
        "torch": """
from scratch.torch import causal_mask
from scratch.weights import load_checkpoint

model, tokenizer = load_checkpoint()
model.eval()
ids = torch.tensor([tokenizer.encode("{{sentence}}")])
with torch.no_grad():
    free, weights = model(ids)
    bound, weights = model(ids, causal_mask(ids.shape[1]))
cosines = torch.cosine_similarity(free[0], bound[0], dim=1)
place = int(cosines.argmin())
place_and_cosine = (place, float(cosines[place]))
""",
        "tensorflow": """
from scratch.tensorflow import tf_causal_mask
from scratch.weights import load_checkpoint

model, tokenizer = load_checkpoint(framework="tensorflow")
ids = tf.constant([tokenizer.encode("{{sentence}}")])
free, weights = model(ids)
bound, weights = model(ids, tf_causal_mask(ids.shape[1]))
free = tf.linalg.normalize(free[0], axis=1)[0]
bound = tf.linalg.normalize(bound[0], axis=1)[0]
cosines = tf.reduce_sum(free * bound, axis=1).numpy()
place = int(cosines.argmin())
place_and_cosine = (place, float(cosines[place]))
""",
    },
    why="""
The same weights under another mask are another model, and not a good one. The earlier a
token stands, the less it may see: `[CLS]`, the first, sees only itself, in every layer.
Look at the small words, too: what *the* means to this model depends on the noun behind
it. The last token may look at all the others, yet its vector moves as well, for what it
looks at has changed. An encoder was trained to look both ways, and a mask does not make
a writer of it: training does.
""",
    hints=(
        "The model takes a mask as its second argument: True = may attend.",
        "Chapter 3's causal mask has the right shape.",
        "Take the cosine along the last axis, for each token; then find the smallest.",
    ),
    mistakes="""
That is the token that is turned the least.
+ from exercises.chapters.decoder.causal_encoder import cosines, later, lowest
+ found = cosines(sentence)
+ place_and_cosine = [int(found.argmax()), float(found.max())]

Your mask is the other triangle: each token sees itself and what comes after it.
+ from exercises.chapters.decoder.causal_encoder import cosines, later, lowest
+ place_and_cosine = lowest(cosines(sentence, np.triu))

Your mask is inverted: each token sees only what comes after it. True = may attend.
+ from exercises.chapters.decoder.causal_encoder import cosines, later, lowest
+ place_and_cosine = lowest(cosines(sentence, later))

The first token, `[CLS]`, has place 0.
+ place_and_cosine = [right[0] + 1, right[1]]

The place is right. The number is a distance, one minus the cosine.
+ place_and_cosine = [right[0], 1 - right[1]]

That is the mean of all tokens' cosines. The smallest is asked for.
+ from exercises.chapters.decoder.causal_encoder import cosines, later, lowest
+ place_and_cosine = [right[0], float(cosines(sentence).mean())]
""",
    reference=reference,
    values=values,
    tolerance=0.0006,
    equivalent=dict.fromkeys(
        (
            "cosines = torch.cosine_similarity(bound[0], free[0], dim=1)",
            "cosines = torch.cosine_similarity(free[0], bound[-1], dim=1)",
            "cosines = torch.cosine_similarity(free[-1], bound[0], dim=1)",
            "bound = tf.linalg.normalize(bound[-1], axis=1)[0]",
            "free = tf.linalg.normalize(free[-1], axis=1)[0]",
        ),
        "A cosine has no order, and the batch has one sentence.",
    ),
)
