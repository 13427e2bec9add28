"""Chapter 1's questions, in the order of its page."""

from exercises.engine.question import Question

QUESTIONS = {
    "after_one_merge": Question(
        task="""
The first merge joins *e a* everywhere in the six words. How often are the symbols *a*
and *t* neighbours then?
""",
        right=0,
        because="Each of these a's is now part of `ea`. The new neighbours are `ea` "
        "and `t`, 4 times.",
        mistakes={
            4: "That was before the merge. Which symbol stands before each t now?",
            6: "That is how often the merge applies.",
            2: "That is how often `t` and `ea` are neighbours, in this order.",
        },
    ),
    "slowest_the": Question(
        task="""
The sentence is *the keeper lighted the lamp of the lighthouse*. Which *the* stays in
several pieces longest, as merges are added?

- **A** the first
- **B** the second
- **C** the third
- **D** They become one token together.
""",
        right="A",
        because="It has no space before it, so it is another word than the other "
        "two. The story has many of those, and none like the first.",
        mistakes={
            "B": "It is cut like the third: both are `the` with a space before it.",
            "C": "It is cut like the second: both are `the` with a space before it.",
            "D": "To GPT-2's pattern, the space before a word belongs to the word. "
            "One of the three has none.",
        },
    ),
    "lowest_rank": Question(
        task="""
The merges are *h+e*, *t+h* and *th+e*, with the ranks 0, 1 and 2. Into how many pieces
is *the* cut?
""",
        right=2,
        because="Rank 0 comes first and makes `t he`. That pair is not in the list.",
        mistakes={
            1: "That takes `t+h` first, as if you read from left to right. The "
            "lowest rank comes first.",
            3: "Two of the merges apply to the three letters: which of them has the "
            "lower rank?",
        },
    ),
    "unseen_script": Question(
        task="""
This vocabulary was learned from an English story without a single Japanese character.
What does `encode` make of 海?

- **A** an id for “unknown”
- **B** one id
- **C** three ids
- **D** an error
""",
        right="C",
        because="UTF-8 writes the character as three bytes, all 256 bytes are in the "
        "vocabulary, and no merge joins these three.",
        mistakes={
            "A": "A vocabulary that begins with all 256 bytes needs no such token.",
            "B": "Only a merge makes one token of several bytes, and the story has "
            "no such neighbours.",
            "D": "Each of the character's bytes is in the vocabulary.",
        },
    ),
    "tokens_saved": Question(
        task="""
A pair of tokens occurs 10 times in a text, and no two of these overlap. By how many
tokens does the merge shorten the text?
""",
        right=10,
        because="At each place, two tokens become one. The vocabulary grows by 1, "
        "however often the pair occurs.",
        mistakes={
            20: "20 tokens go, but 10 new ones come.",
            1: "That is how much the vocabulary grows.",
            5: "Each of the 10 places saves a token of its own.",
            9: "The new token is added to the vocabulary, not to the text.",
        },
    ),
    "comes_back": Question(
        task="""
Which of these texts comes back unchanged from MiniLM's uncased WordPiece, cut and then
decoded?

- **A** `isn't`
- **B** `3.14`
- **C** `café`
- **D** `lamp.`
""",
        right="D",
        because="The mark at the end is cut off and joined again. It has no "
        "capitals, accents or marks inside a word.",
        mistakes={
            "A": "The apostrophe becomes a word of its own. Decoding puts spaces "
            "around it.",
            "B": "The point becomes a word of its own. Decoding can't know that no "
            "space followed it.",
            "C": "Uncased models drop accents, too.",
        },
    ),
    "truncated_pair": Question(
        task="""
A pair of 12 and 3 tokens may have 10 in all, with BERT's three special tokens. How many
of the 12 are left?
""",
        right=4,
        because="Seven places are left beside the special tokens. The shorter text "
        "keeps its 3, because only the longer one is cut until both are equal.",
        mistakes={
            7: "With the special tokens, that would leave nothing for the other text.",
            5: "The places aren't halved: three are for special tokens, and the "
            "shorter text needs 3.",
            6: "The limit counts `[CLS]` and both `[SEP]`.",
            3: "The two need not be equally long: one more token fits.",
            2: "The places are not shared in proportion: the longer text is cut.",
        },
    ),
}
