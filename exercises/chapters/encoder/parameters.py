"""Predict how many parameters one encoder layer has."""

from exercises.engine.exercise import Exercise


def values(draw):
    return {
        "d_model": int(draw.choice([10, 20, 30])),
        "num_heads": int(draw.choice([2, 5])),
        "d_ff": int(draw.choice([50, 70, 90])),
    }


def reference(d_model, num_heads, d_ff):
    attention = 4 * d_model * (d_model + 1)
    feed_forward = d_model * d_ff + d_ff + d_ff * d_model + d_model
    return attention + feed_forward + 2 * 2 * d_model


EXERCISE = Exercise(
    title="All of one layer",
    kind="predict",
    difficulty=2,
    minutes=5,
    prompt=r"""
One layer of an encoder has $d_\text{model} = {{d_model}}$, {{num_heads}} heads and
$d_\text{ff} = {{d_ff}}$. How many parameters does it have, with all biases and layer
norms?
""",
    starter="""
parameters = ...  # a whole number
""",
    solution="""
d_model, d_ff = {{d_model}}, {{d_ff}}
attention = 4 * (d_model * d_model + d_model)
feed_forward = d_model * d_ff + d_ff + d_ff * d_model + d_model
norms = 2 * (d_model + d_model)
parameters = attention + feed_forward + norms
""",
    why="""
Query, key, value and projection are square matrices with a bias each: the heads divide
their columns among themselves and need nothing of their own. The feed-forward network
goes up and down again. Each of the two norms has a scale and a bias for every number.
Multiply by the number of layers, add the embeddings, and you have the model.
""",
    hints=(
        "Attention has four matrices. Does their size depend on the number of heads?",
        "The feed-forward network has two matrices and two biases, which differ.",
        "There are two layer norms. What does each learn?",
    ),
    mistakes="""
Each head has a slice of the matrices, not matrices of that size.
- attention = 4 * (d_model * d_model + d_model)
+ attention = {{num_heads}} * 4 * (d_model * d_model + d_model)

4 · `d_model` are missing: the two layer norms, or the four biases of attention?
- feed_forward + norms
+ feed_forward

2 · `d_model` are missing: one of the two layer norms, or the β of both?
- norms = 2 * (d_model + d_model)
+ norms = d_model + d_model

The projection of the heads is left out: attention has four matrices.
- attention = 4 *
+ attention = 3 *

All matrices are there. Each has a bias, too.
- (d_model * d_model + d_model)
+ (d_model * d_model)
- d_ff + d_ff + d_ff * d_model + d_model
+ d_ff + d_ff * d_model

The attention is left out.
- attention + feed_forward
+ feed_forward

The feed-forward network is left out.
- attention + feed_forward
+ attention
""",
    reference=reference,
    values=values,
)
