"""Clients of the server, and what `generate` writes for each of them alone."""

import contextlib
import functools
import http.client
import json
import socket
import threading
import time

from readymade.data import number_game, writer_path
from readymade.server import serve

import numpy as np
import openai

# Against hanging only: a busy machine is slow, not wrong.
HANGS = 600

CHAT, COMPLETIONS = "/v1/chat/completions", "/v1/completions"
WRITER = writer_path()
# An operation of the game takes 5 words, so these answers have 5 to 40 tokens.
ASKED = [one.text for one in number_game.questions(64, seed=3)]


def serving(*arguments, **named):
    """A server on a port that is free, within `with`."""
    return serve(*arguments, port=0, **named)


@contextlib.contextmanager
def posted(server, path, body, **headers):
    """The answer of the server to a body, still open."""
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=HANGS)
    if isinstance(body, dict | list):
        body = json.dumps(body).encode()
    with contextlib.closing(line):
        line.request("POST", path, body, headers)
        yield line.getresponse()


def ask(server, path, body, **headers):
    """Return the status and the whole answer, or the events of a stream."""
    with posted(server, path, body, **headers) as answer:
        text = answer.read().decode()
        if answer.getheader("Content-Type") == "application/json":
            return answer.status, json.loads(text)
    *events, done, rest = text.split("\n\n")
    assert (done, rest) == ("data: [DONE]", "")
    return answer.status, [json.loads(one.removeprefix("data: ")) for one in events]


def published(server):
    """The published client, which tries once."""
    return openai.OpenAI(base_url=server.url, api_key="none", max_retries=0)


def connected(server):
    """A connection that can send anything."""
    return socket.create_connection(("127.0.0.1", server.port), timeout=HANGS)


def received(line):
    """Return the status, the headers and the value that a connection is sent."""
    with http.client.HTTPResponse(line) as answer:
        answer.begin()
        return answer.status, answer.headers, json.loads(answer.read())


def question(text, **more):
    return {"messages": [{"role": "user", "content": text}], **more}


def how(place):
    """The settings of one of many clients: every other one draws its tokens."""
    return {"temperature": place % 2, "seed": place}


def answered(body, status=200):
    """Return the text, why it ended, and the tokens written."""
    choice = body["choices"][0]
    count = body["usage"]["completion_tokens"]
    return choice["message"]["content"], choice["finish_reason"], count


@functools.cache
def stages(framework):
    return number_game.stages(framework)


@functools.cache
def alone(framework, text, temperature, seed, most=None):
    """Return the same as `generate` writes it for one client."""
    model = stages(framework)["rewards"]
    prompt = number_game.prompt(text)
    drawn = {"temperature": temperature, "seed": seed} if temperature else {}
    ends = [number_game.END, number_game.END_OF_TEXT]
    most = most or 161 - len(prompt)
    written = model.generate(np.array([prompt]), ends, most, **drawn)
    ids = np.asarray(written)[0, len(prompt) :].tolist()
    ended = ids[-1] in ends
    text = number_game.decode(ids[:-1] if ended else ids)
    return text, "stop" if ended else "length", len(ids)


def slowed(server, monkeypatch, seconds=0.02):
    """Let a step take long enough to leave within a text."""
    step = server.worker.engine.step

    def slow():
        time.sleep(seconds)
        step()

    monkeypatch.setattr(server.worker.engine, "step", slow)


def held(server, monkeypatch):
    """Let the engine begin a text, then write nothing until the event is set."""
    engine, going = server.worker.engine, threading.Event()
    step = engine.step

    def waits():
        if not engine.schedule.running or going.wait(0.01):
            step()

    monkeypatch.setattr(engine, "step", waits)
    return going


def wait_until(condition):
    end = time.monotonic() + HANGS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)
