"""Predict the mean of two workers' means, and the mean over all tokens."""

from exercises.engine.exercise import Exercise


def values(draw):
    # Sizes and losses far apart, so that each weighted mean is another number.
    total = int(draw.choice([10, 20, 50]))
    few = total * int(draw.integers(1, 4)) // 10
    low, high = int(draw.integers(11, 26)), int(draw.integers(36, 58))
    one, other = draw.permutation([low, high]) / 10
    return {
        "few": few,
        "many": total - few,
        "one": float(one),
        "other": float(other),
    }


def reference(few, many, one, other):
    losses = [one] * few + [other] * many
    return [(one + other) / 2, sum(losses) / len(losses)]


EXERCISE = Exercise(
    title="Two workers, two means",
    kind="predict",
    difficulty=1,
    minutes=5,
    prompt="""
A batch is spread over two workers. Worker A has {{few}} tokens, and its mean loss per
token is {{one}}. Worker B has {{many}} tokens, and its mean loss per token is
{{other}}.

What is the **mean of the two means**? And what is the loss of the whole batch, the
**mean over all tokens**? Give three decimals.
""",
    starter="""
means = ...  # two numbers, such as [1.25, 1.5]
""",
    solution="""
mean_of_means = ({{one}} + {{other}}) / 2
losses = {{few}} * {{one}} + {{many}} * {{other}}
means = [mean_of_means, losses / ({{few}} + {{many}})]
""",
    why="""
The mean of means gives both workers the same weight, so a token of worker A counts for
more than one of worker B. The mean over all tokens adds up the losses of all tokens
before it divides. The two are equal only if the workers have equally many tokens or the
same mean loss.
""",
    hints=(
        "The mean of means ignores how many tokens a worker has.",
        "What is the sum of the losses of A's {{few}} tokens?",
        "Add up the losses of both workers, and divide by the number of all tokens.",
    ),
    mistakes="""
The mean of the two means comes first, then the mean over all tokens.
+ means = right[::-1]

Both of your numbers are the mean of means. Over all tokens, B counts for more than A.
+ means = [right[0], right[0]]

Both of your numbers are the mean over all tokens. In the first, both workers count the
same.
+ means = [right[1], right[1]]

Your first number is the sum of the two means. Divide it by 2.
+ means = [one + other, right[1]]

In your second number, each mean has the other worker's number of tokens.
+ means = [right[0], (many * one + few * other) / (few + many)]

Your second number is divided by the number of workers. Divide by that of all tokens.
+ means = [right[0], (few * one + many * other) / 2]

Your second number is the sum of all losses. Divide it by the number of tokens.
+ means = [right[0], few * one + many * other]

You divided by the tokens of worker B alone. Those of worker A count, too.
+ means = [right[0], (few * one + many * other) / many]

In your second number, the means are added without their numbers of tokens.
+ means = [right[0], (one + other) / (few + many)]

You divided the workers' means by their numbers of tokens. They are means already.
+ means = [right[0], one / few + other / many]

Your second number is the loss of worker B alone. Worker A's tokens count, too.
+ means = [right[0], other]

Your second number is the loss of worker A alone. Worker B's tokens count, too.
+ means = [right[0], one]

You divided by the number of tokens and by that of workers. Once is enough: the tokens
of both are counted already.
+ means = [right[0], (few * one + many * other) / (2 * (few + many))]

Your second number is the difference of the two means. The mean itself is wanted.
+ means = [right[0], right[0] - right[1]]

Two numbers are wanted. The mean over all tokens is missing.
+ means = right[0]
""",
    reference=reference,
    values=values,
    book={"few": 4, "many": 16, "one": 1.2, "other": 3.7},
)
