"""Predict the spread of the first logits when the table is tied."""

from exercises.engine.exercise import Exercise


def values(draw):
    return {"d_model": int(draw.choice([256, 400, 576, 1024]))}


def reference(d_model):
    return [d_model**0.5, 1.0]


EXERCISE = Exercise(
    title="A loss of 71.8",
    kind="predict",
    difficulty=3,
    minutes=10,
    prompt=r"""
A model scores every token by the dot product of its last vector $x$ with the token's
row in the table of embeddings. Before training, the numbers of $x$ have mean 0 and
standard deviation 1, as a layer norm leaves them, and have nothing to do with the
table. $d_\text{model} = {{d_model}}$.

What, exactly, is the standard deviation of the scores if the table's numbers have
standard deviation 1? And what is it if they have $1 / \sqrt{d_\text{model}}$?
""",
    starter="""
spread = ...  # the first and the second, such as [9, 3]
""",
    solution="""
d_model = {{d_model}}
spread = [d_model**0.5 * 1, d_model**0.5 / d_model**0.5]
""",
    why=r"""
A score adds up {{d_model}} products of deviation 1: variances add, so the deviation is
$\sqrt{ {{d_model}} }$. Scores that far apart are a firm opinion, and an untrained
model's firm opinions are wrong. With 1,000 tokens and $d_\text{model} = 512$, the
chapter measures a first loss of 71.8, where a model that knows nothing, and says so,
has $\ln 1000 = 6.9$. The small table makes the scores about 1, the opinions mild and
the first loss about right.
""",
    hints=(
        "A score is a sum of {{d_model}} products. What is the deviation of one?",
        "Variances of independent numbers add up.",
        "Whatever factor all numbers of the table have, the scores have, too.",
    ),
    mistakes="""
Variances add up, not deviations: the root is missing.
- [d_model**0.5 * 1,
+ [d_model,

You added deviations, for both tables. Variances add up.
- [d_model**0.5 * 1, d_model**0.5 / d_model**0.5]
+ [d_model, d_model / d_model**0.5]

The small table's scores are not that small: the sum over `d_model` products brings them
back up.
- d_model**0.5 / d_model**0.5
+ 1 / d_model**0.5

With deviation 1 in the table, the scores do not have deviation 1: how many products are
added?
- [d_model**0.5 * 1,
+ [1,

The table with deviation 1 comes first.
+ spread = right[::-1]

The first number belongs to both: the table's deviation is a factor.
- d_model**0.5 / d_model**0.5
+ d_model**0.5
""",
    reference=reference,
    values=values,
    equivalent={
        "spread = [d_model**0.5 / 1, d_model**0.5 / d_model**0.5]": "Either way it is "
        "the root."
    },
)
