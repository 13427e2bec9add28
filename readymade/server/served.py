"""The model that is served, and the HTTP server around it."""

import importlib
from dataclasses import dataclass
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

from readymade.data import number_game
from readymade.server.handler import Handler
from readymade.server.worker import Worker
from readymade.weights import load_checkpoint
from scratch.tokenization import Tokenizer


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


class Server(ThreadingHTTPServer):
    """Answers clients on this machine only, each in a thread of its own."""

    request_queue_size = 128  # clients that may come at the same moment
    daemon_threads = True

    def __init__(self, port: int, model: Model, engine: Any):
        super().__init__(("127.0.0.1", port), Handler)
        self.model, self.worker = model, Worker(engine)
        self.worker.start()

    def server_close(self) -> None:
        """Stop listening, and the model."""
        super().server_close()
        self.worker.stop()


def serve(
    folder: str | Path | None = None,
    framework: str = "torch",
    port: int = 8001,
    slots: int = 8,
    blocks: int = 256,
) -> Server:
    """Return a server; its `serve_forever` answers until it is stopped.

    Args:
        folder: a published language model's, as `load_checkpoint` takes it; None for
            the assistant that chapter 15 trains.
        framework: "torch" or "tensorflow".
        port: on 127.0.0.1; 0 for any that is free, which `server_port` then says.
        slots, blocks: as in Engine.

    Raises:
        TypeError, ValueError: the model writes no texts, or lacks a tokenizer or an
            end.
        OSError: the port is taken.
    """
    model, tokenizer = load_checkpoint(folder or number_game.base_path(), framework)
    if tokenizer is None:
        raise ValueError(f"tokenizer of {folder} is None: wanted one")
    name, ends = "number-game", [*tokenizer.eos_ids]
    if folder is None:
        model = number_game.stages(framework)["rewards"]
        ends.append(number_game.END)
    else:
        name = Path(folder).resolve().name
    if not ends:
        raise ValueError(f"eos_token_id of {folder} is None: wanted a token that ends")
    package = importlib.import_module(f"scratch.{framework}")
    kind = package.Engine if framework == "torch" else package.TFEngine
    engine = kind(model, slots, blocks)
    size = engine.schedule.blocks.size
    longest = min(model.config.max_len, blocks * size)
    return Server(port, Model(name, tokenizer, ends, longest), engine)
