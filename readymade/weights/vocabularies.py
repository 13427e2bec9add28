"""The vocabulary in a model's folder, and its JSON files; a damaged one is named."""

import json
import reprlib
from pathlib import Path

from scratch.tokenization import (
    BERT,
    GPT2,
    ROBERTA,
    BytePairEncoding,
    Tokenizer,
    WordPiece,
)
from scratch.tokenization.special_tokens import PLAIN


def load_tokenizer(folder: str | Path) -> Tokenizer:
    """Return the `Tokenizer` of a folder with the files of BERT, RoBERTa or GPT-2.

    From `vocab.txt`, WordPiece, which keeps capitals and accents where
    `tokenizer_config.json` says `"do_lower_case": false`; or else from `vocab.json` and
    `merges.txt`, byte-pair encoding. No other file or setting is read:
    `load_checkpoint` heeds them all.

    Raises:
        FileNotFoundError: the folder holds no such files.
        ValueError: a file is damaged.
    """
    folder = Path(folder)
    if (folder / "vocab.txt").exists():
        config = read_json_if_any(folder / "tokenizer_config.json")
        lowercase = config.get("do_lower_case") is not False
        return Tokenizer(read_word_piece(folder / "vocab.txt", lowercase), BERT)
    if not all((folder / name).exists() for name in ("vocab.json", "merges.txt")):
        raise FileNotFoundError(
            f"folder is {folder}, which holds no tokenizer: wanted vocab.txt, or "
            "vocab.json and merges.txt"
        )
    vocab, merges = (
        read_vocab(folder / "vocab.json"),
        read_merges(folder / "merges.txt"),
    )
    guesses = (family for family in (ROBERTA, GPT2) if {*family.all} <= {*vocab})
    return Tokenizer(BytePairEncoding(vocab, merges), next(guesses, PLAIN))


def read_word_piece(path: Path, lowercase: bool) -> WordPiece:
    """Return the `WordPiece` of a `vocab.txt`."""
    require_file(path)
    try:
        return WordPiece.from_file(path, lowercase)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is damaged: {error}") from error


def read_json(path: Path) -> dict:
    """Return the object in a JSON file."""
    require_file(path)
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    # Brackets in brackets in brackets end in a RecursionError.
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is damaged: {error}") from error
    if not isinstance(found, dict):
        raise ValueError(f"{path} holds {shorten(found)}: wanted a JSON object")
    return found


def read_json_if_any(path: Path) -> dict:
    """Return the object in a JSON file, an empty one where there is no file."""
    return read_json(path) if path.exists() else {}


def read_vocab(path: Path) -> dict[str, int]:
    """Return the ids of the tokens in a `vocab.json`."""
    vocab = read_json(path)
    for token, token_id in vocab.items():
        if isinstance(token_id, bool) or not isinstance(token_id, int):
            raise ValueError(
                f"{path} gives {token!r} the id {shorten(token_id)}: wanted an integer"
            )
    return vocab


def read_merges(path: Path) -> list[tuple[str, str]]:
    """Return the pairs in a `merges.txt`, one a line below the line of its version."""
    require_file(path)
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is damaged: {error}") from error
    pairs = [line for line in lines if line and not line.startswith("#version")]
    merges = [tuple(pair.split(" ")) for pair in pairs]
    for merge, line in zip(merges, pairs, strict=True):
        if len(merge) != 2:
            raise ValueError(f"{path} has the merge {shorten(line)}: wanted two tokens")
    return merges


def require_file(path: Path) -> None:
    """Raise ValueError if `path` is a folder; libraries have other words for it."""
    if path.is_dir():
        raise ValueError(f"{path} is a folder: wanted a file")


def shorten(value: object) -> str:
    """Return a value as it would be written in Python, cut where it is long."""
    return reprlib.repr(value)
