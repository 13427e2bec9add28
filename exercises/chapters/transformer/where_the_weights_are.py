"""Explore: in which part of a real model are its weights?"""

from exercises.engine.exercise import Exercise
from exercises.engine.minilm import tensors

# What the prompt calls a part, what our layers and the published model call it, and
# whether biases count: six tasks with a number each.
WITH = "biases included but layer norms excluded"
WITHOUT = "without biases and layer norms"
ATTENTION = ("self-attentions", "self_attention", ("attention",))
NETWORK = ("feed-forward networks", "feed_forward", ("intermediate", "output"))
CONTRACT = ("networks' second matrices", "feed_forward.contract", ("output",))
QUERY = ("queries' projections", "self_attention.query", ("attention.self.query",))
PARTS = (
    (*ATTENTION, WITH),
    (*ATTENTION, WITHOUT),
    (*NETWORK, WITH),
    (*CONTRACT, WITH),
    (*QUERY, WITH),
    (*QUERY, WITHOUT),
)
# What the prompt calls some layers, the slice of the list, and how many they are.
LAYERS = (
    ("its first 2 layers", ":2", 2),
    ("its middle 2 layers", "2:4", 2),
    ("its last 2 layers", "4:", 2),
    ("its first 3 layers", ":3", 3),
    ("its last 3 layers", "3:", 3),
    ("its first 4 layers", ":4", 4),
    ("its middle 4 layers", "1:5", 4),
    ("its last 4 layers", "2:", 4),
    ("its first 5 layers", ":5", 5),
    ("its last 5 layers", "1:", 5),
)


def values(draw):
    tasks = [
        task(part, layers)
        for part in PARTS
        for layers in LAYERS
        if part != PARTS[0] or layers[2] != 4  # the book's number
    ]
    return tasks[draw.integers(len(tasks))]


def task(part, layers):
    part, named, _, counted = part
    which, place, number = layers
    return {
        "part": part,
        "named": named,
        "norm": named.partition(".")[0] + "_norm",
        "counted": counted,
        "only": "" if counted == WITH else "\n    if len(weight.shape) > 1",
        "which": which,
        "place": place,
        "layers": number,
    }


def sizes(part, ends=("weight", "bias"), norms=False):
    """Return the number of parameters in a part of one layer, `arrays` added up."""
    return sum(array.size for array in arrays(part, ends, norms))


def arrays(part, ends, norms=False):
    """Return the arrays of parameters in a part of one layer.

    Args:
        part: what our layers call it.
        ends: how the names of the parameters end that count.
        norms: whether its layer norms count.
    """
    names = next(names for _, named, names, _ in PARTS if named == part)
    starts = tuple(f"encoder.layer.0.{name}." for name in names)
    return [
        array
        for name, array in tensors().items()
        if name.startswith(starts)
        and name.endswith(ends)
        and (norms or "LayerNorm" not in name)
    ]


def reference(part, named, norm, counted, only, which, place, layers):
    return layers * sizes(named, ends_of(counted))


def ends_of(counted):
    """Return how the names of the parameters end that a task counts."""
    return ("weight", "bias") if counted == WITH else ("weight",)


EXERCISE = Exercise(
    title="Where the weights are",
    kind="explore",
    difficulty=2,
    minutes=15,
    prompt="""
Parameters are not spread evenly over a model. The MiniLM of chapter 7, which you get
with `model, tokenizer = load_checkpoint()` from `readymade.weights` (or with
`load_checkpoint(framework="tensorflow")`), has 22,713,216 of them. How many,
{{counted}}, are in the
**{{part}} of {{which}}**?
""",
    starter="""
number = ...  # a whole number
""",
    solution={
        "torch": """
from readymade.weights import load_checkpoint

model, tokenizer = load_checkpoint()
number = sum(
    weight.numel()
    for layer in model.layers[{{place}}]
    for weight in layer.{{named}}.parameters(){{only}}
)
""",
        "tensorflow": """
from readymade.weights import load_checkpoint

model, tokenizer = load_checkpoint(framework="tensorflow")
number = sum(
    weight.shape.num_elements()
    for layer in model.layers[{{place}}]
    for weight in layer.{{named}}.weights{{only}}
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
        "The norm after it, `{{norm}}`, is a layer of its own: leave it out.",
    ),
    mistakes="""
The norms are included. They are layers of their own: leave them out.
+ number = right + layers * 768

Biases are left out where they count, or included where they do not.
+ number = layers * (sizes(named) + sizes(named, "weight")) - right

That is one layer's number. The question is about {{which}}.
+ number = right // layers

That is one layer's number, with its norm. The question is about {{which}}, without
norms.
+ number = right // layers + 768

That is the number in all six layers. The question is about {{which}}.
+ number = right // layers * 6

That is the number in the other part of these layers.
+ other = "self_attention" if "feed" in named else "feed_forward"
+ number = layers * sizes(other)

That is the number in whole layers, attention and feed-forward network, without norms.
+ number = layers * (sizes("self_attention") + sizes("feed_forward"))

That is the number in whole layers: both parts and their norms.
+ both = sizes("self_attention", norms=True) + sizes("feed_forward", norms=True)
+ number = layers * both

That is the number in the other part, with its norms.
+ other = "self_attention" if "feed" in named else "feed_forward"
+ number = layers * sizes(other, norms=True)

That is the number of biases alone.
+ number = layers * sizes(named, "bias")

One of the part's projections is missing, or one of the layers: print the names of those
that you count.
+ number = right - layers * 147_840

That is the number of all the other parameters.
+ number = 22_713_216 - right

That is the number in the whole model.
+ number = 22_713_216

That is in millions. Give the number itself.
+ number = right / 1e6

That is twelve times too many: the heads share the layer's matrices.
+ number = right * 12

That is one head's share. The question is about all heads.
+ number = right // 12

That is its share of the whole. Give the number of parameters.
+ number = right / 22_713_216

That is its share of the whole in percent. Give the number of parameters.
+ number = 100 * right / 22_713_216

That is the number of matrices and biases. Add up how many numbers each of them holds.
+ number = layers * len(arrays(named, ends_of(counted)))

The number of layers is off by one. The question is about {{which}}.
+ number = right // layers * (layers + 1 if layers < 5 else layers - 1)
""",
    reference=reference,
    values=values,
    book=task(PARTS[0], LAYERS[5]),
    tolerance=6e-4,  # for shares and millions: whole numbers are compared as they are
)
