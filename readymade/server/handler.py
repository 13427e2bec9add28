"""What each path answers, whole or as a stream of events."""

import json
import select
import socket
import time
import uuid
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from queue import Empty

from readymade.server.answer import Answer
from readymade.server.asked import Asked, asked
from readymade.server.worker import Job, Refused

MODELS, CHAT, COMPLETIONS = "/v1/models", "/v1/chat/completions", "/v1/completions"
LONGEST_BODY = 2**18  # bytes


class Handler(BaseHTTPRequestHandler):
    """Answers requests of one client; the server has the `model` and the `worker`."""

    protocol_version = "HTTP/1.1"
    timeout = 60  # seconds in which a client must send, or take, something

    def do_GET(self) -> None:
        """The list of models, which has one."""
        about = {"id": self.server.model.name, "object": "model", "created": 0}
        about["owned_by"] = "readymade"
        if self.path == MODELS:
            self.reply({"object": "list", "data": [about]})
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        """A text that goes on after a prompt or a chat."""
        try:
            body = self.read_body()
            if self.path not in (CHAT, COMPLETIONS):
                raise Refused(f"{self.path} is no path of this server", 404)
            wanted = asked(body, self.server.model, self.path == CHAT)
            self.answer(wanted)
        except Refused as error:
            self.refuse(error)
        except OSError:  # the client has gone, or sends nothing
            self.close_connection = True

    def read_body(self) -> bytes:
        """Return the body, or raise Refused for one without a length, or too long."""
        given = self.headers.get("Content-Length", "")
        if not (given.isascii() and given.isdigit()):
            self.close_connection = True
            raise Refused(f"Content-Length is {given!r}: wanted the number of bytes")
        length = int(given[:20])
        if length > LONGEST_BODY:
            self.close_connection = True
            # what is still sent is read, so that the client reads this answer
            wanted = f"wanted at most {LONGEST_BODY}"
            self.refuse(Refused(f"the body has {length} bytes: {wanted}", 413))
            while self.rfile.read1(LONGEST_BODY):
                pass
            raise BrokenPipeError
        return self.rfile.read(length)

    def answer(self, wanted: Asked) -> None:
        """Submit what is wanted, and send its text; give it up if the client leaves."""
        model = self.server.model
        job = self.server.worker.submit(wanted.request)
        tokens, decode = self.tokens(job), model.tokenizer.decode
        answer = Answer(tokens, decode, model.ends, wanted.stops)
        about = {"id": uuid.uuid4().hex, "created": int(time.time())}
        about["model"] = model.name
        try:
            (self.stream if wanted.stream else self.whole)(answer, wanted, about)
        finally:
            job.left = True

    def whole(self, answer: Answer, wanted: Asked, about: dict) -> None:
        """Send a text once it has ended."""
        text = "".join(answer)
        said, about["object"] = {"text": text}, "text_completion"
        if self.path == CHAT:
            said = {"message": {"role": "assistant", "content": text}}
            about["object"] = "chat.completion"
        self.reply({**about, **choice(said, answer.reason), **usage(answer, wanted)})

    def stream(self, answer: Answer, wanted: Asked, about: dict) -> None:
        """Send the pieces of a text as server-sent events; their end ends the line."""
        pieces = iter(answer)
        first = next(pieces)  # a refusal is sent instead of a stream
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        chat = self.path == CHAT
        about["object"] = "chat.completion.chunk" if chat else "text_completion"

        def send(value):
            self.wfile.write(f"data: {json.dumps(value)}\n\n".encode())

        def say(text, reason=None, **more):
            said = {"delta": {"content": text, **more}} if chat else {"text": text}
            send({**about, **choice(said, reason)})

        try:
            say(first, **({"role": "assistant"} if chat else {}))
            for piece in filter(None, pieces):
                say(piece)
            say("", answer.reason)
            if wanted.usage:
                send({**about, "choices": [], **usage(answer, wanted)})
            self.wfile.write(b"data: [DONE]\n\n")
        except Refused as error:
            send(error_body(error))

    def tokens(self, job: Job) -> Iterator[int]:
        """Yield a job's tokens as they come.

        Raises:
            Refused: the worker says so, or has stopped.
            BrokenPipeError: the client has gone.
        """
        while True:
            try:
                token = job.said.get(timeout=0.5)
            except Empty:
                if not self.server.worker.is_alive():
                    raise Refused("the server has stopped", 503) from None
                token = ...
            if token is None:
                return
            if isinstance(token, Exception):
                raise token
            # one that has sent all and hung up can be read, and nothing is there
            if select.select([self.connection], [], [], 0)[0] and not (
                self.connection.recv(1, socket.MSG_PEEK)
            ):
                raise BrokenPipeError
            if token is not ...:
                yield token

    def reply(self, value: dict, status: int = 200) -> None:
        """Send a value as JSON."""
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def send_error(self, code: int, message: str | None = None, _=None) -> None:
        """Send what the standard library refuses, in OpenAI's form, too."""
        self.close_connection = True
        message = message or f"{self.path} is no path of this server"
        self.refuse(Refused(message, int(code)))

    def refuse(self, error: Refused) -> None:
        """Send an error, in OpenAI's form."""
        self.reply(error_body(error), error.status)

    def log_message(self, *_) -> None:
        """Print nothing for each request."""


def choice(said: dict, reason: str | None) -> dict:
    """Return the only choice, as n is 1, in OpenAI's form."""
    one = {"index": 0, **said, "logprobs": None, "finish_reason": reason}
    return {"choices": [one]}


def usage(answer: Answer, wanted: Asked) -> dict:
    """Return how many tokens a request took, in OpenAI's form."""
    read, written = len(wanted.request.ids), answer.count
    counts = {"prompt_tokens": read, "completion_tokens": written}
    return {"usage": {**counts, "total_tokens": read + written}}


def error_body(error: Refused) -> dict:
    """Return an error in OpenAI's form."""
    kind = "invalid_request_error" if error.status < 500 else "server_error"
    about = {"message": str(error), "type": kind, "param": None, "code": None}
    return {"error": about}
