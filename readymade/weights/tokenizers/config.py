"""What `tokenizer_config.json`, and files beside it, say about a tokenizer."""

import reprlib
from collections.abc import Callable, Iterator
from pathlib import Path

from readymade.weights.files import read_json_if_any, read_text

NAMES = tuple(f"{name}_token" for name in "bos eos unk sep pad cls mask".split())
FILES = """
    special_tokens_map config tokenizer_config generation_config added_tokens
""".split()
LISTS = ("additional_special_tokens", "extra_special_tokens")


class UnsupportedTokenizer(ValueError):
    """The files are sound, but a setting asks for something that cannot be done."""


class TokenizerConfig:
    """What `tokenizer_config.json` says, and older files where it does not.

    Args:
        folder: the folder of the published model.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.values, self.paths = folder, {}, {}
        paths = [folder / f"{name}.json" for name in FILES]
        special, model, own, generation, self.added = map(read_json_if_any, paths)
        self.model_ends = [one.get("eos_token_id") for one in (generation, model)]
        model = {"tokenizer_class": model.get("tokenizer_class")}
        for path, settings in zip(paths, (special, model, own), strict=False):
            known = {key: value for key, value in settings.items() if value is not None}
            self.values |= known
            self.paths |= dict.fromkeys(known, path)
        template = self.values.get("chat_template", "")
        if not isinstance(template, str):  # several, each with its name
            templates = {one["name"]: one["template"] for one in template}
            template = templates.get("default", "")
        path = folder / "chat_template.jinja"
        if template := read_text(path) if path.exists() else template:
            self.values["chat_template"] = template

    def token(self, setting: str) -> str | None:
        """Return the text of a token, None where no file names it."""
        return text_of(self.values.get(setting))

    def tokens(self) -> Iterator[tuple[str, str, int | None]]:
        """Yield (where it is named, token, id or None) for each token that is named."""
        for name in NAMES:
            if (token := self.token(name)) is not None:
                yield self.where(name), token, None
        for name in LISTS:
            listed = self.values.get(name, [])
            for token in listed.values() if isinstance(listed, dict) else listed:
                yield self.where(name), text_of(token), None
        for token_id, token in self.values.get("added_tokens_decoder", {}).items():
            where = self.where("added_tokens_decoder")
            yield where, text_of(token), int(token_id)
        for token, token_id in self.added.items():
            yield str(self.folder / "added_tokens.json"), token, token_id

    def eos_ids(self, vocab: dict[str, int]) -> tuple[int, ...]:
        """Return the ids that end a text, or a turn in a chat."""
        ids = [vocab.get(self.token("eos_token"))]
        for ends in self.model_ends:
            ids += ends if isinstance(ends, list) else [ends]
        return tuple(dict.fromkeys(one for one in ids if one is not None))

    def where(self, setting: str) -> str:
        """Return a setting's name with that of its file."""
        path = self.paths.get(setting, self.folder / "tokenizer_config.json")
        return f"{setting} in {path}"

    def require(self, wanted: dict[str, list]) -> None:
        """Raise unless each setting in `wanted` has one of the values listed there."""
        for setting, values in wanted.items():
            require_setting(self.where(setting), self.values.get(setting), values)

    def require_ids(self, id_of: Callable[[str], int | None]) -> None:
        """Raise unless each token that is named has an id, the given one if any.

        Args:
            id_of: returns the id of a token, None if it has none.
        """
        for where, token, token_id in self.tokens():
            known_id = id_of(token)
            if known_id is None:
                raise UnsupportedTokenizer(
                    f"{where} is {token!r}: wanted a token of the vocabulary"
                )
            if token_id is not None:
                require_setting(f"the id of {token!r} of {where}", token_id, [known_id])


def text_of(token: str | dict | None) -> str | None:
    """Return the text of a token, which may be an object that holds it."""
    return token.get("content") if isinstance(token, dict) else token


def require_setting(name: str, value: object, wanted: list) -> None:
    """Raise unless the `value` of a setting is one of the list `wanted`."""
    if value not in wanted:
        listed = " or ".join(map(reprlib.repr, wanted))
        raise UnsupportedTokenizer(f"{name} is {reprlib.repr(value)}: wanted {listed}")
