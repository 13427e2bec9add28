"""A Firefox without a window, which opens pages and runs scripts over WebDriver BiDi.

Playwright needs a newer Firefox than a distribution's, so this module uses the protocol
directly: JSON over a WebSocket.
"""

import asyncio
import json
import subprocess
import time
from contextlib import contextmanager

from tornado.websocket import websocket_connect

# Requests to other machines go to a proxy that does not exist.
PREFS = [
    ("network.proxy.type", 1),
    ("network.proxy.http", '"127.0.0.1"'),
    ("network.proxy.http_port", 9),
    ("network.proxy.ssl", '"127.0.0.1"'),
    ("network.proxy.ssl_port", 9),
]
LOADED = """new Promise(done => document.readyState === "complete"
    ? done() : addEventListener("load", () => done()))"""
LONGEST = 300  # seconds for an answer, on a busy machine


class Firefox:
    """One window of a Firefox that listens at an address."""

    def __init__(self, address):
        self.loop = asyncio.new_event_loop()
        self.socket = self.loop.run_until_complete(connected(f"{address}/session"))
        self.number = 0
        self.send("session.new", capabilities={})
        self.window = self.send("browsingContext.getTree")["contexts"][0]["context"]

    def send(self, method, **parameters):
        """Give a command; return its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        asking = asyncio.wait_for(asked(self.socket, message), LONGEST)
        answer = self.loop.run_until_complete(asking)
        if answer["type"] == "error":
            raise RuntimeError(f"{method}: {answer['message']}")
        return answer["result"]

    def resize(self, width):
        """Set the width of the window."""
        size = {"width": width, "height": 900}
        self.send("browsingContext.setViewport", context=self.window, viewport=size)

    def open(self, address):
        """Open a page, and wait until it is loaded.

        The answer to `navigate` is not enough: on a busy machine it came before the
        page's deferred scripts had run.
        """
        self.send(
            "browsingContext.navigate",
            context=self.window,
            url=address,
            wait="complete",
        )
        self.evaluate(LOADED)

    def evaluate(self, script):
        """Return the value of a JavaScript expression or promise, by way of JSON."""
        answer = self.send(
            "script.evaluate",
            expression=f"(async () => JSON.stringify(await ({script})))()",
            target={"context": self.window},
            awaitPromise=True,
        )
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"].get("value", "null"))


async def connected(address):
    return await websocket_connect(address, max_message_size=2**28)


async def asked(socket, message):
    """Send a message and return its answer; ignore the events before it."""
    await socket.write_message(json.dumps(message))
    while True:
        answer = json.loads(await socket.read_message())
        if answer.get("id") == message["id"]:
            return answer


@contextmanager
def browsing_in_firefox(program, profile, more=()):
    """Yield a Firefox that reaches this machine only, its profile in an empty folder.

    `more` preferences are (name, value), the value as JavaScript.
    """
    preferences = [
        f'user_pref("{name}", {value});\n' for name, value in [*PREFS, *more]
    ]
    (profile / "user.js").write_text("".join(preferences))
    process = subprocess.Popen(
        [program, "--headless", "--remote-debugging-port=0", "--profile", profile],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        server = profile / "WebDriverBiDiServer.json"
        while not (server.exists() and server.read_text()):
            assert process.poll() is None, "Firefox has ended"
            time.sleep(0.1)
        port = json.loads(server.read_text())["ws_port"]
        yield Firefox(f"ws://127.0.0.1:{port}")
    finally:
        process.terminate()
        process.wait()
