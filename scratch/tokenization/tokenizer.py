"""From texts to what a model takes, and back."""

from scratch.tokenization.batches import make_batch
from scratch.tokenization.checks import look_up, match_pairs, require_tokens
from scratch.tokenization.special import PLAIN, frame, keep_special


class Tokenizer:
    """A model's way in and out: its vocabulary, and special tokens around each text.

    model: a `WordPiece` or a `BytePairEncoding`. special: a `SpecialTokens`.
    """

    def __init__(self, model, special=PLAIN):
        require_tokens(model.vocab, special.all)
        self.model, self.special, self.vocab = model, special, model.vocab
        self.pad_id = self.vocab.get(special.pad)

    def tokenize(self, text):
        """Return the tokens of `text`; special tokens written in it are kept whole."""
        return keep_special(text, self.special, self.model.tokenize)

    def encode(self, text, pair=None, max_length=None):
        """Return the ids of one text, or two, with special tokens, as a list."""
        pairs = None if pair is None else [pair]
        return self.encode_batch([text], pairs, max_length).ids[0].tolist()

    def encode_batch(self, texts, pairs=None, max_length=None, pad_to=None):
        """Return the `Batch` of `texts`, or of each with its second text in `pairs`.

        max_length: where rows are cut. pad_to: their length; else the longest row's.
        """
        rows = []
        for text, pair in match_pairs(texts, pairs):
            second = None if pair is None else self.tokenize(pair)
            rows.append(frame(self.tokenize(text), second, self.special, max_length))
        return make_batch(rows, self.vocab, self.special.pad, pad_to)

    def tokens(self, ids):
        """Return the token of each of `ids`: the labels of a picture, for example."""
        return look_up(self.model.tokens, ids)

    def decode(self, ids, skip_special=True):
        """Return the text of one row of `ids`, by default without special tokens."""
        skipped = self.special.all if skip_special else ()
        kept = [token for token in self.tokens(ids) if token not in skipped]
        return self.model.decode(self.vocab[token] for token in kept)
