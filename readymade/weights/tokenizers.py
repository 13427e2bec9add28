"""The tokenizer in a checkpoint's folder."""

import re
import warnings
from collections.abc import Iterable
from pathlib import Path

from scratch.tokenization import SpecialTokens, Tokenizer, load_tokenizer
from scratch.tokenization.files import read_json, require_vocab
from scratch.tokenization.lists import look_up
from scratch.tokenization.published import agreed
from scratch.tokenization.published_settings import (
    Config,
    UnsupportedTokenizer,
    require_setting,
)

MARIAN = SpecialTokens(last=("</s>",), pad="<pad>", others=("<unk>",))
MARIAN_CONFIG = {
    "tokenizer_class": [None, "MarianTokenizer"],
    "separate_vocabs": [None, False],
    "sp_model_kwargs": [None, {}],
}


def read_tokenizer(
    folder: str | Path, kind: str, pad_id: int | None = None
) -> Tokenizer | None:
    """Return the Tokenizer in a folder, or None with a warning that says why."""
    folder = Path(folder)
    try:
        tokenizer = read_marian(folder) if kind == "marian" else load_tokenizer(folder)
        require_vocab("vocab", tokenizer.vocab)
        if pad_id is not None and tokenizer.pad_id is not None:
            name = f"pad_token_id in {folder}/config.json"
            require_setting(name, pad_id, [tokenizer.pad_id])
        return tokenizer
    except UnicodeDecodeError as error:
        # Every other file is read by a function that names it.
        raise ValueError(f"{folder}/vocab.txt is damaged: {error}") from error
    except (FileNotFoundError, ModuleNotFoundError, UnsupportedTokenizer) as error:
        warnings.warn(f"the tokenizer is None: {error}", stacklevel=3)
        return None
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"the tokenizer in {folder} cannot be read: {error}"
        ) from error


def read_marian(folder: Path) -> Tokenizer:
    """Return the Tokenizer of a Marian: `source.spm` cuts, `vocab.json` numbers."""
    source, vocab = folder / "source.spm", folder / "vocab.json"
    for path in (source, vocab):
        if not path.is_file():
            raise FileNotFoundError(f"folder is {folder}, which holds no {path.name}")
    config = Config(folder)
    config.require(MARIAN_CONFIG)
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
    pieces = SentencePieces(processors["source"], known, target=target)
    return Tokenizer(pieces, agreed(MARIAN, pieces, config))


class SentencePieces:
    """The pieces of SentencePiece, numbered by Marian's own vocabulary.

    Spaces are written ▁.

    Args:
        processor: a SentencePieceProcessor.
        vocab: {piece: id}.
        unknown: the piece for what the vocabulary lacks.
        target: the SentencePieceProcessor of the target language, kept to be saved;
            None if it is the same.

    Source: Kudo and Richardson 2018.
    """

    def __init__(
        self,
        processor: object,
        vocab: dict[str, int],
        unknown: str = "<unk>",
        target: object | None = None,
    ) -> None:
        self.processor = processor
        self.target = target
        self.vocab = vocab
        self.unknown = unknown
        self.tokens = {token_id: token for token, token_id in vocab.items()}

    def tokenize(self, text: str) -> list[str]:
        """Return the pieces of a text; a code such as >>de<< at its start is one."""
        code, text = re.fullmatch(r"(>>[^<]*<<)?(.*)", text, re.DOTALL).groups()
        pieces = [code] if code else []
        pieces += self.processor.encode(text, out_type=str)
        return [piece if piece in self.vocab else self.unknown for piece in pieces]

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text, a list of integers."""
        return [self.vocab[piece] for piece in self.tokenize(text)]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids, of the source language or the target's."""
        return "".join(look_up(self.tokens, ids)).replace("▁", " ").strip()
