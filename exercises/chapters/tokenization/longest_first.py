"""Predict how WordPiece cuts two words, one of them into a dead end."""

from exercises.engine.exercise import Exercise

# (word, its vocabulary, the fewest pieces of it that spell the word)
CUTS = (
    ("another", "an ano ##other ##th ##er", "an ##other"),
    ("carefree", "care caref ##free ##re ##e", "care ##free"),
    ("carpets", "car carp ##pets ##pet ##et ##s", "car ##pets"),
    ("forever", "for fore ##ever ##v ##er", "for ##ever"),
    ("however", "how howe ##ever ##ve ##r", "how ##ever"),
    ("inside", "in ins ##side ##id ##e", "in ##side"),
    ("manager", "man mana ##ager ##g ##er", "man ##ager"),
    ("notable", "no not nota ##table ##bl ##e", "no ##table"),
    ("outline", "out outl ##line ##in ##e", "out ##line"),
    ("redone", "re red ##done ##on ##e", "re ##done"),
    ("seaside", "sea seas ##side ##i ##de", "sea ##side"),
    ("windows", "win wind ##dows ##ow ##s", "win ##dows"),
)
BOOK = ("unaffable", "un una ##affable ##ffa ##ble ##f", "un ##affable")
DEAD_ENDS = (
    ("bamboo", "bam bamb ##boo", "bam ##boo"),
    ("comet", "co com come ##met", "co ##met"),
    ("legend", "leg lege ##end", "leg ##end"),
    ("mustang", "mus must ##tang", "mus ##tang"),
    ("pandas", "pan pand ##das", "pan ##das"),
    ("papaya", "pap papa ##aya", "pap ##aya"),
    ("parrot", "par parr ##rot", "par ##rot"),
    ("topics", "to top ##pics", "to ##pics"),
    ("walnut", "wal waln ##nut", "wal ##nut"),
)


def values(draw):
    cut_up, lost = (some[draw.integers(len(some))] for some in (CUTS, DEAD_ENDS))
    return task(cut_up, lost)


def task(first, second):
    (word, vocab, fewest), (lost, more, hidden) = first, second
    return {
        "word": word,
        "lost": lost,
        "vocab": f"{vocab} {more}",
        "fewest": [fewest, hidden],
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
    return [" ".join(cut(w, vocab.split(), lambda _: ["[UNK]"])) for w in (word, lost)]


def pieces_can_be(ask, draw):
    """Whether the pieces spell the words and are all in the vocabulary."""
    tasks = ({w: v for w, v, _ in (*CUTS, BOOK)}, {w: v for w, v, _ in DEAD_ENDS})
    for which, pieces, vocabs in zip(("first", "second"), ask(), tasks, strict=True):
        pieces = pieces.split()
        spelled = "".join(piece.removeprefix("##") for piece in pieces)
        if "[UNK]" in pieces:
            continue
        if spelled not in vocabs:
            return f"The pieces of your {which} word spell “{spelled}”, not that word."
        for piece in pieces:
            if piece not in vocabs[spelled].split():
                return f"In your {which} word, “{piece}” is not in the vocabulary."
    return None


EXERCISE = Exercise(
    title="The longest piece, whatever follows",
    kind="predict",
    difficulty=2,
    minutes=5,
    prompt="""
WordPiece always takes the longest piece that fits and never goes back. Its vocabulary
is:

`{{vocab}}`

Into which pieces does it cut **{{word}}**, and into which **{{lost}}**?
""",
    starter="""
pieces = ...  # two strings, such as ["to ##ken", "cat"]
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
    pieces.append("[UNK]" if rest else " ".join(found))
""",
    why="""
The longest first piece can spoil the rest: with a shorter one, the word might have been
cut better, or cut at all. WordPiece does not look ahead. That makes it fast, but a word
can become unknown although pieces for all of it exist. When no piece fits the rest, the
**whole** word becomes `[UNK]`, including what was found so far.
""",
    hints=(
        "Which pieces without ## begin the word? Take the longest one.",
        "Continue with the rest of the word; from here on the pieces begin with ##.",
        "What happens to a word when no piece fits its rest?",
    ),
    mistakes="""
You chose the first piece with the rest in mind. WordPiece takes the longest one,
whatever follows.
+ pieces = fewest

The first word is right. In the second, the longest piece at the beginning leaves a rest
that no piece fits.
+ pieces = [right[0], fewest[1]]

The second word is right. In the first you chose the first piece with the rest in mind.
+ pieces = [fewest[0], right[1]]

When no piece fits the rest, the whole word becomes `[UNK]`, not only the rest.
+ unknown = lambda found: [*found, '[UNK]']
+ pieces = [" ".join(cut(w, vocab.split(), unknown)) for w in (word, lost)]

A piece that does not begin the word is written with ##.
+ pieces = [found.replace('##', '') for found in right]

The second word stops where no piece fits. But a tokenizer may not drop the rest: what
does it return instead?
+ found = lambda found: found
+ pieces = [" ".join(cut(w, vocab.split(), found)) for w in (word, lost)]

The first word is right. The rest of the second is not in the vocabulary, so it cannot
be a piece.
+ begun = cut(lost, vocab.split(), lambda found: found)
+ rest = lost.removeprefix(begun[0])
+ pieces = [right[0], " ".join([*begun, "##" + rest])]

The first word is right. The second is not cut into letters where no piece fits: these
letters are not in the vocabulary.
+ begun = cut(lost, vocab.split(), lambda found: found)
+ rest = lost.removeprefix(begun[0])
+ pieces = [right[0], " ".join([*begun, *("##" + letter for letter in rest)])]

The second word is right, but the first can be cut to its end.
+ pieces = ["[UNK]", "[UNK]"]

The first word can be cut to its end, and the second cannot.
+ pieces = ["[UNK]", fewest[1]]

The first word is right. For the second, `[UNK]` replaces the word: it is the only
token.
+ pieces = [right[0], fewest[1] + " [UNK]"]

The first word is right. An unknown word does not disappear: it becomes a token.
+ pieces = [right[0], ""]

The first word is right. The second becomes one token for the whole word, not one for
each of its pieces.
+ pieces = [right[0], "[UNK] [UNK]"]

These are the right answers in the wrong order.
+ pieces = right[::-1]

The second word is right. The rest of the first is not in the vocabulary as one piece.
+ begun = right[0].split()[0]
+ pieces = [f"{begun} ##{word.removeprefix(begun)}", right[1]]

The second word is right. Pieces are not always letters: take the longest that fits the
rest of the first word.
+ begun = right[0].split()[0]
+ rest = word.removeprefix(begun)
+ pieces = [" ".join([begun, *("##" + letter for letter in rest)]), right[1]]

Both are right, but the token for an unknown word is written `[UNK]`.
+ pieces = [right[0], "UNK"]

Both are right, but the token for an unknown word is written `[UNK]`, in capitals.
+ pieces = [right[0], "[unk]"]
""",
    reference=reference,
    values=values,
    book=task(BOOK, DEAD_ENDS[7]),
    equivalent={"if not rest and not longest:": "An empty piece adds only a space."},
    checks=(pieces_can_be,),
)
