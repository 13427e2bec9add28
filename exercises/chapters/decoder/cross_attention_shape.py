"""Predict the shape of the weights of cross-attention."""

from exercises.engine.exercise import Exercise

import numpy as np


def values(draw):
    sizes = draw.choice([2, 3, 4, 5, 6, 7, 9], size=4, replace=False)
    names = ("batch", "heads", "target", "source")
    return {name: int(size) for name, size in zip(names, sizes, strict=True)}


def reference(batch, heads, target, source):
    return np.array([batch, heads, target, source])


EXERCISE = Exercise(
    title="Who looks at whom?",
    kind="predict",
    difficulty=1,
    minutes=5,
    prompt="""
A batch of {{batch}} sentences is translated. The source has {{source}} tokens, the
target so far {{target}}, and each layer {{heads}} heads. What is the shape of the
weights of one layer's **cross-attention**?
""",
    starter="""
shape = ...  # four whole numbers, such as (1, 8, 10, 10)
""",
    solution="""
queries, keys = {{target}}, {{source}}
shape = ({{batch}}, {{heads}}, queries, keys)
""",
    why="""
The decoder asks, so its tokens are the queries and count the rows. It asks about the
source, so the encoder's tokens are keys and values and count the columns. Each row sums
to 1: one unit of attention for each token that is being written.
""",
    hints=(
        "Whose vectors become queries in cross-attention?",
        "The weights are (batch, heads, queries, keys).",
        "The target asks; the source is looked at.",
    ),
    mistakes="""
Queries and keys have changed places: the source looks at the target.
- queries, keys = {{target}}, {{source}}
+ queries, keys = {{source}}, {{target}}

That is self-attention: the target looks at itself, and nobody reads the source.
- queries, keys = {{target}}, {{source}}
+ queries, keys = {{target}}, {{target}}

That is the encoder's self-attention.
- queries, keys = {{target}}, {{source}}
+ queries, keys = {{source}}, {{source}}

The heads come right after the batch.
- ({{batch}}, {{heads}}, queries, keys)
+ ({{batch}}, queries, keys, {{heads}})

Batch and heads have changed places.
- ({{batch}}, {{heads}},
+ ({{heads}}, {{batch}},
""",
    reference=reference,
    values=values,
)
