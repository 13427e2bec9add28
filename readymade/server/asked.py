"""What the body of a request asks for."""

import json
import reprlib
from numbers import Real
from typing import Any, NamedTuple

from scratch.checks import (
    require_choice,
    require_number,
    require_seed,
    require_some_ids,
    require_text,
)
from scratch.serving import Request
from scratch.tokenization import Tokenizer

from starlette.exceptions import HTTPException

# Fields that may be there, each with the only value that changes no text.
ONLY = {
    **{"n": 1, "best_of": 1, "top_p": 1, "frequency_penalty": 0, "presence_penalty": 0},
    **{"logprobs": False, "echo": False, "logit_bias": {}, "tools": []},
    **{"response_format": {"type": "text"}},
}
ROLES = ("system", "user", "assistant")


class Asked(NamedTuple):
    """A Request, and how its text is wanted.

    Args:
        request: for the engine.
        stops: strings that end the text.
        stream: whether it is wanted in pieces.
        usage: whether the number of tokens is wanted after them.
    """

    request: Request
    stops: list[str]
    stream: bool
    usage: bool


def asked(body: bytes, model: Any, chat: bool) -> Asked:
    """Return what a body asks of a Model, or raise HTTPException, in words.

    Args:
        body: JSON.
        model: the Model.
        chat: whether it holds messages, and not a prompt.
    """
    try:
        given = fields("the body", json.loads(body))
        if (name := given.pop("model", model.name)) != model.name:
            wanted = f"wanted {model.name!r}"
            raise HTTPException(404, f"model is {reprlib.repr(name)}: {wanted}")
        return read(given, model, chat)
    except (TypeError, ValueError, RecursionError) as error:
        raise HTTPException(400, str(error)) from error


def read(given: dict, model: Any, chat: bool) -> Asked:
    """Return what is asked for; TypeError or ValueError says what is wrong."""
    if chat:
        ids = chat_ids(given.pop("messages", None), model.tokenizer)
    else:
        ids = prompt_ids(given.pop("prompt", None), model.tokenizer)
    room = model.longest + 1 - len(ids)  # the last token is never read
    if room < 1:
        raise ValueError(
            f"the prompt has {len(ids)} tokens: wanted at most {model.longest}"
        )
    # OpenAI's own: as many as fit after a chat, 16 after a prompt
    either = ("max_tokens", "max_completion_tokens")
    name = either["max_completion_tokens" in given]
    most = given.pop(name, room if chat else min(room, 16))
    require_number(name, most, int, "an integer")
    if not 1 <= most <= room:
        raise ValueError(
            f"{name} is {reprlib.repr(most)}: wanted 1 to {room} after this prompt"
        )
    temperature, seed = given.pop("temperature", 1), given.pop("seed", None)
    require_number("temperature", temperature, Real)
    require_seed(seed)
    if not 0 <= temperature <= 2:
        raise ValueError(f"temperature is {temperature}: wanted 0 to 2")
    # the likeliest token is drawn with no seed
    how = (temperature, seed) if temperature else ()
    request = Request(ids, most, model.ends, *how)
    stops = given.pop("stop", [])
    stops = [stops] if isinstance(stops, str) else of(list, "stop", stops)
    if len(stops) > 4:  # as OpenAI's
        raise ValueError(f"stop has {len(stops)} strings: wanted at most 4")
    for stop in stops:
        require_text("stop", stop)
    if "" in stops:
        raise ValueError("stop has an empty string: wanted one that can be found")
    stream = of(bool, "stream", given.pop("stream", False))
    options = fields("stream_options", given.pop("stream_options", {}))
    usage = of(bool, "include_usage", options.pop("include_usage", False))
    none_left("stream_options", options)
    given.pop("user", None)  # a name, which changes no text
    for name, only in ONLY.items():
        value = given.pop(name, only)
        if value != only or isinstance(value, bool) != isinstance(only, bool):
            raise ValueError(f"{name} is {reprlib.repr(value)}: wanted {only!r}")
    none_left("the body", given)
    return Asked(request, stops, stream, usage)


def chat_ids(messages: Any, tokenizer: Tokenizer) -> list[int]:
    """Return the ids of a chat, up to where the model's answer begins."""
    if not getattr(tokenizer, "settings", {}).get("chat_template"):
        raise ValueError("this model has no chat template: wanted /v1/completions")
    if not of(list, "messages", messages):
        raise ValueError("messages is empty: wanted at least one")
    turns = []
    for place, message in enumerate(messages):
        name = f"messages[{place}]"
        given = fields(name, message)
        role, content = given.pop("role", None), given.pop("content", None)
        none_left(name, given)
        require_choice(f"{name}.role", role, ROLES)
        require_text(f"{name}.content", content)
        for special in tokenizer.special.others:
            if special in content:
                raise ValueError(f"{name}.content has {special}: wanted no such token")
        turns.append({"role": role, "content": content})
    try:
        text = tokenizer.chat_text(turns)
    except Exception as error:  # whatever the template raises
        raise ValueError(f"messages are refused by the template: {error}") from error
    return known_ids(text, tokenizer)


def prompt_ids(prompt: Any, tokenizer: Tokenizer) -> list[int]:
    """Return the ids of a prompt, a text or a list of ids."""
    if not isinstance(prompt, list):
        require_text("prompt", prompt)
        if hasattr(tokenizer, "cut"):  # of the library
            known_ids(prompt, tokenizer)
        prompt = tokenizer.encode(prompt)
    require_some_ids("prompt", prompt)
    return prompt


def known_ids(text: str, tokenizer: Tokenizer) -> list[int]:
    """Return the ids of a text; ValueError if a special token replaces a word."""
    cut = tokenizer.cut(text)
    for token, (start, stop) in zip(cut.tokens, cut.offsets, strict=True):
        word = text[start:stop].strip()
        if token in tokenizer.special.others and word != token:
            raise ValueError(f"the model does not know {word!r}: wanted other words")
    return cut.ids


def fields(name: str, value: Any) -> dict:
    """Return the fields of an object that are not null."""
    given = of(dict, name, value)
    return {key: one for key, one in given.items() if one is not None}


def of(kind: type, name: str, value: Any) -> Any:
    """Return a value of this kind; TypeError if it is of another."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} is {reprlib.repr(value)}: wanted a {kind.__name__}")
    return value


def none_left(name: str, given: dict) -> None:
    """Raise if there are fields left, which nothing heeds."""
    if given:
        raise ValueError(f"{name} has {reprlib.repr(min(given))}: wanted no such field")
