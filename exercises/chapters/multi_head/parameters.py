"""Predict the parameters of a layer whose keys and values have sizes of their own."""

from exercises.engine.exercise import Exercise


def values(draw):
    # among these sizes, no wrong way of counting gives the right number
    d_k, d_v = draw.permutation([draw.choice([3, 5]), draw.choice([7, 9])])
    return {
        "d_model": int(draw.choice([16, 32, 48, 56, 64])),
        "num_heads": int(draw.choice([2, 4])),
        "d_k": int(d_k),
        "d_v": int(d_v),
    }


def reference(d_model, num_heads, d_k, d_v):
    keys, columns = num_heads * d_k, num_heads * d_v
    return 2 * (d_model + 1) * keys + (d_model + 1) * columns + (columns + 1) * d_model


EXERCISE = Exercise(
    title="Count the parameters",
    kind="predict",
    difficulty=1,
    minutes=5,
    prompt=r"""
A `MultiHeadAttention` has $d_\text{model} = {{d_model}}$ and {{num_heads}} heads with
$d_k = {{d_k}}$ and $d_v = {{d_v}}$. It consists of four linear maps, for the queries,
the keys, the values and the output, each with weights and biases. How many parameters
does it have?
""",
    starter="""
parameters = ...  # a whole number
""",
    solution="""
d_model, num_heads = {{d_model}}, {{num_heads}}
query = d_model * num_heads * {{d_k}} + num_heads * {{d_k}}
value = d_model * num_heads * {{d_v}} + num_heads * {{d_v}}
projection = num_heads * {{d_v}} * d_model + d_model
parameters = 2 * query + value + projection
""",
    why=r"""
Queries and keys are multiplied in a dot product, so they must have the same length,
$d_k$. Values are only averaged, so they may have any length, and the output projection
brings their concatenation back to $d_\text{model}$ numbers. With $d_k = d_v =
d_\text{model} / h$, as in the paper, all four matrices are square, and the number of
heads does not change the count.
""",
    hints=(
        "Which two of the four maps have the same shape?",
        "The output projection takes the concatenated outputs of all heads.",
        "Each map has (inputs times outputs) weights, and one bias for each output.",
    ),
    mistakes="""
These are the weights only. Each of the four maps has biases, too.
- {{d_k}} + num_heads * {{d_k}}
+ {{d_k}}
- {{d_v}} + num_heads * {{d_v}}
+ {{d_v}}
- * d_model + d_model
+ * d_model

The output projection is left out. What combines the heads?
- value + projection
+ value

That would be a layer with one head.
- = {{d_model}}, {{num_heads}}
+ = {{d_model}}, 1

That would be right if `d_k` and `d_v` were `d_model / num_heads`. Here they are not.
+ parameters = 4 * (d_model * d_model + d_model)

Queries and keys have one matrix each. You counted only one of the two.
- 2 * query
+ query

The output projection takes the outputs of the heads, which have `d_v` numbers each, not
`d_k`.
- num_heads * {{d_v}} * d_model + d_model
+ num_heads * {{d_k}} * d_model + d_model

The output projection has a bias, too: one number for each of its outputs.
- * d_model + d_model
+ * d_model

The output projection takes num_heads times `d_v` numbers, not `d_model`.
- projection = num_heads * {{d_v}} * d_model
+ projection = d_model * d_model

The output projection takes the outputs of all heads, not of one.
- projection = num_heads * {{d_v}}
+ projection = {{d_v}}

You gave each projection the biases of one head. Every head has its own.
- {{d_k}} + num_heads * {{d_k}}
+ {{d_k}} + {{d_k}}
- {{d_v}} + num_heads * {{d_v}}
+ {{d_v}} + {{d_v}}

You gave each projection `d_model` biases. It has one for each of its outputs.
- {{d_k}} + num_heads * {{d_k}}
+ {{d_k}} + d_model
- {{d_v}} + num_heads * {{d_v}}
+ {{d_v}} + d_model

That would be the weights alone, and only if `d_k` and `d_v` were `d_model / num_heads`.
+ parameters = 4 * d_model * d_model

You gave every head an output bias of its own. All heads share one output projection.
- * d_model + d_model
+ * d_model + num_heads * d_model

Values have `d_v` numbers for each head. You took `d_k` for everything.
- {{d_v}}
+ {{d_k}}
""",
    reference=reference,
    values=values,
    book={"d_model": 16, "num_heads": 2, "d_k": 5, "d_v": 7},
)
