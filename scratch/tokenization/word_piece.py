"""WordPiece: the longest known piece first."""

from scratch.tokenization.checks import look_up, require_tokens
from scratch.tokenization.cleaning import basic_words


def longest_pieces(word, vocab, unknown="[UNK]", max_length=100):
    """Cut `word` into pieces of `vocab`, from the left, each as long as can be.

    A piece that does not begin the word is written with ## before it. A word that
    cannot be cut to its end, or has more than `max_length` letters, becomes the one
    token `unknown`.
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


def join_pieces(tokens):
    """Return a text of these tokens: pieces joined to words, words by spaces."""
    text = " ".join(tokens).replace(" ##", "")
    for sign in ".,?!":
        text = text.replace(f" {sign}", sign)
    return text


class WordPiece:
    """The vocabulary of BERT and its family: words, and pieces of words marked ##.

    vocab: the id of each token, the token `unknown` among them.
    lowercase: whether capitals and accents are taken away first.
    Schuster and Nakajima (2012); Devlin et al. (2019), section 3.
    """

    def __init__(self, vocab, lowercase=True, unknown="[UNK]"):
        require_tokens(vocab, [unknown])
        self.vocab, self.lowercase, self.unknown = vocab, lowercase, unknown
        self.tokens = {token_id: token for token, token_id in vocab.items()}

    @classmethod
    def from_file(cls, path, lowercase=True):
        """Read a `vocab.txt`: a token a line, its id the number of lines above it."""
        with open(path, encoding="utf-8") as lines:
            vocab = {line.rstrip("\n"): place for place, line in enumerate(lines)}
        return cls(vocab, lowercase)

    def tokenize(self, text):
        """Return the tokens of `text`, each a word or a piece of one."""
        words = basic_words(text, self.lowercase)
        pieces = {w: longest_pieces(w, self.vocab, self.unknown) for w in {*words}}
        return [piece for word in words for piece in pieces[word]]

    def encode(self, text):
        """Return the ids of `text`, a list of integers."""
        return [self.vocab[token] for token in self.tokenize(text)]

    def decode(self, ids):
        """Return a text of these `ids`, joined by `join_pieces`."""
        return join_pieces(look_up(self.tokens, ids))
