"""The tokenizer in a checkpoint's folder."""

import re
import warnings
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from readymade.weights.library_tokenizer import fitted, read_library, same, written
from readymade.weights.tokenizer_settings import (
    Config,
    UnsupportedTokenizer,
    require_setting,
)
from readymade.weights.vocabularies import load_tokenizer, read_vocab
from scratch.tokenization import (
    BERT,
    GPT2,
    ROBERTA,
    BytePairEncoding,
    SpecialTokens,
    Tokenizer,
    WordPiece,
)
from scratch.tokenization.lists import look_up

MARIAN = SpecialTokens(last=("</s>",), pad="<pad>", others=("<unk>",))
# What every tokenizer does; None: the setting is missing. Where a file pads is not
# asked: rows are padded at their ends, and the mask that comes with them hides it.
EVERY = {
    "split_special_tokens": [None, False],
    "truncation_side": [None, "right"],
    "truncation_strategy": [None, "longest_first"],
}
# What our own do, where no tokenizer.json says it.
OURS = {
    "do_basic_tokenize": [None, True],
    "errors": [None, "replace"],
    "never_split": [None, []],
    "subword_tokenizer_type": [None, "wordpiece"],
    "word_tokenizer_type": [None, "basic"],
}
MARIAN_CONFIG = {
    "tokenizer_class": [None, "MarianTokenizer"],
    "separate_vocabs": [None, False],
    "sp_model_kwargs": [None, {}],
}


def read_tokenizer(
    folder: str | Path, kind: str, pad_id: int | None = None, segmented: bool = True
) -> Tokenizer | None:
    """Return the Tokenizer in a folder, or None with a warning that says why.

    Args:
        folder: the folder of the published model.
        kind: the class of the tokenizer where the folder does not name one.
        pad_id: the id that the model hides; None if it hides none.
        segmented: whether the model takes segment ids.
    """
    folder = Path(folder)
    try:
        config = Config(folder)
        config.require(EVERY)
        if kind == "MarianTokenizer":
            tokenizer = read_marian(folder, config)
        else:
            tokenizer = read_published(folder, kind, config)
        # What a tokenizer that was read from files knows beside.
        tokenizer.bos_id, tokenizer.eos_ids = config.ends(tokenizer.vocab)
        tokenizer.segmented = segmented
        if pad_id is not None and tokenizer.pad_id is not None:
            name = f"pad_token_id in {folder}/config.json"
            require_setting(name, pad_id, [tokenizer.pad_id])
        return tokenizer
    except (FileNotFoundError, ModuleNotFoundError, UnsupportedTokenizer) as error:
        warnings.warn(f"the tokenizer is None: {error}", stacklevel=3)
        return None
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"the tokenizer in {folder} cannot be read: {error}"
        ) from error


def read_published(folder: Path, kind: str, config: Config) -> Tokenizer:
    """Return the Tokenizer of a folder that is not a Marian's.

    Where there is a `tokenizer.json`, it says how texts are cut. Without it,
    `tokenizer_config.json` does, beside `vocab.txt`, or `vocab.json` and `merges.txt`.
    From these two, the tokenizer is ours, if ours does what is said. In every other
    case it is the library's.

    Raises:
        FileNotFoundError: the folder holds no tokenizer.
        UnsupportedTokenizer: the files contradict each other, or say what neither does.
        ValueError: a file is damaged.
    """
    path, ours = folder / "tokenizer.json", None
    try:
        ours = load_tokenizer(folder)
    except FileNotFoundError as error:
        if not path.exists():
            raise FileNotFoundError(f"{error}, or tokenizer.json") from error
    except ValueError:
        if not path.exists():
            raise
        # A `vocab.txt` may be of another kind than BERT's.
    if path.exists():
        published = fitted(read_library(path), config)
    else:
        ours = of_class(ours.model, kind, config)
        published = fitted(written(ours), config)
    # Ours has no chat template.
    if ours is None or config.get("chat_template") or not same(ours, published):
        return published
    # Another padding leaves the former one a token that is kept whole.
    special, pad = ours.special, published.special.pad
    others = special.others if pad == special.pad else special.all
    return Tokenizer(ours.model, replace(special, pad=pad, others=others))


def of_class(
    model: WordPiece | BytePairEncoding, kind: str, config: Config
) -> Tokenizer:
    """Return the Tokenizer of a vocabulary, with the special tokens of its class.

    Raises:
        UnsupportedTokenizer: ours has no such class, or another setting.
    """
    config.require(OURS)
    classes, given = CLASSES[type(model)], config.get("tokenizer_class")
    name = kind if given is None else str(given).removesuffix("Fast")
    if name not in classes:
        require_setting(config.where("tokenizer_class"), given, list(classes))
    special = classes[name]
    if missing := [token for token in special.all if token not in model.vocab]:
        raise UnsupportedTokenizer(
            f"the vocabulary in {config.folder} has no {missing}: wanted an id for "
            f"each token of a {name}"
        )
    if isinstance(model, WordPiece):
        unknown = config.token("unk_token")
        require_setting(config.where("unk_token"), unknown, [None, model.unknown])
    return Tokenizer(model, special)


def read_marian(folder: Path, config: Config) -> Tokenizer:
    """Return the Tokenizer of a Marian: `source.spm` cuts, `vocab.json` numbers."""
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
    for path in (source, source.with_name("target.spm")):
        if path == source or path.exists():
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


# The special tokens of each class of `transformers` that ours can be, by vocabulary.
CLASSES = {
    WordPiece: {"BertTokenizer": BERT, "DistilBertTokenizer": BERT},
    BytePairEncoding: {"GPT2Tokenizer": GPT2, "RobertaTokenizer": ROBERTA},
    SentencePieces: {"MarianTokenizer": MARIAN},
}
