"""Build a head by hand that copies the previous token into a block of its own."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, length, num_tokens, num_places, score in (
        (1, 2, 2, 3, 2.0),
        (1, 4, 3, 4, 10.0),
        (2, 5, 3, 7, 4.0),
    ):
        yield stream(draw, batch, length, num_tokens, num_places), num_tokens, score


def stream(draw, batch, length, num_tokens, num_places):
    """Return one-hot tokens, one-hot places, and an empty block."""
    x = np.zeros((batch, length, 2 * num_tokens + num_places))
    x[:, :, :num_tokens] = np.eye(num_tokens)[
        draw.integers(num_tokens, size=(batch, length))
    ]
    x[:, :, num_tokens : num_tokens + num_places] = np.eye(num_places)[:length]
    return x


def reference(x, num_tokens, score):
    batch, length, _ = x.shape
    weights = np.zeros((batch, 1, length, length))
    for place in range(length):
        powers = np.ones(place + 1)  # the scores of all other places are 0
        if place:
            powers[place - 1] = np.exp(score)
        weights[:, :, place, : place + 1] = powers / powers.sum()
    output = np.zeros(x.shape)
    output[:, :, -num_tokens:] = weights[:, 0] @ x[:, :, :num_tokens]
    return output, weights


def all_else_is_0(ask, draw):
    x = stream(draw, 1, 4, 3, 5).astype("float32")
    other = x.copy()
    other[:, :, :3] = np.roll(x[:, :, :3], 1, axis=2)  # other tokens, the same places
    (output, weights), (_, again), (nothing, _) = (
        ask(one, 3, 3.0) for one in (x, other, np.zeros_like(x))
    )
    if (most := float(np.abs(nothing).max())) > 1e-6:
        return (
            f"With a stream of zeros your head still writes {most:.2g}. Are all biases "
            "set to 0?"
        )
    if (moved := float(np.abs(again - weights).max())) > 1e-6:
        return (
            f"Your attention weights move by {moved:.2g} when only the tokens change. "
            "Queries and keys read the places alone; all their other weights are 0."
        )
    if (most := float(np.abs(output[:, :, :-3]).max())) > 1e-6:
        return (
            f"Your output is {most:.2g} outside of the last block, where the head "
            "should write nothing."
        )
    return None


EXERCISE = Exercise(
    title="A previous-token head by hand",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt=r"""
The stream has three blocks: the **token** as a one-hot vector (`num_tokens` numbers),
the **place** as a one-hot vector (all that is left between the other two), and an empty
block of `num_tokens` numbers for the **previous token**. Make one causal head of
`MultiHeadAttention` and set its weights by hand, so that each place $p$ attends to
place $p - 1$ with the score `score` and to all others with the score 0, and what the
head writes is the token that stands there, in the empty block. The score is what goes
into the softmax, after the division by $\sqrt{d_k}$. Place 0 asks for nothing.

All other weights and all biases are 0. Return what the head returns: its output, which
is not yet added to `x`, and its attention weights.
""",
    solution={
        "torch": '''
from scratch.torch import MultiHeadAttention, causal_mask


def previous_token_head(x, num_tokens, score):
    """Return the head's output (batch, length, d_model)
    and its weights (batch, 1, length, length).

    x (batch, length, d_model); score, a number.
    """
    batch, length, d_model = x.shape
    d_k = d_model - 2 * num_tokens  # a number for each place
    head = MultiHeadAttention(
        d_model, 1, d_k=d_k, d_v=num_tokens
    )
    for weight in head.parameters():
        nn.init.zeros_(weight)
    token, place = torch.arange(num_tokens), torch.arange(d_k)
    at = num_tokens + place  # of the places in x
    with torch.no_grad():  # each weight is (outputs, inputs)
        asked = score * d_k**0.5
        head.query.weight[place[:-1], at[1:]] = asked
        head.key.weight[place, at] = 1
        head.value.weight[token, token] = 1
        previous = d_model - num_tokens + token
        head.projection.weight[previous, token] = 1
    return head(x, x, x, causal_mask(length))
''',
        "tensorflow": '''
from scratch.tensorflow import (
    TFMultiHeadAttention,
    tf_causal_mask,
)


def previous_token_head(x, num_tokens, score):
    """Return the head's output (batch, length, d_model)
    and its weights (batch, 1, length, length).

    x (batch, length, d_model); score, a number.
    """
    batch, length, d_model = x.shape
    d_k = d_model - 2 * num_tokens  # a number for each place
    head = TFMultiHeadAttention(
        d_model, 1, d_k=d_k, d_v=num_tokens
    )
    token, place = np.arange(num_tokens), np.arange(d_k)
    at = num_tokens + place  # of the places in x
    # each kernel is (inputs, outputs)
    query, key = np.zeros((2, d_model, d_k))
    value = np.zeros((d_model, num_tokens))
    projection = np.zeros((num_tokens, d_model))
    asked = score * d_k**0.5
    query[at[1:], place[:-1]] = asked
    key[at, place] = 1
    value[token, token] = 1
    previous = d_model - num_tokens + token
    projection[token, previous] = 1
    for part, kernel in (
        (head.query, query),
        (head.key, key),
        (head.value, value),
        (head.projection, projection),
    ):
        part.set_weights([kernel, np.zeros(kernel.shape[1])])
    return head(x, x, x, tf_causal_mask(length))
''',
    },
    why=r"""
Queries and keys decide where the head reads, values and the projection what it copies
and where to. The query matrix maps place $p$ to the number of place $p - 1$, and the
key matrix maps each place to itself, so exactly one product isn't 0. Because scores are
divided by $\sqrt{d_k}$, the weights are multiplied by it first. With a score of 10, a
query gives more than 0.999 of its weight to the previous place; with a low one, the
other places keep a share.

The token goes into an empty block because the next layer has to tell “my token” from
“the token before me”. That an `nn.Linear` holds (outputs, inputs) and a `Dense` layer
(inputs, outputs) is the usual reason why such a head reads nonsense.
""",
    hints=(
        "A key has a number for each place, so `d_k` is the number of places. A value "
        "has a number for each token.",
        "The key of a place is its own one-hot vector; the query of place p is that of "
        "place p − 1. Which entries of the two matrices are not 0?",
        "In PyTorch `head.query.weight[p - 1, num_tokens + p]`, in TensorFlow "
        "`kernel[num_tokens + p, p - 1]`, both `score * d_k**0.5`.",
    ),
    mistakes="""
The root of d_k is forgotten: scores are divided by it, so the weights have to be
multiplied by it.
- asked = score * d_k**0.5
+ asked = score

You multiply by d_k. The scores are divided by its root.
- d_k**0.5
+ d_k

You multiply by the root of d_model. The scores are divided by the root of d_k.
- score * d_k**0.5
+ score * d_model**0.5

The query and the key both hold the score, and their product is its square.
@torch
- head.key.weight[place, at] = 1
+ head.key.weight[place, at] = score
@tensorflow
- key[at, place] = 1
+ key[at, place] = score

Your head asks for the place itself, not for the one before.
@torch
- [place[:-1], at[1:]]
+ [place, at]
@tensorflow
- [at[1:], place[:-1]]
+ [at, place]

Your head asks for the place after it: row and column of the query matrix have changed
places. The causal mask hides that place, so all others share the weight.
@torch
- [place[:-1], at[1:]]
+ [place[1:], at[:-1]]
@tensorflow
- [at[1:], place[:-1]]
+ [at[:-1], place[1:]]

Your head reads two places back.
@torch
- [place[:-1], at[1:]]
+ [place[:-2], at[2:]]
@tensorflow
- [at[1:], place[:-1]]
+ [at[2:], place[:-2]]

A matrix is transposed: an `nn.Linear` holds (outputs, inputs), a `Dense` layer (inputs,
outputs).
@torch
- head.query.weight[place[:-1], at[1:]] = asked
+ head.query.weight[at[1:], place[:-1]] = asked
@tensorflow
- query[at[1:], place[:-1]] = asked
+ query[place[:-1], at[1:]] = asked

The token is written into the block of the token itself. There, “my token” and “the
token before me” can't be told apart: write it into the last block.
- d_model - num_tokens + token
+ token

The token is written into the block of the places. Write it into the last one.
- d_model - num_tokens + token
+ num_tokens + token

What the head reads is right, but it writes nothing: the values or the projection are
still 0.
@torch
- head.projection.weight[previous, token] = 1
+ pass
@tensorflow
- projection[token, previous] = 1
+ pass

The causal mask is missing: a place gives a share to places that come after it.
- head(x, x, x, causal_mask(length))
+ head(x, x, x)
- head(x, x, x, tf_causal_mask(length))
+ head(x, x, x)

You add x to the output. Return what the head itself writes.
@torch
- return head(x, x, x, causal_mask(length))
+ output, weights = head(x, x, x, causal_mask(length))
+     return x + output, weights
@tensorflow
- return head(x, x, x, tf_causal_mask(length))
+ output, weights = head(x, x, x, tf_causal_mask(length))
+     return x + output, weights

Your keys look at the tokens, not at the places.
@torch
- head.key.weight[place, at] = 1
+ shared = token[: len(place)]
+         head.key.weight[shared, shared] = 1
@tensorflow
- key[at, place] = 1
+ shared = token[: len(place)]
+     key[shared, shared] = 1
""",
    reference=reference,
    cases=cases,
    checks=(all_else_is_0,),
)
