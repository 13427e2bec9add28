"""Explore: what a causal mask takes from each token of the real encoder."""

from exercises.engine.exercise import Exercise
from exercises.engine.minilm import MORE_SENTENCES, read

import numpy as np

SENTENCES = (
    *MORE_SENTENCES,
    "the cat sat on the mat",
    "her brother repaired the old bicycle",
    "the train to the coast was late again",
    "we planted three apple trees last spring",
    "the baker sold his last loaf at noon",
    "a letter from the bank arrived today",
    "the children painted the garden gate blue",
    "my neighbour plays the piano every evening",
    "snow covered the road to the village",
    "an owl called from the dark forest",
    "the doctor gave him a short answer",
    "the soup was too hot to eat",
    "his first novel sold very few copies",
    "a tall ship lay in the harbour",
    "the teacher drew a circle on the board",
    "the dog buried a bone in the yard",
    "our guide knew every path on the hill",
    "two foxes ran across the frozen lake",
    "a stranger asked me for the time",
    "the lamp on the desk flickered twice",
    "the river carried the logs to the mill",
    "the cook burned the rice again",
    "a red kite circled above the field",
    "they closed the bridge for the winter",
    "my aunt keeps bees on her roof",
    "the last bus leaves at midnight",
    "an old clock ticked in the hall",
    "he carried the piano up the stairs",
    "the wind tore the poster from the wall",
    "a goat ate the flowers by the gate",
    "we heard music from the next room",
)


def values(draw):
    return {"sentence": str(draw.choice(SENTENCES))}


def vectors(sentence, seen=np.tril):
    """Return the tokens' vectors without a mask and with one, (length, 384) each."""
    return read(sentence).hidden, read(sentence, seen=seen).hidden


def cosines(sentence, seen=np.tril):
    """Return the cosine of each token's vectors, without a mask and with one."""
    return each_cosine(*vectors(sentence, seen))


def each_cosine(one, other):
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    return (one * other).sum(1) / np.maximum(lengths, 1e-8)  # some dimensions are 0


def after(sentence, layers):
    """Return `cosines` after some of the layers."""
    readings = read(sentence), read(sentence, seen=np.tril)
    return each_cosine(*(reading.streams[layers] for reading in readings))


def earlier(square):
    """The causal mask without its diagonal: of the keys, those before the query."""
    return np.tril(square, -1)


def later(square):
    """The mask inverted: of the keys, those after the query."""
    return np.triu(square, 1)


def between_tokens(sentence):
    """Return the place and cosine of the token most unlike the first, unmasked."""
    one = read(sentence).hidden
    one = one / np.linalg.norm(one, axis=1, keepdims=True)
    return lowest(one @ one[0])


def lowest(found):
    return [int(found.argmin()), float(found.min())]


def reference(sentence):
    return lowest(cosines(sentence))


EXERCISE = Exercise(
    title="An encoder with a causal mask",
    kind="explore",
    difficulty=2,
    minutes=20,
    prompt="""
What does a causal mask do to a model that was trained without one? As in chapter 7,
`load_checkpoint` from `readymade.weights` loads MiniLM and its tokenizer. Run the
sentence “{{sentence}}” through the model twice, without a mask and with a **causal**
one. For each token, take the cosine similarity of its two vectors after the last layer.
Which token has the lowest cosine? Give its place (`[CLS]` is 0) and the cosine to three
decimals.
""",
    starter="""
place_and_cosine = ...  # such as (5, 0.125)
""",
    solution={
        "torch": """
from scratch.torch import causal_mask
from readymade.weights import load_checkpoint

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
from readymade.weights import load_checkpoint

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
The same weights with another mask compute something different. The earlier a token is,
the less it may attend to: `[CLS]`, the first, attends only to itself in every layer.
The last token may still attend to all the others, but its vector changes too, because
theirs have changed. (How much a vector changes does not depend on its place alone.) The
encoder was trained to attend in both directions. A causal mask
alone does not make a language model of it; it would also have to be trained with one.
""",
    hints=(
        "The model takes a mask as its second argument, and True means *may attend*.",
        "`causal_mask` (chapter 3) gives a mask of the right shape.",
        "Take the cosine along the last axis, for each token; then find the smallest.",
    ),
    mistakes="""
That is the token with the highest cosine. The lowest is asked for.
+ found = cosines(sentence)
+ place_and_cosine = [int(found.argmax()), float(found.max())]

Your mask is the other triangle: each token attends to itself and what comes after.
+ place_and_cosine = lowest(cosines(sentence, np.triu))

Your mask is inverted: each token attends only to what comes after. True = may attend.
+ place_and_cosine = lowest(cosines(sentence, later))

The first token, `[CLS]`, has place 0.
+ place_and_cosine = [right[0] + 1, right[1]]

The place is right. The number is a distance, one minus the cosine.
+ place_and_cosine = [right[0], 1 - right[1]]

That is the second-lowest cosine.
+ found = cosines(sentence)
+ place = int(found.argsort()[1])
+ place_and_cosine = [place, float(found[place])]

That is `[SEP]`. Another token has a lower cosine.
+ found = cosines(sentence)
+ place_and_cosine = [len(found) - 1, float(found[-1])]

The place comes first, then the cosine.
+ place_and_cosine = right[::-1]

The token is right. Give its place as a number.
+ place_and_cosine = [read(sentence).tokens[right[0]], right[1]]

The place is right. Count it from the beginning: `[CLS]` is 0.
+ place_and_cosine = [right[0] - len(read(sentence).tokens), right[1]]

The place is right. The number is an angle in radians; its cosine is asked for.
+ place_and_cosine = [right[0], float(np.arccos(right[1]))]

The place is right. The number is an angle in degrees; its cosine is asked for.
+ place_and_cosine = [right[0], float(np.degrees(np.arccos(right[1])))]

That is a dot product. Divide each by both lengths, then look for the lowest.
+ one, other = vectors(sentence)
+ place_and_cosine = lowest((one * other).sum(1))

That is a distance between the two vectors. Their cosine is asked for.
+ one, other = vectors(sentence)
+ far = np.linalg.norm(one - other, axis=1)
+ place_and_cosine = [int(far.argmax()), float(far.max())]

That leaves `[CLS]` and `[SEP]` out of the comparison, and counts from the first word.
+ place_and_cosine = lowest(cosines(sentence)[1:-1])

You compare the vectors of one token with another. Only the mask may differ.
+ place_and_cosine = between_tokens(sentence)

You compare the model with itself: the mask has no effect. Pass it as the second
argument.
+ place_and_cosine = [0, 1.0]

That is the cosine of the two mean vectors. Compare token by token.
+ one, other = (vector.mean(0) for vector in vectors(sentence))
+ product = (one * other).sum() / np.linalg.norm(one) / np.linalg.norm(other)
+ place_and_cosine = [right[0], float(product)]

That is the mean of all cosines. The lowest is asked for.
+ place_and_cosine = [right[0], float(cosines(sentence).mean())]

Those are vectors after the first layer. Take those after the last.
+ place_and_cosine = lowest(after(sentence, 1))

Those are vectors after the last layer but one. Take those after the last.
+ place_and_cosine = lowest(after(sentence, 5))

Your mask also hides each token from itself. A token may attend to itself.
+ place_and_cosine = lowest(cosines(sentence, earlier))

That is the cosine alone. Give the token's place as well.
+ place_and_cosine = right[1]

Those are cosines of the 384 dimensions, each over all tokens. Take one for each token:
the last axis holds its vector.
+ one, other = vectors(sentence)
+ place_and_cosine = lowest(each_cosine(one.T, other.T))
""",
    reference=reference,
    values=values,
    book={"sentence": "the farmer counted his sheep at night"},
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
