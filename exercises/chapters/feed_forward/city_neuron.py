"""Explore: does the chapter's city neuron respond to cities in other sentences?"""

from dataclasses import replace

from exercises.engine.exercise import Exercise
from exercises.engine.minilm import inner_numbers, normed_sum, read, tensors

LAYER, NEURON = 3, 111
SENTENCES = (
    "she moved to {} last year",
    "the museum in {} is closed",
    "we spent a week in {}",
    "he was born in {}",
    "they opened a shop in {}",
)
CITIES = (
    "lisbon",
    "cairo",
    "toronto",
    "geneva",
    "miami",
    "dallas",
    "berlin",
    "madrid",
    "vienna",
    "boston",
    "chicago",
    "prague",
)


def values(draw):
    city = CITIES[draw.integers(len(CITIES))]
    text = SENTENCES[draw.integers(len(SENTENCES))]
    return {"city": city, "sentence": text.format(city)}


def at(reading, city, layer=LAYER, neuron=NEURON):
    """Return the activation at the city, and at the token before it."""
    place = reading.tokens.index(city)
    return reading.inner[layer, [place, place - 1], neuron]


def reference(city, sentence):
    return at(read(sentence), city)


def contracted(reading):
    """Return what the network makes of its inner numbers, (length, d_model)."""
    kernel, bias = (
        tensors()[f"encoder.layer.{LAYER}.output.dense.{part}"]
        for part in ("weight", "bias")
    )
    return reading.inner[LAYER] @ kernel.T + bias


def before_gelu(sentence):
    """Return a reading whose layer holds its numbers before the activation function."""
    reading = read(sentence)
    x = normed_sum(reading.streams[LAYER] + reading.attended[LAYER], LAYER)
    inner = reading.inner.copy()
    inner[LAYER] = inner_numbers(x, LAYER, activation=lambda z: z)
    return replace(reading, inner=inner)


EXERCISE = Exercise(
    title="The city neuron in another sentence",
    kind="explore",
    difficulty=3,
    minutes=20,
    prompt="""
In the sentence “the word is …”, neuron 111 of layer 3 of MiniLM responds to cities.
Does it do so elsewhere, too? Give the model the sentence “{{sentence}}” and find two
activations of this neuron: at the token **{{city}}**, and at the token **before** it.
Give both to three decimals.

`load_checkpoint()` from `readymade.weights` (chapter 4) returns the model and its
tokenizer; for TensorFlow, use `load_checkpoint(framework="tensorflow")`.
`tokenizer.encode(text)` returns the ids, and `model.layers[3].feed_forward` is the
layer of this chapter. Its `activation` is an ordinary function. To record what it
returns, replace it with a function of your own that calls the original, keeps the
result and returns it.
""",
    starter="""
activations = ...  # at the city and before it: (1.234, 0.456)
""",
    solution={
        "torch": """
from readymade.weights import load_checkpoint

model, tokenizer = load_checkpoint()
network = model.layers[3].feed_forward
original, kept = network.activation, []


def recording(z):
    kept.append(original(z))
    return kept[-1]


network.activation = recording
ids = tokenizer.encode("{{sentence}}")
with torch.no_grad():
    model(torch.tensor([ids]))
place = tokenizer.tokens(ids).index("{{city}}")
inner = kept[0][0, :, 111]  # (length,)
activations = (float(inner[place]), float(inner[place - 1]))
""",
        "tensorflow": """
from readymade.weights import load_checkpoint

model, tokenizer = load_checkpoint(framework="tensorflow")
network = model.layers[3].feed_forward
original, kept = network.activation, []


def recording(z):
    kept.append(original(z))
    return kept[-1]


network.activation = recording
ids = tokenizer.encode("{{sentence}}")
model(tf.constant([ids]))
place = tokenizer.tokens(ids).index("{{city}}")
inner = kept[0][0, :, 111]  # (length,)
activations = (float(inner[place]), float(inner[place - 1]))
""",
    },
    why="""
The neuron responds to the city here, too. But it responds even more strongly to the
word before it, which is not a city. So “the neuron for cities” describes the chapter's
60 sentences well, but is too narrow for this one. Something like “this is about a
place” would fit both. What a neuron means is a hypothesis, and you have to test it on
texts other than those that suggested it.
""",
    hints=(
        "`activation` is an attribute of the layer. Assign another function to it.",
        "Your function gets the inner numbers before the activation function. Let it "
        "append `original(z)` to a list and return it.",
        "The recorded tensor has the shape (batch, length, 1536). Find the place of "
        "the city with `tokenizer.tokens(ids).index(...)`.",
    ),
    mistakes="""
You have the two activations in the other order: the city comes first.
+ activations = right[::-1]

Your second activation is at the token after the city. Take the one before it.
+ reading = read(sentence)
+ place = reading.tokens.index(city)
+ activations = reading.inner[3, [place, place + 1], 111]

Both are one token too early. Does your index count `[CLS]`?
+ reading = read(sentence)
+ place = reading.tokens.index(city)
+ activations = reading.inner[3, [place - 1, place - 2], 111]

That is the layer before. The first layer is layer 0.
+ activations = at(read(sentence), city, layer=2)

That is the layer after. The first layer is layer 0.
+ activations = at(read(sentence), city, layer=4)

That is the neuron before. The first neuron is neuron 0.
+ activations = at(read(sentence), city, neuron=110)

That is the neuron after. The first neuron is neuron 0.
+ activations = at(read(sentence), city, neuron=112)

Those are the inner numbers before the activation function.
+ activations = at(before_gelu(sentence), city)

Your tokens lack `[CLS]` and `[SEP]`. The tokenizer's `encode` adds them.
+ activations = at(read(sentence, special_tokens=False), city)

Your model has a ReLU in every layer. MiniLM was trained with GELU.
+ from exercises.engine.numpy_transformer import relu
+ activations = at(read(sentence, activation=relu), city)

You gave the model the word in the chapter's sentence. Use the new sentence.
+ activations = at(read(f"the word is {city}."), city)

Your second activation is at `[CLS]`, the first token. Take the token before the city.
+ reading = read(sentence)
+ activations = reading.inner[3, [reading.tokens.index(city), 0], 111]

The attention of layer 3 is left out: the network reads what comes after it, the sum and
the norm.
+ reading = read(sentence)
+ place = reading.tokens.index(city)
+ activations = inner_numbers(reading.streams[3], 3)[[place, place - 1], 111]

The norm after the attention of layer 3 is left out.
+ reading = read(sentence)
+ place = reading.tokens.index(city)
+ summed = reading.streams[3] + reading.attended[3]
+ activations = inner_numbers(summed, 3)[[place, place - 1], 111]

Both are one token too late. The first token, `[CLS]`, has place 0.
+ reading = read(sentence)
+ place = reading.tokens.index(city)
+ activations = reading.inner[3, [place + 1, place], 111]

Those are numbers of the vectors that the layer returns. The neuron is one of the 1536
inner numbers, between `expand` and `contract`.
+ reading = read(sentence)
+ place = reading.tokens.index(city)
+ activations = reading.streams[4, [place, place - 1], 111]

Those are numbers of what the network returns. The neuron is one of the 1536 inner
numbers, between `expand` and `contract`.
+ reading = read(sentence)
+ place = reading.tokens.index(city)
+ activations = contracted(reading)[[place, place - 1], 111]

That is the activation at the city alone. Give the one at the token before it, too.
+ activations = float(right[0])

Those are numbers of the model's last vectors. The neuron is one of the 1536 inner
numbers of layer 3.
+ reading = read(sentence)
+ place = reading.tokens.index(city)
+ activations = reading.hidden[[place, place - 1], 111]

You gave the model the words “the word is {{city}}”. Use the new sentence.
+ activations = at(read(f"the word is {city}"), city)
""",
    reference=reference,
    values=values,
    book={
        "city": "dallas",
        "sentence": "the museum in dallas is closed",
    },
    tolerance=0.0006,
    equivalent=dict.fromkeys(
        (
            "inner = kept[-1][0, :, 111]  # (length,)",
            "inner = kept[0][-1, :, 111]  # (length,)",
            "return kept[-0]",
        ),
        "There is one call, with one sentence.",
    ),
)
