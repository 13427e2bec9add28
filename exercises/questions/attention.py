"""Chapter 3's questions, in the order of its page."""

from exercises.engine.question import Question

QUESTIONS = {
    "zero_query": Question(
        task="""
The query of *animal* is now all zeros. How much of its weight does *animal* give to
*tired*?
""",
        right=0.25,
        because="All four scores are 0, so the softmax makes four equal weights.",
        mistakes={
            0: "A score of 0 is not a weight of 0: `exp(0)` is 1, four times.",
            1: "The weights sum to 1, and four equal scores share it.",
            0.16: "That is what “it” gives to “tired”. The query of “it” is not zero.",
        },
    ),
    "divided_by_d_k": Question(
        task="""
Someone forgets the root and divides the scores by $d_k = 512$. What does the softmax
make of random queries and keys?

- **A** One key gets nearly all the weight.
- **B** The weights are the same as with the root.
- **C** All keys get nearly the same weight.
""",
        right="C",
        because="The scores' standard deviation is then 23 / 512, about 0.04: to the "
        "softmax, such scores are nearly equal.",
        mistakes={
            "A": "That is the softmax of scores that are too large. Dividing by 512 "
            "makes them smaller than dividing by 23 does.",
            "B": "A softmax ignores what is added to all scores, but not what they are "
            "divided by: closer scores make more even weights.",
        },
    ),
    "mask_shape": Question(
        task="""
The padding mask of the two sentences has the shape (2, 1, 1, 5), the causal mask (1, 1,
5, 5). What is the shape of `padding & causal`?
""",
        right=(2, 1, 5, 5),
        because="Each axis of length 1 is repeated as often as the other mask needs.",
        mistakes={
            (2, 1, 1, 5): "That is the padding mask alone, in which all queries of a "
            "sentence are alike. Behind a causal mask, they differ.",
            (1, 1, 5, 5): "That is the causal mask alone, in which both sentences "
            "are alike. Their padding differs.",
            (2, 5, 5): "The axis of the heads stays, although its length is 1.",
            (2, 2, 5, 5): "Combining masks adds no axis and no head: broadcasting "
            "repeats only what has length 1 in one of them.",
        },
    ),
    "after_softmax": Question(
        task="""
A query's weights are 0.5, 0.3 and 0.2. Someone multiplies them by the mask `[1, 1, 0]`.
What do the weights sum to?
""",
        right=0.8,
        because="The softmax divided by a sum that included the hidden key, and the "
        "weights are not divided again.",
        mistakes={
            1: "They would if the mask came before the softmax. Here the softmax is "
            "over, and 0.2 is missing.",
            0.2: "That is the weight which the mask removes.",
        },
    ),
    "weights_shape": Question(
        task=r"""
A head with $d_\text{model} = 8$, $d_k = 4$ and $d_v = 3$ gets two sentences of five
words. What is the shape of its **weights**?
""",
        right=(2, 5, 5),
        because="There is a weight for each pair of words in each sentence, whatever "
        "the vectors' sizes are.",
        mistakes={
            (2, 5, 3): "That is the output: a mean of values for each word.",
            (2, 5, 4): "That is the shape of the queries, or of the keys.",
            (2, 4, 4): "Words attend to words, not entries of a query to entries.",
            (2, 8, 8): "Words attend to words, not features to features.",
            (5, 5): "Each sentence has weights of its own.",
            (2, 5, 8): "That is what goes into the head.",
        },
    ),
    "swapped_words": Question(
        task="""
The vectors hold no positions, and there is no mask. Two words of the sentence swap
places. What happens to the outputs of a head?

- **A** Nothing: each place keeps its output.
- **B** The two outputs swap places, too.
- **C** The outputs of all words change.
""",
        right="B",
        because="An output depends on the word's own query and on the set of all "
        "keys and values, not on where they stand.",
        mistakes={
            "A": "An output follows the word's query, which moved with the word.",
            "C": "The other words find the same keys and values as before, in "
            "another order, and a sum ignores the order.",
        },
    ),
    "inverted_mask": Question(
        task="""
You give PyTorch's layer the book's causal mask for five words and forget the `~`. To
how many words may the **second** word attend?
""",
        right=3,
        because="What should be hidden is allowed and the reverse: it attends to the "
        "third, fourth and fifth word.",
        mistakes={
            2: "That is the causal mask read as meant: the first word and itself. "
            "Here it means the opposite.",
            4: "It may attend to all later words, but no longer to itself.",
            5: "Some words are hidden: those that the causal mask allows.",
            1: "That is the fourth word's number. Count the words after the second.",
        },
    ),
    "same_in_layer_0": Question(
        task="""
In **layer 0**, a word's query and key come from its own vector alone. *Tired* becomes
*wide*. What stays exactly the same there?

- **A** The ratio of the weights that *it* gives to *animal* and *street*.
- **B** The weight that *it* gives to *animal*.
- **C** Both.
- **D** Neither.
""",
        right="A",
        because="The two scores stay the same, and so does their ratio. But the last "
        "word's score changes, and with it the sum that all weights are divided by.",
        mistakes={
            "B": "The score of “animal” stays the same. The weight is divided by a "
            "sum over all words, the last one included.",
            "C": "The scores stay the same, but each weight is divided by a sum over "
            "all words, the last one included.",
            "D": "The sum that both weights are divided by changes. What happens to "
            "their ratio?",
        },
    ),
}
