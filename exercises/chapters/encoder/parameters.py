"""Predict how many parameters a whole encoder has."""

from exercises.engine.exercise import Exercise


def values(draw):
    return {
        "vocab_size": int(draw.choice([300, 400, 500, 600, 800])),
        "max_len": int(draw.choice([16, 24])),
        "num_layers": int(draw.choice([3, 4, 5])),
        "d_model": int(draw.choice([10, 20, 30])),
        "num_heads": int(draw.choice([2, 5])),
        "d_ff": int(draw.choice([50, 70, 90])),
    }


def reference(vocab_size, max_len, num_layers, d_model, num_heads, d_ff):
    attention = 4 * d_model * (d_model + 1)
    feed_forward = d_model * d_ff + d_ff + d_ff * d_model + d_model
    layer = attention + feed_forward + 2 * 2 * d_model
    return (vocab_size + max_len) * d_model + num_layers * layer + 2 * d_model


EXERCISE = Exercise(
    title="The parameters of an encoder",
    kind="predict",
    difficulty=2,
    minutes=10,
    prompt=r"""
An encoder has a vocabulary of {{vocab_size}} tokens and reads texts of up to
{{max_len}} tokens, with **learned** positions and no segments. It has {{num_layers}}
layers in **pre-LN**, with $d_\text{model} = {{d_model}}$, {{num_heads}} heads and
$d_\text{ff} = {{d_ff}}$. All linear layers have a bias, the embeddings have no norm,
and there is no pooler. How many parameters does it have?
""",
    starter="""
parameters = ...  # a whole number
""",
    solution="""
d_model, d_ff = {{d_model}}, {{d_ff}}
tables = {{vocab_size}} * d_model + {{max_len}} * d_model
attention = 4 * (d_model * d_model + d_model)
feed_forward = d_model * d_ff + d_ff + d_ff * d_model + d_model
norms = 2 * (d_model + d_model)
last_norm = d_model + d_model
layers = {{num_layers}} * (attention + feed_forward + norms)
parameters = tables + layers + last_norm
""",
    why="""
Two tables, one row for each token and one for each position. In each layer, query, key,
value and projection are square matrices with a bias; the heads divide the columns among
themselves and need no more. The feed-forward network has two matrices with two
different biases, and each norm a scale and a bias. Pre-LN adds one more norm after the
last layer.
""",
    hints=(
        "Attention has four matrices. Does their size depend on the number of heads?",
        "The feed-forward network has two matrices and two biases of different length.",
        "What does a pre-LN stack have after its last layer? And what do learned "
        "positions need?",
    ),
    mistakes="""
The norm after the last layer is missing, which a pre-LN stack needs.
- layers + last_norm
+ layers

Learned positions are a table, too: it has a row for each position.
- {{vocab_size}} * d_model + {{max_len}} * d_model
+ {{vocab_size}} * d_model

Both tables are missing: the embeddings belong to the encoder.
- tables + layers
+ layers

The tables and the last norm are missing: those are the layers alone.
- tables + layers + last_norm
+ layers

The table of positions and the last norm are missing.
- {{vocab_size}} * d_model + {{max_len}} * d_model
+ {{vocab_size}} * d_model
- layers + last_norm
+ layers

You counted one layer. There are {{num_layers}}.
- layers = {{num_layers}} * (attention + feed_forward + norms)
+ layers = attention + feed_forward + norms

You counted an extra norm after each layer. There is one for the whole stack.
- layers + last_norm
+ layers + {{num_layers}} * last_norm

Each head has a slice of the matrices, not matrices of the full size.
- attention = 4 * (d_model * d_model + d_model)
+ attention = {{num_heads}} * 4 * (d_model * d_model + d_model)

4 · `d_model` parameters are missing in each layer: the two layer norms, or the four
biases of attention?
- feed_forward + norms
+ feed_forward

2 · `d_model` parameters are missing in each layer: one of the two layer norms, or the β
of both?
- norms = 2 * (d_model + d_model)
+ norms = d_model + d_model

All norms are missing, in the layers and after the last.
- feed_forward + norms
+ feed_forward
- layers + last_norm
+ layers

Norms have a scale and a bias each. You counted only one of the two.
- norms = 2 * (d_model + d_model)
+ norms = d_model + d_model
- last_norm = d_model + d_model
+ last_norm = d_model

The projection of the heads is left out: attention has four matrices.
- attention = 4 *
+ attention = 3 *

All matrices are there. Each has a bias, too.
- (d_model * d_model + d_model)
+ (d_model * d_model)
- d_ff + d_ff + d_ff * d_model + d_model
+ d_ff + d_ff * d_model

The biases of attention are there. The feed-forward network has two as well.
- d_ff + d_ff + d_ff * d_model + d_model
+ d_ff + d_ff * d_model

The two biases of the feed-forward network differ: `d_ff` numbers and `d_model` numbers.
- d_ff + d_ff + d_ff * d_model + d_model
+ d_ff + d_ff + d_ff * d_model + d_ff

The feed-forward network has two matrices.
- d_ff + d_ff + d_ff * d_model + d_model
+ d_ff + d_ff

The attention is left out.
- attention + feed_forward
+ feed_forward

The feed-forward network is left out.
- attention + feed_forward
+ attention

2 · `d_model` parameters are too many: here the embeddings have neither segments nor a
norm.
- tables + layers + last_norm
+ tables + layers + last_norm + 2 * d_model

You counted a pooler. This encoder has none.
- tables + layers + last_norm
+ tables + layers + last_norm + d_model * d_model + d_model

You counted the table of tokens twice. An encoder has no output layer.
- tables + layers + last_norm
+ tables + layers + last_norm + {{vocab_size}} * d_model

`d_ff` parameters are missing in each layer: the bias of the first matrix of the
feed-forward network.
- d_ff + d_ff + d_ff * d_model + d_model
+ d_ff + d_ff * d_model + d_model

`d_model` parameters are missing in each layer: the bias of the second matrix of the
feed-forward network, or one of the four biases of attention?
- d_ff + d_ff + d_ff * d_model + d_model
+ d_ff + d_ff + d_ff * d_model
""",
    reference=reference,
    values=values,
    book={
        "vocab_size": 700,
        "max_len": 24,
        "num_layers": 3,
        "d_model": 10,
        "num_heads": 2,
        "d_ff": 50,
    },
)
