"""Explore: how much a passage attends to the question in front of it."""

from exercises.engine.exercise import Exercise
from exercises.engine.minilm import read

# Pairs, each with layers in which no two ways to count give the same share.
PAIRS = (
    (
        "where does the old baker live?",
        "the old baker lives in a small house behind the church",
        (1, 2, 5),
    ),
    (
        "who found the letter?",
        "a young sailor found the letter in the pocket of an old coat",
        (0, 1),
    ),
    (
        "when did the ship leave?",
        "the ship left the harbour early on monday morning",
        (4,),
    ),
    (
        "what did the farmer sell?",
        "at the market the farmer sold two horses and a very old cart",
        (0, 1, 3, 4),
    ),
    (
        "how many eggs does the cook need?",
        "for the cake the cook needs six eggs and a little fresh butter",
        (0, 1),
    ),
    (
        "why was the king angry?",
        "the king was angry because nobody had told him about the storm in the night",
        (2,),
    ),
    (
        "who painted the wall?",
        "two children painted the wall behind the school in bright colours",
        (0, 1, 2),
    ),
    (
        "when does the train arrive?",
        "the night train arrives at six in the morning",
        (0, 2, 3, 4, 5),
    ),
    (
        "what did the teacher lose?",
        "on the way home the teacher lost her keys and a new umbrella",
        (0, 1, 5),
    ),
    (
        "how long was the bridge closed?",
        "after the flood the bridge was closed for three weeks",
        (0, 1),
    ),
    (
        "why did the dog bark?",
        "the dog barked because a stranger stood at the garden gate",
        (0, 1, 2, 3, 4, 5),
    ),
    (
        "where is the old map kept?",
        "the old map is kept in a glass case in the town hall",
        (0, 1),
    ),
    (
        "when was the tower built?",
        "the tower was built in the year of the great fire",
        (1, 3, 4),
    ),
    (
        "what does the doctor carry?",
        "the doctor carries a small black bag and a heavy coat",
        (0,),
    ),
    (
        "how much did the horse cost?",
        "at the fair the brown horse cost forty pounds",
        (0, 1, 3, 5),
    ),
    (
        "who wrote the song?",
        "an unknown soldier wrote the song on the last evening of the war",
        (0, 1, 3, 5),
    ),
    (
        "when does the market open?",
        "the market opens at seven on every day but sunday",
        (0, 2, 4),
    ),
    (
        "how far is the lake?",
        "from the last house the lake is two miles away",
        (0, 1, 5),
    ),
    (
        "why did the boat turn back?",
        "the boat turned back because the wind had grown too strong",
        (3, 5),
    ),
    (
        "who repairs the clocks?",
        "his youngest daughter repairs the clocks of the whole town",
        (0, 4, 5),
    ),
    (
        "what is in the box?",
        "in the box there are nine letters and a broken watch",
        (0, 1, 4),
    ),
    (
        "when did the rain stop?",
        "the rain stopped shortly before the end of the second act",
        (0, 2, 3),
    ),
)
CHOICES = [
    (question, passage, layer)
    for question, passage, layers in PAIRS
    for layer in layers
]


BOOK = {"question": PAIRS[4][0], "passage": PAIRS[4][1], "layer": 1}


def values(draw):
    question, passage, layer = CHOICES[draw.integers(len(CHOICES))]
    return {"question": question, "passage": passage, "layer": layer}


def parts(question, passage):
    """Return the places of the question and of the passage, as slices."""
    first = read(question, passage).tokens.index("[SEP]")
    return slice(1, first), slice(first + 1, -1)


def seen(question, passage, layer):
    """Return the mean of the layer's maps over its heads: (queries, keys)."""
    return read(question, passage).attentions[layer].mean(0)


def reference(question, passage, layer):
    asked, told = parts(question, passage)
    return float(seen(question, passage, layer)[told, asked].sum(1).mean())


EXERCISE = Exercise(
    title="Does the passage read the question?",
    kind="explore",
    difficulty=2,
    minutes=15,
    prompt="""
The question reaches a token of the passage only through attention, directly or by way
of other tokens. Give the bundled MiniLM, as it is before any fine-tuning, the pair
“{{question}}” and “{{passage}}”, with its segment ids. Take the mean of the attention
weights over the heads of layer **{{layer}}** (the first is layer 0). What share of its
attention does a token of the passage give to the tokens of the question, on average
over the passage? `[CLS]` and `[SEP]` belong to neither. Three decimals.
""",
    starter="""
share = ...  # a number from 0 to 1
""",
    solution={
        "torch": """
from readymade.weights import load_checkpoint

model, tokenizer = load_checkpoint()
model.eval()
question, passage = "{{question}}", "{{passage}}"
batch = tokenizer.encode_batch([question], [passage])
ids, mask, segment_ids = map(torch.from_numpy, batch)
with torch.no_grad():
    hidden, weights = model(ids, mask, segment_ids)
seen = weights[{{layer}}][0].mean(0)  # (queries, keys)
size = len(tokenizer.tokenize(question))
asked, told = slice(1, size + 1), slice(size + 2, -1)
share = float(seen[told, asked].sum(1).mean())
""",
        "tensorflow": """
from readymade.weights import load_checkpoint

model, tokenizer = load_checkpoint(framework="tensorflow")
question, passage = "{{question}}", "{{passage}}"
batch = tokenizer.encode_batch([question], [passage])
ids, mask, segment_ids = map(tf.constant, batch)
hidden, weights = model(ids, mask, segment_ids)
seen = weights[{{layer}}][0].numpy().mean(0)  # (queries, keys)
size = len(tokenizer.tokenize(question))
asked, told = slice(1, size + 1), slice(size + 2, -1)
share = float(seen[told, asked].sum(1).mean())
""",
    },
    why="""
For the pairs and layers of this exercise, the share is between 8 and 27 %, in a model
that was never trained to mark answers. That is less than the question's share of all
tokens, which it would get if the weights were equal. But the share isn't 0, so the
vectors of the passage depend on the question. If both texts were encoded separately, as
in the search of chapter 7, no token of the passage could know what is asked, and its
logits would be the same for every question.
""",
    hints=(
        "`tokenizer.encode_batch([question], [passage])` returns ids, mask and segment "
        "ids of the pair, in the order in which the model takes them.",
        "`weights[{{layer}}]` is (batch, heads, queries, keys). The mean over the "
        "heads leaves (queries, keys).",
        "The rows are the queries, the columns the keys. Take the rows of the "
        "passage, and in them the columns of the question. Add up the columns, then "
        "take the mean over the rows.",
    ),
    mistakes="""
That is the other direction: what the question gives to the passage.
+ asked, told = parts(question, passage)
+ share = float(seen(question, passage, layer)[asked, told].sum(1).mean())

You added up over the tokens of the passage, which gives what each token of the question
receives.
+ asked, told = parts(question, passage)
+ share = float(seen(question, passage, layer)[told, asked].sum(0).mean())

That is the mean weight on one token of the question. Add up the weights on all of them.
+ asked, told = parts(question, passage)
+ share = float(seen(question, passage, layer)[told, asked].mean())

That is the sum over the tokens of the passage. Take their mean.
+ asked, told = parts(question, passage)
+ share = float(seen(question, passage, layer)[told, asked].sum())

`[CLS]` is counted to the question.
+ asked, told = parts(question, passage)
+ share = float(seen(question, passage, layer)[told, : asked.stop].sum(1).mean())

The first `[SEP]` is counted to the question.
+ asked, told = parts(question, passage)
+ share = float(seen(question, passage, layer)[told, 1 : told.start].sum(1).mean())

`[CLS]` and the first `[SEP]` are counted to the question.
+ asked, told = parts(question, passage)
+ share = float(seen(question, passage, layer)[told, : told.start].sum(1).mean())

You went by the segment ids, which count `[CLS]` and both `[SEP]` to the two texts.
+ asked, told = parts(question, passage)
+ rows = seen(question, passage, layer)[told.start :, : told.start]
+ share = float(rows.sum(1).mean())

The last `[SEP]` is counted to the passage.
+ asked, told = parts(question, passage)
+ share = float(seen(question, passage, layer)[told.start :, asked].sum(1).mean())

Both `[SEP]` are counted to the passage.
+ asked, told = parts(question, passage)
+ share = float(seen(question, passage, layer)[asked.stop :, asked].sum(1).mean())

That is the mean over all tokens. Take those of the passage only.
+ asked, told = parts(question, passage)
+ share = float(seen(question, passage, layer)[:, asked].sum(1).mean())

That is what the passage gives to itself.
+ asked, told = parts(question, passage)
+ share = float(seen(question, passage, layer)[told, told].sum(1).mean())

That is everything that the passage does not give to the question.
+ share = 1 - right

That is the layer before. The first layer is layer 0.
+ share = reference(question, passage, layer - 1 if layer else layer + 2)

That is the layer after. The first layer is layer 0.
+ share = reference(question, passage, layer + 1 if layer < 5 else layer - 2)

That is the mean over all layers.
+ share = sum(reference(question, passage, number) for number in range(6)) / 6

That is the first head alone. Take the mean over the heads.
+ asked, told = parts(question, passage)
+ maps = read(question, passage).attentions[layer, 0]
+ share = float(maps[told, asked].sum(1).mean())

That is the sum over the heads. Take their mean.
+ share = 12 * right

That is the head that looks at the question most. Take the mean over the heads.
+ asked, told = parts(question, passage)
+ maps = read(question, passage).attentions[layer]
+ share = float(maps[:, told, asked].sum(2).mean(1).max())

The passage comes first in your pair. Give the model the question first.
+ told, asked = parts(passage, question)
+ share = float(seen(passage, question, layer)[told, asked].sum(1).mean())

That is a share in percent. Give it as a number from 0 to 1.
+ share = 100 * right

You leave `[CLS]` and `[SEP]` out of the sum that is 1. They get attention, too, which
the share does not count.
+ asked, told = parts(question, passage)
+ rows = seen(question, passage, layer)[told]
+ both = rows[:, asked].sum(1) + rows[:, told].sum(1)
+ share = float((rows[:, asked].sum(1) / both).mean())

You have taken rows for columns: that is what the question gives to one token of the
passage.
+ asked, told = parts(question, passage)
+ share = float(seen(question, passage, layer)[asked, told].sum(0).mean())

The segment ids are missing, so the model takes both texts for one.
+ asked, told = parts(question, passage)
+ maps = read(f"{question} [SEP] {passage}").attentions[layer].mean(0)
+ share = float(maps[told, asked].sum(1).mean())

For each pair of tokens, that is the largest weight of any head. Take the mean over the
heads.
+ asked, told = parts(question, passage)
+ maps = read(question, passage).attentions[layer].max(0)
+ share = float(maps[told, asked].sum(1).mean())
""",
    reference=reference,
    values=values,
    book=BOOK,
    tolerance=0.0006,
    equivalent=dict.fromkeys(
        (
            "seen = weights[1][-1].mean(0)  # (queries, keys)",
            "seen = weights[1][-1].numpy().mean(0)  # (queries, keys)",
        ),
        "The batch has one row, so the last is the first.",
    ),
)
