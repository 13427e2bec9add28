"""Explore: the sentence of a report that is nearest to the mean of them all."""

from functools import cache

from exercises.engine.exercise import Exercise
from exercises.engine.minilm import read

import numpy as np

# Eight sentences each, of which a report has four, in this order.
STORIES = (
    (
        "The old bridge over the river will stay closed until spring.",
        "A storm damaged two of its stone pillars on Sunday.",
        "Divers found long cracks under the water.",
        "Buses now take the road through the next village.",
        "Shops on the square have lost half of their customers.",
        "The mayor wants to build a second bridge of steel.",
        "Repairs will cost more than the town earns in a year.",
        "An engineer had warned of such damage ten years ago.",
    ),
    (
        "The public library opened again after two years of work.",
        "More than a thousand people came to see the new rooms.",
        "Children have a floor of their own under the roof.",
        "The architect kept the old wooden stairs.",
        "Readers may now borrow books until ten at night.",
        "A bakery sells coffee and cake in the yard.",
        "The last part of the money came from a school teacher.",
        "Old newspapers can be read on twelve large screens.",
    ),
    (
        "Nobody was hurt when a barn burned down on Monday night.",
        "A boy saw the smoke on his way home from training.",
        "Forty firemen worked until four in the morning.",
        "The farmer and his neighbours saved all of the cows.",
        "Lightning had struck the roof during the storm.",
        "The harvest of the whole summer is lost.",
        "The village is collecting money for a new building.",
        "Smoke could be seen from the town on the other shore.",
    ),
)
LEAST = 0.002  # so far apart at least are the right cosine and others


def values(draw):
    while True:
        story = STORIES[draw.integers(len(STORIES))]
        sentences = [story[k] for k in sorted(draw.permutation(len(story))[:4])]
        if is_clear(tuple(sentences)):
            return shown(sentences)


def shown(sentences):
    """Return sentences, and how a cell shows them."""
    lines = "".join(f'    "{one}",\n' for one in sentences)
    return {"sentences": list(sentences), "code": f"[\n{lines}]"}


@cache
def is_clear(sentences):
    """Whether another sentence than the first is nearest, and nothing else as near."""
    cosines = near(vectors(sentences))
    *_, second, best = np.sort(cosines)
    ways = (
        near(vectors(sentences), means(sentences).mean(0)),
        near(vectors(sentences, without_ends)),
        near(vectors(sentences, special_tokens=False)),
        near(padded(sentences)),
    )
    others = (second, *(way.max() for way in ways))
    return cosines.argmax() > 0 and all(abs(best - one) > LEAST for one in others)


def without_ends(reading):
    """Return the mean over the tokens between [CLS] and [SEP]."""
    return reading.hidden[1:-1].mean(0)


def means(sentences):
    """Return the mean over the tokens of each sentence, not scaled."""
    return np.stack([read(one).hidden.mean(0) for one in sentences])


def unit(vector):
    return vector / np.linalg.norm(vector)


def vectors(sentences, pooled=lambda reading: reading.hidden.mean(0), **how):
    """Return a vector of norm 1 for each sentence."""
    return np.stack([unit(pooled(read(one, **how))) for one in sentences])


def padded(sentences):
    """Return what becomes of the vectors if padding counts in the means of a batch."""
    lengths = [len(read(one).tokens) for one in sentences]
    return np.stack(
        [
            unit(read(one, padding=max(lengths) - length).hidden.mean(0))
            for one, length in zip(sentences, lengths, strict=True)
        ]
    )


def near(found, centre=None):
    """Return each vector's cosine with their mean, or with another vector."""
    return found @ unit(found.mean(0) if centre is None else centre)


def choice(cosines):
    """Return the place of the largest cosine, and the cosine."""
    return [int(cosines.argmax()), float(cosines.max())]


def reference(sentences, **_):
    return choice(near(vectors(sentences)))


EXERCISE = Exercise(
    title="The sentence in the middle",
    kind="explore",
    difficulty=2,
    minutes=15,
    prompt="""
Make a summary of one sentence without writing a word. Compute a vector for each
sentence with the bundled MiniLM: the mean over its real tokens, including `[CLS]` and
`[SEP]`, scaled to norm 1. Which sentence (counted from 0) has the largest cosine with
the mean of these vectors, and what is that cosine, to three decimals? Is it the
sentence that you would choose?
""",
    starter="""
sentences = {{code}}
middle = ...  # such as [3, 0.123]
""",
    solution={
        "torch": """
from readymade.weights import load_checkpoint

sentences = {{code}}
model, tokenizer = load_checkpoint()
model.eval()


def meaning(sentence):
    ids = torch.tensor([tokenizer.encode(sentence)])
    with torch.no_grad():
        hidden, weights = model(ids)
    return nn.functional.normalize(hidden[0].mean(0), dim=0)


vectors = torch.stack([meaning(sentence) for sentence in sentences])
centre = vectors.mean(0)
cosines = vectors @ centre / centre.norm()
middle = [int(cosines.argmax()), float(cosines.max())]
""",
        "tensorflow": """
from readymade.weights import load_checkpoint

sentences = {{code}}
model, tokenizer = load_checkpoint(framework="tensorflow")


def meaning(sentence):
    ids = tf.constant([tokenizer.encode(sentence)])
    hidden, weights = model(ids)
    return tf.math.l2_normalize(tf.reduce_mean(hidden[0], 0))


vectors = tf.stack([meaning(sentence) for sentence in sentences])
centre = tf.reduce_mean(vectors, 0)
cosines = tf.linalg.matvec(vectors, centre) / tf.norm(centre)
middle = [int(tf.argmax(cosines)), float(tf.reduce_max(cosines))]
""",
    },
    why="""
The mean of the vectors stands for what the report is about, and the sentence nearest to
it is the most typical one. That is an **extractive** summary: every word of it is in
the report, so it can't invent anything. But typical is not the same as important. News
reports put the most important thing first, so the first sentence alone, *lead-1*, is a
simple rule that is hard to beat.
""",
    hints=(
        "Encode each sentence by itself. Then there is no padding to leave out.",
        "The mean of vectors of norm 1 has a norm below 1. Divide by it.",
        "`argmax` of the four cosines is the sentence, and their maximum the second "
        "number.",
    ),
    mistakes="""
That is the first sentence, lead-1, and its cosine. Which one is nearest to the mean?
+ middle = [0, float(near(vectors(sentences))[0])]

The sentence is right. Your number is a dot product: divide by the norm of the mean,
which is less than 1.
+ found = vectors(sentences)
+ middle = [right[0], float(found[right[0]] @ found.mean(0))]

That is the sentence that is farthest from the mean.
+ cosines = near(vectors(sentences))
+ middle = [int(cosines.argmin()), float(cosines.min())]

The cosine is right. The sentences are counted from 0.
+ middle = [right[0] + 1, right[1]]

The sentence is right. Your number is the cosine of the first sentence.
+ middle = [right[0], float(near(vectors(sentences))[0])]

The sentence is right. Your number is 1 minus the cosine, a distance.
+ middle = [right[0], 1 - right[1]]

The sentence is right. Your number is the distance between two vectors of norm 1.
+ middle = [right[0], math.sqrt(2 - 2 * right[1])]

You take the mean of the vectors as they are, so the longer ones weigh more. Scale each
to norm 1 first.
+ middle = choice(near(vectors(sentences), means(sentences).mean(0)))

You compare with the mean of the other sentences. The mean of all is wanted.
+ found = vectors(sentences)
+ others = (found.sum(0) - found) / (len(found) - 1)
+ middle = choice(np.array([one @ unit(other) for one, other in zip(found, others)]))

You compare with the vector of the whole text. The mean of the sentences' vectors is
wanted.
+ (whole,) = vectors([" ".join(sentences)])
+ middle = choice(near(vectors(sentences), whole))

You compare with the first sentence, and leave it out. The mean of all is wanted.
+ found = vectors(sentences)
+ cosines = near(found, found[0])
+ middle = [int(cosines[1:].argmax()) + 1, float(cosines[1:].max())]

Those are the vectors of `[CLS]`. This model was trained with means.
+ middle = choice(near(vectors(sentences, lambda reading: reading.hidden[0])))

`[CLS]` and `[SEP]` are left out of your means. The model was trained with them.
+ middle = choice(near(vectors(sentences, without_ends)))

The model has read the sentences without `[CLS]` and `[SEP]`. The tokenizer adds them by
itself.
+ middle = choice(near(vectors(sentences, special_tokens=False)))

You took the maximum over the tokens. This model was trained with means.
+ middle = choice(near(vectors(sentences, lambda reading: reading.hidden.max(0))))

You encoded the sentences in one batch, and the means of the shorter ones include their
padding.
+ middle = choice(near(padded(sentences)))

Those are the means of the embeddings. Take the output of the last layer.
+ middle = choice(near(vectors(sentences, lambda reading: reading.streams[0].mean(0))))

That is the layer before the last. Take the output of the last.
+ middle = choice(near(vectors(sentences, lambda reading: reading.streams[5].mean(0))))

The cosine comes second, after the sentence.
+ middle = right[::-1]

Two numbers are asked for. The cosine is missing.
+ middle = right[0]

Two numbers are asked for. Which sentence is it?
+ middle = right[1]
""",
    reference=reference,
    values=values,
    book=shown([STORIES[0][k] for k in (0, 1, 4, 5)]),
    tolerance=0.0006,
    equivalent={
        **dict.fromkeys(
            (
                "return nn.functional.normalize(hidden[0].sum(0), dim=0)",
                "return tf.math.l2_normalize(tf.reduce_sum(hidden[0], 0))",
                "centre = vectors.sum(0)",
                "centre = tf.reduce_sum(vectors, 0)",
            ),
            "A sum has the direction of the mean.",
        ),
        **dict.fromkeys(
            (
                "return nn.functional.normalize(hidden[-1].mean(0), dim=0)",
                "return tf.math.l2_normalize(tf.reduce_mean(hidden[-1], 0))",
                "return nn.functional.normalize(hidden[0].mean(0), dim=-1)",
            ),
            "The batch has one sentence, and the mean one axis.",
        ),
    },
)
