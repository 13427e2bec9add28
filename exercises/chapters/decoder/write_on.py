"""Build a whole decoder-only model without weights, and let it write."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for length, d_model, num_layers, new, ends in (
        (1, 4, 1, 3, False),
        (4, 6, 2, 4, True),
        (3, 8, 3, 4, False),
    ):
        yield drawn(draw, length, d_model, num_layers, new, ends)
    yield far_out(draw)


def drawn(draw, length, d_model, num_layers, new, ends):
    """Draw until the best logit is clear, and the text ends where it should."""
    while True:
        prompt = draw.integers(12, size=length)
        table, output = draw.normal(size=(2, 12, d_model))
        # small vectors share out their attention, so that a wrong mask shows
        table = 0.5 * table
        positions = 0.5 * draw.normal(size=(length + new + 1, d_model))
        sizes = prompt, table, positions, output, num_layers
        free, _, gap = written(*sizes, -1, new)
        added = free[length:]
        if ends:
            eos_id, before = int(free[-2]), free[:-2]
        elif length == 1:  # in the prompt, it ends nothing
            eos_id, before = int(prompt[0]), added
        else:
            eos_id, before = next(i for i in range(12) if i not in free), added
        if gap > 0.02 and eos_id not in before and len(set(added)) > 2:
            return *sizes, eos_id, new


def far_out(draw):
    """Draw a text whose second token is so large that any weight it keeps shows.

    The first may not read it, and the last, which would, finds it very unlike itself.
    """
    while True:
        table, output = 0.5 * draw.normal(size=(2, 12, 4))
        positions = 0.5 * draw.normal(size=(5, 4))
        table[:, 3] = positions[:, 3] = 0
        table[1:3, 3] = 1e18, -1e-15
        sizes = np.arange(3), table, positions, output, 2
        ids, _, gap = written(*sizes, -1, 1)
        if gap > 0.02:
            return *sizes, (int(ids[-1]) + 1) % 12, 1


def written(prompt, table, positions, output, num_layers, eos_id, max_new_tokens):
    """Return the ids, the last logits, and by how much the best was best, at least."""
    ids, gap = list(prompt), np.inf
    while len(ids) < len(prompt) + max_new_tokens:
        x = table[ids] + positions[: len(ids)]
        for _ in range(num_layers):
            scores = x @ x.T / np.sqrt(x.shape[1])
            scores = np.where(np.tri(len(ids)), scores, -1e30)
            shares = np.exp(scores - scores.max(1, keepdims=True))
            x = x + shares / shares.sum(1, keepdims=True) @ x
        logits = output @ x[-1]
        gap = min(gap, float(np.diff(np.sort(logits)[-2:])[0]))
        ids.append(int(logits.argmax()))
        if ids[-1] == eos_id:
            break
    return np.array(ids), logits, gap


def reference(prompt, table, positions, output, num_layers, eos_id, max_new_tokens):
    return written(
        prompt, table, positions, output, num_layers, eos_id, max_new_tokens
    )[:2]


EXERCISE = Exercise(
    title="A whole model that writes",
    kind="build",
    difficulty=3,
    minutes=25,
    prompt="""
Assemble a whole decoder-only model and let it write. The vectors are embeddings plus
positions. Each layer is scaled causal self-attention with a residual connection. It has
a single head, whose queries, keys and values are all equal to the layer's input; there
is no layer norm and no feed-forward. The logits are dot products with the rows of
`output`. Append the most likely next token again and again, until that token is
`eos_id` or `max_new_tokens` have been appended. Return all ids, and the logits from
which the last of them was chosen. No cache is needed.
""",
    solution={
        "torch": '''
def write_on(
    prompt,
    table,
    positions,
    output,
    num_layers,
    eos_id,
    max_new_tokens,
):
    """Return two tensors: all ids (length,), the last logits.

    prompt (length,), integers; table and output
    (vocab_size, d_model); positions (max_len, d_model).
    """
    ids = prompt
    for _ in range(max_new_tokens):
        x = table[ids] + positions[: ids.shape[0]]
        for _ in range(num_layers):
            scores = x @ x.T / x.shape[1] ** 0.5
            future = torch.ones_like(scores).triu(1).bool()
            scores = torch.where(future, -1e30, scores)
            x = x + torch.softmax(scores, dim=1) @ x
        logits = output @ x[-1]
        token = logits.argmax()
        ids = torch.cat([ids, token[None]])
        if token == eos_id:
            break
    return ids, logits
''',
        "tensorflow": '''
def write_on(
    prompt,
    table,
    positions,
    output,
    num_layers,
    eos_id,
    max_new_tokens,
):
    """Return two tensors: all ids (length,), the last logits.

    prompt (length,), integers; table and output
    (vocab_size, d_model); positions (max_len, d_model).
    """
    ids = prompt
    for _ in range(max_new_tokens):
        x = tf.gather(table, ids) + positions[: ids.shape[0]]
        for _ in range(num_layers):
            scores = tf.matmul(x, x, transpose_b=True)
            scores = scores / x.shape[1] ** 0.5
            place = tf.range(ids.shape[0])
            future = place > place[:, None]
            scores = tf.where(future, -1e30, scores)
            x = x + tf.nn.softmax(scores, axis=1) @ x
        logits = tf.linalg.matvec(output, x[-1])
        token = tf.argmax(logits, output_type=ids.dtype)
        ids = tf.concat([ids, token[None]], axis=0)
        if token == eos_id:
            break
    return ids, logits
''',
    },
    why="""
A GPT writes in the same way. It adds learned projections, several heads, layer norm and
feed-forward. With a single layer the causal mask would change nothing here, because
only the last position is used and it may attend to all. From the second layer on it
matters, because the last position reads what the earlier ones have computed.
""",
    hints=(
        "Write one step first: from ids to vectors, through the layers, to the logits "
        "of the last position.",
        "The loop over the layers replaces `x` by `x + weights @ x`. Mask the scores "
        "in each layer.",
        "Append the token before you test whether it is `eos_id`.",
    ),
    mistakes="""
There is no causal mask: from the second layer on, the last position reads vectors that
have seen the future.
-             scores = torch.where(future, -1e30, scores)

-             scores = tf.where(future, -1e30, scores)

Your mask lets each position attend to the next one. Is it off by one?
- triu(1)
+ triu(2)
- place > place[:, None]
+ place > place[:, None] + 1

The newest token attends only to itself. Is your mask the other triangle, or is the rest
of the text missing?
- triu(1)
+ tril(-1)
- place > place[:, None]
+ place < place[:, None]

A position may not even attend to itself. Is your mask off by one?
- triu(1)
+ triu(0)
- place > place[:, None]
+ place >= place[:, None]

You subtract 1 from the scores of the future, which still get a weight.
@torch
- torch.where(future, -1e30, scores)
+ scores - future.float()
@tensorflow
- tf.where(future, -1e30, scores)
+ scores - tf.cast(future, scores.dtype)

The scale is missing: divide the scores by the square root of d_model.
- x @ x.T / x.shape[1] ** 0.5
+ x @ x.T
-             scores = scores / x.shape[1] ** 0.5

The scale is the square root of d_model, and you divide by d_model.
- x.shape[1] ** 0.5
+ x.shape[1]

The scale is the square root of d_model, not of the length of the text.
- x.shape[1] ** 0.5
+ x.shape[0] ** 0.5

The residual connection is missing: each layer returns x plus its attention.
- x = x + torch.softmax
+ x = torch.softmax
- x = x + tf.nn.softmax
+ x = tf.nn.softmax

Your softmax runs over the queries. Each query shares out its attention among the keys.
- dim=1
+ dim=0
- axis=1
+ axis=0

There is one layer, whatever `num_layers` is.
- range(num_layers)
+ range(1)

There is no layer at all: the vectors go straight to the logits.
- range(num_layers)
+ range(0)

There is one layer too few.
- range(num_layers)
+ range(num_layers - 1)

There is one layer too many.
- range(num_layers)
+ range(num_layers + 1)

The positions are missing.
- table[ids] + positions[: ids.shape[0]]
+ table[ids]
- tf.gather(table, ids) + positions[: ids.shape[0]]
+ tf.gather(table, ids)

The positions are taken from the end of the table. They start at 0.
- positions[: ids.shape[0]]
+ positions[-ids.shape[0] :]

The positions are added in every layer. Add them once, to the embeddings.
- dim=1) @ x
+ dim=1) @ x + positions[: ids.shape[0]]
- axis=1) @ x
+ axis=1) @ x + positions[: ids.shape[0]]

You scale the embeddings by the square root of d_model. This model does not.
- table[ids] +
+ table[ids] * table.shape[1] ** 0.5 +
- tf.gather(table, ids) +
+ tf.gather(table, ids) * table.shape[1] ** 0.5 +

You scale the logits. They are plain dot products.
- output @ x[-1]
+ output @ x[-1] / x.shape[1] ** 0.5
- matvec(output, x[-1])
+ matvec(output, x[-1] / x.shape[1] ** 0.5)

The values come from the embeddings in every layer. They are the layer's own input.
- dim=1) @ x
+ dim=1) @ (table[ids] + positions[: ids.shape[0]])
- axis=1) @ x
+ axis=1) @ (tf.gather(table, ids) + positions[: ids.shape[0]])

The residual connection adds x once. You add it twice.
- x = x + torch
+ x = x + x + torch
- x = x + tf.nn
+ x = x + x + tf.nn

You normalize the vectors. This model has no layer norm.
@torch
- logits = output
+ x = torch.nn.functional.layer_norm(x, x.shape[1:])
+         logits = output
@tensorflow
- logits = tf
+ centred = x - tf.reduce_mean(x, 1, keepdims=True)
+         spread = tf.reduce_mean(centred**2, 1, keepdims=True)
+         x = centred / tf.sqrt(spread + 1e-5)
+         logits = tf

A hidden score of 0 still gets a weight. It has to be very low.
- -1e30
+ 0.0

The mask comes after the softmax: the future gets no weight, but it counts in the sum.
@torch
-             scores = torch.where(future, -1e30, scores)

- torch.softmax(scores, dim=1) @ x
+ torch.softmax(scores, dim=1).tril() @ x
@tensorflow
-             scores = tf.where(future, -1e30, scores)

- tf.nn.softmax(scores, axis=1) @ x
+ tf.where(future, 0.0, tf.nn.softmax(scores, axis=1)) @ x

All tokens get the position of the newest. Each one needs its own.
- positions[: ids.shape[0]]
+ positions[ids.shape[0] - 1]

You look up the position of a token by its id. Its place in the text counts.
@torch
- positions[: ids.shape[0]]
+ positions[ids]
@tensorflow
- positions[: ids.shape[0]]
+ tf.gather(positions, ids)

All tokens get the first position. Each one needs its own.
- positions[: ids.shape[0]]
+ positions[0]

Positions start at 0. Yours start at 1.
- positions[: ids.shape[0]]
+ positions[1 : ids.shape[0] + 1]

The token embeddings are missing: only the positions go in.
- table[ids] + positions[: ids.shape[0]]
+ positions[: ids.shape[0]]
- tf.gather(table, ids) + positions[: ids.shape[0]]
+ positions[: ids.shape[0]]

The model reads only the newest token, at position 0. Without a cache it has to read the
whole text.
- x = table[ids] + positions[: ids.shape[0]]
+ x = table[ids[-1:]] + positions[:1]
- x = tf.gather(table, ids) + positions[: ids.shape[0]]
+ x = tf.gather(table, ids[-1:]) + positions[:1]
- tf.range(ids.shape[0])
+ tf.range(1)

The model reads the prompt again and again, and not what it has written.
- x = table[ids] + positions[: ids.shape[0]]
+ x = table[prompt] + positions[: prompt.shape[0]]
- x = tf.gather(table, ids) + positions[: ids.shape[0]]
+ x = tf.gather(table, prompt) + positions[: prompt.shape[0]]
- tf.range(ids.shape[0])
+ tf.range(prompt.shape[0])

The logits are those of the first position. The next token comes after the last one.
- x[-1]
+ x[0]

The logits are computed from the mean of all positions. The last one predicts.
- output @ x[-1]
+ output @ x.mean(0)
- x[-1]
+ tf.reduce_mean(x, 0)

Your logits are dot products with `table`. This model has an `output` of its own.
- output @ x[-1]
+ table @ x[-1]
- matvec(output, x[-1])
+ matvec(table, x[-1])

The logits are computed from the sum of all positions. The last one predicts.
- output @ x[-1]
+ output @ x.sum(0)
- x[-1]
+ tf.reduce_sum(x, 0)

You take the least likely token.
- argmax
+ argmin

The text goes on after `eos_id`.
-         if token == eos_id:
-             break

The end token is missing from your text. Append it, then stop.
-         ids = torch.cat([ids, token[None]])
-         if token == eos_id:
-             break
+         if token == eos_id:
+             break
+         ids = torch.cat([ids, token[None]])
-         ids = tf.concat([ids, token[None]], axis=0)
-         if token == eos_id:
-             break
+         if token == eos_id:
+             break
+         ids = tf.concat([ids, token[None]], axis=0)

Your text is one token too short: `max_new_tokens` counts the new tokens.
- range(max_new_tokens)
+ range(max_new_tokens - 1)

Your text is one token too long: `max_new_tokens` counts the new tokens.
- range(max_new_tokens)
+ range(max_new_tokens + 1)

`max_new_tokens` counts the new tokens, without those of the prompt.
- range(max_new_tokens)
+ range(max_new_tokens - prompt.shape[0])

The whole text has `max_new_tokens` tokens. Count only the new ones.
- if token == eos_id:
+ if token == eos_id or ids.shape[0] >= max_new_tokens:

Your model writes a single token and stops. Is `return` inside the loop, or the test for
`eos_id` inverted?
-     return ids, logits
+         return ids, logits

You return log-probabilities. The logits are wanted, before the softmax.
@torch
- return ids, logits
+ return ids, torch.log_softmax(logits, 0)
@tensorflow
- return ids, logits
+ return ids, tf.nn.log_softmax(logits)

You return the logits of all positions. Those of the last position are wanted.
@torch
- return ids, logits
+ return ids, x @ output.T
@tensorflow
- return ids, logits
+ return ids, tf.matmul(x, output, transpose_b=True)

The prompt is missing from your answer: only the new ids are there.
- return ids, logits
+ return ids[prompt.shape[0] :], logits

New tokens are put in front of the text. They belong at its end.
- [ids, token[None]]
+ [token[None], ids]

You return the last token alone. All ids are wanted.
- return ids, logits
+ return token, logits

Only the ids are returned. The last step's logits are wanted as well.
- return ids, logits
+ return ids

The ids come first, then the logits.
- return ids, logits
+ return logits, ids

You return probabilities. The logits are wanted, before the softmax.
@torch
- return ids, logits
+ return ids, torch.softmax(logits, 0)
@tensorflow
- return ids, logits
+ return ids, tf.nn.softmax(logits)

A hidden score of −20 leaves the future a small weight, which shows where its numbers
are large. Take one that is far lower.
- -1e30
+ -20.0

The scores come from the embeddings in every layer. Queries and keys are the layer's own
input.
- scores = x @ x.T
+ first = table[ids] + positions[: ids.shape[0]]
+             scores = first @ first.T
- scores = tf.matmul(x, x, transpose_b=True)
+ first = tf.gather(table, ids) + positions[: ids.shape[0]]
+             scores = tf.matmul(first, first, transpose_b=True)

The positions are added before each layer. Add them once, to the embeddings.
- table[ids] + positions[: ids.shape[0]]
+ table[ids]
- tf.gather(table, ids) + positions[: ids.shape[0]]
+ tf.gather(table, ids)
-             scores = x @ x.T
+             x = x + positions[: ids.shape[0]]
+             scores = x @ x.T
-             scores = tf.matmul(x, x, transpose_b=True)
+             x = x + positions[: ids.shape[0]]
+             scores = tf.matmul(x, x, transpose_b=True)

The prompt may hold `eos_id`. Only the token that you have just appended ends the text.
@torch
- token == eos_id
+ eos_id in ids
@tensorflow
- token == eos_id
+ tf.reduce_any(ids == eos_id)

A position may not even attend to itself, so the first one has no key left, and a
softmax over nothing but −∞ is NaN. Is your mask off by one?
- triu(1)
+ triu(0)
- place > place[:, None]
+ place >= place[:, None]
- -1e30
+ -math.inf

Your logits are those of the finished text. The last step's are wanted, which chose its
last token.
@torch
-     return ids, logits
+     x = table[ids] + positions[: ids.shape[0]]
+     for _ in range(num_layers):
+         scores = x @ x.T / x.shape[1] ** 0.5
+         future = torch.ones_like(scores).triu(1).bool()
+         scores = torch.where(future, -1e30, scores)
+         x = x + torch.softmax(scores, dim=1) @ x
+     return ids, output @ x[-1]
@tensorflow
-     return ids, logits
+     x = tf.gather(table, ids) + positions[: ids.shape[0]]
+     for _ in range(num_layers):
+         scores = tf.matmul(x, x, transpose_b=True)
+         scores = scores / x.shape[1] ** 0.5
+         place = tf.range(ids.shape[0])
+         scores = tf.where(place > place[:, None], -1e30, scores)
+         x = x + tf.nn.softmax(scores, axis=1) @ x
+     return ids, tf.linalg.matvec(output, x[-1])
""",
    reference=reference,
    cases=cases,
    equivalent={
        f"for {name} in range({count}):": "What counts the loop is not used."
        for name in ("x", "scores", "place", "future", "logits", "token")
        for count in ("max_new_tokens", "num_layers")
    }
    | {
        line.format(name): "All have d_model numbers in a row."
        for name in ("table", "positions", "output")
        for line in (
            "scores = x @ x.T / {}.shape[1] ** 0.5",
            "scores = scores / {}.shape[1] ** 0.5",
        )
    },
)
