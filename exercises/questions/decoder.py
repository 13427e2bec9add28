"""The questions of chapter 8."""

from exercises.engine.question import Question

QUESTIONS = {
    "query_of_zero": Question(
        task="""
The query of *und* is 0. What is its output?
""",
        right=17,
        because="Both scores are 0, so both weights are 0.5, and the output is the "
        "mean of 30 and 4.",
        mistakes={
            0: "A query of 0 makes both scores 0. What does the softmax make of two "
            "equal scores?",
            34: "That is the sum of the values. The weights sum to 1, so each is 0.5.",
        },
    ),
    "never_reads_the_source": Question(
        task="""
`x` is the target, `memory` the source. Which call returns the right shape, but
**never** reads the source?

- **A** `attention(x, memory, memory)`
- **B** `attention(x, x, x)`
- **C** `attention(memory, x, x)`
""",
        right="B",
        because="Its queries, keys and values all come from the target: it is a second "
        "self-attention.",
        mistakes={
            "A": "This is cross-attention: keys and values come from the source.",
            "C": "Its queries come from the source, so the output has a row for each "
            "token of the source: 5 instead of 3.",
        },
    ),
    "mask_of_the_memory": Question(
        task="""
Masks have the axes (batch, heads, queries, keys). Which shape does `padding_mask`
return for the **cross-attention** of this batch?
""",
        right=(2, 1, 1, 2),
        because="The keys come from the source, whose rows have two tokens. Padding is "
        "hidden from all heads and queries alike, so these axes are 1.",
        mistakes={
            (2, 1, 1, 4): "That is the padding of the target. In cross-attention, keys "
            "come from the source.",
            (2, 1, 4, 2): "The mask broadcasts to this shape. But padding is hidden "
            "from all queries alike, so `padding_mask` leaves that axis at 1.",
            (2, 1, 2, 4): "The keys, which come from the source, are the last axis. "
            "And they are hidden from all queries alike.",
            (1, 1, 1, 2): "The two sources have different padding, so the mask has a "
            "row for each.",
        },
    ),
    "source_of_the_keys": Question(
        task="""
Encoder and decoder have six layers each. From which vectors does the **second** decoder
layer compute the keys of its cross-attention?

- **A** the output of the second encoder layer
- **B** the output of the first decoder layer
- **C** the output of the whole encoder
""",
        right="C",
        because="The memory is the encoder's output, and every decoder layer reads the "
        "same memory.",
        mistakes={
            "A": "The layers are not paired. The encoder finishes first, and every "
            "decoder layer reads its final output.",
            "B": "Those vectors lead to its queries. Its keys come from the memory.",
        },
    ),
    "twelve_layers": Question(
        task="""
A decoder of twelve layers reads ten tokens, and the fourth is replaced. For how many of
the ten positions can the output change?
""",
        right=7,
        because="In every layer, information moves only to the right. So positions 4 "
        "to 10 can change, whatever the number of layers.",
        mistakes={
            1: "Later positions attend to the fourth, so they can change as well.",
            6: "The fourth position reads its own token, so it changes, too.",
            3: "Those keep their outputs: they cannot attend to the fourth.",
            10: "Each layer passes information on, but only to the right. Twelve "
            "layers don't change that.",
        },
    ),
    "perplexities": Question(
        task="""
Three models give these probabilities to the correct tokens. Order them by their
perplexity, lowest first:

- **A** always 1/4
- **B** 1/2 and 1/32 in turn
- **C** always 1/5
""",
        right="ACB",
        because="The perplexities are 4, 5 and 8. For B, the mean loss is (ln 2 + ln "
        "32)/2, which is ln 8.",
        mistakes={
            "BAC": "The mean of B's probabilities is the highest. But the loss is a "
            "mean of logarithms, in which the 1/32 counts more.",
            "ABC": "A probability of 1/32 costs more than that: the mean of ln 2 and "
            "ln 32 is ln 8, and C has ln 5.",
            "BCA": "That is highest first.",
        },
    ),
    "without_the_old_unit": Question(
        task="""
The first number is 3,657, and its *seven* is hidden. What does the model predict
correctly in 3,658?

- **A** the ten and the unit
- **B** neither
- **C** the unit, but not the ten
- **D** the ten, but not the unit
""",
        right="D",
        because="On these numbers, the new ten depends on the old ten, which is not "
        "hidden, and the new unit on the old unit.",
        mistakes={
            "A": "Without the old unit, the model cannot know that “eight” comes next.",
            "B": "The old ten is not hidden, and these numbers keep it. That is enough "
            "for the new ten.",
            "C": "It is the reverse: the hidden word is the counterpart of the unit.",
        },
    ),
    "order_of_a_step": Question(
        task="""
Put the step of a decoder with a cache in order:

- **A** compute the newest token's attention weights
- **B** append its key and value to the cache
- **C** choose the next token
""",
        right="BAC",
        because="The newest token may attend to itself, so its own key must be in the "
        "cache before the weights are computed.",
        mistakes={
            "ABC": "Then the newest token could not attend to itself: its own key has "
            "to be in the cache first.",
            "ACB": "Its key and value come first: the newest token reads itself, too. "
            "And the next token is chosen last.",
            "BCA": "The next token is chosen by the logits, which come from what the "
            "newest token has read.",
            "CBA": "The token chosen in this step is read in the next one. What is it "
            "chosen by?",
        },
    ),
}
