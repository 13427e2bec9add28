"""The model that is served."""

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from readymade.data import number_game
from readymade.weights import load_checkpoint
from scratch.checks import require_at_least
from scratch.tokenization import Tokenizer

if TYPE_CHECKING:
    from readymade.server.listening import Server


@dataclass(frozen=True)
class Model:
    """What a client needs to know of a model.

    Args:
        name: by which clients ask for it.
        tokenizer: with `chat` if it has a chat template.
        ends: the ids that end a text.
        longest: the most tokens that can be read of a text.
    """

    name: str
    tokenizer: Tokenizer
    ends: list[int]
    longest: int


def serve(
    folder: str | Path | None = None,
    framework: str = "torch",
    port: int = 8001,
    slots: int = 8,
    blocks: int = 256,
    queue: int = 256,
    patience: float = 30.0,
) -> "Server":
    """Return a server, which answers while its `run` runs, or within `with`.

    Args:
        folder: a published language model's, as `load_checkpoint` takes it; None for
            the assistant that chapter 15 trains.
        framework: "torch" or "tensorflow".
        port: on 127.0.0.1; 0 for any that is free, which the server's `port` then says.
        slots, blocks: as in Engine.
        queue: the most requests that may wait for a slot.
        patience: the seconds in which a client must send a request, take a part of an
            answer, or use an open connection again.

    Raises:
        ModuleNotFoundError: the web framework is not installed.
        TypeError, ValueError: the model writes no texts, or lacks a tokenizer or an
            end.
        OSError: the port is taken.
    """
    try:
        from readymade.server.listening import Server
    except ModuleNotFoundError as error:
        cure = "pip install starlette uvicorn"
        raise ModuleNotFoundError(f"{error}: wanted for the server ({cure})") from error
    require_at_least("queue", queue, 0)
    model, tokenizer = load_checkpoint(folder or number_game.base_path(), framework)
    if tokenizer is None:
        raise ValueError(f"tokenizer of {folder} is None: wanted one")
    name, ends = "number-game", [*tokenizer.eos_ids]
    if folder is None:
        model = number_game.stages(framework)["rewards"]
        ends.append(number_game.END)
    else:
        name = Path(folder).resolve().name
    package = importlib.import_module(f"scratch.{framework}")
    kind = package.Engine if framework == "torch" else package.TFEngine
    engine = kind(model, slots, blocks)
    if not ends:
        raise ValueError(f"eos_token_id of {folder} is None: wanted a token that ends")
    size = engine.schedule.blocks.size
    longest = min(model.config.max_len, blocks * size)
    return Server(Model(name, tokenizer, ends, longest), engine, port, queue, patience)
