"""Explore: find the head of the real model that looks at a neighbouring token."""

from scratch.exercises import Exercise, Mistake
from scratch.exercises.real_model import SENTENCES, read

import numpy as np


def values(draw):
    step = int(draw.choice([-1, 1]))
    return {
        "sentence": SENTENCES[draw.integers(len(SENTENCES))],
        "neighbour": "before" if step < 0 else "after",
        "step": step,
    }


def reference(sentence, neighbour, step):
    attentions = read(sentence).attentions  # (layers, heads, queries, keys)
    shares = np.diagonal(attentions, step, axis1=2, axis2=3).mean(-1)
    return np.array(np.unravel_index(shares.argmax(), shares.shape))


EXERCISE = Exercise(
    title="The head next door",
    kind="explore",
    difficulty=2,
    minutes=15,
    prompt="""
Give the bundled MiniLM the sentence “{{sentence}}”. One of its 72 heads looks more than
any other at the token **{{neighbour}}** the one that asks, on average over all queries
that have such a neighbour. Which layer, and which head? Count both from 0.
""",
    starter="""
layer_and_head = ...  # two whole numbers, such as (5, 11)
""",
    solution={
        "torch": """
from scratch.weights import load_checkpoint

model, tokenizer = load_checkpoint()
model.eval()
ids = torch.tensor([tokenizer.encode("{{sentence}}")])
with torch.no_grad():
    hidden, weights = model(ids)
weights = torch.stack(weights)[:, 0]  # (layers, heads, queries, keys)
shares = weights.diagonal({{step}}, dim1=2, dim2=3).mean(-1)
layer_and_head = divmod(int(shares.argmax()), shares.shape[1])
""",
        "tensorflow": """
from scratch.weights import load_checkpoint

model, tokenizer = load_checkpoint(framework="tensorflow")
ids = tf.constant([tokenizer.encode("{{sentence}}")])
hidden, weights = model(ids)
weights = np.stack(weights)[:, 0]  # (layers, heads, queries, keys)
shares = weights.diagonal({{step}}, axis1=2, axis2=3).mean(-1)
layer_and_head = divmod(int(shares.argmax()), shares.shape[1])
""",
    },
    why="""
The weights at the neighbour's place are a diagonal of each map, one above or below the
main one. Its mean says how much a head does nothing but look one token aside. No head
was told to: training found that the order of words is worth a head of its own.
""",
    hints=(
        "The model returns its weights too: one tensor (batch, heads, queries, keys) a "
        "layer.",
        "In a map of queries by keys, where do the weights for the token next to each "
        "query stand?",
        "Take the mean of a diagonal beside the main one, for every head, and look for "
        "the largest.",
    ),
    mistakes=(
        Mistake(
            "Both are counted from 0, as in the tensors.", "layer_and_head = right + 1"
        ),
        Mistake(
            "The layer comes first, then the head.", "layer_and_head = right[::-1]"
        ),
        Mistake(
            "That head looks at the neighbour on the other side. Are the queries your "
            "rows?",
            "layer_and_head = reference(sentence, neighbour, -step)",
        ),
        Mistake(
            "That head looks at itself. Which diagonal is the neighbour's?",
            "layer_and_head = reference(sentence, neighbour, 0)",
        ),
    ),
    reference=reference,
    values=values,
    equivalent=dict.fromkeys(
        (
            "shares = weights.diagonal(1, dim1=2, dim2=3).sum(-1)",
            "shares = weights.diagonal(1, axis1=2, axis2=3).sum(-1)",
            "weights = torch.stack(weights)[:, -1]  # (layers, heads, queries, keys)",
            "weights = np.stack(weights)[:, -1]  # (layers, heads, queries, keys)",
        ),
        "Every diagonal has the same length, and there is one sentence only.",
    ),
)
