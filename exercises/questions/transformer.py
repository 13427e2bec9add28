"""The questions of chapter 9."""

from exercises.engine.question import Question

QUESTIONS = {
    "logits_shape": Question(
        task="""
One source of 5 tokens and one target of 7 go into the model. The vocabularies have 33
English and 30 German tokens. What is the shape of the logits?
""",
        right=(1, 7, 30),
        because="Every position of the target has a logit for each token of the "
        "target's vocabulary.",
        mistakes={
            (1, 5, 33): "That is a row for each token of the source. The model "
            "predicts German at the positions of the target.",
            (1, 5, 30): "The logits come from the decoder, which has a position for "
            "each token of the target.",
            (1, 7, 33): "The next token is a German one, so there is a logit for each "
            "of the 30.",
            (1, 30): "That is one prediction. The decoder predicts at every position "
            "at once.",
        },
    ),
    "row_with_padding": Question(
        task="""
A target is `sieben [EOS] [PAD] [PAD]`. What does the decoder read in training?

- **A** `[BOS] sieben [PAD] [PAD]`
- **B** `sieben [EOS] [PAD] [PAD]`
- **C** `[BOS] sieben [EOS] [PAD]`
""",
        right="C",
        because="The whole row moves one place to the right, and what falls out at its "
        "end is a `[PAD]`. What is predicted after `[EOS]` is padding, which won't "
        "count.",
        mistakes={
            "A": "The row loses its last token, which is `[EOS]` only where there is "
            "no padding.",
            "B": "That is the target itself, without a shift: the decoder would read "
            "what it has to predict.",
        },
    ),
    "mean_over_tokens": Question(
        task="""
A batch has a target of three tokens, with the losses 1, 2 and 3, and a target of one
token, with the loss 6. The second is padded to three. What is the loss of the batch?
""",
        right=3,
        because="It is the mean over the four tokens that are not padding: 12/4.",
        mistakes={
            2: "You divided by six positions. Padding does not count, neither in the "
            "sum nor in the number of tokens.",
            4: "That is the mean of the two rows' means, 2 and 6. Each token counts "
            "the same, in whichever row it is.",
            12: "That is the sum. The loss is the mean over the tokens.",
        },
    ),
    "three_rates": Question(
        task="""
The base model has a warm-up of 4,000 steps. Order these steps by their learning rate,
highest first:

- **A** step 1,000
- **B** step 4,000
- **C** step 16,000
""",
        right="BCA",
        because="Step 4,000 is the peak. At step 1,000 the rate is a quarter of it, on "
        "a straight line; at step 16,000 it is half, because √4 = 2.",
        mistakes={
            "BAC": "After the peak, the rate falls slowly: to a half at four times the "
            "step. On the way up, a quarter of the steps is a quarter of the rate.",
            "ABC": "The rate rises until step 4,000, and only then falls.",
            "CBA": "The rate rises only until step 4,000. Then it falls.",
            "ACB": "That is lowest first.",
        },
    ),
    "training_without_shift": Question(
        task="""
How does this training end?

- **A** The loss stays high, and hardly any translation is right.
- **B** The loss falls almost to 0, and hardly any translation is right.
- **C** The loss falls almost to 0, and nearly all translations are right.
""",
        right="B",
        because="The model learns to copy the token that it reads. When it writes, "
        "there is no correct token to copy.",
        mistakes={
            "A": "The answer is in the input, so the loss can fall very low.",
            "C": "The loss is low because the answer is in the input. It is not there "
            "when the model writes.",
        },
    ),
    "steps_of_a_batch": Question(
        task="""
Three translations end with their 3rd, 5th and 9th token, `[EOS]`. `max_new_tokens` is
14. How often does the decoder run for this batch?
""",
        right=9,
        because="All rows run together until the last of them has ended. The others "
        "get padding.",
        mistakes={
            14: "The loop stops as soon as all rows have ended.",
            17: "You added them up. The rows run together, in one batch.",
            3: "The first row has ended then, but the others go on.",
        },
    ),
    "short_or_sure": Question(
        task="""
Beam search has found two complete texts. Which of them does the sum (9.4) prefer?

- **A** two tokens, each with a probability of 0.6
- **B** four tokens, each with a probability of 0.7
- **C** neither: their sums are equal
""",
        right="A",
        because="0.6 · 0.6 is 0.36, and 0.7 · 0.7 · 0.7 · 0.7 only 0.24. Each further "
        "token lowers the sum, so it favours short texts.",
        mistakes={
            "B": "Each of its tokens is more probable. But four factors of 0.7 make "
            "less than two of 0.6.",
            "C": "The sums are the logarithms of 0.6 · 0.6 and of 0.7 · 0.7 · 0.7 · "
            "0.7. Which product is larger?",
        },
    ),
    "new_numbers": Question(
        task="""
Order new numbers by how many of them the model translates correctly, best first:

- **A** numbers of one digit
- **B** numbers of three digits
- **C** numbers of six digits
""",
        right="CBA",
        because="Of the 5,000 training numbers, 4,500 have six digits, and the model "
        "is best at those. It has seen hardly any short ones.",
        mistakes={
            "ABC": "Short numbers look easier, but nine in ten training numbers have "
            "six digits, and hardly any have three or fewer.",
            "CAB": "The training data has a few numbers of three digits, and none of "
            "one.",
            "BCA": "Nine in ten training numbers have six digits, and so did those of "
            "the test above.",
        },
    ),
}
