"""Explore: how many inner numbers of the real model's layer are above zero?"""

from exercises.engine.exercise import Exercise
from exercises.engine.minilm import SENTENCES, read

# Of a sentence and a layer each, without those whose share hardly depends on [SEP].
PAIRS = [
    (sentence, layer)
    for sentence in SENTENCES
    for layer in (1, 4)
    if (sentence, layer) not in ((SENTENCES[0], 4), (SENTENCES[3], 1))
]


def values(draw):
    sentence, layer = PAIRS[draw.integers(len(PAIRS))]
    return {"sentence": sentence, "layer": layer}


def reference(sentence, layer):
    return float((read(sentence).inner[layer] > 0).mean())


EXERCISE = Exercise(
    title="How many say yes?",
    kind="explore",
    difficulty=3,
    minutes=20,
    prompt="""
Give the bundled MiniLM the sentence “{{sentence}}”. In the feed-forward part of layer
**{{layer}}** (the first is layer 0), every token has 1536 inner numbers. Which share of
them, over all tokens with `[CLS]` and `[SEP]`, is above 0 after the bend? Three
decimals will do.

`load_checkpoint()` from `scratch.weights` returns the model and its tokenizer (in
TensorFlow, `load_checkpoint(framework="tensorflow")`). `tokenizer.encode(text)` gives
ids, `model.embeddings` takes a batch of them, and `model.layers` are the six layers:
each takes `x` and returns `x` and its weights. In a layer stand `self_attention`
(chapter 4), its `self_attention_norm`, and `feed_forward`, the layer of this chapter.
""",
    starter="""
share = ...  # a number from 0 to 1
""",
    solution={
        "torch": """
from scratch.weights import load_checkpoint

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
from scratch.weights import load_checkpoint

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
About one in five says yes; the others answer with a small negative number, which is how
GELU says no. Each no is small, never below −0.17. But there are some 1,200 of them, and
together they count. With ReLU a no is exactly 0, and its row of $W_2$ need not be read:
work on sparse models begins there.
""",
    hints=(
        "Run the embeddings and the first {{layer}} layers, one after the other.",
        "Of layer {{layer}}, run the attention, `layer.self_attention(x, x, x)`, and "
        "the norm, `layer.self_attention_norm.after(x, attended)`. The feed-forward "
        "part takes what comes out of that.",
        "`layer.feed_forward.expand` makes the inner numbers, and `.activation` bends "
        "them.",
    ),
    mistakes="""
That is the share of those which are not above 0.
+ share = 1 - right

That is the layer before. The first layer is layer 0.
+ share = reference(sentence, layer - 1)

That is the layer after. How many layers run before this one?
+ share = reference(sentence, layer + 1)

That is the share over the words. `[CLS]` and `[SEP]` are tokens, too.
+ from exercises.engine.minilm import read
+ share = float((read(sentence).inner[layer][1:-1] > 0).mean())

The model has read the sentence without `[CLS]` and `[SEP]`. The tokenizer adds them,
unless it is told not to.
+ from exercises.engine.minilm import read
+ inner = read(sentence, special_tokens=False).inner[layer]
+ share = float((inner > 0).mean())

Your model has a ReLU in every layer. MiniLM was trained with GELU.
+ from exercises.engine.minilm import read
+ inner = read(sentence, activation=lambda z: np.maximum(z, 0)).inner[layer]
+ share = float((inner > 0).mean())

That is the share of the first token alone. Take all of them.
+ from exercises.engine.minilm import read
+ share = float((read(sentence).inner[layer][0] > 0).mean())
""",
    reference=reference,
    values=values,
    tolerance=0.0005,
    equivalent={
        "x = layer.self_attention_norm.after(attended, x)": "A sum has no order.",
        "share = float((inner >= 0).float().mean())": "None of them is exactly 0.",
        "share = float(np.mean(inner.numpy() >= 0))": "None of them is exactly 0.",
    },
)
