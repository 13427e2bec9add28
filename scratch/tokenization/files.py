"""The tokenizer of a published model, from the files in its folder."""

import json
import reprlib
from dataclasses import replace
from pathlib import Path

from scratch.tokenization.byte_pair import BytePairEncoding
from scratch.tokenization.special import BERT, GPT2, ROBERTA
from scratch.tokenization.tokenizer import Tokenizer
from scratch.tokenization.word_piece import WordPiece

# The settings that ours has; files may leave out what they do not change.
OLDER_FILES = {"strip_accents": [None], "add_prefix_space": [None, False]}
WORD_PIECE = {
    "normalizer": {
        "type": ["BertNormalizer"],
        "clean_text": [None, True],
        "handle_chinese_chars": [None, True],
        "lowercase": [True, False],
    },
    "pre_tokenizer": {"type": ["BertPreTokenizer"]},
    "model": {
        "continuing_subword_prefix": [None, "##"],
        "max_input_chars_per_word": [None, 100],
    },
}
BYTE_PAIRS = {
    "normalizer": {"type": [None]},
    "pre_tokenizer": {
        "type": ["ByteLevel"],
        "add_prefix_space": [False],
        "use_regex": [None, True],
    },
    "model": {
        "dropout": [None],
        "byte_fallback": [None, False],
        "ignore_merges": [None, False],
    },
}


JSON_NAMES = {dict: "an object", list: "a list", str: "a string"}


def load_tokenizer(folder):
    """Return the `Tokenizer` of the model in `folder`: kin of BERT, RoBERTa or GPT-2.

    Reads `tokenizer.json`; where it is missing, the older files: `vocab.txt`
    (WordPiece), or `vocab.json` and `merges.txt` (byte-pair encoding).
    Raises FileNotFoundError where there is none of them, and ValueError for another
    kind of tokenizer, a setting that ours does not have, or a damaged file.
    """
    folder = Path(folder)
    if (folder / "tokenizer.json").is_file():
        return from_whole(read_json(folder / "tokenizer.json"))
    settings = folder / "tokenizer_config.json"
    settings = read_json(settings) if settings.is_file() else {}
    require_settings("tokenizer_config.json", settings, OLDER_FILES)
    if (folder / "vocab.txt").is_file():
        lowercase = settings.get("do_lower_case", True)
        return Tokenizer(WordPiece.from_file(folder / "vocab.txt", lowercase), BERT)
    if (folder / "vocab.json").is_file() and (folder / "merges.txt").is_file():
        model = BytePairEncoding(
            read_json(folder / "vocab.json"), read_merges(folder / "merges.txt")
        )
        return Tokenizer(model, family(model))
    raise FileNotFoundError(
        f"folder is {folder}, which holds no tokenizer: wanted tokenizer.json, "
        "vocab.txt, or vocab.json and merges.txt"
    )


def from_whole(whole):
    """Return the `Tokenizer` that a `tokenizer.json` describes."""
    model, added = take(whole, "model", dict, {}), take(whole, "added_tokens", list, [])
    kind = model.get("type")
    if kind not in ("WordPiece", "BPE"):
        raise ValueError(f"tokenizer.json holds {kind!r}: wanted 'WordPiece' or 'BPE'")
    wanted = WORD_PIECE if kind == "WordPiece" else BYTE_PAIRS
    for part, settings in wanted.items():
        given = take(whole, part, dict, {})
        require_settings(f"tokenizer.json's {part}", given, settings)
    vocab = take(model, "vocab", dict) | dict(map(as_added, added))
    require_vocab("tokenizer.json", vocab)
    if kind == "WordPiece":
        normalizer = whole["normalizer"]
        lowercase = normalizer["lowercase"]
        accents = {"strip_accents": [None, lowercase]}
        require_settings("tokenizer.json's normalizer", normalizer, accents)
        ours, special = WordPiece(vocab, lowercase, take(model, "unk_token", str)), BERT
    else:
        merges = take(model, "merges", list)
        ours = BytePairEncoding(vocab, [as_pair(merge) for merge in merges])
        special = family(ours)
    others = tuple(token["content"] for token in added)
    greedy = tuple(token["content"] for token in added if token.get("lstrip"))
    return Tokenizer(ours, replace(special, others=others, greedy=greedy))


def family(model):
    """Return the special tokens of a byte-pair encoding: RoBERTa's, or GPT-2's."""
    return ROBERTA if "<s>" in model.vocab else GPT2


def take(part, name, kind, otherwise=None):
    """Return what a part of a `tokenizer.json` calls `name`, of the wanted type.

    Where it is missing or null, returns `otherwise`, unless that is None.
    """
    value = otherwise if part.get(name) is None else part[name]
    if not isinstance(value, kind):
        raise ValueError(
            f"tokenizer.json has {name}={shorten(value)}: wanted {JSON_NAMES[kind]}"
        )
    return value


def as_added(token):
    """Return an added token as a pair (text, id)."""
    match token:
        case {"content": str(content), "id": int(token_id)}:
            return content, token_id
    raise ValueError(
        f"tokenizer.json has the added token {shorten(token)}: wanted an object with "
        "content, a string, and id, an integer"
    )


def as_pair(merge):
    """Return a merge as two tokens, whether a list or a line of a file."""
    match merge.split(" ") if isinstance(merge, str) else merge:
        case [str(left), str(right)]:
            return left, right
    raise ValueError(f"merges hold {shorten(merge)}: wanted two tokens")


def read_merges(path):
    """Return the pairs in a `merges.txt`, one a line below the line of its version."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
        pairs = [line for line in lines if line and not line.startswith("#version")]
        return [as_pair(line) for line in pairs]
    except ValueError as error:
        raise ValueError(f"{path} is damaged: {error}") from error


def read_json(path):
    """Return the object in a JSON file, or raise ValueError that names the file."""
    require_file(path)
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    # Brackets in brackets in brackets end in a RecursionError.
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is damaged: {error}") from error
    if not isinstance(found, dict):
        raise ValueError(f"{path} holds no JSON object but {shorten(found)}")
    return found


def require_file(path):
    """Raise unless `path` is a file; libraries call a folder by other names."""
    if path.is_dir():
        raise ValueError(f"{path} is a folder: wanted a file")


def require_vocab(name, vocab):
    """Raise unless every token of the dictionary `vocab` has an integer as its id."""
    for token, token_id in vocab.items():
        if isinstance(token_id, bool) or not isinstance(token_id, int):
            raise ValueError(
                f"{name} gives {token!r} the id {shorten(token_id)}: wanted an integer"
            )


def shorten(value):
    """Return a value as it would be written in Python, cut where it is long."""
    return reprlib.repr(value)


def require_settings(name, given, wanted):
    """Raise unless each setting in `wanted` has one of the values listed there."""
    for setting, values in wanted.items():
        if given.get(setting) not in values:
            raise ValueError(
                f"{name} has {setting}={given.get(setting)!r}: wanted one of {values}"
            )
