"""The server answers as `generate` does, each client alone, whatever others send."""

import contextlib
import functools
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import readymade
from readymade.data import number_game
from readymade.server import serve
from readymade.server.answer import Answer
from readymade.weights import load_checkpoint, load_tokenizer

import numpy as np
import pytest

CHAT, COMPLETIONS = "/v1/chat/completions", "/v1/completions"
WRITER = Path(readymade.__file__).parent / "data" / "writer"
# An operation of the game takes 5 words, so these answers have 5 to 40 tokens.
ASKED = [one.text for one in number_game.questions(24, seed=3)]
slowly = pytest.mark.slow("a TensorFlow engine that another thread steps")
FRAMEWORKS = ["torch", pytest.param("tensorflow", marks=slowly)]


@contextlib.contextmanager
def serving(*arguments, **named):
    with serve(*arguments, port=0, **named) as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def assistant():
    with serving() as server:
        yield server


@pytest.fixture(scope="module")
def writer():
    with serving(WRITER) as server:
        yield server


@contextlib.contextmanager
def posted(server, path, body):
    """The answer of the server to a body, still open."""
    line = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=120)
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    with contextlib.closing(line):
        line.request("POST", path, body)
        yield line.getresponse()


def ask(server, path, body):
    """Return the status and the whole answer, or the events of a stream."""
    with posted(server, path, body) as answer:
        text = answer.read().decode()
        if answer.getheader("Content-Type") == "application/json":
            return answer.status, json.loads(text)
    *events, done, rest = text.split("\n\n")
    assert (done, rest) == ("data: [DONE]", "")
    return answer.status, [json.loads(one.removeprefix("data: ")) for one in events]


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


def streamed(events):
    """Return the same of a stream whose usage was asked for."""
    *parts, last = events
    choices = [part["choices"][0] for part in parts]
    text = "".join(choice["delta"]["content"] for choice in choices)
    return text, choices[-1]["finish_reason"], last["usage"]["completion_tokens"]


@functools.cache
def stages(framework):
    return number_game.stages(framework)


def alone(framework, text, temperature, seed):
    """Return the same as `generate` writes it for one client."""
    model = stages(framework)["rewards"]
    prompt = number_game.prompt(text)
    drawn = {"temperature": temperature, "seed": seed} if temperature else {}
    ends = [number_game.END, number_game.END_OF_TEXT]
    written = model.generate(np.array([prompt]), ends, 161 - len(prompt), **drawn)
    *ids, last = np.asarray(written)[0, len(prompt) :].tolist()
    assert last in ends
    return number_game.decode(ids), "stop", len(ids) + 1


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_24_clients_at_once_get_the_texts_of_generate_alone(framework):
    stream = {"stream": True, "stream_options": {"include_usage": True}}

    def client(place):
        body = question(ASKED[place], **how(place))
        if place % 4 < 2:
            return answered(ask(server, CHAT, body)[1])
        return streamed(ask(server, CHAT, {**body, **stream})[1])

    # as small a pool as to send tasks back into the queue
    with serving(framework=framework, slots=8, blocks=16) as server:
        with ThreadPoolExecutor(24) as clients:
            texts = list(clients.map(client, range(24)))
        blocks = server.worker.engine.schedule.blocks
        assert len(blocks.free) == 16
    wanted = [alone(framework, text, **how(n)) for n, text in enumerate(ASKED)]
    assert texts == wanted


def test_64_clients_that_come_at_the_same_moment_are_all_answered(assistant):
    together = threading.Barrier(64)

    def client(_):
        together.wait()
        return ask(assistant, CHAT, question("what comes after two ?", max_tokens=1))

    with ThreadPoolExecutor(64) as clients:
        assert {status for status, _ in clients.map(client, range(64))} == {200}


def test_a_text_that_is_cut_says_so(assistant):
    body = question(ASKED[0], temperature=0)
    whole, _, _ = answered(ask(assistant, CHAT, body)[1])
    cut = ask(assistant, CHAT, {**body, "max_tokens": 2})[1]
    assert answered(cut) == (" ".join(whole.split()[:2]), "length", 2)
    cut = ask(assistant, CHAT, {**body, "max_completion_tokens": 2})[1]
    assert answered(cut)[1:] == ("length", 2)
    prompt = len(number_game.prompt(ASKED[0]))
    assert cut["usage"]["prompt_tokens"] == prompt
    assert cut["usage"]["total_tokens"] == prompt + 2


def test_a_prompt_is_continued_as_generate_continues_it(writer):
    model, tokenizer = load_checkpoint(WRITER)
    text = "The king’s daughter"
    ids = tokenizer.encode(text)
    written = model.generate(np.array([ids]), tokenizer.eos_ids, 40)
    wanted = tokenizer.decode(written[0, len(ids) :].tolist())
    body = {"prompt": text, "temperature": 0, "max_tokens": 40, "model": "writer"}
    for prompt in (text, ids):
        _, whole = ask(writer, COMPLETIONS, {**body, "prompt": prompt})
        assert whole["choices"][0]["text"] == wanted
    _, parts = ask(writer, COMPLETIONS, {**body, "stream": True})
    assert len(parts) > 10
    assert "".join(part["choices"][0]["text"] for part in parts) == wanted
    for stops in ([wanted[7:12]], [wanted[20:30], wanted[7:12]]):
        _, whole = ask(writer, COMPLETIONS, {**body, "stop": stops})
        choice = whole["choices"][0]
        cut = wanted[: min(map(wanted.index, stops))]
        assert (choice["text"], choice["finish_reason"]) == (cut, "stop")


def test_a_model_without_a_chat_template_refuses_chats(writer):
    status, body = ask(writer, CHAT, question("What comes after two?"))
    assert status == 400 and "chat template" in body["error"]["message"]


@pytest.mark.parametrize("stops", [[], ["😀x"], ["x😀"], ["ï"], ["zz", "y"], ["本 語"]])
def test_pieces_are_whole_characters_and_add_up_to_the_text(stops):
    tokenizer = load_tokenizer(WRITER)
    text = "naïve 日本語 😀😀x, “xyzzy”"
    ids = tokenizer.encode(text)
    assert len(ids) > len(text)  # characters of several tokens
    answer = Answer([*ids, 999], tokenizer.decode, [999], stops)
    pieces = list(answer)
    found = [text.index(stop) for stop in stops if stop in text]
    assert "".join(pieces) == text[: min(found, default=None)]
    assert answer.reason == "stop"
    assert not any("\ufffd" in piece for piece in pieces)
    assert max(map(len, pieces)) <= 4  # nothing waits that need not
    # half a character at the end is what `decode` makes of it
    cut = tokenizer.encode("日")[:-1]
    assert "".join(Answer(cut, tokenizer.decode, [999])) == tokenizer.decode(cut)


def slowed(server, monkeypatch):
    """Let a step take long enough to leave within a text."""
    step = server.worker.engine.step

    def slow():
        time.sleep(0.02)
        step()

    monkeypatch.setattr(server.worker.engine, "step", slow)


def wait_until(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize("stream", [False, True])
def test_a_client_that_leaves_frees_its_slot_and_blocks(monkeypatch, stream):
    body = {"prompt": "The king", "max_tokens": 120, "temperature": 0, "stop": "\0"}
    body["stream"] = stream
    with serving(WRITER, slots=1, blocks=10) as server:
        schedule = server.worker.engine.schedule
        slowed(server, monkeypatch)
        address = ("127.0.0.1", server.server_port)
        with socket.create_connection(address) as line, ThreadPoolExecutor(1) as other:
            data = json.dumps(body).encode()
            line.sendall(b"POST /v1/completions HTTP/1.1\r\nContent-Length: ")
            line.sendall(b"%d\r\n\r\n%b" % (len(data), data))
            wait_until(lambda: schedule.running)
            (task,) = schedule.running
            # another waits for the only slot
            short = {**body, "stream": False, "max_tokens": 2}
            waiting = other.submit(ask, server, COMPLETIONS, short)
            wait_until(lambda: schedule.waiting)
            line.close()
            assert waiting.result()[0] == 200
        assert not task.done and len(task.new) < 120
        wait_until(lambda: len(schedule.blocks.free) == 10)


def test_a_client_that_leaves_the_queue_takes_no_slot(monkeypatch):
    body = {"prompt": "The king", "max_tokens": 100, "temperature": 0, "stop": "\0"}
    with serving(WRITER, slots=1) as server, ThreadPoolExecutor(1) as other:
        schedule = server.worker.engine.schedule
        slowed(server, monkeypatch)
        first = other.submit(ask, server, COMPLETIONS, body)
        wait_until(lambda: schedule.running)
        address = ("127.0.0.1", server.server_port)
        with socket.create_connection(address) as line:
            line.sendall(b"POST /v1/completions HTTP/1.1\r\nContent-Length: 16\r\n\r\n")
            line.sendall(b'{"prompt": "No"}')
            wait_until(lambda: schedule.waiting)
        wait_until(lambda: not schedule.waiting)
        assert not first.done()
        assert first.result()[0] == 200


GOOD = question("what comes after two ?")
WRONG = {
    "no JSON": (b"{", "Expecting"),
    "no UTF-8": (b'{"messages": "\xff"}', "decode"),
    "nested": (b"[" * 100_000, "recursion"),
    "a list": ([GOOD], "the body is"),
    "no messages": ({}, "messages is None"),
    "empty": ({"messages": []}, "messages is empty"),
    "a text": ({"messages": "what ?"}, "messages is 'what ?'"),
    "no role": ({"messages": [{"content": "what ?"}]}, "messages[0].role is None"),
    "no content": ({"messages": [{"role": "user"}]}, "messages[0].content"),
    "parts": (question([{"type": "text", "text": "what ?"}]), "messages[0].content"),
    "a name": ({"messages": [{**GOOD["messages"][0], "name": "anna"}]}, "'name'"),
    "half a character": (question("\ud800"), "surrogate"),
    "a special token": (question("what <|end|>"), "<|end|>"),
    "an unknown word": (question("hello world"), "'hello'"),
    "an unknown role": ({"messages": [{"role": "system", "content": "you"}]}, "system"),
    "too long a chat": (question("is " * 161), "wanted at most 160"),
    "much too long a chat": (question("is " * 80_000), "wanted at most 160"),
    "too long an answer": ({**GOOD, "max_tokens": 10**30}, "max_tokens is 1000"),
    "no answer": ({**GOOD, "max_tokens": 0}, "max_tokens is 0"),
    "less than none": ({**GOOD, "max_completion_tokens": -1}, "max_tokens is -1"),
    "half a token": ({**GOOD, "max_tokens": 1.5}, "max_tokens is 1.5"),
    "hot": ({**GOOD, "temperature": 2.5}, "temperature is 2.5"),
    "cold": ({**GOOD, "temperature": -1}, "temperature is -1"),
    "not a number": ({**GOOD, "temperature": float("nan")}, "temperature is nan"),
    "words": ({**GOOD, "temperature": "hot"}, "temperature is 'hot'"),
    "a negative seed": ({**GOOD, "seed": -1}, "seed is -1"),
    "two texts": ({**GOOD, "n": 2}, "n is 2"),
    "true texts": ({**GOOD, "n": True}, "n is True"),
    "top_p": ({**GOOD, "top_p": 0.5}, "top_p is 0.5"),
    "top_k": ({**GOOD, "top_k": 5}, "'top_k'"),
    "penalty": ({**GOOD, "presence_penalty": 1}, "presence_penalty is 1"),
    "logprobs": ({**GOOD, "logprobs": 0}, "logprobs is 0"),
    "tools": ({**GOOD, "tools": [{}]}, "tools is"),
    "an empty stop": ({**GOOD, "stop": ["a", ""]}, "stop has"),
    "a stop of bytes": ({**GOOD, "stop": [1]}, "stop is of type int"),
    "stream": ({**GOOD, "stream": 1}, "stream is 1"),
    "options": ({**GOOD, "stream_options": {"x": 1}}, "'x'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_request_is_refused_in_words(assistant, name):
    body, words = WRONG[name]
    status, answer = ask(assistant, CHAT, body)
    assert status == 400
    assert words in answer["error"]["message"]
    assert answer["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize("prompt", [None, "", [], ["two"], [-1], [117], [1.5], [True]])
def test_a_prompt_that_is_none_is_refused(assistant, prompt):
    assert ask(assistant, COMPLETIONS, {"prompt": prompt})[0] == 400


def test_what_changes_no_text_may_be_said(assistant):
    body = {**GOOD, "temperature": 0, "max_tokens": 3}
    wanted = answered(ask(assistant, CHAT, body)[1])
    more = {"n": 1, "top_p": 1.0, "stop": None, "logit_bias": {}, "user": "anna"}
    assert answered(ask(assistant, CHAT, {**body, **more})[1]) == wanted


def test_another_model_or_path_is_not_found(assistant):
    assert ask(assistant, CHAT, {**GOOD, "model": "gpt-2"})[0] == 404
    assert ask(assistant, "/v1/embeddings", GOOD)[0] == 404


def test_a_text_longer_than_all_blocks_is_refused():
    with serving(blocks=1) as server:
        status, answer = ask(server, CHAT, question("what is " * 8))
        assert status == 400 and "at most 16" in answer["error"]["message"]
        status, answer = ask(server, CHAT, {**GOOD, "max_tokens": 10})
        assert status == 400 and "wanted 1 to 9" in answer["error"]["message"]
        assert answered(ask(server, CHAT, GOOD)[1])[0]


HOSTILE = {
    "no length": (b"POST /v1/completions HTTP/1.1\r\n\r\n", 400),
    "a negative length": (b"POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n", 400),
    "a long length": (
        b"POST / HTTP/1.1\r\nContent-Length: " + b"9" * 5_000 + b"\r\n\r\n",
        413,
    ),
    "a huge body": (
        b"POST / HTTP/1.1\r\nContent-Length: 5000000\r\n\r\n" + b"x" * 5_000_000,
        413,
    ),
    "chunks": (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    "no request": (b"\x00\xff\r\n\r\n", None),
    "another method": (b"PUT /v1/models HTTP/1.1\r\n\r\n", 501),
    "half a body": (b"POST / HTTP/1.1\r\nContent-Length: 50\r\n\r\n{", None),
    "half a line": (b"POST /v1", None),
    "nothing": (b"", None),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_bytes_end_the_server_or_lose_another_text(assistant, name):
    data, status = HOSTILE[name]
    wanted = alone("torch", ASKED[1], 1, 5)
    body = question(ASKED[1], temperature=1, seed=5)
    with ThreadPoolExecutor(4) as clients:
        others = [clients.submit(ask, assistant, CHAT, body) for _ in range(4)]
        address = ("127.0.0.1", assistant.server_port)
        with socket.create_connection(address, timeout=60) as line:
            line.sendall(data)
            if status:
                line.shutdown(socket.SHUT_WR)
                answer = line.makefile("rb").read()
                head, _, said = answer.rpartition(b"\r\n\r\n")
                assert f" {status} ".encode() in head.splitlines()[0]
                assert json.loads(said)["error"]["message"]
        assert [answered(other.result()[1]) for other in others] == [wanted] * 4


def test_a_prompt_on_which_the_model_fails_loses_no_other_text(monkeypatch):
    with serving(slots=4) as server:
        engine = server.worker.engine
        read = engine.read

        def fails(tasks):
            if any(len(task.request.ids) == 9 for task in tasks):
                raise ValueError("logits are nan: wanted finite numbers")
            read(tasks)

        monkeypatch.setattr(engine, "read", fails)
        slowed(server, monkeypatch)
        wanted = [alone("torch", text, **how(n)) for n, text in enumerate(ASKED[:4])]
        with ThreadPoolExecutor(8) as clients:
            bodies = [question(text, **how(n)) for n, text in enumerate(ASKED[:4])]
            bad = {"prompt": [5] * 9, "max_tokens": 3}
            others = [clients.submit(ask, server, CHAT, body) for body in bodies]
            failed = [clients.submit(ask, server, COMPLETIONS, bad) for _ in range(4)]
            assert [answered(other.result()[1]) for other in others] == wanted
            for one in failed:
                status, answer = one.result()
                assert status == 500 and answer["error"]["type"] == "server_error"
        assert len(engine.schedule.blocks.free) == 256


@pytest.mark.slow("a server that other computers reach, or that Ctrl-C does not end")
def test_the_command_serves_on_this_machine_until_ctrl_c():
    command = [sys.executable, "-m", "readymade.server", "--port", "0"]
    where = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, **where, env={**os.environ, "HOST": "0.0.0.0"})
    line = process.stdout.readline()
    assert line.startswith("number-game: http://127.0.0.1:")
    port = int(line.split(":")[3].split("/")[0])
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/v1/models")
    (model,) = json.loads(connection.getresponse().read())["data"]
    assert model["id"] == "number-game"
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate(timeout=60)
    assert (process.returncode, rest.strip(), errors) == (0, "", "")


@pytest.mark.slow("a model that cannot be served, and a traceback instead of words")
def test_the_command_says_what_it_cannot_serve(tmp_path):
    command = [sys.executable, "-m", "readymade.server", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("readymade.server: ")


def test_the_published_client_is_answered(assistant):
    reason = "OpenAI's client is not installed: pip install openai"
    openai = pytest.importorskip("openai", reason=reason)
    address = f"http://127.0.0.1:{assistant.server_port}/v1"
    with openai.OpenAI(base_url=address, api_key="none", max_retries=0) as client:
        (model,) = client.models.list()
        body = question(ASKED[0], model=model.id, temperature=1, seed=7)
        whole = client.chat.completions.create(**body)
        choice = whole.choices[0]
        count = whole.usage.completion_tokens
        wanted = alone("torch", ASKED[0], 1, 7)
        assert (choice.message.content, choice.finish_reason, count) == wanted
        parts = client.chat.completions.create(**body, stream=True)
        text = "".join(part.choices[0].delta.content for part in parts)
        assert text == wanted[0]
        prompt = {"model": model.id, "prompt": "five add three is", "temperature": 0}
        done = client.completions.create(**prompt, max_tokens=2)
        assert done.choices[0].text == "eight ."
        with pytest.raises(openai.BadRequestError, match="hello"):
            client.chat.completions.create(**{**body, **question("hello")})
        with pytest.raises(openai.NotFoundError):
            client.chat.completions.create(**{**body, "model": "gpt-2"})
