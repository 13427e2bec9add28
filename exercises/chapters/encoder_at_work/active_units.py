"""Explore: the share of active units in a layer of the real model."""

from exercises.engine.exercise import Exercise
from exercises.engine.minilm import MORE_SENTENCES, read

# For each sentence, the layers in which no mistake below has the right share by chance.
LAYERS = """
    13 124 123 13 13 13 123 123 - 1234 24 1 1 134 34 124 124 1 14 123
    124 14 1234 123 124 1234 1234 14 1234 134
"""
PAIRS = [
    (sentence, int(layer))
    for sentence, layers in zip(MORE_SENTENCES, LAYERS.split(), strict=True)
    for layer in layers.strip("-")
]


def values(draw):
    sentence, layer = PAIRS[draw.integers(len(PAIRS))]
    return {"sentence": sentence, "layer": layer}


def reference(sentence, layer):
    return float((read(sentence).inner[layer] > 0).mean())


EXERCISE = Exercise(
    title="How many units are active?",
    kind="explore",
    difficulty=3,
    minutes=20,
    prompt="""
Give the bundled MiniLM the sentence “{{sentence}}”. In the feed-forward network of
layer **{{layer}}** (the first is layer 0), every token has 1536 inner numbers, the
**units** between $W_1$ and $W_2$. What share of them, over all tokens including `[CLS]`
and `[SEP]`, is above 0 after the activation function? Three decimals.

Run the model up to that point yourself: `model.embeddings` takes a batch of ids, and
each of `model.layers` takes `x` and returns the new `x` and its weights. Inside a
layer, use `self_attention`, `self_attention_norm` and the `expand` and `activation` of
its `feed_forward`.
""",
    starter="""
share = ...  # a number from 0 to 1
""",
    solution={
        "torch": """
from readymade.weights import load_checkpoint

model, tokenizer = load_checkpoint()
model.eval()
ids = torch.tensor([tokenizer.encode("{{sentence}}")])
with torch.no_grad():
    x = model.embeddings(ids)
    for layer in model.layers[:{{layer}}]:
        x, weights = layer(x)
    layer = model.layers[{{layer}}]
    attended, weights = layer.self_attention(x, x, x)
    x = layer.self_attention_norm.after(x, attended)
    network = layer.feed_forward
    inner = network.activation(network.expand(x))
share = float((inner > 0).float().mean())
""",
        "tensorflow": """
from readymade.weights import load_checkpoint

model, tokenizer = load_checkpoint(framework="tensorflow")
ids = tf.constant([tokenizer.encode("{{sentence}}")])
x = model.embeddings(ids)
for layer in list(model.layers)[:{{layer}}]:
    x, weights = layer(x)
layer = model.layers[{{layer}}]
attended, weights = layer.self_attention(x, x, x)
x = layer.self_attention_norm.after(x, attended)
network = layer.feed_forward
inner = network.activation(network.expand(x))
share = float(np.mean(inner.numpy() > 0))
""",
    },
    why="""
Only a minority of the units are active: 15 to 27 % for the sentences and layers of this
exercise. The others have small negative values, since GELU is never below −0.17. With
ReLU they would be exactly 0, so their rows of $W_2$ would not have to be read. Research
on sparse models makes use of this.
""",
    hints=(
        "Run the embeddings and the first {{layer}} layers, one after the other.",
        "Of layer {{layer}}, run the attention, `layer.self_attention(x, x, x)`, and "
        "then `layer.self_attention_norm.after(x, attended)`, which adds and "
        "normalizes. "
        "The feed-forward network takes its output.",
        "`layer.feed_forward.expand` computes the inner numbers, and `.activation` is "
        "the activation function.",
    ),
    mistakes="""
That is the share of the units that are not above 0.
+ share = 1 - right

That is the layer before. The first layer is layer 0.
+ share = reference(sentence, layer - 1)

That is the layer after. How many layers run before this one?
+ share = reference(sentence, layer + 1)

You skipped the attention: the feed-forward network reads its output after the sum and
the norm.
+ from exercises.engine.minilm import inner_numbers
+ inner = inner_numbers(read(sentence).streams[layer], layer)
+ share = float((inner > 0).mean())

The residual connection is missing: `after` adds x to what the attention returns.
+ from exercises.engine.minilm import inner_numbers, normed_sum
+ inner = inner_numbers(normed_sum(read(sentence).attended[layer], layer), layer)
+ share = float((inner > 0).mean())

The norm after the attention is missing.
+ from exercises.engine.minilm import inner_numbers
+ model = read(sentence)
+ inner = inner_numbers(model.streams[layer] + model.attended[layer], layer)
+ share = float((inner > 0).mean())

Residual connection and norm are both missing: the network reads the attention's output.
+ from exercises.engine.minilm import inner_numbers
+ inner = inner_numbers(read(sentence).attended[layer], layer)
+ share = float((inner > 0).mean())

You normalized the layer's input, without its attention.
+ from exercises.engine.minilm import inner_numbers, normed_sum
+ inner = inner_numbers(normed_sum(read(sentence).streams[layer], layer), layer)
+ share = float((inner > 0).mean())

You fed the layer's output into its own feed-forward network once more.
+ from exercises.engine.minilm import inner_numbers
+ inner = inner_numbers(read(sentence).streams[layer + 1], layer)
+ share = float((inner > 0).mean())

That is the share of positive numbers in the vectors x. Take the inner numbers.
+ share = float((read(sentence).streams[layer] > 0).mean())

That is the share over the words. `[CLS]` and `[SEP]` are tokens, too.
+ share = float((read(sentence).inner[layer][1:-1] > 0).mean())

The model has read the sentence without `[CLS]` and `[SEP]`. The tokenizer adds them by
itself.
+ inner = read(sentence, special_tokens=False).inner[layer]
+ share = float((inner > 0).mean())

Your model has a ReLU in every layer. MiniLM was trained with GELU.
+ from exercises.engine.numpy_transformer import relu
+ inner = read(sentence, activation=relu).inner[layer]
+ share = float((inner > 0).mean())

That is the share in the first token alone. Take all of them.
+ share = float((read(sentence).inner[layer][0] > 0).mean())

That is the mean over all layers. Take layer {{layer}} only.
+ share = float((read(sentence).inner > 0).mean())

That is the number of active units of one token, on average. Divide it by 1536.
+ share = right * 1536

That is a share in percent. Give it as a number from 0 to 1.
+ share = right * 100

That is the share of those above 0.1. The question is about those above 0.
+ share = float((read(sentence).inner[layer] > 0.1).mean())

That is the number of active units. Divide it by the number of all.
+ share = int((read(sentence).inner[layer] > 0).sum())

That is the share of positive numbers in what the network returns. Take its inner
numbers.
+ from exercises.engine.minilm import tensors
+ name = f"encoder.layer.{layer}.output.dense"
+ output = read(sentence).inner[layer] @ tensors()[f"{name}.weight"].T
+ share = float((output + tensors()[f"{name}.bias"] > 0).mean())

That is the share of the units that are active in at least one token. Count each token.
+ share = float((read(sentence).inner[layer] > 0).any(0).mean())

That is the share of the units that are active in all tokens. Count each token.
+ share = float((read(sentence).inner[layer] > 0).all(0).mean())

That is the mean of the activations. What share of them is above 0?
+ share = float(read(sentence).inner[layer].mean())

The active units of all tokens are divided by 1536, the units of one. Divide by the
number of tokens as well.
+ share = right * len(read(sentence).tokens)
""",
    reference=reference,
    values=values,
    book={"sentence": "we walked home in the rain", "layer": 4},
    tolerance=0.0006,
    equivalent={
        "x = layer.self_attention_norm.after(attended, x)": "A sum has no order.",
        "share = float((inner >= 0).float().mean())": "None of them is exactly 0.",
        "share = float(np.mean(inner.numpy() >= 0))": "None of them is exactly 0.",
    },
)
