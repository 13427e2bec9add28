"""The questions of chapter 7."""

from exercises.engine.question import Question

QUESTIONS = {
    "forgotten_transpose": Question(
        task="""
A loader for Keras forgets to transpose. Three rows of the table above are matrices of
linear layers: `query`, `projection` and `expand`. For how many of them does the shape
not fit?
""",
        right=1,
        because="Only `expand`, from 384 to 1536, does not fit. The other two are "
        "square: they would be wrong without an error, so compare outputs, too.",
        mistakes={
            3: "`query` and `projection` are 384 by 384. A square matrix fits either "
            "way.",
            2: "Two of them are square and fit either way. How many are left?",
            0: "`expand` is (1536, 384) in the file and (384, 1536) in Keras.",
        },
    ),
    "full_stops": Question(
        task="""
The full stop is the same token in all four sentences. How alike are its four vectors?

- **A** They are equal.
- **B** They differ, but the topic makes no difference.
- **C** They are more alike within a topic than between topics.
""",
        right="C",
        because="Attention mixes the values of the other words into its vector, so the "
        "vector depends on the sentence.",
        mistakes={
            "A": "Only the row of the embedding table is the same. Every layer adds "
            "what attention reads in the sentence.",
            "B": "A full stop has no topic of its own, but attention reads the words "
            "of its sentence.",
        },
    ),
    "pairs": Question(
        task="""
Order these pairs by their cosine, largest first:

- **A** “The hotel was quiet.” and “Nobody disturbed our sleep in the guest house.”
- **B** “The dog bites the man.” and “The man bites the dog.”
- **C** “The hotel was quiet.” and “The hotel was noisy.”
""",
        right="BCA",
        because="These vectors are closest where the topic and the words are the same, "
        "even if the meaning is not.",
        mistakes={
            "ABC": "You went by the meaning. In this model, A has the lowest cosine: "
            "its sentences share hardly any words.",
            "ACB": "What nearly means the same has the lowest cosine here, and the dog "
            "and the man, who only change places, the highest.",
            "BAC": "The sentences of A mean much the same, but the opposites in C, "
            "with the same topic and words, have the larger cosine.",
            "CBA": "In C one word differs, in B none: only their order.",
        },
    ),
    "depends_on_the_batch": Question(
        task="""
Five ways of pooling: the mean of the real tokens, the mean with padding, `[CLS]`, the
maximum of the real tokens, and the mean of the real tokens' embeddings. For how many
does the long sentence in the batch change the short one's vector?
""",
        right=1,
        because="Only the mean with padding reads padded positions. All others read "
        "real tokens, whose vectors the encoder's mask keeps the same.",
        mistakes={
            0: "The encoder hides padding from its attention, but it returns vectors "
            "at the padded positions. One of the five ways reads them.",
            5: "The encoder masks padding in every layer, so the vectors of real "
            "tokens don't change. Which of the five reads other positions?",
            2: "`[CLS]` is a real token, and the maximum leaves padding out. Only one "
            "way reads padded positions.",
        },
    ),
    "one_token_for_a_text": Question(
        task="""
`[CLS]` is the same token in every text. How can a classifier tell texts apart by its
vector alone?

- **A** In every layer, `[CLS]` attends to the text's tokens.
- **B** Each text has its own row for `[CLS]` in the embedding table.
- **C** The classifier has weights for all tokens of the vocabulary.
""",
        right="A",
        because="After the embeddings, its vector is the same in every text. From the "
        "first layer on, it contains what attention reads at the other tokens.",
        mistakes={
            "B": "The table has one row for a token, whatever the text. The difference "
            "comes from the layers.",
            "C": "That would be a bag of words. This classifier has weights for the "
            "numbers of one vector.",
        },
    ),
    "not_bad": Question(
        task="""
A bag of words has learned these weights: *good* 2, *bad* −3, *not* −1, all other words
0. Which scores do “not good” and “not bad” get?
""",
        right=(1, -4),
        because="Each word adds its own weight, whatever is beside it. So for this "
        "model “not bad” is worse than “bad”.",
        mistakes={
            (-2, 3): "“not” reverses nothing here. It adds its own weight, like every "
            "other word.",
            (2, -3): "“not” has a weight, too: −1.",
            (3, -2): "The weight of “not” is −1, and weights are added.",
        },
    ),
    "methods": Question(
        task="""
Order these methods by the share of test reviews that they get right, **lowest** first:

- **A** MiniLM, fine-tuned
- **B** word counts
- **C** MiniLM frozen, the mean of its output
- **D** the mean of the embedding table's rows
""",
        right="BDCA",
        because="Averaged over the three splits: 33 %, 78 %, 83 % and 89 %.",
        mistakes={
            "ACDB": "That is highest first.",
            "BCDA": "Frozen layers on top of the table add something: 83 % instead of "
            "78 %.",
            "BDAC": "Fine-tuning adds something to the frozen encoder: 89 % instead of "
            "83 %.",
            "DBCA": "The table also has trained rows for words that are in no training "
            "review. The counts have nothing for those.",
        },
    ),
}
