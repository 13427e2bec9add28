"""Predict the spread of the first logits, and the first loss, as T5 has them."""

import math

from exercises.engine.exercise import Exercise

TOKENS = 32128


def values(draw):
    return {"d_model": int(draw.integers(4, 70)) * 16}


def reference(d_model):
    return [d_model**0.5, d_model**-0.5, math.log(TOKENS) + 0.5]


EXERCISE = Exercise(
    title="The other way to scale a table",
    kind="predict",
    difficulty=3,
    minutes=15,
    prompt=r"""
[T5](https://arxiv.org/abs/1910.10683) also uses one table for the input and the logits,
but scales it in another way. The rows are drawn with standard deviation 1 and used
without a factor at the input. Instead, the output vector is multiplied by a number $c$
before the logits are computed.

At the start, the entries of the output vector have mean 0 and standard deviation 1, and
are independent of the table; $d_\text{model} = {{d_model}}$, and there are 32,128
tokens. What are

1. the standard deviation of the logits without $c$,
2. the $c$ that makes it 1,
3. the cross-entropy before training with this $c$? (If the logits are normal with
   a small standard deviation $s$, it is about $\ln V + s^2/2$.)

Give three decimals.
""",
    starter="""
spread_factor_loss = ...  # such as [9, 0.125, 7.654]
""",
    solution="""
d_model = {{d_model}}
spread = d_model**0.5
factor = 1 / spread
loss = math.log(32128) + (spread * factor) ** 2 / 2
spread_factor_loss = [spread, factor, loss]
""",
    why=r"""
A logit is a sum of {{d_model}} products with standard deviation 1. Variances add up, so
the logits have a standard deviation of $\sqrt{ {{d_model}} }$, and dividing by it makes
it 1. The input needs no factor, because T5 adds no positions there. With $c$, the
first loss is 0.5 above $\ln 32128$, as in this chapter, where 7.4 was measured for
1,000 tokens. Without it, the logits differ so much that a few of them dominate, and the
first loss is many times larger.
""",
    hints=(
        "A logit is a sum of {{d_model}} products. What is the variance of one product "
        "and of the sum?",
        "Multiplying a vector by $c$ multiplies its logits, and their standard "
        "deviation, by $c$.",
        "With $c$ the standard deviation is $s = 1$. Use the natural logarithm of "
        "32,128.",
    ),
    mistakes="""
Variances add up, not deviations. The root is missing from the first two: they are
variances.
- [spread, factor, loss]
+ [spread**2, factor**2, loss]

The first number is a variance: its root is missing.
- [spread, factor, loss]
+ [spread**2, factor, loss]

With deviation 1 in the table, the logits do not have deviation 1: how many products are
added?
- spread = d_model**0.5
+ spread = 1

The number of tokens does not change the spread of a logit. It is a sum over `d_model`
products.
- spread = d_model**0.5
+ spread = 32128**0.5

The first number is right. The factor has to undo it: divide.
- factor = 1 / spread
+ factor = spread
- (spread * factor) ** 2
+ 1

The first number is right, and the factor goes too far: it should make the deviation 1,
not the variance of the old logits.
- factor = 1 / spread
+ factor = 1 / d_model
- (spread * factor) ** 2
+ 1

The first number is right. The factor is its reciprocal, not one over its root.
- factor = 1 / spread
+ factor = spread**-0.5
- (spread * factor) ** 2
+ 1

The first two are right. In the loss, the deviation of the logits is the one with the
factor, which is 1.
- (spread * factor) ** 2
+ spread**2

The first two are right. In the loss, the deviation is squared, and it is the one with
the factor.
- (spread * factor) ** 2
+ spread

The first two are right. The loss is that of equal logits. Those with deviation 1 add
half of its square.
- + (spread * factor) ** 2 / 2
+ + 0 * factor

The first two are right. In the loss, half of the square is added, not all of it.
- (spread * factor) ** 2 / 2
+ (spread * factor) ** 2

The first two are right. In the loss, half of the square is added, not taken off.
- + (spread * factor) ** 2 / 2
+ - (spread * factor) ** 2 / 2

The first two are right. Cross-entropy uses the natural logarithm, and yours has base 2.
- math.log(
+ math.log2(

The first two are right. Cross-entropy uses the natural logarithm, and yours has base
10.
- math.log(
+ math.log10(

The first two are right. The loss is that of 1,000 tokens, as in the chapter. Here there
are 32,128.
- 32128
+ 1000

The first two are right. The loss depends on the number of tokens, not on `d_model`.
- math.log(32128)
+ math.log(d_model)

The first two are right. That is e to the power of the loss, the perplexity. The loss
itself is asked for.
- loss = math.log(32128) + (spread * factor) ** 2 / 2
+ loss = 32128 * math.exp(0.5)

The first number is right. The factor should make the deviation 1, so it is the
reciprocal of the first number, and half of the new deviation's square is missing in the
loss.
- factor = 1 / spread
+ factor = 1 / d_model
- + (spread * factor) ** 2 / 2
+ + 0 * factor

Without the factor, the logits do not have deviation 1: how many products are added? And
in the loss, half of the square is missing.
- + (spread * factor) ** 2 / 2
+ + 0 * factor
- [spread, factor, loss]
+ [1, factor, loss]

The first two are right. The logarithm is not halved: half of the deviation's square is
added to it.
- loss = math.log(32128) + (spread * factor) ** 2 / 2
+ loss = math.log(32128) / 2

The first two are swapped: the sum of {{d_model}} products makes the logits
large, and the factor makes them small.
- [spread, factor, loss]
+ [factor, spread, loss]

The loss comes last, after the deviation and the factor.
- [spread, factor, loss]
+ [loss, spread, factor]

The loss and the factor are right. The first number is asked for without the factor.
- [spread, factor, loss]
+ [1, factor, loss]
""",
    reference=reference,
    values=values,
    book={"d_model": 1024},
    tolerance=0.0006,
    equivalent={
        **dict.fromkeys(
            (
                "d_model = 1023",
                "d_model = 1025",
                "loss = math.log(32127) + (spread * factor) ** 2 / 2",
                "loss = math.log(32129) + (spread * factor) ** 2 / 2",
            ),
            "One more or less changes no decimal that is asked for.",
        ),
        **dict.fromkeys(
            (
                "loss = math.log(32128) + (spread * factor) ** 1 / 2",
                "loss = math.log(32128) + (spread * factor) ** 3 / 2",
            ),
            "With the factor, the spread is 1, and so is any power of it.",
        ),
    },
)
