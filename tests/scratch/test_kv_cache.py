"""The KV cache: with it, a decoder computes what it computes without."""

import numpy as np
import pytest
from helpers.configs import CLOSE, CONFIGS, in_all_configs
from helpers.frameworks import both, kept, random

MEMORY = random(2, 4, 12, seed=7)
REAL = np.array([[1, 1, 1, 1], [1, 1, 0, 0]], bool)
IDS = np.array([[5, 3, 9, 1, 4], [2, 2, 7, 0, 0]])


@both
@pytest.mark.parametrize("settled", [CONFIGS["post-LN"], CONFIGS["pre-LN"]])
def test_cached_equals_uncached_token_by_token(framework, settled):
    ids, length = np.concatenate([IDS, IDS[:, :1]], 1), 6
    decoder = kept(framework, "Decoder", settled)
    mask = REAL[:, None, None]
    whole, weights = framework.run(decoder, ids, MEMORY, memory_mask=mask)
    cache, begin = (), 0
    for end in range(2, length + 1):
        hidden, (*_, last_weights), cache = framework.run(
            decoder, ids[:, begin:end], MEMORY, memory_mask=mask, cache=cache
        )
        np.testing.assert_allclose(hidden, whole[:, begin:end], **CLOSE)
        for one, other in zip(last_weights, weights[-1], strict=True):
            np.testing.assert_allclose(
                one, other[:, :, begin:end, : one.shape[-1]], **CLOSE
            )
        begin = end
    assert cache[0][0].shape == (2, 3, length, 4)


@both
@in_all_configs
def test_a_mask_hides_the_same_with_a_cache(framework, settled):
    decoder = kept(framework, "Decoder", settled)
    mask = np.array([[1, 0, 1, 1, 1], [1, 1, 0, 1, 0]], bool)[:, None, None]
    whole, _ = framework.run(decoder, IDS, MEMORY, attention_mask=mask)
    cache, begin = (), 0
    for end in (2, 4, 5):
        hidden, weights, cache = framework.run(
            decoder, IDS[:, begin:end], MEMORY,
            attention_mask=mask[..., :end], cache=cache,
        )  # fmt: skip
        np.testing.assert_allclose(hidden, whole[:, begin:end], **CLOSE)
        for own, _ in weights:
            closed = np.broadcast_to(~mask[..., :end], own.shape)
            assert (own[closed] == 0).all()
        begin = end


@both
def test_a_cache_stays_what_it_was(framework):
    decoder = kept(framework, "Decoder", CONFIGS["post-LN"])
    _, _, cache = framework.run(decoder, IDS[:, :2], MEMORY, cache=())
    before = [[part.copy() for part in one] for one in cache]
    framework.run(decoder, IDS[:, 2:3], MEMORY, cache=cache)
    for one, other in zip(cache, before, strict=True):
        for part, copy in zip(one, other, strict=True):
            np.testing.assert_array_equal(part, copy)
