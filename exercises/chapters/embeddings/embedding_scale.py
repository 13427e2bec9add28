"""Predict how loud a word is beside its position in both frameworks."""

from exercises.engine.exercise import Exercise


def values(draw):
    return {"d_model": int(draw.choice([64, 144, 400, 576]))}


def reference(d_model):
    return [d_model**0.5, d_model**0.5 * 0.05 / 3**0.5]


EXERCISE = Exercise(
    title="How loud is a word?",
    kind="predict",
    difficulty=2,
    minutes=10,
    prompt=r"""
The same line of the paper stands in two programs: *multiply the embeddings by
$\sqrt{d_\text{model}}$*, with $d_\text{model} = {{d_model}}$. Neither program
chooses how its table begins.

- PyTorch's `nn.Embedding` draws from a normal distribution with mean 0 and standard
  deviation 1.
- Keras' `Embedding` draws evenly from −0.05 to 0.05. (Numbers drawn evenly from $-a$ to
  $a$ have the standard deviation $a / \sqrt 3$.)

What is the standard deviation of a number in a token's vector, **after** the factor?
Three decimals.
""",
    starter="""
deviations = ...  # PyTorch's and Keras', such as [1.25, 3.5]
""",
    solution="""
factor = {{d_model}} ** 0.5
deviations = [factor * 1, factor * 0.05 / 3**0.5]
""",
    why=r"""
The paper's waves swing between −1 and 1, with a root mean square of 0.71. In PyTorch
the words drown them, in Keras they do not, and the two programs train differently
though their lines are the same. A table that begins with deviation
$1 / \sqrt{d_\text{model}}$, because it serves for the logits too, is brought to 1 by
the factor. Fix the beginning of the table, and both frameworks agree.
""",
    hints=(
        "A factor in front of a number is a factor in front of its standard deviation.",
        r"What is $\sqrt{ {{d_model}} }$?",
        r"Multiply it with 1 for PyTorch, and with $0.05 / \sqrt 3$ for Keras.",
    ),
    mistakes="""
The factor is the root of `d_model`, not `d_model`.
- {{d_model}} ** 0.5
+ {{d_model}}

0.05 is where Keras' numbers end, not their standard deviation.
- 0.05 / 3**0.5
+ 0.05

These are the tables as they begin. The factor comes after.
- {{d_model}} ** 0.5
+ 1

The factor divides, in your numbers. The paper multiplies.
- {{d_model}} ** 0.5
+ {{d_model}} ** -0.5

Keras' number is its table's as it begins. The line with the factor stands in both
programs.
- factor * 0.05
+ 0.05

PyTorch comes first.
+ deviations = right[::-1]

These are variances.
+ deviations = [right[0] ** 2, right[1] ** 2]
""",
    reference=reference,
    values=values,
    tolerance=0.0006,
    equivalent={
        "deviations = [factor / 1, factor * 0.05 / 3**0.5]": "Either way it is factor."
    },
)
