"""The tokenizer that lies in a checkpoint's folder."""

import re
import warnings
from pathlib import Path

from scratch.tokenization import SpecialTokens, Tokenizer, load_tokenizer
from scratch.tokenization.files import read_json, require_vocab

MARIAN = SpecialTokens(last=("</s>",), pad="<pad>", others=("<unk>",))


def read_tokenizer(folder, kind):
    """Return the Tokenizer in a folder, or None with a warning that says why.

    kind: the model's family. Raises ValueError if a file is damaged.
    """
    try:
        tokenizer = read_marian(folder) if kind == "marian" else load_tokenizer(folder)
        require_vocab("vocab", tokenizer.vocab)
        return tokenizer
    except UnicodeDecodeError as error:
        # Every other file is read by a function that names it.
        raise ValueError(f"{folder}/vocab.txt is damaged: {error}") from error
    except (FileNotFoundError, ModuleNotFoundError) as error:
        warnings.warn(f"the tokenizer is None: {error}", stacklevel=3)
        return None
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"the tokenizer in {folder} cannot be read: {error}"
        ) from error


def read_marian(folder):
    """Return the Tokenizer of a Marian: `source.spm` cuts, `vocab.json` numbers."""
    source, vocab = Path(folder) / "source.spm", Path(folder) / "vocab.json"
    for path in (source, vocab):
        if not path.is_file():
            raise FileNotFoundError(f"folder is {folder}, which holds no {path.name}")
    try:
        from sentencepiece import SentencePieceProcessor
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "Marian's tokenizer needs: pip install sentencepiece"
        ) from error
    processors = {}
    for path in (source, source.with_name("target.spm")):
        if path == source or path.exists():
            try:
                processors[path.stem] = SentencePieceProcessor(model_file=str(path))
            except (RuntimeError, ValueError, OSError) as error:
                raise ValueError(f"{path} is damaged: {error}") from error
    known = read_json(vocab)
    require_vocab(vocab, known)
    target = processors.get("target")
    return Tokenizer(SentencePieces(processors["source"], known, target=target), MARIAN)


class SentencePieces:
    """The pieces of SentencePiece, numbered by Marian's own vocabulary.

    processor: a SentencePieceProcessor. vocab: the id of each piece. target: the
    processor of the target language, which is kept to be saved; None if it is the same.
    Kudo and Richardson (2018); the spaces of a text are written ▁.
    """

    def __init__(self, processor, vocab, unknown="<unk>", target=None):
        self.processor = processor
        self.target = target
        self.vocab = vocab
        self.unknown = unknown
        self.tokens = {token_id: token for token, token_id in vocab.items()}

    def tokenize(self, text):
        """Return the pieces of a text; a code such as >>de<< at its start is one."""
        code, text = re.fullmatch(r"(>>[^<]*<<)?(.*)", text, re.DOTALL).groups()
        pieces = [code] if code else []
        pieces += self.processor.encode(text, out_type=str)
        return [piece if piece in self.vocab else self.unknown for piece in pieces]

    def encode(self, text):
        """Return the ids of a text, a list of integers."""
        return [self.vocab[piece] for piece in self.tokenize(text)]

    def decode(self, ids):
        """Return the text of ids, of the source language or the target's."""
        return "".join(self.tokens[i] for i in ids).replace("▁", " ").strip()
