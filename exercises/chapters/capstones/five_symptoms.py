"""Find the bug: a whole Transformer with five faults, each with its own symptom."""

from itertools import combinations

from exercises.engine.calls import Call
from exercises.engine.exercise import Exercise

import numpy as np

LINEAR = tuple(
    f"{part}_{role}"
    for part in ("encoder", "decoder", "cross")
    for role in ("query", "key")
)


def weights_of(draw, vocab_size, d_model, max_len):
    rows = {"tokens": vocab_size, "places": max_len}
    tables = {f"{name}.rows": (size, d_model) for name, size in rows.items()}
    matrices = {f"{name}.kernel": (d_model, d_model) for name in LINEAR}
    return {
        path: draw.normal(size=shape) for path, shape in {**tables, **matrices}.items()
    }


def cases(draw):
    for vocab_size, d_model, max_len, lengths, queries, training in (
        (6, 2, 7, (2, 1), 3, False),
        (8, 3, 6, (3, 1, 4), 2, False),
        (7, 4, 5, (2, 4), 4, True),
    ):
        keys = max(lengths)
        source = draw.integers(1, vocab_size, size=(len(lengths), keys))
        source[np.arange(keys) >= np.array(lengths)[:, None]] = 0
        kept = (draw.random(size=(*source.shape, d_model)) < 0.6) / 0.6
        kept[0, 0, 0] = 0
        sizes = {"vocab_size": vocab_size, "d_model": d_model, "max_len": max_len}
        target = draw.integers(1, vocab_size, size=(len(lengths), queries))
        weights = weights_of(draw, **sizes)
        if training:  # a padding that cries: what is added to its score is not enough
            weights["tokens.rows"][0] *= 300
        yield Call((source, target, kept), {"training": training}, sizes, weights)


def attend(query, key, value, mask):
    scores = query @ key.swapaxes(1, 2) / np.sqrt(query.shape[2])
    scores = np.where(mask, scores, -1e30)
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    return shares / shares.sum(-1, keepdims=True) @ value


def reference(source, target, kept, weights, training=False, **sizes):
    del sizes  # the weights have them
    kernels = {name: weights[f"{name}.kernel"] for name in LINEAR}
    tokens, places = weights["tokens.rows"], weights["places.rows"]
    real = (source != 0)[:, None]
    x = tokens[source] + places[: source.shape[1]]
    query, key = x @ kernels["encoder_query"], x @ kernels["encoder_key"]
    memory = x + attend(query, key, x, real)
    if training:
        memory = memory * kept
    y = tokens[target] + places[: target.shape[1]]
    query, key = y @ kernels["decoder_query"], y @ kernels["decoder_key"]
    y = y + attend(query, key, y, np.tri(target.shape[1], dtype=bool))
    query, key = y @ kernels["cross_query"], memory @ kernels["cross_key"]
    return (y + attend(query, key, memory, real)) @ tokens.T


# ---- The symptoms ----------------------------------------------------------------

SIZES = {"vocab_size": 9, "d_model": 4, "max_len": 8}
SYMPTOMS = (
    "{:.2f} when the source got two tokens of padding.",
    "{:.2f} when only target token 2 changed, at an earlier position.",
    "{:.2f} in evaluation when only `kept` changed, as between two calls.",
)


def what_changes(ask, draw):
    """Say which of four symptoms the model shows, the first of them."""
    weights = weights_of(draw, **SIZES)

    def logits(source, target, kept):
        return ask(source, target, kept, new=SIZES, weights=weights)

    # one row each: as it is, another last target, two source words swapped, dropout
    source = np.array([[3, 1, 4]] * 4)
    source[2] = 1, 3, 4
    target = np.array([[1, 5, 2]] * 4)
    target[1, 2] = 8
    kept = np.ones((4, 3, 4), np.float32)
    kept[3, :, 0] = 0
    plain, future, swapped, again = logits(source, target, kept)
    padded = np.pad(source[:1], ((0, 0), (0, 2)))
    longer = logits(padded, target[:1], np.ones((1, 5, 4), np.float32))[0]
    pairs = (longer, plain), (future[:2], plain[:2]), (again, plain)
    for (one, other), symptom in zip(pairs, SYMPTOMS, strict=True):
        moved = np.abs(one - other).max()
        if moved > 1e-4:
            return "A logit moved by " + symptom.format(moved)
    moved = np.abs(swapped - plain).max()
    if moved < 1e-4:
        return f"Two source words swapped, and no logit moved by more than {moved:.1g}."
    return None


# ---- The faults: what is still said of each, and the edit that makes it ------------

LEFT = {
    "padding still gets attention": """
- self.attend(query, key, memory, real)
+ self.attend(query, key, memory)
""",
    "a target position still sees the next one": """
- place[:, None] >= place
+ place[:, None] + 1 >= place
""",
    "the order of the source words still makes no difference": """
- x = self.embed(source)
+ x = self.tokens(source)
""",
    "dropout still acts in evaluation": """
-         if training:
-             memory = memory * kept
+         memory = memory * kept
""",
}
CUT_OFF = """
@torch
- self.encode(source, real)
+ self.encode(source, real).detach()
@tensorflow
- self.encode(source, real)
+ tf.stop_gradient(self.encode(source, real))
"""


def sentence(faults):
    """Return the sentence that names the faults that are left."""
    *before, last = faults
    comma = "," if len(before) > 1 else ""
    text = f"{', '.join(before)}{comma} and {last}" if before else last
    return f"{text[0].upper()}{text[1:]}."


ALL = sentence(LEFT)


def left_over():
    """Return a mistake for each choice of faults that may be left.

    What is cut off from the gradient changes no output, so it is no part of a name: the
    judge tells it beforehand.
    """
    return "\n".join(
        sentence(faults)
        + "".join(LEFT[fault] for fault in faults)
        + (CUT_OFF if len(faults) == len(LEFT) else "")
        for size in range(len(LEFT), 0, -1)
        for faults in combinations(LEFT, size)
    )


EXERCISE = Exercise(
    title="One model, five symptoms",
    kind="find the bug",
    difficulty=3,
    minutes=60,
    prompt="""
This is the model of capstone 2: a Transformer with one layer in each half and one head,
small enough to read in one go. It has **five** faults, one for each symptom listed
there. Write a test for each symptom first, then repair the line behind it. The check
names the faults that are left.

A token id of 0 is padding, which occurs in the source only. The argument `kept` stands
in for dropout, so that your tests are repeatable: it holds what dropout leaves of each
number of the memory in training, 0 or $1/(1-p)$.
""",
    bug=ALL,
    solution={
        "torch": '''
class Translator(nn.Module):
    """From ids, source (batch, keys) and target (batch,
    queries), to logits (batch, queries, vocab_size).

    kept (batch, keys, d_model): what dropout leaves.
    """

    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()

        def linear():
            return nn.Linear(d_model, d_model, bias=False)

        def table(size):
            return nn.Embedding(size, d_model)

        self.tokens = table(vocab_size)
        self.places = table(max_len)
        self.encoder_query = linear()
        self.encoder_key = linear()
        self.decoder_query = linear()
        self.decoder_key = linear()
        self.cross_query = linear()
        self.cross_key = linear()

    def forward(self, source, target, kept, training=False):
        real = (source != 0)[:, None]  # (batch, 1, keys)
        memory = self.encode(source, real)
        if training:
            memory = memory * kept
        return self.decode(target, memory, real)

    def encode(self, source, real):
        x = self.embed(source)
        query = self.encoder_query(x)
        key = self.encoder_key(x)
        return x + self.attend(query, key, x, real)

    def decode(self, target, memory, real):
        y = self.embed(target)
        query = self.decoder_query(y)
        key = self.decoder_key(y)
        place = torch.arange(target.shape[1])
        past = place[:, None] >= place
        y = y + self.attend(query, key, y, past)
        query = self.cross_query(y)
        key = self.cross_key(memory)
        y = y + self.attend(query, key, memory, real)
        return y @ self.tokens.weight.T

    def embed(self, ids):
        place = torch.arange(ids.shape[1])
        return self.tokens(ids) + self.places(place)

    def attend(self, query, key, value, mask=None):
        scores = query @ key.transpose(1, 2)
        scores = scores / query.shape[2] ** 0.5
        if mask is not None:
            scores = torch.where(mask, scores, -1e30)
        return torch.softmax(scores, dim=2) @ value
''',
        "tensorflow": '''
class Translator(keras.layers.Layer):
    """From ids, source (batch, keys) and target (batch,
    queries), to logits (batch, queries, vocab_size).

    kept (batch, keys, d_model): what dropout leaves.
    """

    def __init__(self, vocab_size, d_model, max_len):
        super().__init__()

        def linear():
            return keras.layers.Dense(d_model, use_bias=False)

        def table(size):
            return keras.layers.Embedding(size, d_model)

        self.tokens = table(vocab_size)
        self.places = table(max_len)
        self.encoder_query = linear()
        self.encoder_key = linear()
        self.decoder_query = linear()
        self.decoder_key = linear()
        self.cross_query = linear()
        self.cross_key = linear()

    def call(self, source, target, kept, training=False):
        real = (source != 0)[:, None]  # (batch, 1, keys)
        memory = self.encode(source, real)
        if training:
            memory = memory * kept
        return self.decode(target, memory, real)

    def encode(self, source, real):
        x = self.embed(source)
        query = self.encoder_query(x)
        key = self.encoder_key(x)
        return x + self.attend(query, key, x, real)

    def decode(self, target, memory, real):
        y = self.embed(target)
        query = self.decoder_query(y)
        key = self.decoder_key(y)
        place = tf.range(target.shape[1])
        past = place[:, None] >= place
        y = y + self.attend(query, key, y, past)
        query = self.cross_query(y)
        key = self.cross_key(memory)
        y = y + self.attend(query, key, memory, real)
        return y @ tf.transpose(self.tokens.embeddings)

    def embed(self, ids):
        place = tf.range(ids.shape[1])
        return self.tokens(ids) + self.places(place)

    def attend(self, query, key, value, mask=None):
        scores = tf.matmul(query, key, transpose_b=True)
        scores = scores / query.shape[2] ** 0.5
        if mask is not None:
            scores = tf.where(mask, scores, -1e30)
        return tf.nn.softmax(scores, axis=2) @ value
''',
    },
    why="""
All five faults leave every shape right, and the model trains with each of them. Each
breaks one property that a Transformer should have: padding has no influence, a position
depends on the past only, the order of the source counts, evaluation is deterministic,
and every weight gets a gradient. A test of one property points to the few lines that
are responsible for it, however large the model is. Write these five for every model you
build.
""",
    hints=(
        "A test changes one thing and compares two outputs. Use `kept` full of ones, "
        "except in the test of the two calls.",
        "Where does each mask go? The encoder's attention, the decoder's own attention "
        "and the cross-attention need one each.",
        "Compare how `encode` and `decode` embed their ids, and follow the memory from "
        "`encode` to `decode`: what happens to it on the way, and when?",
        "For the gradients, call `backward()` on the sum of the logits (or use a "
        "`GradientTape`) and list the weights that have none.",
    ),
    mistakes=left_over()
    + """
The weights of the encoder's attention still get no gradient. What cuts the memory off?
"""
    + CUT_OFF.lstrip()
    + """
Dropout doesn't act where `training=True` is given. Does your line use that argument?
-         if training:
-             memory = memory * kept

Dropout is the wrong way round: it acts in evaluation and not in training.
- if training:
+ if not training:

A target position no longer sees itself: compare with `>=`.
- place[:, None] >= place
+ place[:, None] > place

The decoder's mask is the wrong way round: it hides the past.
- place[:, None] >= place
+ place[:, None] <= place

The decoder's own attention has no mask at all any more.
- self.attend(query, key, y, past)
+ self.attend(query, key, y)

The mask of the cross-attention is the wrong way round: it hides the real tokens.
- self.attend(query, key, memory, real)
+ self.attend(query, key, memory, ~real)

The encoder's own attention has lost its mask: padding gets attention there.
- self.attend(query, key, x, real)
+ self.attend(query, key, x)

Both attentions to the source have lost their mask: padding gets attention in each.
- self.attend(query, key, x, real)
+ self.attend(query, key, x)
- self.attend(query, key, memory, real)
+ self.attend(query, key, memory)

You set the padding's vectors to 0, but they still take part in the softmax: a score of
0 is not minus infinity.
@torch
- self.attend(query, key, memory, real)
+ self.attend(query, key, memory * real.mT, None)
-         key = self.cross_key(memory)
+         key = self.cross_key(memory * real.mT)
@tensorflow
- self.attend(query, key, memory, real)
+ self.attend(query, key, memory * tf.cast(real[:, 0, :, None], "float32"))
-         key = self.cross_key(memory)
+         key = self.cross_key(memory * tf.cast(real[:, 0, :, None], "float32"))

You set the padding's values to 0, but its keys still take part in the softmax, so the
weights of the real tokens no longer sum to 1.
@torch
- self.attend(query, key, memory, real)
+ self.attend(query, key, memory * real.mT)
@tensorflow
- self.attend(query, key, memory, real)
+ self.attend(query, key, memory * tf.cast(real[:, 0, :, None], "float32"))

The mask comes after the softmax, so the weights no longer sum to 1. Hide the scores
before it.
-             scores = torch.where(mask, scores, -1e30)
-         return torch.softmax(scores, dim=2) @ value
+             return torch.softmax(scores, 2) * mask @ value
+         return torch.softmax(scores, dim=2) @ value
-             scores = tf.where(mask, scores, -1e30)
-         return tf.nn.softmax(scores, axis=2) @ value
+             mask = tf.cast(mask, "float32")
+             return tf.nn.softmax(scores, axis=2) * mask @ value
+         return tf.nn.softmax(scores, axis=2) @ value

A hidden score becomes 0, which has the exponential 1. Use a very low number.
- torch.where(mask, scores, -1e30)
+ torch.where(mask, scores, 0.0)
- tf.where(mask, scores, -1e30)
+ tf.where(mask, scores, 0.0)

The source now gets its positions, but too late: after the encoder's attention. Add them
before it.
-         x = self.embed(source)
+         x = self.tokens(source)
-         return x + self.attend(query, key, x, real)
+         x = x + self.attend(query, key, x, real)
+         return x - self.tokens(source) + self.embed(source)

The decoder adds positions to the memory: too late, because the encoder's attention has
not seen them.
-         x = self.embed(source)
+         x = self.tokens(source)
@torch
-         key = self.cross_key(memory)
+         keys = torch.arange(memory.shape[1])
+         memory = memory + self.places(keys)
+         key = self.cross_key(memory)
@tensorflow
-         key = self.cross_key(memory)
+         keys = tf.range(memory.shape[1])
+         memory = memory + self.places(keys)
+         key = self.cross_key(memory)

The source gets its positions twice: `embed` adds them already.
-         x = self.embed(source)
+         x = self.embed(source)
+         x = x + self.embed(source) - self.tokens(source)

The target has lost its positions.
-         y = self.embed(target)
+         y = self.tokens(target)

The source words get their positions only where `attend` compares them, not in what it
passes on.
- self.attend(query, key, x, real)
+ self.attend(query, key, self.tokens(source), real)
- return x + self
+ return self.tokens(source) + self

Dropout acts on the memory twice in training, and once in evaluation.
- self.decode(target, memory, real)
+ self.decode(target, memory * kept, real)

A hidden score is not low enough: padding with a large score still gets attention.
- torch.where(mask, scores, -1e30)
+ scores + torch.where(mask, 0.0, -100.0)
- tf.where(mask, scores, -1e30)
+ scores + tf.where(mask, 0.0, -100.0)

You changed the scale of the scores: divide by the root of `d_model`, once.
- query.shape[2] ** 0.5
+ query.shape[2]

You multiplied the token vectors by the root of `d_model`. They were right.
@torch
- self.tokens(ids) + self
+ self.tokens(ids) * self.tokens.embedding_dim**0.5 + self
@tensorflow
- self.tokens(ids) + self
+ self.tokens(ids) * self.tokens.output_dim**0.5 + self

The encoder now sees the past only. All real tokens of the source see each other.
-         return x + self.attend(query, key, x, real)
+         return x + self.attend(query, key, x, real & past)
@torch
-         x = self.embed(source)
+         place = torch.arange(source.shape[1])
+         past = place[:, None] >= place
+         x = self.embed(source)
@tensorflow
-         x = self.embed(source)
+         place = tf.range(source.shape[1])
+         past = place[:, None] >= place
+         x = self.embed(source)
""",
    reference=reference,
    cases=cases,
    checks=(what_changes,),
    equivalent=dict.fromkeys(
        (f"if {name} is not None:" for name in ("query", "key", "value", "scores")),
        "In the repaired model every attention has a mask.",
    )
    | dict.fromkeys(
        (f"scores = scores / {name}.shape[2] ** 0.5" for name in ("key", "value")),
        "All have d_model numbers.",
    )
    | dict.fromkeys(
        (
            "scores = torch.where(mask, scores, -2e+30)",
            "scores = tf.where(mask, scores, -2e+30)",
        ),
        "Both are low enough.",
    )
    | dict.fromkeys(
        ("place = torch.arange(y.shape[1])", "place = tf.range(y.shape[1])"),
        "Each target token has one vector.",
    ),
)
