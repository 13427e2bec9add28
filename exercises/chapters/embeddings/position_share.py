"""Predict how much of the sum is position, for both libraries' default tables."""

from exercises.engine.exercise import Exercise


def values(draw):
    return {"d_model": int(draw.integers(16, 80)) * 8}


def reference(d_model):
    return [0.5 / (variance * d_model + 0.5) for variance in (1, 0.05**2 / 3)]


EXERCISE = Exercise(
    title="How much of the sum is position?",
    kind="predict",
    difficulty=2,
    minutes=10,
    prompt=r"""
Two programs compute equation (2.2), its factor included, with sinusoids and
$d_\text{model} = {{d_model}}$. Each uses its library's default table:

- PyTorch draws from a normal distribution with mean 0 and standard deviation 1.
- Keras draws uniformly from −0.05 to 0.05. (From $-a$ to $a$, the variance is $a^2/3$.)

Tokens and positions are independent, so the mean square of an entry of $x_t$ is the sum
of theirs; a sinusoid's is 1/2. What **fraction** of this mean square comes from the
position, in PyTorch and in Keras? Give four decimals.
""",
    starter="""
fractions = ...  # PyTorch's and Keras', such as [0.1234, 0.5678]
""",
    solution="""
factor = {{d_model}} ** 0.5
token_variances = [(factor * 1) ** 2, factor**2 * 0.05**2 / 3]
fractions = [0.5 / (variance + 0.5) for variance in token_variances]
""",
    why=r"""
The factor multiplies the deviation, so its square, $d_\text{model}$, multiplies the
variance. In PyTorch the position contributes less than half a percent of the mean
square, and in Keras about half of it or more, although both programs contain the same
line of the paper. A port between frameworks has to bring the initialization along.
""",
    hints=(
        "The fraction is position / (token + position), in mean squares.",
        "A factor in front of a number multiplies its variance by the factor's square.",
        "The token's variance is {{d_model}} in PyTorch and {{d_model}} · 0.05² / 3 in "
        "Keras.",
    ),
    mistakes="""
Those are the fractions of the token. The position's are asked for.
+ fractions = [1 - fraction for fraction in right]

Keras comes second.
+ fractions = right[::-1]

These are percentages. Fractions are asked for.
+ fractions = [100 * fraction for fraction in right]

You compare standard deviations. Only the mean squares add up.
- [0.5 / (variance + 0.5) for
+ [0.5**0.5 / (variance**0.5 + 0.5**0.5) for

You divide the position by the token. For a fraction of the sum, divide by the sum.
- (variance + 0.5)
+ variance

You divide the token by the position.
- 0.5 / (variance + 0.5)
+ variance / 0.5

The factor must change the token and leave the position as it is: these are the
fractions with the factor at neither, or at both.
- {{d_model}} ** 0.5
+ 1

The factor is the root of `d_model`, not `d_model`.
- {{d_model}} ** 0.5
+ {{d_model}}

The factor multiplies the standard deviation. The variance gets its square.
- {{d_model}} ** 0.5
+ {{d_model}} ** 0.25

The factor multiplies the tokens. Yours divides them.
- {{d_model}} ** 0.5
+ {{d_model}} ** -0.5

0.05 is where Keras' numbers end, not their standard deviation.
- 0.05**2 / 3
+ 0.05**2

In Keras' variance, 0.05 is squared and the 3 is not: the deviation is 0.05 / √3.
- 0.05**2 / 3
+ 0.05**2 / 9

In Keras' variance, 0.05 is squared.
- 0.05**2 / 3
+ 0.05 / 3

0.05 is where Keras' numbers end, not their variance.
- 0.05**2 / 3
+ 0.05

In Keras' variance, divide by 3, not by its root.
- 0.05**2 / 3
+ 0.05**2 / 3**0.5

Keras' variance is 0.05² / 3. The 12 belongs to the whole width of the interval, 0.1.
- 0.05**2 / 3
+ 0.05**2 / 12

You took the width of Keras' interval, 0.1, for its half.
- 0.05**2 / 3
+ 0.1**2 / 3

The mean square of a sinusoid is 1/2 already. You squared it again.
- [0.5 / (variance + 0.5) for
+ [0.25 / (variance + 0.25) for

You use the token's standard deviation where its mean square is needed.
- [0.5 / (variance + 0.5) for
+ [0.5 / (variance**0.5 + 0.5) for

The mean square of a sinusoid is 1/2. You took 1.
- [0.5 / (variance + 0.5) for
+ [1 / (variance + 1) for

0.71 is a sinusoid's root mean square. The mean square is 1/2.
- [0.5 / (variance + 0.5) for
+ [0.5**0.5 / (variance + 0.5**0.5) for

Keras' fraction is right. PyTorch's table gets the factor as well.
- (factor * 1) ** 2
+ 1**2

Keras' fraction is right. In PyTorch's, the factor is squared with the deviation.
- (factor * 1) ** 2
+ factor

PyTorch's fraction is right. In Keras', square the deviation 0.05 / √3 to get the
variance.
- 0.05**2 / 3
+ 0.05 / 3**0.5

PyTorch's fraction is right. In Keras', the factor is squared with the deviation.
- factor**2 * 0.05**2
+ factor * 0.05**2

PyTorch's fraction is right. Keras' table gets the factor as well.
- factor**2 * 0.05**2 / 3
+ 0.05**2 / 3
""",
    reference=reference,
    values=values,
    book={"d_model": 256},
    tolerance=0.00005,
    equivalent={
        "token_variances = [(factor / 1) ** 2, factor**2 * 0.05**2 / 3]": (
            "The factor stays the same."
        ),
    },
)
