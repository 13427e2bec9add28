"""Marian's tokenizer: the pieces of SentencePiece, numbered by a `vocab.json`."""

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from readymade.weights.tokenizers.config import (
    TokenizerConfig,
    require_setting,
)
from readymade.weights.tokenizers.vocabularies import read_vocab
from scratch.tokenization import SpecialTokens, Tokenizer
from scratch.tokenization.lists import look_up

MARIAN = SpecialTokens(last=("</s>",), pad="<pad>", others=("<unk>",))
MARIAN_CONFIG = {
    "tokenizer_class": [None, "MarianTokenizer"],
    "separate_vocabs": [None, False],
    "sp_model_kwargs": [None, {}],
}


def read_marian(folder: Path, config: TokenizerConfig) -> Tokenizer:
    """Return Marian's Tokenizer, from `source.spm` and `vocab.json`."""
    source, vocab = folder / "source.spm", folder / "vocab.json"
    for path in (source, vocab):
        if not path.is_file():
            raise FileNotFoundError(f"folder is {folder}, which holds no {path.name}")
    config.require(MARIAN_CONFIG)
    try:
        from sentencepiece import SentencePieceProcessor
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "Marian's tokenizer needs: pip install sentencepiece"
        ) from error
    processors = {}
    for path in (source, folder / "target.spm"):
        if path.exists():
            try:
                processors[path.stem] = SentencePieceProcessor(model_file=str(path))
            except (RuntimeError, ValueError, OSError) as error:
                raise ValueError(f"{path} is damaged: {error}") from error
    target = processors.get("target")
    pieces = SentencePieces(processors["source"], read_vocab(vocab), target=target)
    config.require_ids(pieces.vocab.get)
    for where, token, _ in config.tokens():
        require_setting(where, token, [*MARIAN.all])
    pad = config.token("pad_token") or MARIAN.pad
    return Tokenizer(pieces, replace(MARIAN, pad=pad))


class SentencePieces:
    """The pieces of SentencePiece, numbered by Marian's own vocabulary.

    Spaces are written ▁.

    Args:
        processor: a SentencePieceProcessor.
        vocab: {piece: id}.
        unknown: the piece for what the vocabulary lacks.
        target: the SentencePieceProcessor of the target language, kept to be saved;
            None if it is the same one.

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
