"""Explore: how many tokens share most of the probability after given words."""

from functools import cache

from exercises.engine.exercise import Exercise
from exercises.engine.numpy_transformer import softmax
from exercises.engine.writer_model import logits_of, streams

import numpy as np

FEW = (
    "Sir Walter",
    "Lady Russell",
    "Captain Wentworth",
    "Charles Musgrove",
    "Mr. Elliot",
    "Louisa",
    "Uppercross",
    "as soon as",
)
MANY = (
    "in the",
    "at the",
    "of the",
    "She had been",
    "It was a",
    "Anne was",
    "Admiral Croft and his",
    "He could not",
    "a great deal",
    "to be",
)
PERCENT = (60, 75, 80, 90)


def values(draw):
    """Draw until rounding cannot change a count, and the counts are very unlike."""
    while True:
        first, second = str(draw.choice(FEW)), str(draw.choice(MANY))
        percent = int(draw.choice(PERCENT))
        few, many = reference(first, second, percent)
        near = (abs(totals(words) - percent / 100).min() for words in (first, second))
        if min(near) > 3e-5 and many > 2 * few:
            return {"first": first, "second": second, "percent": percent}


def reference(first, second, percent):
    return [count(totals(words), percent) for words in (first, second)]


def count(total, percent):
    """Return how many tokens it takes until a running total reaches a percentage."""
    return int((total < percent / 100).sum()) + 1


@cache
def totals(words):
    """Return the running total of the probabilities after words, likeliest first."""
    return np.sort(probabilities(words)[-1])[::-1].cumsum()


@cache
def probabilities(words):
    """Return the next token's probabilities after each token: (length, vocab_size)."""
    return softmax(logits(words))


@cache
def logits(words):
    """Run the shipped GPT-2: (length, vocab_size)."""
    return logits_of(streams(words)[-1])


EXERCISE = Exercise(
    title="How many tokens are plausible?",
    kind="explore",
    difficulty=2,
    minutes=15,
    prompt="""
Load the model that was trained on *Persuasion*; `writer_path()` is its folder. Give it
the words “{{first}}”, and then “{{second}}”, each as the beginning of a text and
without a space at the end. In each case, what is the smallest number of tokens that
together have at least {{percent}} % of the next token's probability, at temperature 1?
""",
    starter="""
counts = ...  # after the first and the second, such as [7, 123]
""",
    solution={
        "torch": """
from readymade.data import writer_path
from readymade.weights import load_checkpoint

model, tokenizer = load_checkpoint(writer_path())
model.eval()
wanted, counts = {{percent}} / 100, []
for words in ("{{first}}", "{{second}}"):
    ids = torch.tensor([tokenizer.encode(words)])
    with torch.no_grad():
        logits = model(ids)[:, -1]
    share = torch.softmax(logits, dim=1)
    total = share.sort(descending=True).values.cumsum(dim=1)
    counts.append(int((total < wanted).sum()) + 1)
""",
        "tensorflow": """
from readymade.data import writer_path
from readymade.weights import load_checkpoint

model, tokenizer = load_checkpoint(
    writer_path(), framework="tensorflow"
)
wanted, counts = {{percent}} / 100, []
for words in ("{{first}}", "{{second}}"):
    ids = tf.constant([tokenizer.encode(words)])
    logits = model(ids)[:, -1]
    share = tf.nn.softmax(logits, axis=1)
    ranked = tf.sort(share, direction="DESCENDING")
    total = tf.cumsum(ranked, axis=1).numpy()
    counts.append(int((total < wanted).sum()) + 1)
""",
    },
    why="""
The two numbers differ by a factor of more than 2: some words leave few tokens to choose
from, and others leave many. A fixed top-k is too large after the first or too small
after the second. Top-p keeps the number of tokens that you counted, and so adapts to
each step. Try words of your own: which leave a single token?
""",
    hints=(
        "`load_checkpoint(writer_path())` returns the model and its tokenizer. The "
        "logits of the last position are those of the next token.",
        "Take the softmax, sort it so that the likeliest token comes first, and add up "
        "(`cumsum`).",
        "Count the tokens whose running total is below {{percent}} %. The next one "
        "reaches it, and belongs to the set.",
    ),
    mistakes="""
The token that reaches {{percent}} % belongs to the set: without it, the total is below.
+ counts = [number - 1 for number in right]

You count one token more than it takes.
+ counts = [number + 1 for number in right]

The numbers are in the wrong order: “{{first}}” comes first.
+ counts = right[::-1]

Two numbers are wanted. That after “{{second}}” is missing.
+ counts = right[0]

Two numbers are wanted. That after “{{first}}” is missing.
+ counts = right[1]

You begin with the least likely tokens. Sort the other way round.
+ ranked = [np.sort(probabilities(words)[-1]) for words in (first, second)]
+ counts = [count(share.cumsum(), percent) for share in ranked]

You add up in the order of ids. The likeliest tokens come first.
+ shares = [probabilities(words)[-1] for words in (first, second)]
+ counts = [count(share.cumsum(), percent) for share in shares]

That is the number of tokens outside the set.
+ counts = [logits(first).shape[1] - number for number in right]

That is the share of the vocabulary. The number of tokens is wanted.
+ counts = [number / logits(first).shape[1] for number in right]

Those are the probabilities that the sets have. The numbers of their tokens are wanted.
+ pairs = zip((first, second), right, strict=True)
+ counts = [float(totals(words)[number - 1]) for words, number in pairs]

Those tokens have 100 − {{percent}} % together, and {{percent}} % are wanted.
+ counts = reference(first, second, 100 - percent)

You take the softmax twice, so that all tokens are nearly equally likely.
+ flat = [softmax(probabilities(words)[-1]) for words in (first, second)]
+ counts = [count(np.sort(share)[::-1].cumsum(), percent) for share in flat]

You add up logits. Take their softmax first.
+ ranked = [np.sort(logits(words)[-1])[::-1] for words in (first, second)]
+ counts = [count(row.cumsum(), percent) for row in ranked]

That is the prediction after the first token. Take the logits of the last position.
+ ranked = [np.sort(probabilities(words)[0])[::-1] for words in (first, second)]
+ counts = [count(share.cumsum(), percent) for share in ranked]

You put a space after the words, which is a token of its own.
+ counts = reference(first + " ", second + " ", percent)

You put a space before the words. They begin the text.
+ counts = reference(" " + first, " " + second, percent)

Those are the ids of the tokens that reach {{percent}} %. Count the tokens.
+ pairs = zip((first, second), right, strict=True)
+ counts = [
+     int(np.argsort(-probabilities(words)[-1])[number - 1])
+     for words, number in pairs
+ ]

You compare with {{percent}} where the probabilities are at most 1, so that all tokens
are counted.
+ counts = [logits(first).shape[1] + 1] * 2

You count the tokens that have {{percent}} % each. How many have that together?
+ shares = [probabilities(words)[-1] for words in (first, second)]
+ counts = [int((share > percent / 100).sum()) for share in shares]

Those are the probabilities of the likeliest tokens. Count the tokens that it takes.
+ counts = [float(probabilities(words)[-1].max()) for words in (first, second)]

You divide the logits by {{percent}} / 100. The temperature is 1.
+ rows = [softmax(logits(words)[-1] * 100 / percent) for words in (first, second)]
+ counts = [count(np.sort(row)[::-1].cumsum(), percent) for row in rows]
""",
    reference=reference,
    values=values,
    equivalent={
        "counts.append(int((total <= wanted).sum()) + 1)": (
            "No total is exactly at the percentage."
        ),
    },
)
