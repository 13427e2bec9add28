"""Chapter 5's questions, in the order of its page."""

from exercises.engine.question import Question

QUESTIONS = {
    "inner_vector": Question(
        task="""
What is the inner vector of the pair (1, 4)?
""",
        right=(0, 1, 4),
        because="ReLU makes 0 of 1 − 4, and leaves the two positive numbers alone.",
        mistakes={
            (-3, 1, 4): "That is the vector before ReLU.",
            (3, 1, 4): "ReLU makes 0 of a negative number. It doesn't drop the sign.",
            (0, 4, 1): "The pair itself comes after the excess, in its own order.",
            (4, 1): "That is the output. The inner vector has three numbers.",
            (1, 4, 0): "The excess comes first.",
        },
    ),
    "parameters": Question(
        task="""
How many parameters does `FeedForward(d_model=2, d_ff=3)` have?
""",
        right=17,
        because="Two matrices of 6 numbers, 3 biases in the middle and 2 at the end.",
        mistakes={
            12: "These are the two matrices. Each is followed by a bias.",
            15: "The second matrix has a bias, too, of 2 numbers.",
            14: "The first matrix has a bias, too, of 3 numbers.",
            18: "The last bias has an entry for each of the 2 outputs, not of the 3 "
            "inner numbers.",
            16: "The first bias has an entry for each of the 3 inner numbers, not of "
            "the 2 inputs.",
            6: "That is one of the two matrices.",
        },
    ),
    "move_the_bend": Question(
        task="""
A unit with $W_1 = 1$ bends at $x = 1$. What moves the bend to the right?

- **A** a larger $W_2$
- **B** a larger $b_1$
- **C** a larger $b_2$
- **D** a smaller $b_1$
""",
        right="D",
        because="The bend is where x + b₁ = 0: at 2, the bias must be −2.",
        mistakes={
            "A": "That makes what is left of the line steeper. It still bends at 1.",
            "B": "The bend is where x + b₁ = 0. If the bias grows, x must fall.",
            "C": "That raises the whole curve, after ReLU has bent it.",
        },
    ),
    "after_attention": Question(
        task="""
Now an attention layer without a mask comes before the feed-forward layer. One of six
positions changes. At how many positions does the output change?
""",
        right=6,
        because="Attention carries the change to all positions, and the feed-forward "
        "layer computes with what has arrived at each.",
        mistakes={
            1: "That is the feed-forward layer alone. Attention comes first and mixes.",
            0: "The changed position itself changes in any case.",
            5: "The changed position attends to itself, too.",
        },
    ),
    "gelu_of_minus_1": Question(
        task=r"""
What is $\text{GELU}(-1)$?

- **A** a small negative number
- **B** 0
- **C** a small positive number
- **D** −1
""",
        right="A",
        because="It is −1 times a share of 0.16: about one in six standard normal "
        "numbers is less than −1.",
        mistakes={
            "B": "That is ReLU. A normal number is sometimes less than −1, so the "
            "factor is not 0.",
            "C": "The factor lies between 0 and 1, so the sign stays.",
            "D": "That would be a factor of 1, which is reached far to the right.",
        },
    ),
    "half_as_wide": Question(
        task=r"""
Suppose that $d_\text{ff}$ is only $2d$. How many times as many weights as attention
does the feed-forward layer then have, without biases?
""",
        right=1,
        because="Two matrices of d × 2d have 4d² weights, as many as attention's "
        "four of d × d.",
        mistakes={
            2: "That is so with a width of 4d.",
            0.5: "Both matrices count, each as much as two of d × d.",
            4: "That is how many matrices of d × d they are worth. So has attention.",
        },
    ),
    "who_drops": Question(
        task="""
You make a layer with dropout in each framework and call it, `layer(x)`, with no other
setting. Where is anything dropped?

- **A** in both
- **B** in PyTorch only
- **C** in Keras only
- **D** in neither
""",
        right="B",
        because="A new PyTorch module is in training mode. Keras trains only where "
        "it is told `training=True`.",
        mistakes={
            "A": "Keras needs `training=True`, which `model.fit` passes for you.",
            "C": "It is the other way round: which of the two needs `.eval()`?",
            "D": "PyTorch's modules begin in training mode, until you call `.eval()`.",
        },
    ),
    "inner_vectors": Question(
        task="""
The hook records the layer's input, of shape (60, 7, 384), for 60 sentences of 7 tokens.
What is the shape of the inner vectors that it records?
""",
        right=(60, 7, 1536),
        because="Each token of each sentence has an activation of each of the 1536 "
        "neurons.",
        mistakes={
            (60, 7, 384): "That is the input, and the output. The first matrix "
            "widens it.",
            (60, 1536): "The layer computes at every position, not once for a "
            "sentence.",
            (60, 1536, 384): "That many numbers are in the first matrix, for each "
            "sentence. It is the same for all.",
            (60, 7, 384, 1536): "Each number of the input goes into a sum, so its "
            "axis is gone.",
        },
    ),
}
