"""The server answers as `generate` does, each client alone, however many there are."""

import errno
import http.client
import json
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from readymade.data import number_game
from readymade.server.__main__ import main
from readymade.server.answer import Answer
from readymade.server.worker import Worker
from readymade.weights import load_checkpoint, load_tokenizer, minilm_path

import numpy as np
import openai
import pytest
from helpers.server import (
    ASKED,
    CHAT,
    COMPLETIONS,
    HANGS,
    WRITER,
    alone,
    answered,
    ask,
    how,
    published,
    question,
    serving,
)

load = pytest.mark.slow("a text that is lost or mixed up under load, and only there")
slowly = pytest.mark.slow("a TensorFlow engine that another thread steps")


@pytest.fixture(scope="module")
def assistant():
    with serving() as server:
        yield server


@pytest.fixture(scope="module")
def writer():
    with serving(WRITER) as server:
        yield server


@pytest.fixture(scope="module")
def client(assistant):
    """The published client."""
    with published(assistant) as client:
        yield client


@pytest.mark.parametrize(
    ("framework", "clients", "requests", "slots"),
    [
        ("torch", 16, 32, 8),
        pytest.param("torch", 64, 512, 32, marks=load),
        pytest.param("tensorflow", 16, 24, 8, marks=slowly),
    ],
)
def test_clients_at_once_get_the_texts_of_generate_alone(
    framework, clients, requests, slots
):
    """By the published client, in streams and whole, greedily and drawn, some cut."""

    def settings(place):
        most = None if place % 3 else 6
        return ASKED[place % 64], *how(place % 64).values(), most

    def client(place):
        text, temperature, seed, most = settings(place)
        body = question(text, temperature=temperature, seed=seed, max_tokens=most)
        body["model"] = "number-game"
        if place // 64 % 2 == place % 4 // 2:
            return answered(api.chat.completions.create(**body).to_dict())
        options = {"stream": True, "stream_options": {"include_usage": True}}
        *parts, last = api.chat.completions.create(**body, **options)
        choices = [part.choices[0] for part in parts]
        text = "".join(choice.delta.content for choice in choices)
        return text, choices[-1].finish_reason, last.usage.completion_tokens

    # as small a pool as to send tasks back into the queue
    pool = {"slots": slots, "blocks": 2 * slots}
    with serving(framework=framework, **pool) as server:
        with published(server) as api, ThreadPoolExecutor(clients) as threads:
            texts = list(threads.map(client, range(requests)))
        blocks = server.worker.engine.schedule.blocks
        assert len(blocks.free) == 2 * slots
    assert texts == [alone(framework, *settings(n)) for n in range(requests)]


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
    answer = Answer(tokenizer.decode, [999], stops)
    pieces = []
    for token in [*ids, 999]:
        if answer.reason is None:
            pieces.append(answer.add(token))
    found = [text.index(stop) for stop in stops if stop in text]
    assert "".join(pieces) == text[: min(found, default=None)]
    assert answer.reason == "stop"
    assert not any("\ufffd" in piece for piece in pieces)
    assert max(map(len, pieces)) <= 4  # nothing waits that need not
    # half a character at the end is what `decode` makes of it
    cut = tokenizer.encode("日")[:-1]
    answer = Answer(tokenizer.decode, [999])
    pieces = [answer.add(token) for token in [*cut, None]]
    assert ("".join(pieces), answer.reason) == (tokenizer.decode(cut), "length")


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
    rest, errors = process.communicate(timeout=HANGS)
    assert (process.returncode, rest.strip(), errors) == (0, "", "")


def workers():
    return {one for one in threading.enumerate() if isinstance(one, Worker)}


def test_the_command_says_what_it_cannot_serve(assistant, tmp_path, capsys):
    before = workers()
    for arguments, words in [
        ([str(tmp_path)], "config.json"),
        ([str(minilm_path())], "model is a Encoder: wanted a CausalLanguageModel"),
        (["--blocks", "0"], "blocks is 0: wanted at least 1"),
        (["--port", str(assistant.port)], os.strerror(errno.EADDRINUSE)),
        (["--port", "99999"], ""),
    ]:
        assert main(arguments) == 1
        said = capsys.readouterr().err
        assert said.startswith("readymade.server: ") and words in said, said
    assert workers() == before


def test_the_server_needs_its_extra(monkeypatch, capsys):
    for name in [name for name in sys.modules if name.startswith("readymade.server.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main([]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "pip install starlette uvicorn" in said


def test_the_published_client_is_answered(client):
    (model,) = client.models.list()
    body = question(ASKED[0], model=model.id, temperature=1, seed=7)
    whole = client.chat.completions.create(**body)
    assert answered(whole.to_dict()) == alone("torch", ASKED[0], 1, 7)
    prompt = {"model": model.id, "prompt": "five add three is", "temperature": 0}
    done = client.completions.create(**prompt, max_tokens=2)
    assert done.choices[0].text == "eight ."
    with pytest.raises(openai.BadRequestError, match="hello"):
        client.chat.completions.create(**{**body, **question("hello")})
    with pytest.raises(openai.NotFoundError):
        client.chat.completions.create(**{**body, "model": "gpt-2"})
