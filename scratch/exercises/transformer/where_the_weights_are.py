"""Explore: in which part of a real model are its weights?"""

from scratch.exercises import Exercise, Mistake
from scratch.exercises.real_model import tensors

# What the prompt calls a part, and what our models call it.
PARTS = {
    "the table of tokens": "embeddings.tokens",
    "the six feed-forward networks": ".feed_forward.",
    "the four matrices of self-attention": ".self_attention.",
}


def values(draw):
    part = list(PARTS)[draw.integers(3)]
    return {"part": part, "named": PARTS[part]}


def size(part):
    """Return the number of published parameters in one of PARTS, or in all."""
    total = 0
    for name, array in tensors().items():
        inside = {
            "the table of tokens": "word_embeddings" in name,
            "the six feed-forward networks": ".dense." in name
            and "attention" not in name
            and "encoder" in name,
            "the four matrices of self-attention": ".attention." in name
            and "LayerNorm" not in name,
            "everything": "position_ids" not in name,
        }[part]
        total += array.size * inside
    return total


def reference(part, named):
    return size(part) / size("everything")


EXERCISE = Exercise(
    title="Where the weights are",
    kind="explore",
    difficulty=2,
    minutes=15,
    prompt="""
The bundled MiniLM has about 22.7 million parameters. Which share of them, biases
included, is in **{{part}}**? Layer norms count on their own, and the pooler belongs to
the whole. Three decimals will do.
""",
    starter="""
share = ...  # a number from 0 to 1
""",
    solution={
        "torch": """
from scratch.weights import load_checkpoint

model, tokenizer = load_checkpoint()
sizes = {
    name: parameter.numel()
    for name, parameter in model.named_parameters()
}
part = sum(n for name, n in sizes.items() if "{{named}}" in name)
share = part / sum(sizes.values())
""",
        "tensorflow": """
from scratch.weights import load_checkpoint

model, tokenizer = load_checkpoint(framework="tensorflow")


def count(*layers):
    return sum(w.shape.num_elements() for x in layers for w in x.weights)


parts = {
    "embeddings.tokens": [model.embeddings.tokens],
    ".feed_forward.": [x.feed_forward for x in model.layers],
    ".self_attention.": [x.self_attention for x in model.layers],
}
share = count(*parts["{{named}}"]) / count(model)
""",
    },
    why="""
In a small model with a large vocabulary, the table of tokens is half of everything. Of
the rest, the feed-forward networks hold two thirds: each has $8\\,d^2$ weights where
attention has $4\\,d^2$. In the largest models the table is next to nothing.
""",
    hints=(
        "Parameters have names (PyTorch) or belong to layers (Keras): add up those of "
        "the part.",
        "They are called `embeddings.tokens`, `self_attention` and `feed_forward`.",
        "Divide by the number of all parameters of the model.",
    ),
    mistakes=(
        Mistake("That is the share of all the others.", "share = 1 - right"),
        Mistake(
            "That is a number of parameters. Divide by that of the whole model.",
            "share = right * 22_713_216",
        ),
        Mistake(
            "That is a percentage. A share is at most 1.",
            "share = 100 * right",
        ),
    ),
    reference=reference,
    values=values,
    tolerance=0.0006,
)
