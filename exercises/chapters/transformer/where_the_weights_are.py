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
Parameters are not spread evenly over a model. The MiniLM of chapter 7, which you get
with `model, tokenizer = load_checkpoint()` from `scratch.weights` (or with
`load_checkpoint(framework="tensorflow")`), has 22,713,216. How many of them, biases
included but layer norms excluded, are in **{{part}}**?
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
In a small model with a large vocabulary, the token embeddings are half of everything.
Of the rest, the feed-forward networks hold about two thirds: each has $8\,d^2$ weights,
and attention has $4\,d^2$. The larger the model, the smaller the share of the table.
""",
    hints=(
        "Parameters have names (PyTorch) or belong to layers (Keras): add up the sizes "
        "of those of the part.",
        "The part is called `{{named}}`. Print the names that you count: is there one "
        "too many?",
        "The norm after it is called `{{named}}_norm`, which also contains "
        "`{{named}}`.",
    ),
    mistakes="""
The norms are included: `{{named}}_norm` also contains `{{named}}`.
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

That is one layer's number. There are six layers.
+ number = right // 6

That is one layer's number, with its norm. There are six layers, and norms are excluded.
+ number = right // 6 + 768

That is the number in the other part.
+ from exercises.chapters.transformer.where_the_weights_are import PARTS, reference
+ (other,) = set(PARTS.values()) - {named}
+ number = reference(part, other)

That is the number in both parts together.
+ from exercises.chapters.transformer.where_the_weights_are import PARTS, reference
+ number = sum(reference(part, each) for each in PARTS.values())

That is the number in whole layers: both parts and their norms.
+ from exercises.chapters.transformer.where_the_weights_are import PARTS, sizes
+ number = sum(sum(sizes(each).values()) for each in PARTS.values())

The norms are included, and it is the number in the other part.
+ from exercises.chapters.transformer.where_the_weights_are import PARTS, sizes
+ (other,) = set(PARTS.values()) - {named}
+ number = sum(sizes(other).values())

That is the number of biases alone.
+ from exercises.chapters.transformer.where_the_weights_are import sizes
+ number = sum(
+     n for name, n in sizes(named).items()
+     if name.endswith('bias') and 'LayerNorm' not in name
+ )

Only half of it is counted. Which weights are missing?
+ number = right // 2

Only one of the part's matrices is counted, in six layers. Are there others?
+ from exercises.chapters.transformer.where_the_weights_are import sizes
+ number = sum(
+     n for name, n in sizes(named).items()
+     if ('.query.' if named == 'self_attention' else '.output.dense.') in name
+ )

Some of the part's weights are missing: print the names of those that you count.
+ number = right - (887_040 if named == 'self_attention' else 9_216)

That is the number of all the other parameters.
+ number = 22_713_216 - right

That is in millions. The number is asked for.
+ number = right / 1e6

That is twelve times too many: the heads share the layer's matrices.
+ number = right * 12

That is its share of the whole. The number of parameters is asked for.
+ number = right / 22_713_216
""",
    reference=reference,
    values=values,
    tolerance=1e-8,
)
