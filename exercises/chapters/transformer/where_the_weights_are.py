"""Explore: in which part of a real model are its weights?"""

from exercises.engine.exercise import Exercise
from exercises.engine.minilm import tensors

# What the prompt calls a part, and what our layers call it.
PARTS = {"feed-forward networks": "feed_forward", "self-attentions": "self_attention"}


def values(draw):
    part = list(PARTS)[draw.integers(2)]
    return {"part": part, "named": PARTS[part], "layers": int(draw.integers(2, 6))}


def sizes(named, layers=6):
    """Return {name: number} of the parameters in one of PARTS of the first layers.

    Those of its norm are included.

    The published model has attention.self and attention.output, then intermediate and
    output.
    """
    return {
        name: array.size
        for name, array in tensors().items()
        if name.startswith("encoder.layer.")
        and int(name.split(".")[2]) < layers
        and (".attention." in name) == (named == "self_attention")
    }


def reference(part, named, layers):
    found = sizes(named, layers)
    return sum(n for name, n in found.items() if "LayerNorm" not in name)


EXERCISE = Exercise(
    title="Where the weights are",
    kind="explore",
    difficulty=2,
    minutes=15,
    prompt="""
Parameters are not spread evenly over a model. The MiniLM of chapter 7, which you get
with `model, tokenizer = load_checkpoint()` from `scratch.weights` (or with
`load_checkpoint(framework="tensorflow")`), has 22,713,216 of them. How many, biases
included but layer norms excluded, are in the **{{part}} of its first {{layers}}
layers**?
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
    for layer in model.layers[:{{layers}}]
    for weight in layer.{{named}}.parameters()
)
""",
        "tensorflow": """
from scratch.weights import load_checkpoint

model, tokenizer = load_checkpoint(framework="tensorflow")
number = sum(
    weight.shape.num_elements()
    for layer in model.layers[:{{layers}}]
    for weight in layer.{{named}}.weights
)
""",
    },
    why=r"""
In this small model with its large vocabulary, about half of all parameters are token
embeddings. Of the rest, the feed-forward networks hold about two thirds: without
biases, each has $8\,d^2$ weights, and each attention $4\,d^2$, where $d$ is
$d_\text{model}$. With the same vocabulary, a larger model has a smaller share in its
table.
""",
    hints=(
        "`model.layers` holds the encoder's layers. A part has `parameters()` in "
        "PyTorch and `weights` in Keras: add up their sizes.",
        "In each layer, the part is called `{{named}}`. Print the names and shapes "
        "that you count: is there one too many?",
        "The norm after it, `{{named}}_norm`, is a layer of its own: leave it out.",
    ),
    mistakes="""
The norms are included: `{{named}}_norm` also contains `{{named}}`.
+ from exercises.chapters.transformer.where_the_weights_are import sizes
+ number = sum(sizes(named, layers).values())

The biases are missing.
+ from exercises.chapters.transformer.where_the_weights_are import sizes
+ number = sum(
+     n for name, n in sizes(named, layers).items()
+     if name.endswith('weight') and 'LayerNorm' not in name
+ )

That is one layer's number. The question is about the first {{layers}} layers.
+ number = right // layers

That is one layer's number, with its norm. The question is about the first {{layers}}
layers, without norms.
+ number = right // layers + 768

That is the number in all six layers. The question is about the first {{layers}}.
+ number = right // layers * 6

That is the number in the other part of these layers.
+ from exercises.chapters.transformer.where_the_weights_are import PARTS, reference
+ (other,) = set(PARTS.values()) - {named}
+ number = reference(part, other, layers)

That is the number in both parts together.
+ from exercises.chapters.transformer.where_the_weights_are import PARTS, reference
+ number = sum(reference(part, each, layers) for each in PARTS.values())

That is the number in whole layers: both parts and their norms.
+ from exercises.chapters.transformer.where_the_weights_are import PARTS, sizes
+ number = sum(sum(sizes(each, layers).values()) for each in PARTS.values())

That is the number in the other part, with its norms.
+ from exercises.chapters.transformer.where_the_weights_are import PARTS, sizes
+ (other,) = set(PARTS.values()) - {named}
+ number = sum(sizes(other, layers).values())

That is the number of biases alone.
+ from exercises.chapters.transformer.where_the_weights_are import sizes
+ number = sum(
+     n for name, n in sizes(named, layers).items()
+     if name.endswith('bias') and 'LayerNorm' not in name
+ )

Some of the part's weights are missing: print the names of those that you count.
+ number = right - layers * (147_840 if named == 'self_attention' else 1_536)

That is the number of all the other parameters.
+ number = 22_713_216 - right

That is in millions. Give the number itself.
+ number = right / 1e6

That is twelve times too many: the heads share the layer's matrices.
+ number = right * 12

That is its share of the whole. Give the number of parameters.
+ number = right / 22_713_216
""",
    reference=reference,
    values=values,
    tolerance=1e-8,
)
