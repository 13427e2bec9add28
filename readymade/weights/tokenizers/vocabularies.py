"""Our own tokenizer for a folder's vocab.txt, or vocab.json and merges.txt."""

import reprlib
from pathlib import Path

from readymade.weights.files import (
    read_json,
    read_json_if_any,
    read_text,
    require_file,
)
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
    vocab = read_vocab(folder / "vocab.json")
    model = BytePairEncoding(vocab, read_merges(folder / "merges.txt"))
    guesses = (special for special in (ROBERTA, GPT2) if {*special.all} <= {*vocab})
    return Tokenizer(model, next(guesses, PLAIN))


def read_word_piece(path: Path, lowercase: bool) -> WordPiece:
    """Return the `WordPiece` of a `vocab.txt`."""
    require_file(path)
    try:
        return WordPiece.from_file(path, lowercase)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is damaged: {error}") from error


def read_vocab(path: Path) -> dict[str, int]:
    """Return the ids of the tokens in a `vocab.json`."""
    vocab = read_json(path)
    for token, token_id in vocab.items():
        if isinstance(token_id, bool) or not isinstance(token_id, int):
            raise ValueError(
                f"{path} gives {token!r} the id {reprlib.repr(token_id)}: wanted an "
                "integer"
            )
    return vocab


def read_merges(path: Path) -> list[tuple[str, str]]:
    """Return the pairs in a `merges.txt`, one per line, below its version."""
    merges = []
    for line in read_text(path).split("\n"):
        if line and not line.startswith("#version"):
            merges.append(tuple(line.split(" ")))
            if len(merges[-1]) != 2:
                raise ValueError(
                    f"{path} has the merge {reprlib.repr(line)}: wanted two tokens"
                )
    return merges
