"""From texts to what a model takes, and back."""

from scratch.tokenization.batches import make_batch
from scratch.tokenization.checks import require_known, require_text, require_texts
from scratch.tokenization.special import PLAIN, frame, split_special


class Tokenizer:
    """A vocabulary with the special tokens around it: a model's way in and out.

    model: a `WordPiece` or a `BytePairEncoding`. special: a `SpecialTokens`, such as
    `BERT`; without it no token is added.
    """

    def __init__(self, model, special=PLAIN):
        if missing := [token for token in special.all if token not in model.vocab]:
            raise ValueError(f"model lacks {missing}: wanted every special token")
        self.model, self.special, self.vocab = model, special, model.vocab
        self.pad_id = self.vocab.get(special.pad)

    def tokenize(self, text):
        """Return the tokens of `text`; special tokens written in it are kept whole."""
        require_text("text", text)
        tokens = []
        for place, part in enumerate(split_special(text, self.special)):
            tokens += [part] if place % 2 else self.model.tokenize(part)
        return tokens

    def encode_with_segments(self, text, pair=None, max_length=None):
        """Return the ids of one text, or two, and their segment ids: two lists."""
        second = None if pair is None else self.tokenize(pair)
        tokens, segment_ids = frame(
            self.tokenize(text), second, self.special, max_length
        )
        return [self.vocab[token] for token in tokens], segment_ids

    def encode(self, text, pair=None, max_length=None):
        """Return the ids of one text, or two, with special tokens, as a list."""
        return self.encode_with_segments(text, pair, max_length)[0]

    def encode_batch(self, texts, pairs=None, max_length=None, pad_to=None):
        """Return the `Batch` of `texts`, or of each with its second text in `pairs`.

        max_length: where rows are cut. pad_to: their length; else the longest row's.
        """
        texts = require_texts("texts", texts)
        pairs = [None] * len(texts) if pairs is None else require_texts("pairs", pairs)
        if len(pairs) != len(texts):
            raise ValueError(f"pairs has {len(pairs)} texts: wanted {len(texts)}")
        rows = [
            self.encode_with_segments(text, pair, max_length)
            for text, pair in zip(texts, pairs, strict=True)
        ]
        return make_batch(rows, self.pad_id, pad_to)

    def tokens(self, ids):
        """Return the token of each of `ids`: the labels of a picture, for example."""
        return [self.model.tokens[i] for i in require_known(self.model.tokens, ids)]

    def decode(self, ids, skip_special=True):
        """Return the text of one row of `ids`, by default without special tokens."""
        skipped = [token for token in self.special.all if skip_special]
        kept = [token for token in self.tokens(ids) if token not in skipped]
        return self.model.decode([self.vocab[token] for token in kept])
