"""What a folder says of its tokenizer beside the vocabulary."""

from collections.abc import Callable, Iterator
from pathlib import Path

from readymade.weights.vocabularies import read_json_if_any, shorten

NAMES = tuple(f"{name}_token" for name in "bos eos unk sep pad cls mask".split())
LISTS = ("additional_special_tokens", "extra_special_tokens")


class UnsupportedTokenizer(ValueError):
    """The files are sound, but what one of their settings asks for cannot be done."""


class Config:
    """What `tokenizer_config.json` says, and older files where it does not.

    Args:
        folder: the folder of the published model.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.values, self.paths = folder, {}, {}
        for name in ("special_tokens_map.json", "config.json", "tokenizer_config.json"):
            found = read_json_if_any(folder / name)
            if name == "config.json":
                found = {"tokenizer_class": found.get("tokenizer_class")}
            known = {key: value for key, value in found.items() if value is not None}
            self.values |= known
            self.paths |= dict.fromkeys(known, folder / name)
        named = self.get("chat_template", "")
        if not isinstance(named, str):  # several, each with its name
            named = {one["name"]: one["template"] for one in named}.get("default", "")
        path = folder / "chat_template.jinja"
        if template := path.read_text("utf-8") if path.exists() else named:
            self.values["chat_template"] = template

    def get(self, setting: str, otherwise: object = None) -> object:
        """Return the value of a setting, or `otherwise` where no file has one."""
        return self.values.get(setting, otherwise)

    def token(self, setting: str) -> str | None:
        """Return the text of a token, None where no file names it."""
        return text_of(self.get(setting))

    def tokens(self) -> Iterator[tuple[str, str, int | None]]:
        """Yield (where it is named, token, id or None) of each token that is named."""
        for name in NAMES:
            if (token := self.token(name)) is not None:
                yield self.where(name), token, None
        for name in LISTS:
            listed = self.get(name, [])
            for token in listed.values() if isinstance(listed, dict) else listed:
                yield self.where(name), text_of(token), None
        for token_id, token in self.get("added_tokens_decoder", {}).items():
            where = self.where("added_tokens_decoder")
            yield where, text_of(token), int(token_id)
        path = self.folder / "added_tokens.json"
        for token, token_id in read_json_if_any(path).items():
            yield str(path), token, token_id

    def ends(self, vocab: dict[str, int]) -> tuple[int | None, tuple[int, ...]]:
        """Return the id that begins a text, None if none does, and those that end one.

        The model's files may name several ends, as of a text and of a turn in a chat.
        """
        found = [vocab.get(self.token("eos_token"))]
        for name in ("generation_config.json", "config.json"):
            given = read_json_if_any(self.folder / name).get("eos_token_id")
            found += given if isinstance(given, list) else [given]
        ends = dict.fromkeys(one for one in found if one is not None)
        return vocab.get(self.token("bos_token")), tuple(ends)

    def where(self, setting: str) -> str:
        """Return a setting's name with that of its file."""
        path = self.paths.get(setting, self.folder / "tokenizer_config.json")
        return f"{setting} in {path}"

    def require(self, wanted: dict[str, list]) -> None:
        """Raise unless each setting in `wanted` has one of the values listed there."""
        for setting, values in wanted.items():
            require_setting(self.where(setting), self.get(setting), values)

    def require_ids(self, id_of: Callable[[str], int | None]) -> None:
        """Raise unless each token that is named has an id, and the one that is given.

        Args:
            id_of: returns the id of a token, None if it has none.
        """
        for where, token, token_id in self.tokens():
            found = id_of(token)
            if found is None:
                raise UnsupportedTokenizer(
                    f"{where} is {token!r}: wanted a token of the vocabulary"
                )
            if token_id is not None:
                require_setting(f"the id of {token!r} of {where}", token_id, [found])


def text_of(token: str | dict | None) -> str | None:
    """Return the text of a token, which may be an object that holds it."""
    return token.get("content") if isinstance(token, dict) else token


def require_setting(name: str, value: object, wanted: list) -> None:
    """Raise unless the `value` of a setting is one of the list `wanted`."""
    if value not in wanted:
        listed = " or ".join(shorten(one) for one in wanted)
        raise UnsupportedTokenizer(f"{name} is {shorten(value)}: wanted {listed}")
