"""Text in, integers out: byte-pair encoding, WordPiece, and batches for a model.

Nothing here needs a framework. `load_tokenizer` reads the folder of a published model;
`BytePairEncoding.train` learns from a text of one's own.
"""

from scratch.tokenization.batches import Batch, make_batch, pad_rows
from scratch.tokenization.byte_alphabet import byte_alphabet, read_spelling, spell
from scratch.tokenization.byte_pair import BytePairEncoding, split_words
from scratch.tokenization.cleaning import (
    basic_words,
    category,
    clean,
    stands_alone,
    strip_accents,
)
from scratch.tokenization.files import load_tokenizer
from scratch.tokenization.learning import count_pairs, learn_merges, merge_pair
from scratch.tokenization.merging import merge_by_rank
from scratch.tokenization.special import (
    BERT,
    GPT2,
    ROBERTA,
    SpecialTokens,
    frame,
    keep_special,
    truncate_pair,
)
from scratch.tokenization.tokenizer import Tokenizer
from scratch.tokenization.word_piece import WordPiece, join_pieces, longest_pieces

__all__ = [
    "BERT",
    "GPT2",
    "ROBERTA",
    "Batch",
    "BytePairEncoding",
    "SpecialTokens",
    "Tokenizer",
    "WordPiece",
    "basic_words",
    "byte_alphabet",
    "category",
    "clean",
    "count_pairs",
    "frame",
    "join_pieces",
    "keep_special",
    "learn_merges",
    "load_tokenizer",
    "longest_pieces",
    "make_batch",
    "merge_by_rank",
    "merge_pair",
    "pad_rows",
    "read_spelling",
    "spell",
    "split_words",
    "stands_alone",
    "strip_accents",
    "truncate_pair",
]
