"""Texts for tokenizers: by hypothesis, nasty, odd, and real prose."""

import random
from pydoc_data.topics import topics

from hypothesis import strategies as st

PROSE = "\n".join(topics.values())  # 465 kB about Python.

NASTY = [
    "",
    " ",
    "\n\n\t  \r\n",
    "\x00\x01\x1f\x7f\x85\xa0",  # Control characters, a no-break space.
    "naïve café",
    "nai\u0308ve cafe\u0301",  # The same with combining accents.
    "e" + "\u0301" * 50,
    "\u0301 begins with an accent",
    "👩‍👩‍👧‍👦 🏳️‍🌈 🫠",  # Emoji that are several characters each.
    "中文分词 and 日本語のテキスト",
    "한국어 \u1112\u1161\u11ab",  # A syllable as one character, and as three.
    "שָׁלוֹם العَرَبِيَّة हिन्दी",
    "ΟΔΥΣΣΕΥΣ Straße İstanbul ﬁne Ⅷ ²",
    "\u202eright to left\u202c zero\u200bwidth\ufeff",
    "\ufffd \ufffe \U0010ffff",
    "don't we'll I'm THEY'RE '' ``quoted''",
    "a" * 100 + " " + "b" * 101,
    "3.14159 1,000,000 0x1F600 a_b-c/d\\e",
    "[CLS] [MASK] [SEP][PAD] [mask] [UNK]",
    "<s> a <mask> b</s>  <mask>\t<mask><|endoftext|>",
]

# Tokenizers with older Unicode tables agree on these: no surrogates, all assigned.
ASSIGNED = st.characters(exclude_categories=["Cs", "Cn"])
RARE = st.characters(categories=["Mn", "Mc", "Me", "Cc", "Cf", "Zs", "Po", "Lt", "Lm"])
WORDS = st.sampled_from(sorted(set(PROSE.split()))[::7])

TEXTS = st.one_of(
    st.sampled_from(NASTY),
    st.text(),
    st.lists(st.one_of(WORDS, ASSIGNED, RARE, st.sampled_from(NASTY))).map("".join),
    st.lists(st.one_of(WORDS, st.text(ASSIGNED, max_size=5))).map(" ".join),
)

KNOWN = [
    "The fox said: “Pack my bag!” 12345",
    " two  spaces\n\n and a nai\u0308ve façade ½ 日本 🦊",
    "",
    "zebras' DON'T don't\r\n x ",
    "<|im_start|>user<|endoftext|>",
    "  \t12 34",
]
# Pieces of odd texts: spellings of special tokens, whole and in part.
SPELLINGS = """
    <s> </s> <pad> <unk> <mask> <|endoftext|> <|im_start|> <|im_end|> <tool_call>
    <|begin_of_text|> <|eot_id|> <0x0A> <0xFF> [CLS] [SEP] [MASK] <| |> <s </
""".split()
ODD = [
    *NASTY,
    *SPELLINGS,
    *[" ", "  ", "\t", "\n", "\r\n", "\u00a0", "\u2003", "\u3000", "\u200b", "▁", "Ġ"],
    *["\x00", "\x1f", "\x7f", "\x85", "\u2028", "\ufeff", "\ufffd", "\u202e"],
    *"e\u0301 é \u0301 ﬁ Å 가 ß İ ½ ٣ 12345 'S 'll".split(),
    *["👩‍👩‍👧‍👦", "🏳️‍🌈", "🇫🇷", "👍🏽", "🫠", "\U0001f1e6", "\ufe0f", "\u200d"],
]


def odd_texts(count=600, seed=0):
    """Return known texts, and `count` of odd pieces, words and any characters."""
    draw = random.Random(seed)
    words = sorted({*PROSE[:30_000].split()})

    codes = [*range(0xD800), *range(0xE000, 0x110000)]  # no surrogates

    def piece():
        kind = draw.randrange(4)
        if kind == 0:
            return chr(draw.choice(codes))
        return draw.choice(words if kind == 1 else ODD)

    drawn = ["".join(piece() for _ in range(draw.randrange(9))) for _ in range(count)]
    return [*KNOWN, *drawn]
