"""Explore: hide each word of a definition in turn, and find the hardest."""

from functools import cache

from exercises.engine.exercise import Exercise
from exercises.engine.numpy_transformer import (
    BERT,
    NumPyTransformer,
    bert_embeddings,
    gelu,
    read_tensors,
)
from readymade.data import pretrained_path

import numpy as np

# WordNet's definitions that the model was not trained on, as far as they have 5 to 14
# words of one token each; then others like them. In each, one word is clearly the
# hardest, and no mistake gives the right answer.
TEXTS = (
    "the face or front of a building",
    "large genus of rock plants having thick fleshy leaves",
    "similar to ice cream but made of milk",
    "the central part of a city",
    "the back side of the neck",
    "a large pan that is filled with hot water",
    "a soft cheese with a strong odor and flavor",
    "the body of a male human being",
    "small evergreen trees or shrubs with aromatic leaves",
    "flesh of fish from the sea used as food",
    "flesh of any of various important food fishes of warm seas",
    "the back of a horse",
    "the source of a river",
    "a cut of meat from the upper part of a front leg",
    "chiefly tropical trees or shrubs",
    "genus of annual or perennial herbs with showy pink or purple or yellow flowers",
    "the top part of a tree",
    "the sound of water in a small river",
    "a large animal with a long tail",
    "a small room at the back of a house",
    "a soft bread made with milk and sugar",
    "a plant with large white flowers and small leaves",
    "the part of a city near the sea",
    "a large bird with strong legs",
    "a tall tree with soft wood",
    "the back part of a ship",
    "a dark red wine from the south of france",
    "the hard outer part of a seed",
    "a wild plant with yellow flowers",
    "the upper part of the human leg",
    "a high wall around an old town",
    "a yellow fruit with a thick skin",
    "a thin piece of cloth worn around the neck",
    "a small flat piece of metal",
    "an insect with long legs and thin wings",
    "a sweet drink made from fruit juice",
    "a long narrow piece of land",
    "a small tree with red fruit",
    "the lower part of a wall",
    "a thick soup of meat and vegetables",
    "a room in which food is prepared",
    "a warm coat made of animal skin",
    "the front part of the human body",
    "a large dark bird with a red head",
    "an animal covered with thick soft hair",
    "the dark green leaves of a tall plant",
    "a small white flower with a strong odor",
    "a black dog with long hair",
    "a hot drink made with milk and sugar",
    "the king of an ancient city",
    "a house made of wood and glass",
    "fish that is cooked in wine",
    "a place where wine is made",
    "a place where flour is made",
    "a tree that is grown for its fruit",
    "a plant that is grown for its seeds",
    "the flesh of a wild bird",
    "a strong cloth made of wool",
    "a small house in the mountains",
    "a large house near the sea",
    "the front legs of a horse",
    "the hair on the head of a person",
    "an island in the south of europe",
    "a city in the north of italy",
    "a large river in the north of india",
    "the sharp tooth of a wild animal",
    "hot water with salt in it",
    "a piece of ice in the sea",
    "a sweet cake with nuts and fruit",
    "a sauce made with tomato and herbs",
    "the juice of a sour fruit",
    "a thick sweet sauce made with sugar",
    "a wax used to make the skin soft",
    "a powder used to color food",
    "a bay on the western coast of france",
    "a small cat with a short tail",
    "the wings of a large moth",
    "a fern with very large leaves",
    "a tall grass that is grown for food",
    "a low tree of the southern coast",
    "a palm tree of the pacific islands",
    "a tree with smooth grey bark",
    "the bone of the upper arm",
    "a muscle in the human hand",
    "a vein in the back of the leg",
    "pain in the head or neck",
    "a drug used to treat pain",
    "a poison found in some plants",
    "an order from the head of state",
    "the great fire in an old city",
    "a wild sheep of the high mountains",
    "the hair of a young sheep",
    "a green vegetable with thick stems",
    "the edible root of a tall herb",
    "a person from the north of england",
    "a state in the center of the united states",
    "the capital and largest city of the country",
    "a small republic in southern europe",
    "an organ that is found in most fishes",
    "a plant that has no flowers",
    "a plant that has two seed leaves",
    "a cover made of glass or metal",
    "a light that is red or green",
)
BOOK = "small evergreen trees or shrubs with aromatic leaves"
PAD, UNK, CLS, SEP, MASK = range(5)
NUM_HEADS = 4


def values(draw):
    return {"text": TEXTS[draw.integers(len(TEXTS))]}


@cache
def model():
    """Return the shipped model in NumPy."""
    tensors = read_tensors(pretrained_path(), "bert.")
    return NumPyTransformer(tensors, BERT, 2, NUM_HEADS, 1e-12, gelu)


@cache
def vocab():
    """Return {token: id}."""
    lines = (pretrained_path() / "vocab.txt").read_text(encoding="utf-8")
    return {token: place for place, token in enumerate(lines.splitlines())}


def ids_of(text):
    return np.array([CLS, *(vocab()[word] for word in text.split()), SEP])


def losses_in(ids):
    """Return the loss of every id at every place: (length, vocab_size)."""
    bert = model()
    x = bert_embeddings(bert, ids, np.zeros_like(ids))
    x = bert.run(x, ids != PAD)[-1].x
    x = gelu(bert.linear(x, "cls.predictions.transform.dense"))
    x = bert.norm(x, "cls.predictions.transform.LayerNorm")
    logits = x @ bert.tensors["embeddings.word_embeddings.weight"].T
    logits = logits + bert.tensors["cls.predictions.bias"]
    top = logits.max(-1, keepdims=True)
    return top + np.log(np.exp(logits - top).sum(-1, keepdims=True)) - logits


# What a reader may hide when the word at `place` is asked for.


def alone(ids, places, place):
    return np.where(places == place, MASK, ids)


def nothing(ids, places, place):
    return ids


def all_words(ids, places, place):
    return np.where((places > 0) & (places < len(ids) - 1), MASK, ids)


def from_here(ids, places, place):
    return np.where((places >= place) & (places < len(ids) - 1), MASK, ids)


def up_to_here(ids, places, place):
    return np.where((places > 0) & (places <= place), MASK, ids)


def unknown(ids, places, place):
    return np.where(places == place, UNK, ids)


def padding(ids, places, place):
    return np.where(places == place, PAD, ids)


@cache
def losses_of(text, hide=alone, look=0, special=False, bare=False):
    """Return the loss of each word, the others read.

    Args:
        text: words of one token each.
        hide: one of the functions above.
        look: how far from a word its answer is read.
        special: whether [CLS] and [SEP] are asked for, too.
        bare: whether the model reads the words without [CLS] and [SEP].
    """
    ids = ids_of(text)[1:-1] if bare else ids_of(text)
    places = np.arange(len(ids))
    asked = places if special or bare else places[1:-1]
    read = (losses_in(hide(ids, places, place))[place + look] for place in asked)
    return np.array([row[ids[place]] for row, place in zip(read, asked, strict=True)])


def answer(text, losses):
    """Return the hardest word, and the mean of the losses."""
    return [text.split()[losses.argmax()], float(losses.mean())]


def reference(text):
    return answer(text, losses_of(text))


EXERCISE = Exercise(
    title="The hardest word",
    kind="explore",
    difficulty=3,
    minutes=20,
    prompt="""
How well does the shipped model know the definition “{{text}}”, which it was not trained
on? Hide **one** word at a time, let the model read all the others, and take the loss of
the hidden word, −ln of its probability. Each word is one token. Which word is the
**hardest**, the one with the largest loss, and what is the **mean** loss of the words,
in nats? Three decimals.

`load_checkpoint(pretrained_path())` returns the model and its tokenizer; it takes
`framework="tensorflow"`, too. The tokenizer's `vocab["[MASK]"]` is the id of `[MASK]`.
""",
    starter="""
hardest = ...  # a word and a number, such as ["word", 1.234]
""",
    solution={
        "torch": """
from readymade.data import pretrained_path
from readymade.weights import load_checkpoint

model, tokenizer = load_checkpoint(pretrained_path())
model.eval()
mask_id = tokenizer.vocab["[MASK]"]
ids = torch.tensor(tokenizer.encode("{{text}}"))
places, losses = torch.arange(len(ids)), []
for place in range(1, len(ids) - 1):
    inputs = torch.where(places == place, mask_id, ids)
    with torch.no_grad():
        logits = model(inputs[None])[0, place]
    log_p = torch.log_softmax(logits, dim=-1)
    losses.append(-float(log_p[ids[place]]))
word = "{{text}}".split()[np.argmax(losses)]
hardest = [word, np.mean(losses)]
""",
        "tensorflow": """
from readymade.data import pretrained_path
from readymade.weights import load_checkpoint

model, tokenizer = load_checkpoint(pretrained_path(), framework="tensorflow")
mask_id = tokenizer.vocab["[MASK]"]
ids = tf.constant(tokenizer.encode("{{text}}"))
places, losses = tf.range(len(ids)), []
for place in range(1, len(ids) - 1):
    inputs = tf.where(places == place, mask_id, ids)
    logits = model(inputs[None])[0, place]
    log_p = tf.nn.log_softmax(logits, axis=-1)
    losses.append(-float(log_p[ids[place]]))
word = "{{text}}".split()[np.argmax(losses)]
hardest = [word, np.mean(losses)]
""",
    },
    why="""
Small words such as *of* are often nearly certain, because grammar leaves little choice.
Most of the loss sits in the words that carry the meaning. The exponential of this mean
is called the **pseudo-perplexity** of a text
([Salazar et al. 2020](https://arxiv.org/abs/1910.14659)); *pseudo*, because the
probabilities of the words, each given all the others, do not multiply to the
probability of the text. For each of the 103 definitions that this exercise may ask for,
the mean loss is below 1.8 if nothing is hidden, because the model can copy, and above
4.7 if all words are hidden at once.
""",
    hints=(
        "The tokenizer adds `[CLS]` and `[SEP]`, so word number 0 is at place 1. Those "
        "two are not words.",
        "For each place: copy the ids, put `[MASK]` there, run the model, and take "
        "`log_softmax` of the logits at that place.",
        "The loss is minus the log-probability of the id that was there before. From "
        "all the losses, take the largest and the mean.",
    ),
    mistakes="""
Nothing was hidden: the model could read each word that it was asked for.
+ hardest = answer(text, losses_of(text, nothing))

All words were hidden at once. Hide one, and let the model read the others.
+ hardest = answer(text, losses_of(text, all_words))

The words after the hidden one were hidden, too. The model may read both sides.
+ hardest = answer(text, losses_of(text, from_here))

The words stay hidden once they were asked for. Begin each time with the original ids.
+ hardest = answer(text, losses_of(text, up_to_here))

The hidden word was replaced by `[UNK]`. The model was trained with `[MASK]`.
+ hardest = answer(text, losses_of(text, unknown))

The hidden word was replaced by `[PAD]`, so nothing attends to its place.
+ hardest = answer(text, losses_of(text, padding))

You read the prediction one place before the hidden word: `[CLS]` is place 0.
+ losses = losses_of(text, look=-1)
+ hardest = answer(text, losses)

You read the prediction one place after the hidden word.
+ losses = losses_of(text, look=1)
+ hardest = answer(text, losses)

The model has read the definition without `[CLS]` and `[SEP]`. The tokenizer adds them
by itself.
+ losses = losses_of(text, bare=True)
+ hardest = answer(text, losses)

`[CLS]` and `[SEP]` are in your mean. They are not words.
+ losses = losses_of(text, special=True)
+ hardest = [right[0], losses.mean()]

`[SEP]` is in your mean. It is not a word.
+ losses = losses_of(text, special=True)
+ hardest = [right[0], losses[1:].mean()]

`[CLS]` is in your mean. It is not a word.
+ losses = losses_of(text, special=True)
+ hardest = [right[0], losses[:-1].mean()]

The last word is missing from your mean.
+ losses = losses_of(text)
+ hardest = [right[0], losses[:-1].mean()]

The first word is missing from your mean.
+ losses = losses_of(text)
+ hardest = [right[0], losses[1:].mean()]

That is the word with the smallest loss, the easiest one.
+ losses = losses_of(text)
+ hardest = [text.split()[losses.argmin()], right[1]]

The word is right. Your number is its own loss; the mean over all words is asked for.
+ losses = losses_of(text)
+ hardest = [right[0], losses.max()]

The word is right. Your number is its probability; the mean loss is asked for.
+ losses = losses_of(text)
+ hardest = [right[0], np.exp(-losses.max())]

The word is right. Your number is the mean of the probabilities; take the mean of minus
their logarithms.
+ losses = losses_of(text)
+ hardest = [right[0], np.exp(-losses).mean()]

The word is right. You took the logarithm of the mean probability; take the logarithms
first.
+ losses = losses_of(text)
+ hardest = [right[0], -np.log(np.exp(-losses).mean())]

The word is right. Your number is the median of the losses, not their mean.
+ losses = losses_of(text)
+ hardest = [right[0], np.median(losses)]

The word is right. Your number is the sum of the losses, not their mean.
+ hardest = [right[0], right[1] * len(text.split())]

The word is right. Your number is the pseudo-perplexity; the loss is its logarithm.
+ hardest = [right[0], math.exp(right[1])]

The word is right. Your loss is in bits: nats need the natural logarithm.
+ hardest = [right[0], right[1] / math.log(2)]

The word is right. Your loss is negative: where is the minus sign?
+ hardest = [right[0], -right[1]]

The sum is divided by the number of tokens, with `[CLS]` and `[SEP]`. Divide it by the
number of words.
+ words = len(text.split())
+ hardest = [right[0], right[1] * words / (words + 2)]

That is the number of the word. The word itself is asked for.
+ hardest = [text.split().index(right[0]), right[1]]

That is the place of the word's token. The word itself is asked for.
+ hardest = [text.split().index(right[0]) + 1, right[1]]

The word comes first, then the number.
+ hardest = right[::-1]

Only the word is there. The mean loss is asked for, too.
+ hardest = right[:1]

Only the loss is there. The hardest word is asked for, too.
+ hardest = right[1]

You take the hidden word out. Put `[MASK]` in its place, so that the others keep theirs.
+ ids = ids_of(text)
+ rows = [losses_in(np.delete(ids, at))[at] for at in range(1, len(ids) - 1)]
+ losses = [row[word] for row, word in zip(rows, ids[1:-1], strict=True)]
+ hardest = answer(text, np.array(losses))

`[CLS]` and `[SEP]` are not words: neither can be the hardest, and neither counts in the
mean.
+ hardest = ["[SEP]", losses_of(text, special=True).mean()]

You took the probability of `[MASK]`, the token that is now at the place. Take that of
the word that was there.
+ ids = ids_of(text)
+ places = np.arange(len(ids))
+ rows = [losses_in(alone(ids, places, at))[at] for at in places[1:-1]]
+ hardest = answer(text, np.array([row[MASK] for row in rows]))

Your number is right. Your word is the one before the hardest: the words begin at place
1, behind `[CLS]`.
+ tokens = ["[CLS]", *text.split()]
+ hardest = [tokens[losses_of(text).argmax()], right[1]]

Write the word as it is in the definition, without a capital.
+ hardest = [right[0].capitalize(), right[1]]
""",
    reference=reference,
    values=values,
    book={"text": BOOK},
    tolerance=0.0006,
    equivalent={
        "logits = model(inputs[None])[-1, place]": "The batch holds one text.",
        "log_p = torch.log_softmax(logits, dim=-0)": "The logits have one axis.",
        "log_p = tf.nn.log_softmax(logits, axis=-0)": "The logits have one axis.",
    },
)
