"""The server, and its connections to clients."""

import socket
import sys
from threading import Thread
from typing import Any

from readymade.server.paths import application, error_body
from readymade.server.served import Model
from readymade.server.worker import Worker

import h11
import uvicorn
from starlette.responses import JSONResponse
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol

MOST_CLIENTS = 512  # connections at a time
LONGEST_HEAD = 2**14  # bytes


class Reader(h11.Connection):
    """What h11 reads, which has a limit of its own for heads that come in pieces only.

    h11 counts the bytes that wait for the rest of a head, not those of a whole one.
    """

    def next_event(self):
        """Return the next event, or raise for a head that is too long."""
        event = super().next_event()
        if isinstance(event, h11.Request):
            # a field has a colon, a space and the end of its line, too
            length = len(event.method) + len(event.target)
            length += sum(len(name) + len(value) + 4 for name, value in event.headers)
            if length > LONGEST_HEAD:
                given = f"the head has {length} bytes or more"
                words = f"{given}: wanted at most {LONGEST_HEAD}"
                raise h11.RemoteProtocolError(words, error_status_hint=431)
        return event


class Connection(H11Protocol):
    """What uvicorn does for a client, which must send and take something in time.

    Its errors have OpenAI's form, too.
    """

    def connection_made(self, transport) -> None:
        """Refuse a client if there are too many, or wait for what it sends."""
        super().connection_made(transport)
        self.conn = Reader(h11.SERVER, LONGEST_HEAD)
        transport.set_write_buffer_limits(0)  # what waits for a client is counted
        self.sending = self.taking = None
        if len(self.connections) > MOST_CLIENTS:
            self.refuse(503, f"there are {MOST_CLIENTS} clients: wanted fewer")
        else:
            self.wait()

    def data_received(self, data: bytes) -> None:
        """Go on with what a client has sent, and wait for the rest of a request."""
        super().data_received(data)
        self.wait()

    def wait(self) -> None:
        """Start the clock when a request begins, and stop it at the request's end."""
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self.sending = stopped(self.sending)
        elif self.sending is None:
            self.sending = self.loop.call_later(
                self.timeout_keep_alive,
                self.refuse,
                408,
                f"the request took more than {self.timeout_keep_alive} seconds",
            )

    def on_response_complete(self) -> None:
        """Wait for the rest of a request that has begun behind the one answered."""
        super().on_response_complete()
        if self.conn.their_state is h11.SEND_BODY:
            self.wait()

    def pause_writing(self) -> None:
        """Start the clock when a client takes nothing."""
        super().pause_writing()
        patience = self.timeout_keep_alive
        self.taking = self.loop.call_later(patience, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop the clock when a client has taken all that was there."""
        super().resume_writing()
        self.taking = stopped(self.taking)

    def connection_lost(self, error: Exception | None) -> None:
        """Stop all clocks."""
        super().connection_lost(error)
        self.sending, self.taking = stopped(self.sending), stopped(self.taking)

    def send_400_response(self, message: str) -> None:
        """Refuse what isn't HTTP, with the status that h11 has for it."""
        error = sys.exc_info()[1]
        status = getattr(error, "error_status_hint", 400)
        self.refuse(status, f"the request can't be read: {error or message}")

    def refuse(self, status: int, message: str) -> None:
        """Send an error, if nothing has been sent yet, and hang up."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            body = error_body(status, message)
            answer = JSONResponse(body, status, {"Connection": "close"})
            head = {"status_code": status, "reason": STATUS_PHRASES[status]}
            head = h11.Response(**head, headers=answer.raw_headers)
            for event in (head, h11.Data(data=answer.body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event))
        if self.cycle is not None:
            self.cycle.disconnected = True  # it sends nothing any more
        self.transport.close()


def stopped(clock: Any) -> None:
    """Stop a clock, if there is one; there is none then."""
    if clock is not None:
        clock.cancel()


class Server(uvicorn.Server):
    """Answers clients on this machine only.

    `run()` does so until Ctrl-C, and `with server:` in another thread until the block
    ends.

    Args:
        model: what clients need to know of it.
        engine: what runs it.
        port: 0 for any that is free.
        queue, patience: as in `serve`.

    Attributes:
        port: on which it listens.
        url: where clients find it.
    """

    def __init__(
        self, model: Model, engine: Any, port: int, queue: int, patience: float
    ):
        self.model, self.worker = model, Worker(engine, queue)
        config = uvicorn.Config(
            application(model, self.worker),
            loop="asyncio",
            http=Connection,
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="error",  # a client's mistakes are none of the server's
            access_log=False,
            proxy_headers=False,
            timeout_keep_alive=patience,
            timeout_graceful_shutdown=1,
        )
        super().__init__(config)
        self.listening = socket.create_server(("127.0.0.1", port))
        self.port = self.listening.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer clients until Ctrl-C, or until `should_exit` is set."""
        self.worker.start()
        super().run([self.listening, *(sockets or [])])

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop the model, which ends all answers, and then listening."""
        self.worker.stop()
        await super().shutdown(sockets)

    def __enter__(self) -> "Server":
        self.thread = Thread(target=self.run, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_) -> None:
        self.should_exit = True
        self.thread.join()
