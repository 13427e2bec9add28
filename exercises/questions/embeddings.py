"""Chapter 2's questions, in the order of its page."""

from exercises.engine.question import Question

QUESTIONS = {
    "id_minus_one": Question(
        task="""
What does Keras' layer return for the id −1, on a CPU?

- **A** nothing: it raises an error
- **B** a row of zeros
- **C** the row of *the*, the first
- **D** the row of *dog*, the last
""",
        right="D",
        because="It counts from the end of the table, as Python does, without a "
        "warning.",
        mistakes={
            "A": "PyTorch does. Keras accepts the id.",
            "B": "No row is all zeros. Keras returns one that the table has.",
            "C": "The id is not clipped to 0. Think of `rows[-1]` in Python.",
        },
    ),
    "rows_changed": Question(
        task="""
After one step of gradient descent on *the cat sat on the mat*, how many of the table's
six rows have changed?
""",
        right=5,
        because="The sentence looks up five different rows. That of “dog” has a "
        "gradient of 0.",
        mistakes={
            6: "One word of the vocabulary is not in the sentence, so nothing of the "
            "loss depends on its row.",
            4: "“The” occurs twice, but its row changes, too.",
            1: "Only one row stays as it is.",
        },
    ),
    "nearest_of_all": Question(
        task="""
Which row of the whole table points most nearly where *king* − *man* + *woman* points?

- **A** *king*
- **B** *queen*
- **C** *woman*
- **D** *man*
""",
        right="A",
        because="The sum still holds the whole row of “king”. Demonstrations leave "
        "the words of the question out.",
        mistakes={
            "B": "It is the answer that demonstrations show: they exclude the three "
            "words of the question.",
            "C": "Its row is one of three terms, and so is that of “king”, to which "
            "the sum is closer.",
            "D": "Its row is subtracted.",
        },
    ),
    "positions_looked_up": Question(
        task="""
A batch holds two sentences of three ids. The table of positions has the shape (16, 8).
What is the shape of the positions that are looked up?
""",
        right=(3, 8),
        because="All sentences get the same rows 0, 1 and 2, which broadcasting adds "
        "to each.",
        mistakes={
            (2, 3, 8): "That is the shape of the tokens' vectors. Positions don't "
            "depend on the ids, so one copy serves all sentences.",
            (16, 8): "Only the rows of positions that occur are looked up.",
            (6, 8): "Each sentence begins at position 0 again.",
            (2, 3): "Each position is a vector of 8 numbers.",
            (3,): "That is the list of positions. Each has a row of 8 numbers.",
        },
    ),
    "with_itself": Question(
        task=r"""
With $d_\text{model} = 4$, a position has two hands. What is the dot product of position
3 with itself?
""",
        right=2,
        because="Each hand adds the square of its sine and the square of its cosine, "
        "which make 1.",
        mistakes={
            1: "Each of the two hands adds 1.",
            4: "There are four entries, but sine and cosine of a hand add 1 together.",
            0: "The distance is 0, and the cosine of 0 is 1.",
            3: "The position doesn't matter, only the distance of the two, here 0.",
            1.54: "That is the dot product of two neighbours.",
        },
    ),
    "harder_to_find": Question(
        task="""
Word and position are added, with 256 dimensions each. Whose nearest row is more often
the wrong one?

- **A** the word's
- **B** the position's
- **C** neither: the sum hides both equally
""",
        right="B",
        because="Random words are nearly at right angles to each other, while a "
        "position's row is almost that of its neighbours.",
        mistakes={
            "A": "There are ten times as many words as positions, but random rows of "
            "256 numbers are far from each other.",
            "C": "Neighbouring positions have almost equal rows. No two random words "
            "do.",
        },
    ),
    "norm_of_small": Question(
        task=r"""
Layer normalization makes −1.5 of the 2 among the eight numbers. All eight are divided
by 100. What does it make of the 0.02, if $\varepsilon$ is 0?
""",
        right=-1.5,
        because="The mean and the standard deviation are also divided by 100, so the "
        "quotient is the same.",
        mistakes={
            -0.015: "The standard deviation by which it divides is smaller, too.",
            -150: "The deviation from the mean is smaller, too: −0.03.",
            -3: "That is the deviation from the mean, before the division.",
            -0.03: "That is the deviation from the mean. Divide it by the standard "
            "deviation, which is now 0.02.",
            0.02: "The mean is subtracted and the standard deviation divided by, "
            "however small the numbers are.",
            1.5: "The number is below the mean.",
        },
    ),
}
