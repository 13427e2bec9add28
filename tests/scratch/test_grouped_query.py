"""Grouped-query attention: heads that share their keys, with a cache and without."""

from dataclasses import replace

from readymade.weights import copy_weights
from readymade.weights.parameters import parameters_of

import numpy as np
import pytest
from helpers.configs import CLOSE, LLAMA, QWEN2, QWEN3, config
from helpers.frameworks import both, kept, random

IDS = np.array([[5, 3, 9, 1, 4, 7], [2, 2, 7, 8, 6, 1]])


@both
def test_with_a_key_head_for_each_query_head_it_is_multi_head_attention(framework):
    plain = config(num_kv_heads=3)
    ours = framework.GroupedQueryAttention(plain)
    wanted = kept(framework, "MultiHeadAttention", 12, 3)
    copy_weights(wanted, ours)
    x, memory = random(2, 3, 12), random(2, 5, 12, seed=1)
    mask = np.random.default_rng(0).random((2, 3, 3, 5)) > 0.3
    for need_weights in True, False:
        for seen in None, mask, mask[:, :1], mask[:1, :, :1]:
            arguments = {"attention_mask": seen, "need_weights": need_weights}
            found = framework.run(ours, x, memory, memory, **arguments)
            right = framework.run(wanted, x, memory, memory, **arguments)
            np.testing.assert_allclose(found[0], right[0], **CLOSE)
            if need_weights:
                np.testing.assert_allclose(found[1], right[1], **CLOSE)


@both
@pytest.mark.parametrize("need_weights", [True, False])
def test_a_group_of_heads_reads_the_same_keys(framework, need_weights):
    """As if each head of keys were copied for every query head of its group."""
    grouped = replace(LLAMA, positions="learned", d_v=5)
    layer = kept(framework, "GroupedQueryAttention", grouped)
    whole = framework.GroupedQueryAttention(replace(grouped, num_kv_heads=None))
    given_, wanted = parameters_of(layer), parameters_of(whole)
    for path, parameter in wanted.items():
        array = given_[path].read()
        if path in ("key.weight", "value.weight"):
            array = array.reshape(2, -1, 12).repeat(3, 0).reshape(-1, 12)
        parameter.write(array)
    x = random(2, 5, 12)
    for heads in 1, 6:
        mask = np.random.default_rng(heads).random((2, heads, 5, 5)) > 0.4
        arguments = {"attention_mask": mask, "need_weights": need_weights}
        found = framework.run(layer, x, x, x, **arguments)
        right = framework.run(whole, x, x, x, **arguments)
        np.testing.assert_allclose(found[0], right[0], **CLOSE)
        if need_weights:
            np.testing.assert_allclose(found[1], right[1], **CLOSE)


@both
def test_with_qk_norm_the_size_of_queries_and_keys_does_not_count(framework):
    """Each head is normalized by itself, before it is rotated."""
    layer = framework.GroupedQueryAttention(replace(QWEN3, layer_norm_eps=1e-12))
    x = random(2, 5, 12)
    parameters = parameters_of(layer)
    for path in "query_norm.weight", "key_norm.weight":
        parameters[path].write(random(4, seed=len(path)))
    wanted = framework.run(layer, x, x, x)[1]
    for path in "query.weight", "key.weight":
        array = parameters[path].read()
        array[4:] *= 7.0  # all heads but the first
        parameters[path].write(array)
    np.testing.assert_allclose(framework.run(layer, x, x, x)[1], wanted, **CLOSE)


@both
def test_the_cache_holds_the_shared_heads_alone_and_changes_nothing(framework):
    model = kept(framework, "CausalLanguageModel", LLAMA)
    whole, _ = framework.run(model.decoder, IDS)
    cache, found = (), []
    for part in IDS[:, :4], IDS[:, 4:5], IDS[:, 5:]:
        hidden, _, cache = model.decoder(framework.tensor(part), cache=cache)
        found.append(framework.numpy(hidden))
    np.testing.assert_allclose(np.concatenate(found, 1), whole, **CLOSE)
    assert [tuple(part.shape) for part in cache[0]] == [(2, 2, 6, 4)] * 2


@pytest.mark.slow("a cache that today's layers read otherwise")
@pytest.mark.usefixtures("untraced")
@both
@pytest.mark.parametrize("beam_size", [1, 3])
def test_with_and_without_a_cache_the_tokens_are_the_same(framework, beam_size):
    model = kept(framework, "CausalLanguageModel", replace(QWEN2, max_len=30))
    prompts = np.array([[5, 3, 9], [0, 0, 7]])
    seen = framework.tensor((prompts != 0)[:, None, None])
    found = [
        framework.run(
            model.generate, prompts, 10, 9, beam_size, use_cache, attention_mask=seen
        ).tolist()
        for use_cache in (True, False)
    ]
    assert found[0] == found[1]
