"""Explore: how many tokens a call gives if the draft is half of the target."""

from functools import cache

from exercises.engine.exercise import Exercise
from exercises.engine.numpy_transformer import softmax
from exercises.engine.writer_model import logits_of, model, streams

import numpy as np

TEXTS = (
    "Anne was very glad to see her brother again.",
    "Captain Wentworth had been in the navy.",
    "Sir Walter was not at home in the evening.",
    "She could not speak of it to Lady Russell.",
    "The house was full of company that day.",
    "They walked to the sea before breakfast.",
    "Mary was ill, and would not go out.",
    "He had never been so happy in his life.",
    "Nobody had said a word about the letter.",
    "Louisa would not be told what to do.",
    "The Admiral was fond of a long walk.",
    "It was too late to begin a new book.",
    "Elizabeth wished to give them a good dinner.",
    "Charles went out with his gun and his dog.",
    "There was nothing to be done but to wait.",
    "Mrs Croft had seen a great deal of the world.",
    "Henrietta came in with her cousin at the door.",
    "I am not sorry to have seen the place.",
    "He looked at her as if he knew her.",
    "Nothing could be more kind than his manner.",
)


def values(draw):
    """Draw a text and a number of guesses, so that all mistakes differ."""
    while True:
        text, guesses = str(draw.choice(TEXTS)), int(draw.integers(2, 7))
        rates = [*wrong_rates(text), rate(text)]
        gaps = np.abs(np.subtract.outer(rates, rates)) + np.eye(len(rates))
        counts = [*wrong_tokens(rate(text), guesses).values(), averaged(text, guesses)]
        off = np.abs(np.array(counts) - tokens(rate(text), guesses))
        if gaps.min() > 0.0016 and off.min() > 0.004:
            return {"text": text, "guesses": guesses}


@cache
def target_and_draft(text):
    """Return the probabilities of both, after each token: (length, vocab_size)."""
    _, half, whole = streams(text)
    return softmax(logits_of(whole)), softmax(logits_of(half))


def rates(text):
    """Return the acceptance rate after each token, (length,)."""
    return np.minimum(*target_and_draft(text)).sum(-1)


def rate(text):
    return float(rates(text).mean())


@cache
def wrong_rates(text):
    """Return what a reader may take for the acceptance rate."""
    target, draft = target_and_draft(text)
    before, half, _ = streams(text)
    bare = softmax(half @ model().tensors["wte.weight"].T)
    none = softmax(logits_of(before))
    found = (
        rates(text)[-1],
        (target * draft).sum(-1).mean(),
        (target.argmax(-1) == draft.argmax(-1)).mean(),
        np.minimum(target, bare).sum(-1).mean(),
        np.minimum(target, none).sum(-1).mean(),
        1 - np.abs(target - draft).sum(-1).mean(),
    )
    return [float(one) for one in found]


def tokens(a, guesses):
    """Return how many tokens a call gives on average."""
    return sum(a**n for n in range(guesses + 1))


def averaged(text, guesses):
    """Return the mean of what a call would give with each place's rate."""
    return float(np.mean([tokens(a, guesses) for a in rates(text)]))


def wrong_tokens(a, guesses):
    """Return what a reader may take for that number."""
    return {
        "no bonus": tokens(a, guesses) - 1,
        "power": tokens(a, guesses - 1),
        "uncut": 1 / (1 - a),
        "each counts": guesses * a,
        "each counts, and one": guesses * a + 1,
        "all kept": guesses + 1,
        "calls": 1 / tokens(a, guesses),
    }


def reference(text, guesses):
    return [rate(text), tokens(rate(text), guesses)]


EXERCISE = Exercise(
    title="Half of the model as a draft",
    kind="explore",
    difficulty=2,
    minutes=15,
    prompt="""
A draft needn't be a model of its own. Load the model that was trained on *Persuasion*
(`writer_path()` is its folder), and let its **first layer alone** guess: the stream
after layer 0 goes through the last norm and the output matrix. The target is the whole
model. Both read

    {{text}}

At each token of this text, both have a distribution of the next token, at temperature
1. What is the acceptance rate of the draft, averaged over all tokens of the text (the
last one included)? And if every guess is accepted with this rate, how many tokens does
a call of the target give on average when {{guesses}} tokens are guessed at a time? Give
both to three decimals.
""",
    starter="""
rate_and_tokens = ...  # such as [0.125, 1.141]
""",
    solution={
        "torch": """
from readymade.data import writer_path
from readymade.weights import load_checkpoint
from scratch.serving import acceptance
from scratch.torch import recorded

model, tokenizer = load_checkpoint(writer_path())
model.eval()
ids = torch.tensor([tokenizer.encode("{{text}}")])
with recorded(model.decoder.layers[0]) as kept, torch.no_grad():
    target = model(ids)[0]
    draft = model.logits(model.decoder.norm(kept[0]))[0]
p, q = torch.softmax(target, dim=1), torch.softmax(draft, dim=1)
rate = float(acceptance(p.numpy(), q.numpy()).mean())
tokens = sum(rate**n for n in range({{guesses}} + 1))
rate_and_tokens = [rate, tokens]
""",
        "tensorflow": """
from readymade.data import writer_path
from readymade.weights import load_checkpoint
from scratch.serving import acceptance
from scratch.tensorflow import tf_recorded

model, tokenizer = load_checkpoint(
    writer_path(), framework="tensorflow"
)
ids = tf.constant([tokenizer.encode("{{text}}")])
with tf_recorded(model.decoder.layers[0]) as kept:
    target = model(ids)[0]
    draft = model.logits(model.decoder.norm(kept[0]))[0]
p, q = tf.nn.softmax(target, axis=1), tf.nn.softmax(draft, axis=1)
rate = float(acceptance(p.numpy(), q.numpy()).mean())
tokens = sum(rate**n for n in range({{guesses}} + 1))
rate_and_tokens = [rate, tokens]
""",
    },
    why=r"""
The first new token of a call always comes. The second needs one accepted guess, the
third two in a row, so with $k$ guesses a call gives
$1 + a + \dots + a^k = (1 - a^{k+1}) / (1 - a)$ tokens. More guesses help less and less:
however many there are, it never gives more than $1 / (1 - a)$.

The draft shares its layer, its table and its output matrix with the target, and is not
trained for this. But it isn't cheap: it reads one of two layers and the whole output
matrix, 65 % of the numbers that the target reads. If a step takes time in proportion,
and the check as long as one step, a call takes as long as $1 + 0.65 k$ steps. Compare
that with your tokens. And the formula is only an estimate: the rate varies from place
to place.
""",
    hints=(
        "`recorded(model.decoder.layers[0])` yields a list with the stream after the "
        "first layer. The draft's logits are `model.logits(model.decoder.norm(…))` of "
        "it.",
        "The acceptance rate at a token is the sum of the smaller one of both "
        "probabilities, over the whole vocabulary.",
        "A call always gives one token. It gives a second one with probability a, and "
        "a third with a². How many terms are there with {{guesses}} guesses?",
    ),
    mistakes="""
The rate is right. You count the accepted guesses alone. The call itself gives one more
token, after them or in the place of the rejected one.
+ rate_and_tokens = [right[0], wrong_tokens(right[0], guesses)["no bonus"]]

The rate is right. Your sum ends one term too early: with {{guesses}} guesses, the
highest power of the rate is {{guesses}}.
+ rate_and_tokens = [right[0], wrong_tokens(right[0], guesses)["power"]]

The rate is right. That many tokens would come if there were no end to the guesses.
There are {{guesses}}.
+ rate_and_tokens = [right[0], wrong_tokens(right[0], guesses)["uncut"]]

The rate is right. You take {{guesses}} times the rate. A guess counts only if all
before it are accepted, and the call itself gives one more token.
+ rate_and_tokens = [right[0], wrong_tokens(right[0], guesses)["each counts"]]

The rate is right. You take 1 + {{guesses}} times the rate. A guess counts only if all
before it are accepted, too.
+ rate_and_tokens = [right[0], wrong_tokens(right[0], guesses)["each counts, and one"]]

The rate is right. That many tokens come if all guesses are accepted. Take the average.
+ rate_and_tokens = [right[0], wrong_tokens(right[0], guesses)["all kept"]]

The rate is right. Those are the calls for a token. The tokens of a call are wanted.
+ rate_and_tokens = [right[0], wrong_tokens(right[0], guesses)["calls"]]

You took the last token's rate alone. Average over all tokens of the text.
+ a = wrong_rates(text)[0]
+ rate_and_tokens = [a, tokens(a, guesses)]

You multiplied the probabilities. That is how often two independent draws agree; a guess
is accepted with the smaller of both.
+ a = wrong_rates(text)[1]
+ rate_and_tokens = [a, tokens(a, guesses)]

You counted how often both have the same likeliest token. That is the rate of greedy
search; at temperature 1, take the sum of the smaller probabilities.
+ a = wrong_rates(text)[2]
+ rate_and_tokens = [a, tokens(a, guesses)]

The last norm is missing: the draft's stream goes through it before the output matrix.
+ a = wrong_rates(text)[3]
+ rate_and_tokens = [a, tokens(a, guesses)]

Your draft has no layer at all: you took the stream before layer 0.
+ a = wrong_rates(text)[4]
+ rate_and_tokens = [a, tokens(a, guesses)]

The sum of |p − q| counts each difference twice. One minus half of it is the acceptance
rate.
+ a = wrong_rates(text)[5]
+ rate_and_tokens = [a, tokens(a, guesses)]

You averaged the tokens of a call over the places. Average the rate first, then compute
the tokens from it.
+ rate_and_tokens = [right[0], averaged(text, guesses)]
""",
    reference=reference,
    values=values,
    book={"text": TEXTS[3], "guesses": 4},
    tolerance=0.0006,
    equivalent={
        "target = model(ids)[-1]": "There is one text.",
        "draft = model.logits(model.decoder.norm(kept[0]))[-1]": "There is one text.",
        "draft = model.logits(model.decoder.norm(kept[-1]))[0]": "There is one run.",
        "rate = float(acceptance(q.numpy(), p.numpy()).mean())": "It is symmetric.",
    },
)
