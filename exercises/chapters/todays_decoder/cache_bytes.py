"""Predict the size of a KV cache with grouped heads, and without."""

from exercises.engine.exercise import Exercise


def values(draw):
    kv_heads = int(draw.choice([2, 4, 8]))
    group = int(draw.choice([3, 5, 7]))
    return {
        "layers": int(draw.choice([18, 22, 26, 28, 36])),
        "num_heads": group * kv_heads,
        "kv_heads": kv_heads,
        "d_k": int(draw.choice([80, 96, 112])),
        "length": 1000 * int(draw.choice([4, 6, 9, 11])),
    }


def reference(layers, num_heads, kv_heads, d_k, length):
    megabytes = layers * length * 2 * d_k * 2 / 1_000_000
    return [megabytes * kv_heads, megabytes * num_heads]


EXERCISE = Exercise(
    title="What the cache weighs",
    kind="predict",
    difficulty=2,
    minutes=10,
    prompt="""
A model has {{layers}} layers, each with {{num_heads}} query heads and {{kv_heads}}
heads of keys and values. A key or a value has `d_k = d_v = {{d_k}}` numbers in each
head, and every number takes 16 bits. How many **megabytes** (1,000,000 bytes) does the
KV cache of one text of {{length}} tokens take? And how many would it take if every
query head had its own keys and values? Give all decimals; there are at most three.
""",
    starter="""
megabytes = ...  # as it is, and with heads of their own, such as [12.5, 50]
""",
    solution="""
numbers = {{layers}} * 2 * {{length}} * {{d_k}}  # one head; keys, values
megabytes = [numbers * 2 * n / 1_000_000 for n in ({{kv_heads}}, {{num_heads}})]
""",
    why="""
Each layer keeps a key and a value for each token and each of its own heads of keys and
values. The number of query heads doesn't enter: queries are used once and not kept. The
size grows in proportion to the length and to the number of texts that are written at
the same time, and for long texts it can be larger than the model. Fewer heads of keys
and values are the simplest cure.
""",
    hints=(
        "How many numbers does one layer keep for one token? It needs both the keys "
        "and the values.",
        "Multiply by the layers and by the tokens. 16 bits are 2 bytes.",
        "The first is {{layers}} · 2 · {{kv_heads}} · {{d_k}} · {{length}} · 2 bytes.",
    ),
    mistakes="""
Both are too small by a factor of two: do you count keys and values, and two bytes a
number?
- * 2 * n
+ * n

Both are too small by a factor of four: keys as well as values are kept, and 16 bits are
two bytes.
- * 2 * {{length}}
+ * {{length}}
- * 2 * n
+ * n

That is the cache of one layer. Every layer has its own.
- {{layers}} * 2
+ 2

That is one token. How many are in the cache?
- * {{length}}
+

Those are the bits. A byte has 8 of them.
- * 2 * n
+ * 16 * n

Both are twice as large as they should be. 16 bits are two bytes, and a key has `d_k`
numbers and a value `d_v`, not both.
- * 2 * n
+ * 4 * n

Those are bytes. Divide by 1,000,000.
- / 1_000_000
+

Those are mebibytes, of 1,048,576 bytes. The task counts 1,000,000.
- 1_000_000
+ 1024**2

Those are gigabytes.
- 1_000_000
+ 1_000_000_000

Those are kilobytes.
- 1_000_000
+ 1_000

Both have the right size, in the wrong order: fewer heads take less.
- ({{kv_heads}}, {{num_heads}})
+ ({{num_heads}}, {{kv_heads}})

The second number is right. In the first, only the heads of keys and values count, not
the query heads.
- ({{kv_heads}}, {{num_heads}})
+ ({{num_heads}}, {{num_heads}})

The first number is right. For the second, every query head has keys and values of its
own.
- ({{kv_heads}}, {{num_heads}})
+ ({{kv_heads}}, {{kv_heads}})

The first number is right. The second is larger, by as much as there are more heads.
- ({{kv_heads}}, {{num_heads}})
+ ({{kv_heads}}, {{kv_heads}} ** 2 / {{num_heads}})

The second number is right. The first is one group's share: there are {{kv_heads}} heads
of keys and values.
- ({{kv_heads}}, {{num_heads}})
+ (1, {{num_heads}})

The second number is right. The first counts the query heads of a group. What counts
is how many heads of keys and values there are.
- ({{kv_heads}}, {{num_heads}})
+ ({{num_heads}} // {{kv_heads}}, {{num_heads}})

The first number is right. The second counts the heads of queries and of keys and values
together.
- ({{kv_heads}}, {{num_heads}})
+ ({{kv_heads}}, {{num_heads}} + {{kv_heads}})

The queries are not kept: you count three vectors a head instead of two.
- * 2 * {{length}}
+ * 3 * {{length}}

You count a score for every pair of tokens. Keys and values grow with the length, not
with its square.
- * {{length}}
+ * {{length}} ** 2

The numbers of a head are missing: each key and each value has {{d_k}} of them.
-  * {{d_k}}  #
+   #

The number of heads is missing.
- * 2 * n
+ * 2

The first number is right. The second is what the groups save: how much would it take
in all?
- ({{kv_heads}}, {{num_heads}})
+ ({{kv_heads}}, {{num_heads}} - {{kv_heads}})

The first number is right. The second is how many times larger the cache would be: give
megabytes.
+ megabytes = [right[0], num_heads / kv_heads]

Queries are used once and not kept. You count the query heads besides those of keys and
values.
- ({{kv_heads}}, {{num_heads}})
+ ({{kv_heads}} + {{num_heads}} / 2, 1.5 * {{num_heads}})
""",
    reference=reference,
    values=values,
    tolerance=0.00005,
)
