"""Chapter 4's questions, in the order of its page."""

from exercises.engine.question import Question

QUESTIONS = {
    "loss_of_one_head": Question(
        task="""
A model that always returns zeros has a loss of 1, the variance of the numbers. Where
does the loss of a **single** head end?

- **A** near 0
- **B** near ½
- **C** near 1
""",
        right="B",
        because="The best it can return for either neighbour is the mean of the two, "
        "which misses each by half of their difference.",
        mistakes={
            "A": "That takes two separate vectors. A single head passes on one "
            "mixture.",
            "C": "A mixture of both neighbours is closer to each than zeros are.",
        },
    ),
    "numbers_of_head_1": Question(
        task="""
`split_heads(named, num_heads=3)` counts heads from 0. Which four numbers does head 1
get, those of position 0 first?
""",
        right=(2, 3, 12, 13),
        because="Each head gets a slice of every position: of each six numbers, the "
        "middle two.",
        mistakes={
            (4, 5, 10, 11): "These are consecutive numbers, which a reshape without "
            "the transpose gives.",
            (0, 1, 10, 11): "That is head 0.",
            (4, 5, 14, 15): "That is head 2, the last one.",
            (1, 4, 11, 14): "A head gets neighbouring numbers, not every third.",
            (0, 1, 2, 3): "A head gets something of every position.",
            (2, 12, 3, 13): "Right numbers: but write both of position 0 first.",
        },
    ),
    "without_transpose": Question(
        task="""
Five positions of 12 numbers, 3 heads, and no transpose: each head gets 20 consecutive
numbers. The first position changes. At how many positions does the output change?
""",
        right=2,
        because="Head 0 holds the 12 numbers of position 0 and 8 of position 1. Only "
        "these can see each other.",
        mistakes={
            5: "That is so with the transpose. Here, the first position's numbers "
            "are all in head 0.",
            1: "Head 0 has 20 numbers. Where do its last 8 come from?",
            3: "The third position begins at number 24, in head 1.",
            4: "Head 0 ends in the middle of the second position.",
            0: "Head 0 attends, too: to the pieces of what it holds.",
        },
    ),
    "steps": Question(
        task="""
In which order does the layer work?

- **A** a softmax for each head
- **B** multiply by $W^O$
- **C** split into heads
- **D** multiply by $W^Q$, $W^K$ and $W^V$
- **E** merge the heads
""",
        right="DCAEB",
        because="Each head reads all of the input through its columns of the large "
        "matrices, and the last one mixes what the heads return.",
        mistakes={
            "CDAEB": "Were the input split first, a head would see only a slice of it.",
            "DCABE": "The output projection mixes the heads, so they are merged "
            "before it.",
            "DACEB": "One softmax before the split would be that of a single head.",
            "DCEAB": "Merged heads have no softmax of their own any more.",
            "CDABE": "The projections come before the split, and the heads are "
            "merged before the last one.",
        },
    ),
    "twice_the_heads": Question(
        task=r"""
You give a layer with $d_\text{model} = 512$ sixteen heads instead of eight, and leave
the other arguments at their defaults. What happens to the number of its weights?

- **A** It doubles.
- **B** It halves.
- **C** It stays the same.
""",
        right="C",
        because="Each head is half as wide, so all heads together still need four "
        "matrices of 512 × 512.",
        mistakes={
            "A": "There are twice as many heads. How wide is each?",
            "B": "Each head is half as wide. How many are there?",
        },
    ),
    "other_sizes": Question(
        task="""
A layer has `d_model=12`, three heads, `d_k=2` and `d_v=7`. The input has the shape (2,
5, 12). What is the shape of the output?
""",
        right=(2, 5, 12),
        because="The last matrix brings the 3 · 7 merged numbers back to 12, "
        "whatever the heads' sizes are.",
        mistakes={
            (2, 5, 21): "These are the merged heads. One matrix is still to come.",
            (2, 5, 7): "That is what one head returns.",
            (2, 5, 6): "That is the width of the queries and keys of all heads.",
            (2, 3, 5, 7): "These are the heads before they are merged.",
            (2, 5, 2): "That is the width of the queries of one head.",
        },
    ),
    "chance": Question(
        task="""
A model **guesses** which of the five other sentences is most similar. How many of the
36 points does it get, on average?
""",
        right=14.4,
        because="Two of the five other sentences have the same sense, and 36 · 2 / 5 "
        "is 14.4.",
        mistakes={
            18: "There are two senses, but the sentence itself is not among the "
            "five: two have its sense, three the other.",
            12: "A sentence is not compared with itself: two of five, not of six.",
            7.2: "Two of the five would be right, not one.",
            21.6: "Three of the five have the other sense.",
            6: "Two of five others would be right, not one of six.",
        },
    ),
    "one_head_less": Question(
        task="""
The whole model gets 31 points. Now a single one of its 72 heads is switched off, each
in turn. What happens to the points?

- **A** They change by at most two.
- **B** For some head, they fall below 20.
- **C** They stay at 31.
""",
        right="A",
        because="The others make up for any single head. With 36 words, a point or "
        "two, up or down, means little.",
        mistakes={
            "B": "They are 16 with all 72 heads switched off. One is missed far less.",
            "C": "The vectors do move a little, and some word finds another nearest "
            "one.",
        },
    ),
}
