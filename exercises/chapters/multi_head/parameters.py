"""Predict the parameters of a layer whose keys and values have sizes of their own."""

from exercises.engine.exercise import Exercise


def values(draw):
    # among these sizes, no two ways of counting meet by chance
    d_k, d_v = draw.permutation([draw.choice([3, 5]), 7])
    return {
        "d_model": int(draw.choice([8, 16])),
        "num_heads": 2,
        "d_k": int(d_k),
        "d_v": int(d_v),
    }


def reference(d_model, num_heads, d_k, d_v):
    keys, columns = num_heads * d_k, num_heads * d_v
    return 2 * (d_model + 1) * keys + (d_model + 1) * columns + (columns + 1) * d_model


EXERCISE = Exercise(
    title="Sizes of their own",
    kind="predict",
    difficulty=2,
    minutes=5,
    prompt=r"""
A `MultiHeadAttention` has $d_\text{model} = {{d_model}}$ and {{num_heads}} heads with
$d_k = {{d_k}}$ and $d_v = {{d_v}}$. How many parameters does it have, all biases
included?
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
Queries and keys meet in a dot product, so they have to have the same length, $d_k$.
Values are only added up: they may have any length, and the projection brings their
concatenation back to $d_\text{model}$. With $d_k = d_v = d_\text{model} /
\text{heads}$, as in the paper, all four matrices are square, and the number of heads
does not matter at all.
""",
    hints=(
        "There are four linear maps. Which two have the same shape?",
        "The projection takes what all heads give, side by side.",
        "Each map has inputs times outputs weights, and a bias for each output.",
    ),
    mistakes="""
These are the weights. Each of the four maps has biases, too.
- {{d_k}} + num_heads * {{d_k}}
+ {{d_k}}
- {{d_v}} + num_heads * {{d_v}}
+ {{d_v}}
- * d_model + d_model
+ * d_model

The output projection is left out. Who brings the heads back together?
- value + projection
+ value

That is a layer with one head.
- = {{d_model}}, {{num_heads}}
+ = {{d_model}}, 1

That layer takes `d_model / num_heads` for `d_k` and `d_v`. This one has sizes of its
own.
+ parameters = 4 * (d_model * d_model + d_model)

That layer projects no keys. Keys and queries have a matrix each.
- 2 * query
+ query

The projection takes values, which have `d_v` numbers a head, not keys.
- num_heads * {{d_v}} * d_model + d_model
+ num_heads * {{d_k}} * d_model + d_model

That projection's bias has one number for each of its inputs. How many come out?
- * d_model + d_model
+ * d_model + num_heads * {{d_v}}
""",
    reference=reference,
    values=values,
)
