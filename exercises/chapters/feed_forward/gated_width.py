"""Predict how wide a gated layer is that has as many weights as a plain one."""

from exercises.engine.exercise import Exercise


def values(draw):
    # Not 4 and not 8 times: 8/3 · d_model, which many know by heart, is right for 4,
    # and a third of the width for 8.
    d_model = 12 * int(draw.integers(1, 13))
    return {"d_model": d_model, "times": int(draw.choice([5, 7, 10, 11, 13]))}


def reference(d_model, times):
    return 2 * d_model * times // 3


EXERCISE = Exercise(
    title="The same budget",
    kind="predict",
    difficulty=1,
    minutes=5,
    prompt=r"""
A plain feed-forward layer without biases has $d_\text{model} = {{d_model}}$, and its
inner vector is {{times}} times as long. You replace it with a gated layer, which has
three matrices of the same kind: two that expand and one that contracts. How long must
the inner vector of the gated layer be for both layers to have the same number of
weights?
""",
    starter="""
d_ff = ...  # a whole number
""",
    solution="""
weights = 2 * {{d_model}} * ({{times}} * {{d_model}})
d_ff = weights // (3 * {{d_model}})
""",
    why=r"""
Each matrix has $d_\text{model} \cdot d_\text{ff}$ weights. With three matrices instead
of two, each can have two thirds of the width. That is why gated layers often have an
inner vector of about $\frac{8}{3}\, d_\text{model}$ numbers instead of
$4\, d_\text{model}$.
""",
    hints=(
        "How many weights does the plain layer have? It has two matrices.",
        "Each of the three matrices of the gated layer has `d_model * d_ff` weights.",
        "Divide the weights of the plain layer by 3 and by {{d_model}}.",
    ),
    mistakes="""
That is the width of the plain layer. The gated one has a third matrix.
+ d_ff = {{times}} * {{d_model}}

That would make the gated layer even larger. Does a third matrix leave room for more
width, or less?
+ d_ff = 3 * {{times}} * {{d_model}} / 2

You divided by three once too often: two matrices become three, so two thirds remain.
+ d_ff = {{times}} * {{d_model}} // 3

You halved the width. Two matrices become three, not four.
+ d_ff = {{times}} * {{d_model}} // 2

That is the number of weights. How wide is the layer?
+ d_ff = 2 * {{d_model}} * {{times}} * {{d_model}}

That is the number of weights of one matrix. How wide is it?
+ d_ff = 2 * {{d_model}} * {{times}} * {{d_model}} // 3

That is roughly how many times longer it is than the input. How many numbers does it
have?
+ d_ff = 2 * {{times}} / 3

You took three quarters. That would be right for four matrices instead of three.
+ d_ff = 3 * {{times}} * {{d_model}} // 4

That is the length of the input. The inner vector is longer.
+ d_ff = {{d_model}}

That would be right for a layer with a single matrix. The gated layer has three.
+ d_ff = 2 * {{times}} * {{d_model}}

That is two thirds of the length of the input. Take two thirds of the inner vector of
the plain layer.
+ d_ff = 2 * {{d_model}} / 3

The factor 8/3 belongs to a plain layer that is 4 times as long. This one is {{times}}
times as long.
+ d_ff = 8 * {{d_model}} / 3

That is the number of weights of one matrix of the plain layer. How wide is the other
layer?
+ d_ff = {{times}} * {{d_model}} * {{d_model}}

You counted biases. Neither layer has any.
+ weights = 2 * {{d_model}} * {{times}} * {{d_model}} + {{times}} * {{d_model}}
+ d_ff = round(weights / (3 * {{d_model}} + 2))
""",
    reference=reference,
    values=values,
    book={"d_model": 30, "times": 7},
    equivalent={"d_ff = weights / (3 * 30)": "The division leaves no remainder."},
)
