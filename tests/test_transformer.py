"""The whole model: what it begins with, what it writes, and when it stops."""

import itertools
import math
from functools import partial

import keras
import numpy as np
import pytest
import torch
from helpers import configs
from helpers.frameworks import TENSORFLOW, TORCH, both, in_both_modes, kept
from hypothesis import given, settings
from hypothesis import strategies as st

CLOSE = {"atol": 1e-5, "rtol": 1e-5}
BOS, EOS = 1, 2


config = partial(configs.config, vocab_size=9, max_len=16)


def lively(framework, piece, **named):
    """Return a model, the same in both frameworks, that writes one thing and another.

    Most fresh models repeat themselves. With logits of its own, from this seed, a model
    varies what it writes and ends now and then.
    """
    settled = config(tie_output=False, **named)
    return kept(framework, piece, settled, weights_seed=2)


def generate(framework, model, *inputs, **named):
    return framework.run(model.generate, *inputs, **named)


SOURCE = np.array([[5, 3, 8, 7], [4, 6, 0, 0], [3, 3, 3, 0]])


@both
@in_both_modes
def test_a_future_target_changes_no_logits_before_it(framework, training):
    model = kept(framework, "Transformer", config())
    target = np.array([[1, 4, 5, 6], [1, 7, 7, 7], [1, 3, 0, 0]])
    before = framework.run(model, SOURCE, target, training=training)
    assert before.shape == (3, 4, 9)
    for position in range(1, 4):
        changed = target.copy()
        changed[:, position] = 8
        after = framework.run(model, SOURCE, changed, training=training)
        np.testing.assert_allclose(after[:, :position], before[:, :position], **CLOSE)


@both
@in_both_modes
def test_the_source_is_read_its_padding_is_not(framework, training):
    model = kept(framework, "Transformer", config())
    target = np.array([[1, 4, 5]])
    logits = framework.run(model, SOURCE[1:2], target, training=training)
    narrow = framework.run(model, SOURCE[1:2, :2], target, training=training)
    np.testing.assert_allclose(narrow, logits, **CLOSE)
    other = framework.run(model, SOURCE[2:3], target, training=training)
    assert np.abs(other - logits).max() > 1e-3


@both
@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("tie_output", [False, True])
@pytest.mark.parametrize("piece", ["Transformer", "CausalLanguageModel"])
def test_the_first_loss_is_that_of_a_guess(framework, piece, norm_first, tie_output):
    framework.seed()
    settled = config(
        vocab_size=512, d_model=64, num_heads=4, norm_first=norm_first,
        tie_output=tie_output,
    )  # fmt: skip
    model = getattr(framework, piece)(settled)
    rng = np.random.default_rng(0)
    inputs = [rng.integers(1, 512, (16, 12)) for _ in range(2)]
    logits = framework.run(model, *inputs[: 1 + (piece == "Transformer")])
    targets = rng.integers(1, 512, (16, 12))
    loss = framework.run(framework.cross_entropy, logits, targets, 0)
    # Logits with a spread of 1 cost half a nat more than a guess, not ten.
    assert math.log(512) - 0.1 < loss < math.log(512) + 0.8


@both
def test_one_vocabulary_is_one_table(framework):
    shared = kept(framework, "Transformer", config())
    assert shared.encoder.embeddings is shared.decoder.embeddings
    assert shared.logits.tokens is shared.decoder.embeddings.tokens
    apart = kept(framework, "Transformer", config(target_vocab_size=9))
    assert apart.encoder.embeddings is not apart.decoder.embeddings
    assert apart.logits.tokens is apart.decoder.embeddings.tokens
    own = kept(framework, "Transformer", config(tie_output=False))
    assert own.logits.tokens is not own.decoder.embeddings.tokens


def test_a_shared_table_is_one_parameter():
    """Neither optimiser steps twice with what is reached by three paths."""
    shared, apart = (
        config(),
        config(target_vocab_size=9, tie_output=False),
    )
    counts = {}
    for settled in (shared, apart):
        one = kept(TORCH, "Transformer", settled)
        other = kept(TENSORFLOW, "Transformer", settled)
        ours = sum(p.numel() for p in one.parameters())
        theirs = sum(math.prod(v.shape) for v in other.trainable_variables)
        assert ours == theirs
        counts[settled] = ours
    assert counts[apart] - counts[shared] == 2 * 9 * 12


# Generation


@both
@pytest.mark.parametrize("beam_size", [1, 3])
@pytest.mark.parametrize("norm_first", [False, True])
def test_cached_generation_equals_uncached(framework, beam_size, norm_first):
    model = lively(framework, "Transformer", norm_first=norm_first)
    cached, uncached = (
        generate(
            framework, model, SOURCE, BOS, EOS, 12, beam_size=beam_size, use_cache=use
        )
        for use in (True, False)
    )
    np.testing.assert_array_equal(cached, uncached)
    assert len(np.unique(cached)) > 2, "the model is too dull to tell"


@both
@pytest.mark.parametrize("beam_size", [1, 3])
@pytest.mark.parametrize("piece", ["Transformer", "CausalLanguageModel"])
def test_with_a_cache_each_step_reads_one_new_token(
    framework, piece, beam_size, monkeypatch
):
    model = lively(framework, piece)
    inputs, first = ((SOURCE, BOS), 1) if piece == "Transformer" else ((SOURCE[:1],), 4)
    read, next_logits = [], model.next_logits

    def counted(ids, *rest):
        read.append(ids.shape[1])
        return next_logits(ids, *rest)

    monkeypatch.setattr(model, "next_logits", counted)
    never = 8 + 1  # no token has this id
    for named, wanted in (
        ({}, [first, 1, 1, 1]),
        ({"use_cache": False}, [first, first + 1, first + 2, first + 3]),
    ):
        generate(framework, model, *inputs, never, 4, beam_size=beam_size, **named)
        assert read == wanted
        read.clear()


@pytest.mark.parametrize("beam_size", [1, 3])
@pytest.mark.parametrize("piece", ["Transformer", "CausalLanguageModel"])
def test_twins_generate_the_same(beam_size, piece):
    inputs = [SOURCE, BOS] if piece == "Transformer" else [SOURCE]
    one, other = (
        generate(
            framework,
            lively(framework, piece),
            *inputs,
            EOS,
            8,
            beam_size=beam_size,
        )
        for framework in (TORCH, TENSORFLOW)
    )
    np.testing.assert_array_equal(one, other)


@both
def test_greedy_takes_the_likeliest_token_each_time(framework):
    model = lively(framework, "Transformer")
    found = generate(framework, model, SOURCE, BOS, EOS, 12)
    for row, source in zip(found, SOURCE, strict=True):
        ids = [BOS]
        for token in row:
            logits = framework.run(model, source[None], np.array([ids]))
            assert token == logits[0, -1].argmax()
            ids.append(token)
            if token == EOS:
                break
        assert not row[len(ids) - 1 :].any()


@both
@pytest.mark.parametrize("piece", ["Transformer", "CausalLanguageModel"])
@pytest.mark.parametrize("use_cache", [True, False])
def test_a_beam_of_1_is_greedy(framework, piece, use_cache):
    model = lively(framework, piece)
    steps = recorded(framework, model, piece, beam_size=1)
    plan = framework.plan_tokens(framework.tensor(np.full((3, 1), BOS)), 10, 0, 0)
    greedy = framework.greedy_search(steps, plan, EOS, 0, use_cache)
    beam = framework.beam_search(steps, plan, EOS, 0, use_cache, beam_size=1)
    greedy, beam = framework.numpy(greedy), framework.numpy(beam)
    np.testing.assert_array_equal(beam, greedy)


def recorded(framework, model, piece, beam_size):
    """Return the function that a search asks for the next logits."""
    if piece == "CausalLanguageModel":
        return model.next_logits
    memory, memory_mask = model.encode(
        framework.tensor(np.repeat(SOURCE, beam_size, 0))
    )
    return lambda ids, cache: model.next_logits(ids, memory, memory_mask, cache)


@both
@pytest.mark.parametrize("seed", range(12))
def test_a_beam_as_wide_as_the_tree_finds_the_best(framework, seed):
    """Against all sequences of up to 3 tokens out of 4, one by one."""
    vocab_size, length = 4, 3
    table = np.random.default_rng(seed).normal(size=(4, 4, 4, 4)).astype(np.float32)

    def next_logits(ids, cache):
        """Logits that depend on all the tokens so far, looked up in a table."""
        past = framework.numpy(ids)
        rows = [table[tuple(np.append(row[1:], [0, 0, 0])[:3])] for row in past]
        return framework.tensor(np.stack(rows)), cache

    def log_p(ids):
        total = 0.0
        for i, token in enumerate(ids):
            logits = table[tuple(np.append(ids[:i], [0, 0, 0])[:3].astype(int))]
            total += logits[token] - np.log(np.exp(logits).sum())
        return total

    sequences = [
        ids
        for size in range(1, length + 1)
        for ids in itertools.product(range(vocab_size), repeat=size)
        # a sequence ends with its only end token, or at the limit
        if EOS not in ids[:-1] and (ids[-1] == EOS or size == length)
    ]
    best = max(sequences, key=log_p)
    prompt = framework.tensor(np.array([[BOS]]))
    plan = framework.plan_tokens(prompt, length, None, 0)
    found = framework.beam_search(
        next_logits, plan, EOS, 0, use_cache=False, beam_size=vocab_size**length
    )
    found = framework.numpy(found)[0, 1:]
    assert tuple(found[: len(best)]) == best
    assert not found[len(best) :].any()


@both
@pytest.mark.parametrize("beam_size", [2, 3])
def test_a_text_that_ended_is_not_forgotten(framework, beam_size):
    """Longer texts push it out of the beam, and then turn out to be worse."""
    a, b, c, d = 3, 4, 5, 6
    follows = np.zeros((17, 17), np.float32)
    follows[BOS, [a, EOS, b]] = 0.6, 0.25, 0.15
    follows[a, [c, d]] = 0.55, 0.45
    follows[b, c] = 1
    follows[[c, d], 7:] = 0.1
    follows[7:, EOS] = 1

    def next_logits(ids, cache):
        log_p = np.log(follows[framework.numpy(ids)[:, -1]] + 1e-9)
        return framework.tensor(log_p), cache

    # A second row, which ends later, keeps the search going.
    prompt = framework.tensor(np.array([[BOS, 0], [b, c]]))
    found = framework.generate_ids(
        next_logits, prompt, EOS, 5, config(), beam_size, use_cache=False
    )
    # 0.25 at once is more than 0.6 · 0.55 · 0.1 in the end.
    assert framework.numpy(found)[0, 1:].tolist() == [EOS, 0, 0]
    assert framework.numpy(found)[1, -1] == EOS


@both
@pytest.mark.parametrize("beam_size", [1, 3])
def test_each_row_stops_at_its_own_end(framework, beam_size):
    """A model that counts up and ends at a place of the row's own."""
    ends = np.array([3, 6, 4])

    def next_logits(ids, cache):
        rows, length = framework.numpy(ids).shape
        wanted = np.where(length >= np.repeat(ends, beam_size), EOS, 3 + length % 5)
        logits = np.full((rows, 9), -9.0, np.float32)
        logits[np.arange(rows), wanted] = 9.0
        return framework.tensor(logits), cache

    prompt = framework.tensor(np.full((3, 1), BOS))
    found = framework.generate_ids(
        next_logits, prompt, EOS, 9, config(), beam_size, use_cache=False
    )
    found = framework.numpy(found)
    # no step is taken once all rows have ended
    assert found.shape == (3, 1 + max(ends))
    for row, end in zip(found, ends, strict=True):
        assert row[end] == EOS
        assert EOS not in row[:end] and not row[end + 1 :].any()


@both
@pytest.mark.parametrize("beam_size", [1, 3])
@pytest.mark.parametrize("use_cache", [True, False])
def test_generation_stops_at_the_limit(framework, beam_size, use_cache):
    model = lively(framework, "Transformer")
    never = 8 + 1  # no token has this id
    found = generate(
        framework, model, SOURCE, BOS, never, 5,
        beam_size=beam_size, use_cache=use_cache,
    )  # fmt: skip
    assert found.shape == (3, 5)


@both
@settings(max_examples=8)
@given(lengths=st.lists(st.integers(1, 4), min_size=3, max_size=3))
@pytest.mark.parametrize("beam_size", [1, 3])
@pytest.mark.parametrize("use_cache", [True, False])
def test_prompts_of_many_lengths_are_continued_as_if_alone(
    framework, beam_size, use_cache, lengths
):
    model = lively(framework, "CausalLanguageModel")
    prompts = np.array([[5, 3, 8, 7], [4, 6, 3, 3], [3, 7, 7, 5]])
    prompts[np.arange(4) >= np.array(lengths)[:, None]] = 0
    named = {"beam_size": beam_size, "use_cache": use_cache}
    together = generate(framework, model, prompts, EOS, 6, **named)
    for row, prompt, length in zip(together, prompts, lengths, strict=True):
        alone = generate(framework, model, prompt[None, :length], EOS, 6, **named)[0]
        np.testing.assert_array_equal(row[: len(alone)], alone)
        assert not row[len(alone) :].any()


@both
@pytest.mark.parametrize("beam_size", [1, 3])
def test_an_end_inside_a_prompt_ends_nothing(framework, beam_size):
    model = lively(framework, "CausalLanguageModel")
    prompts = np.array([[5, 0, 0, 0], [3, EOS, 8, 7], [4, EOS, EOS, 0]])
    together = generate(framework, model, prompts, EOS, 6, beam_size=beam_size)
    for row, prompt in zip(together, prompts, strict=True):
        length = np.count_nonzero(prompt)
        np.testing.assert_array_equal(row[:length], prompt[:length])
        assert row[length] != 0
        alone = generate(
            framework, model, prompt[None, :length], EOS, 6, beam_size=beam_size
        )[0]
        np.testing.assert_array_equal(row[: len(alone)], alone)


@both
@pytest.mark.parametrize("beam_size", [1, 3])
def test_a_padded_source_is_translated_as_if_alone(framework, beam_size):
    model = lively(framework, "Transformer")
    together = generate(framework, model, SOURCE, BOS, EOS, 8, beam_size=beam_size)
    for row, source in zip(together, SOURCE, strict=True):
        alone = generate(
            framework, model, source[source > 0][None], BOS, EOS, 8, beam_size=beam_size
        )[0]
        np.testing.assert_array_equal(row[: len(alone)], alone)


@both
def test_a_wider_beam_finds_no_worse(framework):
    model = lively(framework, "Transformer")

    def log_p(ids):
        ids = np.concatenate([[[BOS]] * 3, ids], 1)
        logits = framework.run(model, SOURCE, ids[:, :-1]).astype(float)
        log_p = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
        picked = np.take_along_axis(log_p, ids[:, 1:, None], -1)[..., 0]
        return (picked * (ids[:, 1:] != 0)).sum(-1)

    greedy, wide = (
        log_p(generate(framework, model, SOURCE, BOS, EOS, 4, beam_size=size))
        for size in (1, 200)
    )
    assert (wide > greedy - 1e-4).all()


def test_generation_runs_without_dropout_and_leaves_the_mode_alone():
    """PyTorch alone: a Keras layer has no mode, it is told at each call."""
    model = TORCH.Transformer(config(dropout=0.5))
    model.train()
    found = [TORCH.numpy(model.generate(TORCH.tensor(SOURCE), BOS, EOS, 6))] * 2
    np.testing.assert_array_equal(*found)
    assert model.training and model.encoder.layers[0].training
    model.eval()
    model.generate(TORCH.tensor(SOURCE), BOS, EOS, 6)
    assert not model.training


@both
def test_what_was_generated_can_be_trained_on(framework):
    """The ids are ordinary tensors, not those of PyTorch's inference mode."""
    model = kept(framework, "Transformer", config())
    ids = model.generate(framework.tensor(SOURCE), BOS, EOS, 4)

    def loss(model, source):
        return framework.cross_entropy(model(source, ids), ids, 0)

    _, gradients = framework.gradients(model, loss, SOURCE)
    assert any(gradient.any() for gradient in gradients.values())


@both
@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"max_new_tokens": 17}, ValueError, "17 tokens: wanted at most 16"),
        ({"max_new_tokens": 0}, ValueError, "max_new_tokens is 0"),
        ({"beam_size": 0}, ValueError, "beam_size is 0"),
        ({"beam_size": 2.0}, TypeError, "beam_size is 2.0"),
        ({"bos_id": -1}, ValueError, "bos_id is -1"),
        ({"eos_id": None}, TypeError, "eos_id is None"),
    ],
)
def test_generation_says_what_is_wrong(framework, change, error, words):
    model = kept(framework, "Transformer", config())
    named = {"bos_id": BOS, "eos_id": EOS, "max_new_tokens": 3, **change}
    with pytest.raises(error, match=words):
        generate(framework, model, SOURCE, **named)


@both
@pytest.mark.parametrize("beam_size", [1, 3])
def test_what_must_not_be_written_is_not(framework, beam_size):
    model = lively(framework, "Transformer")
    options = {"beam_size": beam_size}
    written = generate(framework, model, SOURCE, BOS, EOS, 8, **options)
    token = int(written[0, 0])
    model = lively(framework, "Transformer", unwritten_ids=(token, 6))
    other = generate(framework, model, SOURCE, BOS, EOS, 8, **options)
    assert {token, 6} & set(written.flatten().tolist())
    assert not {token, 6} & set(other.flatten().tolist())


@both
@pytest.mark.parametrize("beam_size", [1, 3])
def test_a_mask_says_where_prompts_end(framework, beam_size):
    """Where padding has no id of its own: GPT-2's is its end token."""
    model = lively(framework, "CausalLanguageModel", pad_id=None)
    prompts = np.array([[5, 3, 8], [4, EOS, EOS]])
    mask = np.array([[True, True, True], [True, False, False]])[:, None, None]
    found = generate(
        framework, model, prompts, EOS, 5, beam_size=beam_size, attention_mask=mask
    )
    alone = generate(framework, model, prompts[1:, :1], EOS, 5, beam_size=beam_size)
    np.testing.assert_array_equal(found[1, : alone.shape[1]], alone[0])


@both
@pytest.mark.parametrize("beam_size", [1, 3])
def test_generation_runs_in_half_precision(framework, beam_size):
    try:
        keras.config.set_dtype_policy("bfloat16")
        model = kept(framework, "Transformer", config(unwritten_ids=(0,)))
    finally:
        keras.config.set_dtype_policy("float32")
    if framework is TORCH:
        model.to(torch.bfloat16)
    found = generate(framework, model, SOURCE, BOS, 8, 5, beam_size=beam_size)
    assert found.shape == (3, 5) and found.all()


@both
def test_generation_may_use_all_positions(framework):
    model = kept(framework, "Transformer", config())
    assert generate(framework, model, SOURCE, BOS, 9, 16).shape == (3, 16)
