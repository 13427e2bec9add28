"""What the body of a request may ask for, and what is refused in words."""

import pytest
from helpers.server import CHAT, COMPLETIONS, answered, ask, question, serving


@pytest.fixture(scope="module")
def assistant():
    with serving() as server:
        yield server


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
    "less than none": ({**GOOD, "max_completion_tokens": -1}, "_tokens is -1"),
    "two lengths": (
        {**GOOD, "max_tokens": -1, "max_completion_tokens": 3},
        "the body has 'max_tokens'",
    ),
    "a long word": (question("x" * 200_000), "wanted other words"),
    "a long seed": ({**GOOD, "seed": "9" * 200_000}, "wanted an integer"),
    "a long role": ({"messages": [{"role": "u" * 200_000}]}, "wanted one of 'system'"),
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
    "many stops": ({**GOOD, "stop": [*"abcde"]}, "stop has 5 strings"),
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
    assert len(answer["error"]["message"]) < 600
    assert answer["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize("prompt", [None, "", [], ["two"], [-1], [117], [1.5], [True]])
def test_a_prompt_that_is_none_is_refused(assistant, prompt):
    assert ask(assistant, COMPLETIONS, {"prompt": prompt})[0] == 400


@pytest.mark.parametrize("prompt", ["  ", [], ["two", "three"]])
def test_a_refused_prompt_has_the_name_that_its_client_knows(assistant, prompt):
    _, answer = ask(assistant, COMPLETIONS, {"prompt": prompt})
    assert answer["error"]["message"].startswith("prompt is ")


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


def test_what_changes_no_text_may_be_said(assistant):
    body = {**GOOD, "temperature": 0, "max_tokens": 3}
    wanted = answered(ask(assistant, CHAT, body)[1])
    more = {"n": 1, "top_p": 1.0, "stop": None, "logit_bias": {}, "user": "anna"}
    assert answered(ask(assistant, CHAT, {**body, **more})[1]) == wanted
