"""No client makes the server fail or loses the text of another one."""

import contextlib
import json
import socket
import struct
import time
from concurrent.futures import ThreadPoolExecutor

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
    connected,
    held,
    how,
    posted,
    published,
    question,
    received,
    serving,
    slowed,
    wait_until,
)


@pytest.fixture(scope="module")
def assistant():
    with serving() as server:
        yield server


def head(*lines, method="POST", path=CHAT, host="x"):
    first = f"{method} {path} HTTP/1.1"
    return "\r\n".join([first, f"Host: {host}", *lines, "", ""]).encode()


def sent(path, body):
    """A whole request."""
    data = json.dumps(body).encode()
    return head(f"Content-Length: {len(data)}", path=path) + data


@pytest.mark.parametrize("stream", [False, True])
def test_a_client_that_leaves_frees_its_slot_and_blocks(monkeypatch, stream):
    body = {"prompt": "The king", "max_tokens": 120, "temperature": 0, "stop": "\0"}
    body["stream"] = stream
    with serving(WRITER, slots=1, blocks=10) as server:
        schedule = server.worker.engine.schedule
        going = held(server, monkeypatch)
        with connected(server) as line, ThreadPoolExecutor(1) as other:
            line.sendall(sent(COMPLETIONS, body))
            wait_until(lambda: schedule.running)
            (task,) = schedule.running
            # another waits for the only slot
            short = {**body, "stream": False, "max_tokens": 2}
            waiting = other.submit(ask, server, COMPLETIONS, short)
            wait_until(lambda: schedule.waiting)
            line.close()
            wait_until(lambda: task not in schedule.running)
            going.set()
            assert waiting.result()[0] == 200
        assert not task.done
        wait_until(lambda: len(schedule.blocks.free) == 10)


def test_a_client_that_leaves_the_queue_takes_no_slot(monkeypatch):
    body = {"prompt": "The king", "max_tokens": 100, "temperature": 0, "stop": "\0"}
    with serving(WRITER, slots=1) as server, ThreadPoolExecutor(1) as other:
        schedule = server.worker.engine.schedule
        going = held(server, monkeypatch)
        first = other.submit(ask, server, COMPLETIONS, body)
        wait_until(lambda: schedule.running)
        with connected(server) as line:
            line.sendall(sent(COMPLETIONS, {"prompt": "No"}))
            wait_until(lambda: schedule.waiting)
        wait_until(lambda: not schedule.waiting)
        assert schedule.running
        going.set()
        assert first.result()[0] == 200


GOOD = question("what comes after two ?")
CHUNKED = "Transfer-Encoding: chunked"
HOSTILE = {
    "no length": (head(), 400),
    "a negative length": (head("Content-Length: -5"), 400),
    "two lengths": (head("Content-Length: 5", "Content-Length: 6"), 400),
    "a long length": (head("Content-Length: " + "9" * 5_000), 400),
    "a huge body": (head("Content-Length: 5000000") + b"x" * 5_000_000, 413),
    "a huge body that waits": (
        head("Content-Length: 5000000", "Expect: 100-continue"),
        413,
    ),
    "huge chunks": (head(CHUNKED) + b"80000\r\n" + b"x" * 2**19 + b"\r\n", 413),
    "a chunk without its size": (head(CHUNKED) + b"zz\r\n", 400),
    "no chunks": (head("Transfer-Encoding: gzip"), 501),
    "a body that is zipped": (head("Content-Encoding: gzip"), 415),
    "a long head": (head("X: " + "x" * 1_000_000), 431),
    "a long head at once": (head("X: " + "x" * 2**14), 431),
    "many fields at once": (head(*["a: b"] * 3_000), 431),
    "no host": (b"GET /v1/models HTTP/1.1\r\n\r\n", 400),
    "a host that is none": (head(host="["), 400),
    "no request": (b"\x00\xff\r\n\r\n", 400),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\r\n" * 9, 400),
    "another method": (head(method="PUT", path="/v1/models"), 405),
    "no text to read": (head(method="GET"), 405),
    "no method": (head(method="{}", path="/v1/models"), 400),
    "another path": (head(path="/v1/embeddings"), 404),
    "a path that ends in /": (head(path="/v1/models/", method="GET"), 404),
    "a path outside": (head(path="/../../etc/passwd", method="GET"), 404),
    "no path": (head(path="*", method="OPTIONS"), 404),
    "half a body": (head("Content-Length: 50") + b"{", None),
    "half a line": (b"POST /v1", None),
    "nothing": (b"", None),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_bytes_end_the_server_or_lose_another_text(assistant, name, caplog):
    data, status = HOSTILE[name]
    wanted = alone("torch", ASKED[1], 1, 5)
    body = question(ASKED[1], temperature=1, seed=5)
    with ThreadPoolExecutor(4) as clients, connected(assistant) as line:
        others = [clients.submit(ask, assistant, CHAT, body) for _ in range(4)]
        line.sendall(data)
        if status:
            given, _, said = received(line)
            assert given == status, said
            assert {*said["error"]} == {"message", "type", "param", "code"}
        assert [answered(other.result()[1]) for other in others] == [wanted] * 4
    assert caplog.records == []  # a client's mistakes are none of the server's


def test_a_body_may_come_in_chunks(assistant):
    parts = [b'{"prompt": "five add ', b'three is", "max_tokens": 1}']
    status, body = ask(assistant, COMPLETIONS, iter(parts))
    assert status == 200 and body["choices"][0]["finish_reason"] == "length"


def test_a_method_that_is_wrong_is_told_the_right_one(assistant):
    with connected(assistant) as line:
        line.sendall(head(method="DELETE"))
        status, headers, _ = received(line)
        assert (status, headers["Allow"]) == (405, "POST")


SLOW = {
    "a line": b"POST /v1/chat",
    "a head": b"POST /v1/chat/completions HTTP/1.1\r\nX: ",
    "a body": head("Content-Length: 500") + b"{",
    "chunks": head(CHUNKED) + b"999\r\n",
}


@pytest.mark.parametrize("name", SLOW)
def test_a_client_that_sends_slowly_is_ended(name):
    with serving(patience=0.5) as server:
        begin = time.monotonic()
        with connected(server) as line:
            line.sendall(SLOW[name])
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                while not closing(line):
                    assert time.monotonic() < begin + HANGS
                    line.sendall(b"x")
                    time.sleep(0.02)
            assert time.monotonic() > begin + 0.5
            assert received(line)[0] == 408
        wait_until(lambda: not server.server_state.connections)
        server.config.timeout_keep_alive = HANGS
        assert ask(server, CHAT, GOOD)[0] == 200


def closing(line):
    """Whether there is something to read, which may be the end."""
    line.setblocking(False)
    try:
        line.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return False
    finally:
        line.settimeout(HANGS)
    return True


def test_a_client_that_sends_nothing_more_is_ended():
    with serving(patience=0.5) as server, connected(server) as line:
        assert received(line)[0] == 408
    with serving(patience=2) as server, connected(server) as line:
        line.sendall(sent(CHAT, GOOD) + head("Content-Length: 500"))
        assert received(line)[0] == 200
        assert received(line)[0] == 408


def test_a_client_that_goes_on_sending_after_its_answer_is_ended():
    with serving(patience=2) as server, connected(server) as line:
        line.sendall(head("Content-Length: 5000000"))
        assert received(line)[0] == 413
        with pytest.raises(OSError):  # of a connection that has been closed
            for _ in range(1_500):
                line.sendall(b"x")
                time.sleep(0.02)


def test_patience_counts_no_time_that_the_model_takes(monkeypatch):
    with serving(patience=1) as server:
        slowed(server, monkeypatch, 0.5)
        begin = time.monotonic()
        body = question(ASKED[0], temperature=0, max_tokens=5)
        assert ask(server, CHAT, body)[0] == 200
        assert time.monotonic() > begin + 2


def test_a_client_that_reads_slowly_holds_no_other(monkeypatch):
    with serving(slots=1, queue=0, patience=1) as server:
        decode = server.model.tokenizer.decode
        # more than the system keeps for a client that does not read
        monkeypatch.setattr(
            server.model.tokenizer, "decode", lambda ids: "x" * 10**6 * len(ids)
        )
        with connected(server) as line:
            line.sendall(sent(CHAT, question(ASKED[0], stream=True)))
            line.recv(1)
            wait_until(lambda: not server.worker.jobs)
            monkeypatch.setattr(server.model.tokenizer, "decode", decode)
            server.config.timeout_keep_alive = HANGS
            assert ask(server, CHAT, GOOD)[0] == 200
            wait_until(lambda: not server.server_state.connections)


def test_a_full_queue_refuses_and_loses_nothing(monkeypatch):
    with serving(slots=1, queue=2) as server, ThreadPoolExecutor(3) as clients:
        going = held(server, monkeypatch)
        wanted = [alone("torch", text, **how(n)) for n, text in enumerate(ASKED[:3])]
        bodies = [question(text, **how(n)) for n, text in enumerate(ASKED[:3])]
        others = [clients.submit(ask, server, CHAT, body) for body in bodies]
        wait_until(lambda: len(server.worker.jobs) == 3)
        with posted(server, CHAT, GOOD) as answer:
            assert (answer.status, answer.getheader("Retry-After")) == (429, "1")
        full = pytest.raises(openai.RateLimitError, match="the queue is full")
        with published(server) as client, full:
            client.chat.completions.create(model="number-game", **GOOD)
        going.set()
        assert [answered(other.result()[1]) for other in others] == wanted
        wait_until(lambda: not server.worker.jobs)
        for _ in range(5):  # a refusal takes no room, and an answer gives it back
            assert ask(server, CHAT, GOOD)[0] == 200


def test_too_many_connections_are_refused(monkeypatch):
    monkeypatch.setattr("readymade.server.listening.MOST_CLIENTS", 3)
    with serving() as server, contextlib.ExitStack() as idle:
        for _ in range(3):
            idle.enter_context(connected(server))
        wait_until(lambda: len(server.server_state.connections) == 3)
        with connected(server) as line:
            assert received(line)[0] == 503
        idle.close()
        wait_until(lambda: not server.server_state.connections)
        assert ask(server, CHAT, GOOD)[0] == 200


def test_a_server_that_stops_tells_its_clients(monkeypatch):
    body = question(ASKED[0], temperature=0)
    with ThreadPoolExecutor(1) as clients, contextlib.ExitStack() as until:
        server = until.enter_context(serving())
        held(server, monkeypatch)
        with posted(server, CHAT, {**body, "stream": True}) as stream:
            stream.readline()
            whole = clients.submit(ask, server, CHAT, body)
            wait_until(lambda: len(server.worker.jobs) == 2)
            until.close()
            *_, last, _, _ = stream.read().split(b"\n")
        assert whole.result()[0] == 503
        last = json.loads(last.removeprefix(b"data: "))
        assert last["error"]["type"] == "server_error"


@pytest.mark.parametrize("stream", [False, True])
def test_an_id_that_the_tokenizer_lacks_is_an_error_in_words(monkeypatch, stream):
    body = {"prompt": [5, 6], "max_tokens": 3, "stream": stream}
    with serving() as server:

        def decode(ids):
            raise ValueError("ids has 117: wanted less than 117")

        monkeypatch.setattr(server.model.tokenizer, "decode", decode)
        status, answer = ask(server, COMPLETIONS, body)
        assert (status, answer["error"]["type"]) == (500, "server_error")
        assert "wanted less than 117" in answer["error"]["message"]


def test_a_client_that_resets_its_connection_leaves_no_trace(assistant, capfd):
    with connected(assistant) as line:
        line.sendall(b"POST /v1")
        # closing it now sends a reset instead of an end
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    assert ask(assistant, CHAT, GOOD)[0] == 200
    assert capfd.readouterr() == ("", "")


def test_a_prompt_on_which_the_model_fails_loses_no_other_text(monkeypatch):
    with serving(slots=5) as server:
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
            wait_until(lambda: engine.schedule.running)
            failed = [clients.submit(ask, server, COMPLETIONS, bad) for _ in range(4)]
            assert [answered(other.result()[1]) for other in others] == wanted
            for one in failed:
                status, answer = one.result()
                assert status == 500 and answer["error"]["type"] == "server_error"
        assert len(engine.schedule.blocks.free) == 256
