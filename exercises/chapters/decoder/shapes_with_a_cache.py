"""Predict the shapes of both attentions' weights in a step with a cache."""

from exercises.engine.exercise import Exercise

import numpy as np


def values(draw):
    sizes = draw.choice([4, 6, 8, 10, 12, 14], size=4, replace=False)
    names = ("batch", "heads", "target", "source")
    return {name: int(size) for name, size in zip(names, sizes, strict=True)}


def reference(batch, heads, target, source):
    return np.array([[batch, heads, 1, target], [batch, heads, 1, source]])


EXERCISE = Exercise(
    title="Shapes with a cache",
    kind="predict",
    difficulty=2,
    minutes=5,
    prompt="""
A translator writes with a cache. The batch has {{batch}} sentences of {{source}} source
tokens, and each layer has {{heads}} heads. In this step the decoder reads the newest
target token of each sentence, which is number {{target}} if `[BOS]` is number 1. What
are the shapes of one layer's attention weights in this step, first in
**self-attention**, then in **cross-attention**?
""",
    starter="""
shapes = ...  # two shapes, such as [(1, 8, 10, 10), (1, 8, 10, 12)]
""",
    solution="""
queries, target, source = 1, {{target}}, {{source}}
shapes = [
    ({{batch}}, {{heads}}, queries, target),
    ({{batch}}, {{heads}}, queries, source),
]
""",
    why="""
Weights have a row for each query and a column for each key. Only the newest token is
read, so there is one query. In self-attention its keys are all target tokens so far:
those in the cache and its own, which is appended before it attends. In cross-attention
they are the source tokens, whose keys have been in the cache since the first step.
""",
    hints=(
        "The weights are (batch, heads, queries, keys).",
        "How many tokens does the decoder read in a step with a cache?",
        "The newest token's key is appended to the cache before it attends.",
    ),
    mistakes="""
Those are the shapes without a cache. With one, only the newest token has a query.
- queries, target, source = 1,
+ queries, target, source = {{target}},

In self-attention, the query also attends to the tokens in the cache.
- queries, target)
+ queries, 1)

The newest token also attends to itself: its key is appended to the cache first.
- queries, target)
+ queries, target - 1)

The newest token is already among the target tokens. Do not count it twice.
- queries, target)
+ queries, target + 1)

Self-attention comes first, then cross-attention.
- queries, target)
+ queries, 0)
- queries, source)
+ queries, target)
- queries, 0)
+ queries, source)

The second one is self-attention again. The keys of cross-attention are the source's.
- queries, source)
+ queries, target)

The first one is cross-attention already. The keys of self-attention are the target's.
- queries, target)
+ queries, source)

Queries and keys are interchanged: rows are queries, columns are keys.
- queries, target)
+ target, queries)
- queries, source)
+ source, queries)

Self-attention is right. Cross-attention also has one query, the newest token's.
- queries, source)
+ target, source)

Cross-attention is right. Self-attention also has one query, the newest token's.
- queries, target)
+ target, target)

In cross-attention, the decoder's token is the query, and the source gives the keys.
- queries, source)
+ source, queries)

The cache holds the keys of the source as well: the query attends to all of them.
- queries, source)
+ queries, 1)

The source does not attend here: that is the encoder's self-attention.
- queries, source)
+ source, source)

The newest token attends to more than one key: to all tokens so far, and to the source.
- queries, target)
+ queries, 1)
- queries, source)
+ queries, 1)

Those are both cross-attention without a cache.
- queries, target)
+ target, source)
- queries, source)
+ target, source)

Those are the encoder's self-attention and cross-attention without a cache.
- queries, target)
+ source, source)
- queries, source)
+ target, source)

The axes of the heads and of the queries are interchanged.
- {{heads}}, queries, target)
+ queries, {{heads}}, target)
- {{heads}}, queries, source)
+ queries, {{heads}}, source)

The heads come right after the batch.
- {{heads}}, queries, target)
+ queries, target, {{heads}})
- {{heads}}, queries, source)
+ queries, source, {{heads}})

Batch and heads are interchanged.
- ({{batch}}, {{heads}}, queries, target)
+ ({{heads}}, {{batch}}, queries, target)
- ({{batch}}, {{heads}}, queries, source)
+ ({{heads}}, {{batch}}, queries, source)

The query's axis is missing. It has length 1, but it is there.
- {{heads}}, queries, target)
+ {{heads}}, target)
- {{heads}}, queries, source)
+ {{heads}}, source)

The heads are missing: each of them has its own weights.
- {{heads}}, queries, target)
+ queries, target)
- {{heads}}, queries, source)
+ queries, source)

You add the two lengths. Self-attention reads only the target, cross-attention only the
source.
- queries, target)
+ queries, target + source)
- queries, source)
+ queries, target + source)

Self-attention has one query, the newest token, but as many keys as there are target
tokens so far. Cross-attention has one query as well.
- queries, target)
+ queries, 1)
- queries, source)
+ target, source)

The first shape is right. The keys of cross-attention are the source's alone.
- queries, source)
+ queries, target + source)

That is self-attention alone. Give the shape of cross-attention as well.
- shapes = [
+ shapes = ({{batch}}, {{heads}}, queries, target)
+ both = [
""",
    reference=reference,
    values=values,
    book={"batch": 6, "heads": 12, "target": 8, "source": 10},
)
