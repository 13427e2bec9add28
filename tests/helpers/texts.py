"""Texts that a tokenizer must bear: made up by hypothesis, nasty, and real prose."""

from pydoc_data.topics import topics

from hypothesis import strategies as st

PROSE = "\n".join(topics.values())  # 465 kB about Python.

NASTY = [
    "",
    " ",
    "\n\n\t  \r\n",
    "\x00\x01\x1f\x7f\x85\xa0",  # Control characters, a space that does not break.
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

# What tokenizers of different age agree on: no half characters, nothing unassigned.
ASSIGNED = st.characters(exclude_categories=["Cs", "Cn"])
RARE = st.characters(categories=["Mn", "Mc", "Me", "Cc", "Cf", "Zs", "Po", "Lt", "Lm"])
WORDS = st.sampled_from(sorted(set(PROSE.split()))[::7])

TEXTS = st.one_of(
    st.sampled_from(NASTY),
    st.text(),
    st.lists(st.one_of(WORDS, ASSIGNED, RARE, st.sampled_from(NASTY))).map("".join),
    st.lists(st.one_of(WORDS, st.text(ASSIGNED, max_size=5))).map(" ".join),
)
