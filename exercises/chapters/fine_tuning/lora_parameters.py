"""Predict how many parameters LoRA trains."""

from exercises.engine.exercise import Exercise

BOOK = {"d_model": 768, "num_layers": 6, "num_heads": 16, "rank": 4}


def values(draw):
    while True:
        drawn = {
            "d_model": int(draw.choice([256, 384, 512, 768])),
            "num_layers": int(draw.choice([4, 6, 12])),
            "num_heads": int(draw.choice([8, 16])),
            "rank": int(draw.choice([2, 4, 6, 8])),
        }
        # The number of heads changes nothing.
        if reference(**drawn) != reference(**BOOK):
            return drawn


def reference(d_model, num_layers, num_heads, rank):
    adapter = sum((d_model * rank, rank * d_model))
    head = (d_model + 1) * 2
    return num_layers * 2 * adapter + head


EXERCISE = Exercise(
    title="What LoRA trains",
    kind="predict",
    difficulty=2,
    minutes=5,
    prompt=r"""
An encoder with $d_\text{model} = {{d_model}}$, {{num_layers}} layers and {{num_heads}}
heads is fine-tuned to answer questions. Its own weights and biases are frozen. The
**query** and the **value** projection of every layer get a LoRA adapter of rank
{{rank}}: two matrices, no bias. The new output layer is trained in full: it maps each
token's vector to two logits, start and end, with a bias. How many parameters are
trained?
""",
    starter="""
trained = ...  # a whole number
""",
    solution="""
d_model, rank = {{d_model}}, {{rank}}
adapter = d_model * rank + rank * d_model
head = d_model * 2 + 2
trained = {{num_layers}} * 2 * adapter + head
""",
    why="""
An adapter of a square matrix has `2 · rank · d_model` parameters instead of `d_model`
squared. The number of heads does not matter: one matrix makes the queries of all heads.
The optimizer keeps two more numbers for each trained parameter, so it needs less
memory in the same proportion, and a fine-tuned version is a small file beside the
frozen model.
""",
    hints=(
        "One adapter has A, (d_model, {{rank}}), and B, ({{rank}}, d_model).",
        "How many adapters are there in all layers together?",
        "The output layer has d_model weights and a bias for each of its two logits.",
    ),
    mistakes="""
The output layer is left out. It is trained, too.
- * adapter + head
+ * adapter

The adapters are left out.
- {{num_layers}} * 2 * adapter + head
+ head

You counted half of the matrices: query and value of each layer have both an A and a B.
- * 2 * adapter
+ * adapter

You counted four adapters in each layer. Only query and value have one.
- * 2 * adapter
+ * 4 * adapter

You counted three adapters in each layer. The key has none.
- * 2 * adapter
+ * 3 * adapter

That is the number for one layer and the output layer.
- {{num_layers}} * 2
+ 2

You counted adapters for each head. One matrix makes the queries of all heads.
- * 2 * adapter
+ * 2 * {{num_heads}} * adapter

The biases of the output layer are left out.
- d_model * 2 + 2
+ d_model * 2

The output layer has two logits, each with a bias. You counted one bias.
- d_model * 2 + 2
+ d_model * 2 + 1

The output layer has two logits for each token. You counted one.
- d_model * 2 + 2
+ d_model + 1

The adapters have no biases.
- adapter = d_model * rank + rank * d_model
+ adapter = d_model * rank + rank * d_model + rank + d_model

The matrices of query and value themselves are frozen.
- * adapter + head
+ * (adapter + d_model**2) + head

That is the number with the full matrices trained, without LoRA.
- d_model * rank + rank * d_model
+ d_model * d_model

The product of A and B has `d_model` squared entries, but they are not parameters.
- * 2 * adapter + head
+ * 2 * d_model**2

The output layer is counted once, not in each layer.
- adapter + head
+ adapter + {{num_layers}} * head

B leads to the numbers of all heads together, so it has {{d_model}} columns.
- rank * d_model
+ rank * d_model // {{num_heads}}

B has r rows and d_model columns. You counted r · r.
- rank * d_model
+ rank * rank

You counted an adapter for each head, with the head's share of the columns. One matrix
makes the queries of all heads, so there is one A for all of them.
- d_model * rank + rank * d_model
+ {{num_heads}} * d_model * rank + rank * d_model
""",
    reference=reference,
    values=values,
    book=BOOK,
)
