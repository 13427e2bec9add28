"""Predict the loss of a batch whose padding is counted."""

from exercises.engine.exercise import Exercise


def values(draw):
    rows = int(draw.integers(4, 30))
    width = 2 * int(draw.integers(20, 30)) + 1
    length = int(draw.integers(11, 37))
    return {
        "rows": rows + (rows == length),  # or one could be taken for the other
        "width": width,
        "length": length,
        "loss": round(float(draw.uniform(2.1, 3.9)), 2),
        "padded": round(float(draw.uniform(0.21, 0.49)), 2),
    }


def reference(rows, width, length, loss, padded):
    return (length * loss + (width - length) * padded) / width


EXERCISE = Exercise(
    title="The loss that padding improves",
    kind="predict",
    difficulty=1,
    minutes=5,
    prompt="""
A program pads all batches to {{width}} tokens. In a batch of {{rows}} texts, every text
has only {{length}} tokens; the rest is padding. The model's mean loss is {{loss}} on
the real tokens. It has learned that padding follows padding, so its mean loss is only
{{padded}} at padded positions. What loss does a training loop report that averages over
**all** positions? Give three decimals.
""",
    starter="""
reported = ...  # a number
""",
    solution="""
real = {{length}} * {{loss}}
padding = ({{width}} - {{length}}) * {{padded}}
reported = (real + padding) / {{width}}
""",
    why="""
The reported loss is a mean of two very different losses, weighted by how much padding
there is. It gets better when a batch gets wider, though the model has learned nothing.
So count real tokens only, and test it: pad a batch further, and the loss must not move.
""",
    hints=(
        "All texts are equally long, so one row is enough.",
        "Add up the losses of the real positions of a row, "
        "then those of the padded ones.",
        "Divide the sum by the width of the row.",
    ),
    mistakes="""
That is the loss on the real tokens. This loop counts padding, too.
- (real + padding) / {{width}}
+ real / {{length}}

That is the plain mean of the two losses. They don't count for equally many positions.
- (real + padding) / {{width}}
+ ({{loss}} + {{padded}}) / 2

The padding's loss is left out of the sum. It is smaller, but not 0.
- (real + padding)
+ real

The sum includes the padding, so it has to be divided by all positions, not by the real
ones.
- / {{width}}
+ / {{length}}

The two losses are exchanged: real tokens have the larger one.
- {{length}} * {{loss}}
+ {{length}} * {{padded}}
- ({{width}} - {{length}}) * {{padded}}
+ ({{width}} - {{length}}) * {{loss}}

The padded positions are the width minus the length of a text.
- ({{width}} - {{length}}) * {{padded}}
+ {{width}} * {{padded}}

That is the sum over a row. A mean is divided by the number of positions.
- (real + padding) / {{width}}
+ real + padding

That is divided by the number of texts. The mean is over positions.
- / {{width}}
+ / {{rows}}

The padding's loss is subtracted. It is part of the mean.
- real + padding
+ real - padding

That is the loss at the padded positions alone.
- (real + padding) / {{width}}
+ {{padded}}

Every position counts with the real tokens' loss. At padded positions it is {{padded}}.
- {{width}} - {{length}}) * {{padded}}
+ {{width}} - {{length}}) * ({{loss}} + {{padded}})

That is divided by all positions of the batch, but the sum is that of one row.
- / {{width}}
+ / ({{rows}} * {{width}})

That is the sum of the two means. A mean over all positions lies between them.
- (real + padding) / {{width}}
+ {{loss}} + {{padded}}

The sum is that of the whole batch, and you divide it by the width of a single row.
- (real + padding) / {{width}}
+ {{rows}} * (real + padding) / {{width}}

The width includes the real tokens: a row has {{width}} positions in all.
- ({{width}} - {{length}}) * {{padded}}
+ {{width}} * {{padded}}
- / {{width}}
+ / ({{length}} + {{width}})

{{rows}} is the number of texts. Each of them has {{length}} real tokens.
- {{length}} * {{loss}}
+ {{rows}} * {{loss}}
- {{width}} - {{length}}
+ {{width}} - {{rows}}

That is the perplexity. The mean loss is asked for.
- (real + padding) / {{width}}
+ math.exp((real + padding) / {{width}})
""",
    reference=reference,
    values=values,
    tolerance=0.0006,
)
