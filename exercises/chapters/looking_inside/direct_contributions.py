"""Explore: what each part of the number game's model adds to the right answer."""

from exercises.engine.exercise import Exercise
from exercises.engine.game_model import base_model, run_base, token_table
from readymade.data.number_game import END_OF_TEXT, IDS, NUMBERS, encode

import numpy as np

FIRST, LAST = IDS[NUMBERS[0]], IDS[NUMBERS[-1]]
PARTS = ("embeddings", "attention 0", "feed-forward 0", "attention 1", "feed-forward 1")


def values(draw):
    """Draw a game whose first step the model gets right."""
    while True:
        a, b, c = (int(draw.integers(*ends)) for ends in ((4, 16), (1, 10), (1, 10)))
        found = game(a, str(draw.choice(["add", "take"])), b, c)
        if not found["negative"] and (a, b) != (9, 5) and is_clear(found):
            return found


def is_clear(found):
    """Whether the model is right, and no two parts contribute nearly the same."""
    answer = logits(added(found["text"]).sum(0)).argmax()
    gaps = np.abs(np.diff(np.sort(reference(**found))))
    return answer == IDS[found["right_word"]] and gaps.min() > 0.1


def game(a, op, b, c):
    result = a + b if op == "add" else a - b
    step = f"{NUMBERS[a]} {op} {NUMBERS[b]}"
    start = f"start with {NUMBERS[a]} , {op} {NUMBERS[b]} , add {NUMBERS[c]} ."
    return {
        "text": f"{start} {step} is",
        "right_word": NUMBERS[max(result, 0)],
        "first_word": NUMBERS[a],
        "negative": result < 0,
    }


def added(text, place=-1, start=(END_OF_TEXT,)):
    """Return what each part adds to the stream at a place: (parts, d_model)."""
    x, layers = run_base((*start, *encode(text)))
    parts = [x]
    for layer in layers:
        parts += [layer.attended, layer.x - x - layer.attended]
        x = layer.x
    return np.stack([part[place] for part in parts])


def gain():
    return base_model().tensors["norm.weight"]


def length(x):
    """Return the number by which the last norm divides."""
    return np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6)


def logits(x):
    return x / length(x) * gain() @ token_table().T


def direction(right_word):
    """Return the right number's row of the output matrix minus the numbers' mean."""
    table = token_table()
    return table[IDS[right_word]] - table[FIRST : LAST + 1].mean(0)


def against_numbers(x, right_word):
    """Return the right number's logit minus the mean of all numbers' logits."""
    found = logits(x)
    return found[..., IDS[right_word]] - found[..., FIRST : LAST + 1].mean(-1)


def shares(parts, toward):
    """Return what parts contribute if the last norm divides as it does in the model."""
    return (parts / length(parts.sum(0)) * gain() @ toward).tolist()


def without_each(text, right_word):
    """Return what is lost when the norm is computed anew without a part."""
    parts = added(text)
    whole = parts.sum(0)
    lost = against_numbers(whole, right_word) - against_numbers(
        whole - parts, right_word
    )
    return lost.tolist()


def reference(text, right_word, **_):
    return shares(added(text), direction(right_word))


EXERCISE = Exercise(
    title="Who adds what to the answer?",
    kind="explore",
    difficulty=2,
    minutes=15,
    prompt="""
The base model of the number game (`base_path()` of `readymade.data.number_game`) reads
`<|endoftext|> {{text}}` and answers *{{right_word}}*. At the last place, its stream is
a sum of five parts: the embeddings, then what attention and the feed-forward layer add,
first in layer 0, then in layer 1. The model has no biases.

How much does each part contribute **directly** to the lead of *{{right_word}}*: its
logit minus the mean logit of all 61 numbers, *zero* to *sixty*? Let the last norm
divide as it does in the model, so that the five contributions sum to the lead. Give
them in the order of the stream, to two decimals.
""",
    starter="""
contributions = ...  # five numbers, such as [0.12, -0.34, 1.5, 0.25, 9.87]
""",
    solution={
        "torch": """
from contextlib import ExitStack
from readymade.data import number_game as game
from readymade.weights import load_checkpoint
from scratch.torch import recorded

model, _ = load_checkpoint(game.base_path())
decoder = model.decoder
parts = [decoder.embeddings]
for layer in decoder.layers:
    parts += [layer.self_attention, layer.feed_forward]
ids = game.encode("<|endoftext|> {{text}}")
with ExitStack() as stack, torch.no_grad():
    kept = [stack.enter_context(recorded(part)) for part in parts]
    model(torch.tensor([ids]))
added = torch.stack([one[0][0, -1] for one in kept])  # (parts, d_model)

stream = added.sum(0)
divisor = torch.sqrt(torch.mean(stream**2) + 1e-6)
table = model.logits.tokens.weight.detach()
numbers = table[[game.IDS[word] for word in game.NUMBERS]]
direction = table[game.IDS["{{right_word}}"]] - numbers.mean(0)
normed = added / divisor * decoder.norm.weight.detach()
contributions = (normed @ direction).tolist()
""",
        "tensorflow": """
from contextlib import ExitStack
from readymade.data import number_game as game
from readymade.weights import load_checkpoint
from scratch.tensorflow import tf_recorded

model, _ = load_checkpoint(game.base_path(), "tensorflow")
decoder = model.decoder
parts = [decoder.embeddings]
for layer in decoder.layers:
    parts += [layer.self_attention, layer.feed_forward]
ids = game.encode("<|endoftext|> {{text}}")
with ExitStack() as stack:
    kept = [stack.enter_context(tf_recorded(part)) for part in parts]
    model(tf.constant([ids]))
added = np.stack([one[0][0, -1] for one in kept])  # (parts, d_model)

stream = added.sum(0)
divisor = np.sqrt(np.mean(stream**2) + 1e-6)
table = model.logits.tokens.embeddings.numpy()
numbers = table[[game.IDS[word] for word in game.NUMBERS]]
direction = table[game.IDS["{{right_word}}"]] - numbers.mean(0)
normed = added / divisor * decoder.norm.scale.numpy()
contributions = (normed @ direction).tolist()
""",
    },
    why="""
Up to the last norm the stream is a plain sum, and the output matrix is linear. The norm
divides all parts by one number, so with that number held fixed the lead splits into
five exactly. Compute it by hand like this once and compare the sum with the model's own
logits: if they differ, a part is missing.

*Direct* is the important word. A head that hands a number to a later layer may
contribute next to nothing here, and the answer may still depend on it. To see that
takes an intervention.
""",
    hints=(
        "`recorded(part)` yields a list with what a part returns. Record the "
        "embeddings, both `self_attention` and both `feed_forward`, and take the last "
        "place.",
        "Divide each part by the root mean square of the **sum** of all parts, and "
        "multiply by the norm's weights.",
        "Logits are products with the rows of `model.logits.tokens`. Multiply each "
        "part with the row of the right number minus the mean of the numbers' 61 rows.",
    ),
    mistakes="""
You computed the last norm anew without each part, so your numbers don't sum to the
lead. Keep the divisor of the whole stream.
+ contributions = without_each(text, right_word)

You normalized each part by itself. All parts are divided by one number, which is that
of their sum.
+ parts = added(text)
+ contributions = (parts / length(parts) * gain() @ direction(right_word)).tolist()

The last norm is missing: divide by the root mean square of the stream, and multiply by
the norm's weights.
+ contributions = (added(text) @ direction(right_word)).tolist()

You divide, but the weights of the last norm are missing.
+ parts = added(text)
+ contributions = (parts / length(parts.sum(0)) @ direction(right_word)).tolist()

The weights of the last norm are there, but you don't divide by the root mean square of
the stream.
+ contributions = (added(text) * gain() @ direction(right_word)).tolist()

Those are contributions to the logit alone. What all numbers get has to be subtracted:
their mean.
+ contributions = shares(added(text), token_table()[IDS[right_word]])

You subtract the mean over the whole vocabulary. Take that of the 61 numbers.
+ table = token_table()
+ contributions = shares(added(text), table[IDS[right_word]] - table.mean(0))

You subtract the mean of the other 60 numbers. The mean of all 61 is asked for.
+ contributions = [61 / 60 * number for number in right]

Each of your numbers includes those before it, as with the logit lens. How much does a
part add by itself?
+ contributions = np.cumsum(right).tolist()

That is the logit lens: what the stream would answer after each part, with a norm of its
own. The parts of one sum are asked for.
+ stream = np.cumsum(added(text), 0)
+ contributions = against_numbers(stream, right_word).tolist()

The order is that of the stream: attention and feed-forward of layer 0, then those of
layer 1.
+ contributions = [right[0], right[1], right[3], right[2], right[4]]

In each layer, attention comes before the feed-forward layer.
+ contributions = [right[0], right[2], right[1], right[4], right[3]]

The embeddings are missing. They are a part of the sum, too.
+ contributions = right[1:]

Those are the parts of another place. The answer is read at the last one, “is”.
+ contributions = shares(added(text, -2), direction(right_word))

The document has no beginning: put `<|endoftext|>` before the text.
+ contributions = shares(added(text, start=()), direction(right_word))

Those are shares of the lead. Give the contributions themselves.
+ contributions = [number / sum(right) for number in right]

The sign is the other way round: the right number's logit comes first.
+ contributions = [-number for number in right]

You followed the number that the game starts with. The right answer is “{{right_word}}”.
+ contributions = shares(added(text), direction(first_word))
""",
    reference=reference,
    values=values,
    book=game(9, "add", 5, 3),
    tolerance=0.006,
    equivalent={
        f"added = {stack}([one{at} for one in kept])  # (parts, d_model)": why
        for stack in ("torch.stack", "np.stack")
        for at, why in (
            ("[-1][0, -1]", "There is one run."),
            ("[0][-1, -1]", "There is one text."),
        )
    }
    | {
        "divisor = torch.sqrt(torch.mean(stream**2) + 2e-06)": "It is far smaller.",
        "divisor = torch.sqrt(torch.mean(stream**2) - 1e-6)": "It is far smaller.",
        "divisor = np.sqrt(np.mean(stream**2) + 2e-06)": "It is far smaller.",
        "divisor = np.sqrt(np.mean(stream**2) - 1e-6)": "It is far smaller.",
    },
)
