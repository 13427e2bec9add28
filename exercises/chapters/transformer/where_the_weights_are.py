"""Explore: in which part of a real model are its weights?"""

from exercises.engine.exercise import Exercise
from exercises.engine.minilm import tensors

# What the prompt calls a part, and what our layers call it.
PARTS = {
    "its six feed-forward networks": "feed_forward",
    "its six self-attentions": "self_attention",
}


def values(draw):
    part = list(PARTS)[draw.integers(2)]
    return {"part": part, "named": PARTS[part]}


def sizes(named):
    """Return {name: number} of the published parameters in one of PARTS, and its norm.

    The published model has attention.self and attention.output, then intermediate and
    output.
    """
    return {
        name: array.size
        for name, array in tensors().items()
        if name.startswith("encoder.layer.")
        and (".attention." in name) == (named == "self_attention")
    }


def reference(part, named):
    return sum(n for name, n in sizes(named).items() if "LayerNorm" not in name)


EXERCISE = Exercise(
    title="Where the weights are",
    kind="explore",
    difficulty=2,
    minutes=15,
    prompt="""
The bundled MiniLM has 22,713,216 parameters. How many of them, biases included, are in
**{{part}}**? The layer norms count on their own.
""",
    starter="""
number = ...  # a whole number
""",
    solution={
        "torch": """
from scratch.weights import load_checkpoint

model, tokenizer = load_checkpoint()
number = sum(
    weight.numel()
    for name, weight in model.named_parameters()
    if ".{{named}}." in name
)
""",
        "tensorflow": """
from scratch.weights import load_checkpoint

model, tokenizer = load_checkpoint(framework="tensorflow")
number = sum(
    weight.shape.num_elements()
    for layer in model.layers
    for weight in layer.{{named}}.weights
)
""",
    },
    why=r"""
In a small model with a large vocabulary, the table of tokens is half of everything. Of
the rest, the feed-forward networks hold two thirds: each has $8\,d^2$ weights where
attention has $4\,d^2$. In the largest models the table is next to nothing.
""",
    hints=(
        "Parameters have names (PyTorch) or belong to layers (Keras): add up those of "
        "the part.",
        "The part is called `{{named}}`. Print the names that you count: is there one "
        "too many?",
        "The norm after it is called `{{named}}_norm`, which has `{{named}}` in its "
        "name.",
    ),
    mistakes="""
The norms are counted as well: `{{named}}` is also in `{{named}}_norm`.
+ from exercises.chapters.transformer.where_the_weights_are import sizes
+ found = sizes(named).items()
+ number = sum(n for name, n in found)

The biases are missing.
+ from exercises.chapters.transformer.where_the_weights_are import sizes
+ found = sizes(named).items()
+ number = sum(
+     n for name, n in found
+     if name.endswith('weight') and 'LayerNorm' not in name
+ )

That is one layer's. There are six.
+ number = right // 6

That is the number of all the others.
+ number = 22_713_216 - right

That is its share of the whole. A number of parameters is asked for.
+ number = right / 22_713_216
""",
    reference=reference,
    values=values,
    tolerance=1e-8,
)
