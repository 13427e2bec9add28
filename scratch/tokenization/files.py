"""Reading the files of a published model, so that a damaged one is named."""

import json
import reprlib
from pathlib import Path

JSON_NAMES = {dict: "an object", list: "a list", str: "a string"}


def read_json(path: Path) -> dict:
    """Return the object in a JSON file; a damaged one is named."""
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


def take(part: dict, name: str, kind: type, otherwise: object = None) -> object:
    """Return what a part of a `tokenizer.json` calls `name`, of the wanted type.

    Where it is missing or null, returns `otherwise`, unless that is None.
    """
    value = otherwise if part.get(name) is None else part[name]
    if not isinstance(value, kind):
        raise ValueError(
            f"tokenizer.json has {name}={shorten(value)}: wanted {JSON_NAMES[kind]}"
        )
    return value


def as_added(token: dict) -> tuple[str, int]:
    """Return an added token as a pair of its content and its id."""
    match token:
        case {"content": str(content), "id": int(token_id)}:
            return content, token_id
    raise ValueError(
        f"tokenizer.json has the added token {shorten(token)}: wanted an object with "
        "content, a string, and id, an integer"
    )


def read_merges(path: Path) -> list[tuple[str, str]]:
    """Return the pairs in a `merges.txt`, one a line below the line of its version."""
    require_file(path)
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
        pairs = [line for line in lines if line and not line.startswith("#version")]
        return [as_pair(line) for line in pairs]
    except ValueError as error:
        raise ValueError(f"{path} is damaged: {error}") from error


def as_pair(merge: str | list[str]) -> tuple[str, str]:
    """Return a merge as two tokens, whether a list or a line of a file.

    Example:
        >>> as_pair("t he")
        ('t', 'he')
    """
    match merge.split(" ") if isinstance(merge, str) else merge:
        case [str(left), str(right)]:
            return left, right
    raise ValueError(f"a merge is {shorten(merge)}: wanted two tokens")


def require_file(path: Path) -> None:
    """Raise ValueError if `path` is a folder; libraries have other words for it."""
    if path.is_dir():
        raise ValueError(f"{path} is a folder: wanted a file")


def require_vocab(name: str, vocab: dict) -> None:
    """Raise ValueError unless every token in `vocab` has an integer as its id."""
    for token, token_id in vocab.items():
        if isinstance(token_id, bool) or not isinstance(token_id, int):
            raise ValueError(
                f"{name} gives {token!r} the id {shorten(token_id)}: wanted an integer"
            )


def shorten(value: object) -> str:
    """Return a value as it would be written in Python, cut where it is long."""
    return reprlib.repr(value)
