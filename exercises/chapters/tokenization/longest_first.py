"""Predict how WordPiece cuts two words, one of them into a dead end."""

from exercises.engine.exercise import Exercise

CUTS = (
    ("carpets", "car carp ##pets ##pet ##et ##s", "car ##pets"),
    ("seaside", "sea seas ##side ##i ##de", "sea ##side"),
    ("unaffable", "un una ##affable ##ffa ##ble ##f", "un ##affable"),
)
DEAD_ENDS = (
    ("pandas", "pan pand ##das", "pan ##das"),
    ("topics", "to top ##pics", "to ##pics"),
)


def values(draw):
    word, vocab, fewest = CUTS[draw.integers(len(CUTS))]
    lost, more, hidden = DEAD_ENDS[draw.integers(len(DEAD_ENDS))]
    return {
        "word": word,
        "lost": lost,
        "vocab": f"{vocab} {more}",
        "fewest": [fewest.split(), hidden.split()],
    }


def cut(word, vocab, unknown):
    """Return the pieces, and `unknown` where the rest of a word has none."""
    pieces, prefix = [], ""
    while word:
        fitting = [
            end for end in range(1, len(word) + 1) if prefix + word[:end] in vocab
        ]
        if not fitting:
            return unknown(pieces)
        pieces.append(prefix + word[: fitting[-1]])
        word, prefix = word[fitting[-1] :], "##"
    return pieces


def reference(word, lost, vocab, fewest):
    return [cut(w, vocab.split(), lambda _: ["[UNK]"]) for w in (word, lost)]


EXERCISE = Exercise(
    title="The longest piece, come what may",
    kind="predict",
    difficulty=2,
    minutes=5,
    prompt="""
WordPiece always takes the longest piece that fits, and never goes back. This is its
vocabulary:

`{{vocab}}`

Into which pieces does it cut **{{word}}**, and into which **{{lost}}**?
""",
    starter="""
pieces = ...  # two lists, such as [["to", "##ken"], ["cat"]]
""",
    solution="""
vocab = "{{vocab}}".split()
pieces = []
for rest in ["{{word}}", "{{lost}}"]:
    found, prefix = [], ""
    for _ in rest:  # at most one piece for each letter
        fitting = [p for p in vocab if (prefix + rest).startswith(p)]
        longest = max(fitting, key=len, default="")
        found.append(longest)
        rest = rest[len(longest) - len(prefix) :]
        prefix = "##"
        if not rest or not longest:
            break
    pieces.append(["[UNK]"] if rest else found)
""",
    why="""
The longest first piece can spoil the rest: another first piece would have left a better
rest, or any at all. WordPiece does not look ahead. That makes it fast, and it is why a
word can be unknown although its pieces are all there. When the rest has no piece, the
**whole** word becomes `[UNK]`, and with it all that was found so far.
""",
    hints=(
        "Which pieces without ## begin the word? Take the longest.",
        "Go on with the rest; now the pieces begin with ##.",
        "What becomes of a word whose rest no piece begins?",
    ),
    mistakes="""
You chose the first piece with the rest in mind. WordPiece takes the longest, come what
may.
+ pieces = fewest

The first word is right. In the second, the longest piece that fits at the beginning
leaves a rest without any.
+ pieces = [right[0], fewest[1]]

The second word is right. In the first you chose the first piece with the rest in mind.
+ pieces = [fewest[0], right[1]]

When the rest has no piece, the whole word is `[UNK]`, not only the rest.
+ from exercises.chapters.tokenization.longest_first import cut
+ unknown = lambda found: [*found, '[UNK]']
+ pieces = [cut(w, vocab.split(), unknown) for w in (word, lost)]

A piece that does not begin the word is written with ##.
+ pieces = [[p.removeprefix('##') for p in found] for found in right]
""",
    reference=reference,
    values=values,
)
