"""The questions of chapter 6."""

from exercises.engine.question import Question

QUESTIONS = {
    "first_means": Question(
        task="""
What are the two words after the first layer?
""",
        right=(2, 6),
        because="The first becomes 3/4 · 0 + 1/4 · 8, the second 1/4 · 0 + 3/4 · 8. "
        "Both are means of the old words.",
        mistakes={
            (6, 2): "The larger weight went to the other word. Each word gives 3/4 to "
            "itself.",
            (4, 4): "That is a plain mean. Each word gives 3/4 to itself and only 1/4 "
            "to the other.",
            (2, 6.5): "Your second mean uses the new first word. A layer reads all "
            "words before it changes any.",
            (2, 14): "You added the means to the words. In this stack, they replace "
            "the words.",
        },
    ),
    "small_vectors": Question(
        task=r"""
Which of the three mistakes hardly changes the large vectors, and makes the largest
error in the small ones?

- **A** dividing by $d - 1$
- **B** $\varepsilon$ outside the root
- **C** the whole sentence instead of one position
""",
        right="B",
        because="The small vectors have a variance of about 0.00001, as large as ε. "
        "Inside the root, ε doubles it. Outside, ε adds almost nothing to their "
        "standard deviation of 0.003.",
        mistakes={
            "A": "This one multiplies every output by nearly the same factor, so you "
            "see it in large vectors, too.",
            "C": "The mean and variance of the sentence are wrong for a position "
            "however large its numbers are.",
        },
    ),
    "number_of_norms": Question(
        task="""
How many layer norms are there in a **pre-LN** encoder of six layers, without those of
its embeddings?
""",
        right=13,
        because="Each layer has two sublayers with a norm before each, and the stack "
        "has one more at its end.",
        mistakes={
            12: "That is post-LN. In pre-LN no layer normalizes the last sum, so the "
            "stack needs one more.",
            6: "A layer has two sublayers, each with a norm of its own. And what "
            "follows the last layer?",
            7: "You counted one norm a layer, and the last one. But each layer has two "
            "sublayers.",
        },
    ),
    "scaled_word": Question(
        task="""
In **pre-LN**, all numbers of *it* are tripled. Which words have another output?

- **A** only *it*
- **B** all three
- **C** none
""",
        right="A",
        because="The sublayer reads a normalized copy of “it”, so the mean that it "
        "adds to all words stays the same. But the sum contains “it” as it is.",
        mistakes={
            "B": "That is post-LN, where the sublayer reads “it” as it is. In pre-LN "
            "it reads a normalized copy.",
            "C": "What the sublayer reads and returns is the same as before. But it is "
            "added to “it” as it is, and nothing normalizes the sum.",
        },
    ),
    "silent_sublayers": Question(
        task="""
Suppose that all sublayers of a pre-LN stack return 0. The vector (5, 1) goes in. What
comes out of the last layer, **before** the final norm?
""",
        right=(5, 1),
        because="Each sublayer adds 0 to the stream, and no layer normalizes the "
        "stream itself.",
        mistakes={
            (1, -1): "That is the vector after a norm. In pre-LN, only the copies that "
            "sublayers read are normalized, until the final norm.",
            (0, 0): "What a sublayer returns is added to the stream. It does not "
            "replace it.",
        },
    ),
    "lowest_loss": Question(
        task="""
These three are trained at the constant rate 0.005. Order them by their loss at the end,
lowest first:

- **A** no residual connections
- **B** post-LN
- **C** pre-LN
""",
        right="CBA",
        because="At this rate, pre-LN learns the task, post-LN is still learning at "
        "the end, and the stack without residual connections does no better than "
        "guessing.",
        mistakes={
            "BCA": "Both learn, but without a warm-up, post-LN is slower at this rate.",
            "ABC": "That is the reverse. Without residual connections, the loss stays "
            "where guessing is.",
            "CAB": "Without a warm-up, post-LN learns slowly. But without residual "
            "connections, the stack learns nothing at all.",
        },
    ),
    "twice_as_wide": Question(
        task=r"""
$d_\text{model}$ is doubled, $d_\text{ff}$ stays the same. How many times as many
weights do the matrices of a layer have then, first in attention, then in the
feed-forward network?
""",
        right=(4, 2),
        because="Attention's matrices are d by d, so both sides double. Those of the "
        "feed-forward network have d on one side only.",
        mistakes={
            (2, 2): "Attention's matrices are d by d: both of their sides double.",
            (4, 4): "The other side of W₁ and W₂ is d_ff, and that stays the same.",
            (2, 4): "You swapped them: which of the two has matrices of d by d?",
            (4, 1): "W₁ and W₂ have d_ff on one side, but d on the other.",
        },
    ),
    "last_layer_without_mask": Question(
        task="""
Only the **last** of the four layers loses its padding mask. What happens to the vectors
of the real tokens?

- **A** Nothing: three layers have already removed the padding.
- **B** An error is raised, because the shapes don't fit.
- **C** They change, without an error.
""",
        right="C",
        because="A mask removes nothing. Padded positions have vectors in every layer, "
        "and the last one mixes them into all others.",
        mistakes={
            "A": "A mask hides padding from the layer that applies it, and removes "
            "nothing. The padded positions still have vectors in the last layer.",
            "B": "The weights have the same shape with and without a mask, so nothing "
            "raises an error.",
        },
    ),
}
