"""Build cross-attention over a padded memory."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, target, source, d_model in (
        (1, 1, 2, 2),
        (1, 2, 3, 4),
        (1, 3, 3, 3),
        (2, 2, 4, 3),
        (3, 4, 4, 2),
    ):
        real = np.ones((batch, source), bool)
        written = np.ones((batch, target), bool)
        for row in range(batch):
            padding = (row + 1) % source if d_model < 4 else 0
            real[row, source - padding :] = False
            written[row, target - row % target :] = False
        if batch == 2:  # padding may come first
            real = real[:, ::-1].copy()
        x = draw.normal(size=(batch, target, d_model))
        memory = 2 * draw.normal(size=(batch, source, d_model))
        if batch == 3:  # the first token's score with the padding is 300
            first = x[:, 0]
            large = 300 * np.sqrt(d_model) / (first**2).sum(1, keepdims=True)
            memory[:, -1] = first * large
        yield x, memory, written, real
    # the scores with all real tokens are about -400
    x = draw.normal(size=(1, 1, 2))
    far = -400 * np.sqrt(2) / (x**2).sum() * x
    memory = far + draw.normal(size=(1, 3, 2))
    memory[:, -1] = draw.normal(size=2)
    yield x, memory, np.ones((1, 1), bool), np.array([[True, True, False]])


def reference(x, memory, target_real, source_real):
    scores = x @ memory.swapaxes(1, 2) / np.sqrt(x.shape[2])
    scores = np.where(source_real[:, None], scores, -1e30)
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    return x + shares / shares.sum(-1, keepdims=True) @ memory


def the_source_is_read(ask, draw):
    x, memory = (draw.normal(size=(1, 3, 4)).astype(np.float32) for _ in range(2))
    real = np.ones((1, 3), bool)
    other = 2 * memory[:, ::-1].copy()
    moved = np.abs(ask(x, other, real, real) - ask(x, memory, real, real)).max()
    if moved < 1e-3:
        return "The memory was replaced, and your output did not change."
    return None


EXERCISE = Exercise(
    title="Cross-attention with padding",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt="""
Write the cross-attention of a decoder from its formula, with one head and no
projections, and add the residual connection: `x + attention`. You are given two padding
masks; decide which of them is needed. Padding may stand at either end.
""",
    solution={
        "torch": '''
def read(x, memory, target_real, source_real):
    """Return x + what it reads: (batch, target, d_model).

    x (batch, target, d_model); memory (batch, source,
    d_model); target_real (batch, target) and source_real
    (batch, source), boolean, False = padding.
    """
    scores = x @ memory.transpose(1, 2) / x.shape[2] ** 0.5
    hidden = ~source_real[:, None, :]
    scores = torch.where(hidden, -1e30, scores)
    weights = torch.softmax(scores, dim=2)
    return x + weights @ memory
''',
        "tensorflow": '''
def read(x, memory, target_real, source_real):
    """Return x + what it reads: (batch, target, d_model).

    x (batch, target, d_model); memory (batch, source,
    d_model); target_real (batch, target) and source_real
    (batch, source), boolean, False = padding.
    """
    scores = tf.matmul(x, memory, transpose_b=True)
    scores = scores / x.shape[2] ** 0.5
    hidden = ~source_real[:, None, :]
    scores = tf.where(hidden, -1e30, scores)
    weights = tf.nn.softmax(scores, axis=2)
    return x + weights @ memory
''',
    },
    why="""
A padding mask hides keys. In cross-attention the keys come from the source, so the mask
is built from the source's padding, whatever the target looks like. The rows of padded
target tokens may hold anything, because nothing reads them later. If you hide these
rows as well, they have no key left, and with −∞ their softmax is 0/0, which is NaN.
""",
    hints=(
        "Whose vectors are the queries, and whose the keys?",
        r"Scores: `x` by `memory`, over $\sqrt{d}$. The mask hides keys.",
        "`source_real[:, None, :]` fits the scores (batch, target, source).",
    ),
    mistakes="""
Keys and values are the decoder's own: this is a second self-attention, which never
reads the source.
- x @ memory.transpose(1, 2)
+ x @ x.transpose(1, 2)
- tf.matmul(x, memory,
+ tf.matmul(x, x,
- ~source_real
+ ~target_real
- weights @ memory
+ weights @ x

Keys and values are the decoder's own, and not even its padding is hidden: the source is
never read.
- x @ memory.transpose(1, 2)
+ x @ x.transpose(1, 2)
- tf.matmul(x, memory,
+ tf.matmul(x, x,
-     scores = torch.where(hidden, -1e30, scores)

-     scores = tf.where(hidden, -1e30, scores)

- weights @ memory
+ weights @ x

The mask is made of the target's padding. Whose vectors are the keys?
- ~source_real
+ ~target_real

The target's padding is hidden, as queries. Hide the source's, as keys.
- ~source_real[:, None, :]
+ ~target_real[:, :, None]

The target's padding is hidden as well, as queries. Only the source's is to be hidden,
as keys.
- ~source_real[:, None, :]
+ ~(source_real[:, None, :] & target_real[:, :, None])

The softmax runs over the queries. Each query divides its own attention among the keys.
- dim=2
+ dim=1
- axis=2
+ axis=1

The mask comes after the softmax: where there is padding, your weights do not sum to 1.
@torch
-     scores = torch.where(hidden, -1e30, scores)

-     return x + weights @
+     weights = torch.where(hidden, 0.0, weights)
+     return x + weights @
@tensorflow
-     scores = tf.where(hidden, -1e30, scores)

-     return x + weights @
+     weights = tf.where(hidden, 0.0, weights)
+     return x + weights @

The padding of the source is not hidden: queries attend to it as to any word.
- ~source_real[:, None, :]
+ ~source_real[:, None, :] & False

Your mask is inverted: queries attend only to the padding.
- ~source_real
+ source_real

The residual connection is missing: add x.
- return x + weights
+ return weights

The memory gives the queries here, and the decoder the keys. It is the other way round.
- x @ memory.transpose(1, 2) / x.shape[2] ** 0.5
+ memory @ x.transpose(1, 2) / x.shape[2] ** 0.5
- tf.matmul(x, memory,
+ tf.matmul(memory, x,
- ~source_real
+ ~target_real
- return x + weights @ memory
+ return memory + weights @ x

Both masks together leave a padded target token no key at all, and a softmax over
nothing but −∞ is NaN. Hide the source's padding only, as keys.
- ~source_real[:, None, :]
+ ~(source_real[:, None, :] & target_real[:, :, None])
@torch
- -1e30
+ -torch.inf
@tensorflow
- -1e30
+ float("-inf")

The target's padding is hidden as queries. These rows have no key left, and a softmax
over nothing but −∞ is NaN. Hide the source's padding, as keys.
- ~source_real[:, None, :]
+ ~target_real[:, :, None]
@torch
- -1e30
+ -torch.inf
@tensorflow
- -1e30
+ float("-inf")

Your mask is inverted: queries attend only to the padding. A source without padding has
no key left, and a softmax over nothing but −∞ is NaN.
- ~source_real
+ source_real
@torch
- -1e30
+ -torch.inf
@tensorflow
- -1e30
+ float("-inf")

A hidden score of 0 still gets a weight. It has to be very low.
- -1e30
+ 0.0

Hidden scores have to be very low. Yours are very high.
- -1e30
+ 1e30

You add the mask as 1 and 0, which hides nothing. Hidden scores have to be very low.
@torch
-     scores = torch.where(hidden, -1e30, scores)
+     scores = scores + source_real[:, None, :]
@tensorflow
-     scores = tf.where(hidden, -1e30, scores)
+     scores = scores + tf.cast(source_real[:, None, :], scores.dtype)

You multiply the scores by the mask. A hidden score of 0 still gets a weight, and the
target's padding is hidden as well.
@torch
-     scores = torch.where(hidden, -1e30, scores)
+     scores = scores * ~hidden * target_real[:, :, None]
@tensorflow
-     scores = tf.where(hidden, -1e30, scores)
+     scores = tf.where(hidden | ~target_real[:, :, None], 0.0, scores)

You set the rows of the target's padding to 0. Leave them: nothing reads them later.
@torch
- return x + weights @ memory
+ return (x + weights @ memory) * target_real[:, :, None]
@tensorflow
- return x + weights @ memory
+ return tf.where(target_real[:, :, None], x + weights @ memory, 0.0)

You set what the target's padding reads to 0. Leave it: nothing reads it later.
@torch
- return x + weights @ memory
+ return x + weights @ memory * target_real[:, :, None]
@tensorflow
- return x + weights @ memory
+ return x + tf.where(target_real[:, :, None], weights @ memory, 0.0)

The scale is the square root of d_model, and you divide by d_model.
- x.shape[2] ** 0.5
+ x.shape[2]

The scale is the square root of d_model, not of the number of queries.
- x.shape[2] ** 0.5
+ x.shape[1] ** 0.5

The scale is the square root of d_model, not of the number of keys.
- x.shape[2] ** 0.5
+ memory.shape[1] ** 0.5

You multiply by the scale. The scores are divided by it.
- / x.shape[2] ** 0.5
+ * x.shape[2] ** 0.5

Your softmax runs over the batch. Each query shares out its attention among the keys.
- dim=2
+ dim=0
- axis=2
+ axis=0

There is no softmax: your weights do not sum to 1.
- torch.softmax(scores, dim=2)
+ scores
- tf.nn.softmax(scores, axis=2)
+ scores

All keys get the same weight. How much each one gets depends on query and key.
- torch.where(hidden, -1e30, scores)
+ torch.where(hidden, -1e30, 0 * scores)
- tf.where(hidden, -1e30, scores)
+ tf.where(hidden, -1e30, 0 * scores)

The values are the decoder's own. They come from the memory, as the keys do.
- weights @ memory
+ weights @ x

The source's padding is hidden along the axis of the queries. Its tokens are the keys.
- ~source_real[:, None, :]
+ ~source_real[:, :, None]

Two things are missing: the scale, and the residual connection.
- .transpose(1, 2) / x.shape[2] ** 0.5
+ .transpose(1, 2)
- scores / x.shape[2] ** 0.5
+ scores
- return x + weights
+ return weights

The residual is the query's vector, x, once. You add it twice.
- return x + weights
+ return x + x + weights

You return the weights. Multiply them by the memory, and add x.
- return x + weights @ memory
+ return weights

The scale is left out.
- .transpose(1, 2) / x.shape[2] ** 0.5
+ .transpose(1, 2)
- scores / x.shape[2] ** 0.5
+ scores

Cross-attention needs no causal mask: the whole source is known before the first word is
written.
@torch
-     hidden = ~source_real[:, None, :]
+     later = torch.arange(memory.shape[1]) > torch.arange(x.shape[1])[:, None]
+     hidden = ~source_real[:, None, :] | later
@tensorflow
-     hidden = ~source_real[:, None, :]
+     later = tf.range(memory.shape[1]) > tf.range(x.shape[1])[:, None]
+     hidden = ~source_real[:, None, :] | later

A hidden score of −100 is higher than real ones that are lower still. Take a number that
no score reaches.
- -1e30
+ -100.0

The number that you add to a hidden score, such as −100, is not low enough for a score
of 300.
- where(hidden, -1e30, scores)
+ where(hidden, scores - 100, scores)

The softmax runs over the queries, and a hidden key has only −∞ there: that is NaN. Each
query divides its own attention among the keys.
- dim=2
+ dim=1
- axis=2
+ axis=1
@torch
- -1e30
+ -torch.inf
@tensorflow
- -1e30
+ float("-inf")

You set the vectors of the source's padding to 0. Their scores are 0 then, and still get
a weight. Hide the scores.
@torch
-     scores = torch.where(hidden, -1e30, scores)

-     scores = x @
+     memory = memory * source_real[:, :, None]
+     scores = x @
@tensorflow
-     scores = tf.where(hidden, -1e30, scores)

-     scores = tf.matmul
+     memory = tf.where(source_real[:, :, None], memory, 0.0)
+     scores = tf.matmul

You normalize the sum. Only the attention and the residual connection are asked for.
@torch
- return x + weights @ memory
+ return nn.functional.layer_norm(x + weights @ memory, x.shape[2:])
@tensorflow
- return x + weights @ memory
+ x = x + weights @ memory
+     x = x - tf.reduce_mean(x, axis=2, keepdims=True)
+     variance = tf.reduce_mean(x**2, axis=2, keepdims=True)
+     return x / tf.sqrt(variance + 1e-5)

The mask comes after the softmax, and you renormalize. Where the padding has taken all
the weight, that is 0 / 0.
@torch
-     scores = torch.where(hidden, -1e30, scores)
-     weights = torch.softmax(scores, dim=2)
+     weights = torch.softmax(scores, dim=2) * ~hidden
+     weights = weights / weights.sum(2, keepdim=True)
@tensorflow
-     scores = tf.where(hidden, -1e30, scores)
-     weights = tf.nn.softmax(scores, axis=2)
+     weights = tf.nn.softmax(scores, 2) * tf.cast(~hidden, x.dtype)
+     weights = weights / tf.reduce_sum(weights, 2, keepdims=True)

You multiply the mask by −∞ and add it: where it is 0, that is NaN. Choose with a
condition, or multiply by a number that is only very low.
@torch
- torch.where(hidden, -1e30, scores)
+ scores + hidden * -torch.inf
@tensorflow
- tf.where(hidden, -1e30, scores)
+ scores + tf.cast(hidden, x.dtype) * -math.inf
""",
    reference=reference,
    cases=cases,
    learns=True,
    checks=(the_source_is_read,),
    equivalent=dict.fromkeys(
        (
            "scores = torch.where(hidden, -2e+30, scores)",
            "scores = tf.where(hidden, -2e+30, scores)",
        ),
        "Both are low enough.",
    )
    | dict.fromkeys(
        (
            "scores = x @ memory.transpose(1, 2) / memory.shape[2] ** 0.5",
            "scores = scores / memory.shape[2] ** 0.5",
        ),
        "Both have d_model numbers.",
    ),
)
