"""Text in, integers out: byte-pair encoding, WordPiece, and batches for a model.

Nothing here needs a framework. `BytePairEncoding.train` learns from a text of your own;
`readymade.weights.load_tokenizer` reads the folder of a published model.
"""

from scratch.tokenization.bert_cleaning import (
    basic_words, category, clean, stands_alone, strip_accents,
)
from scratch.tokenization.byte_pair import (
    BytePairEncoding, byte_alphabet, count_pairs, learn_merges, merge_by_rank,
    merge_pair, read_spelling, spell, split_words,
)
from scratch.tokenization.masking import IGNORED, mask_tokens
from scratch.tokenization.offsets import token_offsets
from scratch.tokenization.special_tokens import (
    BERT, GPT2, ROBERTA, SpecialTokens, frame, keep_special, truncate_pair,
)
from scratch.tokenization.tokenizer import Batch, Tokenizer, make_batch, pad_rows
from scratch.tokenization.word_piece import (
    WordPiece, join_pieces, learn_word_pieces, longest_pieces,
)
