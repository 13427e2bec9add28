"""WordPiece: cut each word into the longest pieces that the vocabulary has."""

from collections import Counter
from collections.abc import Collection, Iterable
from os import PathLike

from scratch.checks import require_at_least, require_texts, require_tokens
from scratch.tokenization.bert_cleaning import basic_words
from scratch.tokenization.byte_pair import learn_merges, read_spelling, spell
from scratch.tokenization.lists import look_up

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def longest_pieces(
    word: str,
    vocab: Collection[str],
    unknown: str = "[UNK]",
    max_length: int = 100,
) -> list[str]:
    """Cut `word` from the left into the longest pieces that `vocab` contains.

    A piece that does not begin the word is written with ## before it.

    Args:
        word: a word without spaces.
        vocab: the known pieces.
        unknown: the token for a word that cannot be cut to its end.
        max_length: a word of more letters is unknown.

    Example:
        >>> longest_pieces("unable", {"un", "una", "##able", "##ble"})
        ['una', '##ble']

    Source: Schuster and Nakajima 2012; the longest match first is that of Google's
    published code for Devlin et al. 2019.
    """
    if len(word) > max_length:
        return [unknown]
    pieces, start = [], 0
    while start < len(word):
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            if prefix + word[start:end] in vocab:
                break
        else:
            return [unknown]
        pieces.append(prefix + word[start:end])
        start = end
    return pieces


def join_pieces(tokens: Iterable[str]) -> str:
    """Return a text of these tokens: pieces joined to words, words by spaces.

    Example:
        >>> join_pieces(["the", "light", "##house", "!"])
        'the lighthouse!'
    """
    text = " ".join(tokens).replace(" ##", "")
    for sign in ".,?!":
        text = text.replace(f" {sign}", sign)
    return text


def learn_word_pieces(texts: Iterable[str], vocab_size: int) -> dict[str, int]:
    """Learn a vocabulary for WordPiece by merging frequent neighbours.

    The merges are those of byte-pair encoding. A token that begins a word is kept as it
    is, and every other token gets ## before it. (Google's WordPiece merges the pair
    that raises the likelihood of the text most; that code was never published.)

    Args:
        texts: what to learn from; letters are lowercased, accents stripped.
        vocab_size: the number of tokens, BERT's special ones and all letters included;
            fewer if no other pair occurs twice, or if many merges only make letters out
            of their bytes.

    Returns:
        ``{token: id}``; [PAD] is 0.

    Raises:
        ValueError: `vocab_size` has no room for the special tokens and the letters.

    Source: Sennrich et al. 2016, section 3.2; Schuster and Nakajima 2012.
    """
    require_texts("texts", texts)
    words = Counter(word for text in texts for word in basic_words(text))
    first = sorted({word[0] for word in words})
    later = sorted({"##" + letter for word in words for letter in word[1:]})
    pieces = dict.fromkeys([*SPECIAL, *first, *later])
    require_at_least("vocab_size", vocab_size, len(pieces))
    # A space before each word marks the token that begins it.
    spellings = {spell(" " + word): times for word, times in words.items()}
    for pair in learn_merges(spellings, 256 + vocab_size):
        token = read_spelling("".join(pair))
        piece = token[1:] if token[0] == " " else "##" + token
        if "\ufffd" not in piece:  # half a letter
            pieces[piece] = None
    return {piece: place for place, piece in enumerate([*pieces][:vocab_size])}


class WordPiece:
    """The vocabulary of BERT and its family: words, and pieces of words marked ##.

    Args:
        vocab: {token: id}, the token `unknown` included.
        lowercase: whether letters are lowercased and accents stripped first.
        unknown: the token for a word that cannot be cut.

    Raises:
        ValueError: `vocab` lacks `unknown`.

    Source: Schuster and Nakajima 2012; Devlin et al. 2019, section 3.
    """

    def __init__(
        self, vocab: dict[str, int], lowercase: bool = True, unknown: str = "[UNK]"
    ) -> None:
        require_tokens(vocab, [unknown])
        self.vocab, self.lowercase, self.unknown = vocab, lowercase, unknown
        self.tokens = {token_id: token for token, token_id in vocab.items()}

    @classmethod
    def from_file(cls, path: str | PathLike, lowercase: bool = True) -> "WordPiece":
        """Read a `vocab.txt` with one token per line; its id is its line, from 0."""
        with open(path, encoding="utf-8") as lines:
            vocab = {line.rstrip("\n"): place for place, line in enumerate(lines)}
        return cls(vocab, lowercase)

    def tokenize(self, text: str) -> list[str]:
        """Return the tokens of `text`, each a word or a piece of one."""
        words = basic_words(text, self.lowercase)
        pieces = {w: longest_pieces(w, self.vocab, self.unknown) for w in {*words}}
        return [piece for word in words for piece in pieces[word]]

    def encode(self, text: str) -> list[int]:
        """Return the ids of `text`, a list of integers."""
        return [self.vocab[token] for token in self.tokenize(text)]

    def decode(self, ids: Iterable[int]) -> str:
        """Return a text of these `ids`, joined by `join_pieces`."""
        return join_pieces(look_up(self.tokens, ids))
