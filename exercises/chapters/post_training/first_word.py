"""Explore: how likely the base model finds it that a question is answered."""

from functools import cache

from exercises.engine.exercise import Exercise
from readymade.data.number_game import (
    ASSISTANT,
    END,
    END_OF_TEXT,
    IDS,
    NUMBERS,
    USER,
    base_path,
    encode,
)

import numpy as np

HEADS, KV_HEADS, LAYERS = 4, 2, 2
BEGINNINGS = "how what which start begin think".split()  # of another question


def values(draw):
    """Draw questions until the two numbers differ clearly."""
    while True:
        number = int(draw.integers(1, 59))
        question = f"what comes after {NUMBERS[number]} ?"
        ends, asks = reference(question)
        if abs(ends - asks) > 0.02:
            return {"question": question}


def reference(question):
    p = next_word((END_OF_TEXT, *encode(question)))
    return [float(p[END_OF_TEXT]), float(sum(p[IDS[word]] for word in BEGINNINGS))]


@cache
def next_word(ids):
    """Run the shipped Llama in NumPy: the probabilities of the next token."""
    length = len(ids)
    table = tensors()["model.embed_tokens.weight"].astype(np.float64)
    x, size = table[list(ids)], table.shape[1] // HEADS
    angle = np.arange(length)[:, None] * 10_000.0 ** (-np.arange(0, size, 2) / size)

    def turned(heads):
        one, other = np.split(heads, 2, -1)
        cos, sin = np.cos(angle), np.sin(angle)
        return np.concatenate([one * cos - other * sin, other * cos + one * sin], -1)

    def heads(inner, name, count):
        found = inner @ weight(f"{name}.weight").T
        return found.reshape(length, count, size).swapaxes(0, 1)

    for layer in range(LAYERS):
        name = f"layers.{layer}"
        inner = norm(x, f"{name}.input_layernorm")
        query = turned(heads(inner, f"{name}.self_attn.q_proj", HEADS))
        key = turned(heads(inner, f"{name}.self_attn.k_proj", KV_HEADS))
        value = heads(inner, f"{name}.self_attn.v_proj", KV_HEADS)
        key, value = (one.repeat(HEADS // KV_HEADS, 0) for one in (key, value))
        scores = query @ key.swapaxes(1, 2) / size**0.5
        scores = np.where(np.tri(length, dtype=bool), scores, -np.inf)
        output = (shares(scores) @ value).swapaxes(0, 1).reshape(length, -1)
        x = x + output @ weight(f"{name}.self_attn.o_proj.weight").T
        inner = norm(x, f"{name}.post_attention_layernorm")
        gate = inner @ weight(f"{name}.mlp.gate_proj.weight").T
        up = inner @ weight(f"{name}.mlp.up_proj.weight").T
        x = (
            x
            + (gate / (1 + np.exp(-gate)) * up)
            @ weight(f"{name}.mlp.down_proj.weight").T
        )
    return shares(norm(x, "norm")[-1] @ table.T)


def shares(scores):
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def norm(x, name):
    scale = np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6)
    return x / scale * weight(f"{name}.weight")


def weight(name):
    return tensors()[f"model.{name}"].astype(np.float64)


@cache
def tensors():
    """Return {name: array} of the shipped checkpoint."""
    from safetensors.numpy import load_file

    return load_file(base_path() / "model.safetensors")


def in_template(question):
    p = next_word((USER, *encode(question), END, ASSISTANT))
    return [float(p[END_OF_TEXT]), float(sum(p[IDS[word]] for word in BEGINNINGS))]


EXERCISE = Exercise(
    title="What the base model expects",
    kind="explore",
    difficulty=2,
    minutes=15,
    prompt="""
Load the base model (`base_path()` of `readymade.data.number_game`). Its documents begin
with `<|endoftext|>`. Let one begin with the question “{{question}}” What is the
probability that the document ends there, so that the next token is `<|endoftext|>`? And
what is the probability that another question begins, with *how*, *what*, *which*,
*start*, *begin* or *think*? To three decimals.
""",
    starter="""
ends_and_asks = ...  # such as [0.125, 0.875]
""",
    solution={
        "torch": """
from readymade.data import number_game as game
from readymade.weights import load_checkpoint

model, _ = load_checkpoint(game.base_path())
text = "<|endoftext|> {{question}}"
ids = torch.tensor([game.encode(text)])
with torch.no_grad():
    p = torch.softmax(model(ids)[0, -1], dim=0)
words = "how what which start begin think"
asks = sum(float(p[index]) for index in game.encode(words))
ends_and_asks = [float(p[game.END_OF_TEXT]), asks]
""",
        "tensorflow": """
from readymade.data import number_game as game
from readymade.weights import load_checkpoint

model, _ = load_checkpoint(game.base_path(), "tensorflow")
text = "<|endoftext|> {{question}}"
ids = tf.constant([game.encode(text)])
p = tf.nn.softmax(model(ids)[0, -1])
words = "how what which start begin think"
asks = sum(float(p[index]) for index in game.encode(words))
ends_and_asks = [float(p[game.END_OF_TEXT]), asks]
""",
    },
    why="""
Documents with questions are mostly worksheets, so after a question comes the next, and
an answer is improbable. Nothing is wrong with the model: it describes its documents. A
few solved examples before the question change the kind of document, and with it all of
these probabilities.
""",
    hints=(
        "`encode` turns words into ids, special tokens included. Put `<|endoftext|>` "
        "before the question.",
        "The logits of the last position are those of the next token. Take their "
        "softmax.",
        "Add up the probabilities of the six words.",
    ),
    mistakes="""
The numbers are in the wrong order: the end of the document comes first.
+ ends_and_asks = right[::-1]

The document has no beginning: put `<|endoftext|>` before the question.
+ from exercises.chapters.post_training.first_word import *
+ p = next_word(tuple(encode(question)))
+ asks = sum(float(p[IDS[word]]) for word in BEGINNINGS)
+ ends_and_asks = [float(p[END_OF_TEXT]), asks]

You asked in the chat template, which the base model has never seen.
+ from exercises.chapters.post_training.first_word import in_template
+ ends_and_asks = in_template(question)

The second number is what is left. There are other words that can follow.
+ ends_and_asks = [right[0], 1 - right[0]]

The first number is what is left. There are other words that can follow.
+ ends_and_asks = [1 - right[1], right[1]]

That is the likeliest of the six words. Add up all of them.
+ from exercises.chapters.post_training.first_word import *
+ p = next_word((END_OF_TEXT, *encode(question)))
+ ends_and_asks = [right[0], max(float(p[IDS[word]]) for word in BEGINNINGS)]

Two numbers are wanted. The second is missing.
+ ends_and_asks = right[0]

Two numbers are wanted. The first is missing.
+ ends_and_asks = right[1]
""",
    reference=reference,
    values=values,
    tolerance=0.0015,
)
