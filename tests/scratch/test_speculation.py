"""Speculative decoding: guesses save calls and change no token."""

from collections import Counter, defaultdict

from readymade.weights import copy_weights
from scratch.config import TransformerConfig
from scratch.serving import guessed

import numpy as np
import pytest
from helpers.frameworks import TENSORFLOW, TORCH, both, twins

SIZES = {
    "vocab_size": 31,
    "d_model": 16,
    "num_heads": 4,
    "d_ff": 20,
    "num_layers": 2,
    "max_len": 40,
}
TODAY = {"positions": "rotary", "num_kv_heads": 2, "norm_first": True}
ENDS = [2, 5]


def models(framework, **named):
    """Return a model, one near it and one unlike it."""
    found = []
    for seed, noise in ((0, 0.0), (0, 0.02), (1, 0.0)):
        config = TransformerConfig(**SIZES | named)
        one, other = twins("CausalLanguageModel", config, weights_seed=seed)
        for weight in one.parameters():
            weight.data.mul_(3)
            weight.data.add_(noise * weight.data.clone().normal_())
        copy_weights(one, other)
        found.append(one if framework is TORCH else other)
    return found


def table_of(framework, model):
    """Return what followed each token and each pair in some of a model's texts."""
    table = defaultdict(Counter)
    for first in range(3, 31):
        ids = framework.tensor(np.array([[first]]))
        text = framework.numpy(model.generate(ids, 2, 30))[0].tolist()
        for one, two, three in zip(text, text[1:], text[2:], strict=False):
            table[one, two][three] += 1
            table[(two,)][three] += 1
    return dict(table)


def calls_and_tokens(framework, model, draft, guesses, prompts=5, ends=ENDS, **named):
    """Speculate; return the calls of the model and the tokens written."""
    random, calls, tokens = np.random.default_rng(0), 0, 0
    for row in range(prompts):
        ids = random.integers(6, 31, (1, random.integers(1, 9)))
        task = framework.tensor(ids), ends, 20
        drawn = {**named, "seed": row} if named else {}
        wanted = framework.numpy(model.generate(*task, **drawn))
        with framework.recorded(model.logits) as passed:
            found = framework.speculate(model, draft, *task, guesses, **drawn)
        np.testing.assert_array_equal(framework.numpy(found), wanted)
        calls += len(passed)
        tokens += wanted.shape[1] - ids.shape[1]
    return calls, tokens


@both
@pytest.mark.parametrize("named", [{}, {"temperature": 0.9}], ids=["greedy", "drawn"])
def test_the_text_is_that_of_generate(framework, named):
    model, near, other = models(framework, **TODAY)
    calls, tokens = calls_and_tokens(framework, model, near, 4, prompts=3, **named)
    assert calls < 0.7 * tokens
    if framework is TORCH:
        calls_and_tokens(framework, model, other, 2, **named)
        calls, tokens = calls_and_tokens(framework, model, {}, 3, **named)
        assert calls == tokens


@pytest.mark.parametrize(
    "framework",
    [TORCH, pytest.param(TENSORFLOW, marks=pytest.mark.slow("its own last token"))],
    ids=str,
)
def test_the_token_after_the_last_guess_is_the_models(framework):
    """The draft is unlike the model, but when hot, it guesses right now and then."""
    model, _, other = models(framework, **TODAY)
    hot = {"temperature": 20.0, "ends": [0], "prompts": 3}
    calls, tokens = calls_and_tokens(framework, model, other, 1, **hot)
    assert calls < tokens


@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
def test_the_text_is_that_of_generate_with_other_positions(positions):
    model, near, _ = models(TORCH, positions=positions)
    for guesses in (1, 7, 30):
        calls, tokens = calls_and_tokens(TORCH, model, near, guesses)
        assert calls < tokens


def test_a_table_of_n_grams_is_a_draft():
    model, *_ = models(TORCH, **TODAY)
    table = table_of(TORCH, model)
    for named in ({}, {"temperature": 0.5}):
        calls, tokens = calls_and_tokens(TORCH, model, table, 4, ends=[0], **named)
        assert calls < tokens


def test_a_table_guesses_by_its_longest_end():
    table = {(7,): {3: 1, 9: 2}, (4, 7): {8: 1}, (8,): {5: 3, 6: 3}}
    assert guessed(table, [4, 7], [None] * 4) == [8, 5]
    assert guessed(table, [7], [None]) == [9]
    assert guessed(table, [7], [0.3]) == [3]
    assert guessed(table, [7], [0.4]) == [9]
    assert guessed(table, [8], [0.999]) == [6]
    assert guessed(table, [3], [None]) == guessed({}, [7], [None]) == []


@both
def test_what_cannot_be_checked_is_refused(framework):
    model, near, _ = models(framework, **TODAY)
    windowed, *_ = models(framework, positions="rotary", window=3)
    short, *_ = models(framework, max_len=9)
    ids = framework.tensor(np.array([[7, 8]]))
    for arguments, error, words in [
        ((model, near, ids[:, :0], 2, 5), ValueError, r"ids has shape \(1, 0\)"),
        ((model, near, 7, 2, 5), TypeError, "ids is a int"),
        ((model, model.decoder, ids, 2, 5), TypeError, r"draft is a .*Decoder: wanted"),
        ((model, {(8,): [9, 9]}, ids, 2, 5), TypeError, r"draft has \(8,\): \[9, 9\]"),
        ((model, {8: {9: 2}}, ids, 2, 5), TypeError, r"8: \{9: 2\}: wanted a tuple"),
        ((model.decoder, near, ids, 2, 5), TypeError, r"model is a .*Decoder: wanted"),
        ((windowed, near, ids, 2, 5), ValueError, "model has a sliding window"),
        ((model, windowed, ids, 2, 5), ValueError, "draft has a sliding window"),
        ((model, near, ids, 31, 5), ValueError, "eos_id is 31"),
        ((model, near, ids, 2, 0), ValueError, "max_new_tokens is 0"),
        ((model, near, ids, 2, 40), ValueError, "has 41 tokens: wanted at most 40"),
        ((model, short, ids, 2, 9), ValueError, "has 10 tokens: wanted at most 9"),
        ((model, near, ids, 2, 5, 0), ValueError, "guesses is 0: wanted at least 1"),
        ((model, near, ids, 2, 5, 1, 0.0), ValueError, "temperature is 0.0"),
    ]:
        with pytest.raises(error, match=words):
            framework.speculate(*arguments)


def test_several_prompts_are_refused():
    model, near, _ = models(TENSORFLOW, **TODAY)
    ids = TENSORFLOW.tensor(np.array([[7, 8], [8, 9]]))
    with pytest.raises(ValueError, match=r"ids has shape \(2, 2\): wanted \(1, length"):
        TENSORFLOW.speculate(model, near, ids, 2, 5)
