"""Predict how many weights a student keeps when layers are left out."""

from exercises.engine.exercise import Exercise

BOOK = {
    "vocab_size": 30522,
    "max_len": 512,
    "d_model": 384,
    "d_ff": 1536,
    "num_layers": 6,
    "kept": 4,
}


def values(draw):
    while True:
        d_model = int(draw.choice([128, 256, 312, 384, 512, 768]))
        layers = int(draw.choice([6, 8, 10, 12]))
        drawn = {
            "vocab_size": int(draw.choice([16000, 30522, 32000, 50265])),
            "max_len": 512,
            "d_model": d_model,
            "d_ff": 4 * d_model,
            "num_layers": layers,
            # With one or two layers kept or left out, some mistakes are the same.
            "kept": int(draw.integers(3, layers - 1)),
        }
        if 2 * drawn["kept"] != layers:  # then as many are left out as are kept
            return drawn


def reference(vocab_size, max_len, d_model, d_ff, num_layers, kept):
    matrices = {
        "query": (d_model, d_model),
        "key": (d_model, d_model),
        "value": (d_model, d_model),
        "output": (d_model, d_model),
        "up": (d_model, d_ff),
        "down": (d_ff, d_model),
    }
    layer = sum(rows * columns + columns for rows, columns in matrices.values())
    layer += 2 * 2 * d_model
    rest = (vocab_size + max_len + 2 + 2) * d_model
    return [rest + kept * layer, (rest + kept * layer) / (rest + num_layers * layer)]


EXERCISE = Exercise(
    title="Fewer layers, how many weights?",
    kind="predict",
    difficulty=2,
    minutes=10,
    prompt=r"""
A BERT-like encoder without a pooler has $d_\text{model} = {{d_model}}$,
$d_\text{ff} = {{d_ff}}$ and {{num_layers}} layers. It has three tables of embeddings:
{{vocab_size}} tokens, {{max_len}} positions and 2 segments; their sum goes through a
LayerNorm. Every projection has a bias, and every layer has two LayerNorms, each with a
scale and a bias. A student of the same widths starts with {{kept}} of the layers, and
with all the rest. How many weights (biases and scales included) does the student have,
and what share is that of the teacher's? Give three decimals of the share.
""",
    starter="""
weights_and_share = ...  # such as [12345678, 0.123]
""",
    solution="""
d_model, d_ff = {{d_model}}, {{d_ff}}
tables = ({{vocab_size}} + {{max_len}} + 2) * d_model
rest = tables + 2 * d_model
attention = 4 * (d_model * d_model + d_model)
feed_forward = d_model * d_ff + d_ff + d_ff * d_model + d_model
layer = attention + feed_forward + 2 * 2 * d_model
student = rest + {{kept}} * layer
teacher = rest + {{num_layers}} * layer
weights_and_share = [student, student / teacher]
""",
    why="""
Leaving out layers leaves the tables as they are, so the share of the weights is larger
than the share of the layers. The time is another matter: looking up a row of a table
costs next to nothing, so the time falls almost in proportion to the layers. “Smaller”
and “faster” have to be measured separately. DistilBERT keeps half of BERT's twelve
layers, but 60 % of its weights.
""",
    hints=(
        "What does the student have in common with the teacher, whatever its layers?",
        "A layer has four square projections and the two of the feed-forward part, all "
        "with biases, and two LayerNorms of 2 · d_model.",
        "The LayerNorm after the embeddings belongs to the rest, as the tables do.",
    ),
    mistakes="""
The tables of embeddings are left out. The student has them, too.
- rest = tables + 2 * d_model
+ rest = 2 * d_model

2 · `d_model` weights are missing: the table of the two segments, or the LayerNorm after
the embeddings?
- rest = tables + 2 * d_model
+ rest = tables

The positions are left out. They have a table, too.
- ({{vocab_size}} + {{max_len}} + 2)
+ ({{vocab_size}} + 2)

You share out the tables, too: the student has all of its rows.
- student = rest + {{kept}} * layer
+ student = rest * {{kept}} / {{num_layers}} + {{kept}} * layer

You left out {{kept}} layers. The student keeps {{kept}}.
- student = rest + {{kept}} * layer
+ student = rest + ({{num_layers}} - {{kept}}) * layer

Your first number is the teacher's.
- [student, student / teacher]
+ [teacher, student / teacher]

Your first number is right, but your second is the share that is saved.
- [student, student / teacher]
+ [student, 1 - student / teacher]

Your first number is how many weights are left out. How many are left?
- [student, student / teacher]
+ [teacher - student, student / teacher]

You give what is left out, and its share. What is left is asked for.
- [student, student / teacher]
+ [teacher - student, 1 - student / teacher]

Your first number is right, but your second is the share of the layers. The tables are
no layer.
- [student, student / teacher]
+ [student, {{kept}} / {{num_layers}}]

Your first number is right, but the share is turned round: the teacher's weights are
below.
- [student, student / teacher]
+ [student, teacher / student]

All biases of the projections are left out.
- 4 * (d_model * d_model + d_model)
+ 4 * d_model * d_model
- d_model * d_ff + d_ff + d_ff * d_model + d_model
+ 2 * d_model * d_ff

4 · `d_model` weights are missing in each layer: the four biases of the attention, or
its two LayerNorms?
- 4 * (d_model * d_model + d_model)
+ 4 * d_model * d_model

The biases of the feed-forward part are left out.
- d_model * d_ff + d_ff + d_ff * d_model + d_model
+ 2 * d_model * d_ff

Both biases of the feed-forward part have d_model numbers in your count. The first has
d_ff.
- d_model * d_ff + d_ff +
+ d_model * d_ff + d_model +

You counted three projections in the attention. The output projection is the fourth.
- 4 * (d_model
+ 3 * (d_model

A layer has two LayerNorms. You counted one.
- feed_forward + 2 * 2 * d_model
+ feed_forward + 2 * d_model

The feed-forward part has two matrices. You counted one.
- + d_ff + d_ff * d_model + d_model
+ + d_ff

You counted one layer only.
- {{kept}} * layer
+ layer

The LayerNorm after the embeddings and all those of the layers are left out.
- rest = tables + 2 * d_model
+ rest = tables
- feed_forward + 2 * 2 * d_model
+ feed_forward

Your share is a percentage. Give a number from 0 to 1.
- student / teacher]
+ 100 * student / teacher]

Two numbers are asked for. The share is missing.
- [student, student / teacher]
+ student

Two numbers are asked for. The number of weights is missing.
- [student, student / teacher]
+ student / teacher

The share comes second.
- [student, student / teacher]
+ [student / teacher, student]
""",
    reference=reference,
    values=values,
    book=BOOK,
    tolerance=0.0006,
)
