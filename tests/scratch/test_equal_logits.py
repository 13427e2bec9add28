"""Equal logits are ranked alike in both frameworks: the lowest id comes first."""

import functools
import itertools

from readymade.weights.parameters import parameters_of
from scratch.sampling import Sampling

import numpy as np
import pytest
from helpers.configs import LLAMA, config
from helpers.frameworks import TENSORFLOW, TORCH, both

BOS, EOS = 1, 2
SIZES = [4, 11, 100, 3_000]
WAYS = {
    "greedy": {},
    "beam 2": {"beam_size": 2},
    "beam 5": {"beam_size": 5},
    "top k": {"temperature": 1.0, "top_k": 3, "seed": 1},
    "top p": {"temperature": 1.0, "top_p": 0.5, "seed": 2},
    "sampling": {"temperature": 0.7, "seed": 3},
}
in_all_ways = pytest.mark.parametrize("named", WAYS.values(), ids=WAYS)


@both
@pytest.mark.parametrize("size", [3, 7, 100, 5_000])
@pytest.mark.parametrize("kinds", [1, 2, 3])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_highest_are_ranked_by_their_place(framework, size, kinds, count):
    values = np.random.default_rng(size).integers(0, kinds, (4, size))
    values = np.where(values == 2, -np.inf, values).astype(np.float32)
    wanted = np.argsort(-values, axis=1, kind="stable")[:, :count]
    best, place = framework.run(framework.highest, values, count)
    np.testing.assert_array_equal(place, wanted)
    np.testing.assert_array_equal(best, np.take_along_axis(values, wanted, 1))


def written(framework, table, beam_size=1, **named):
    """Return what is generated from constant logits (batch, vocabulary)."""
    rows = np.repeat(table, beam_size, 0)

    def next_logits(ids, cache):
        return framework.tensor(rows), cache

    settled = config(vocab_size=table.shape[1], pad_id=None, max_len=20)
    prompt = framework.tensor(np.full((len(table), 2), 3))
    found = framework.generate_ids(
        next_logits, prompt, EOS, 5, settled, beam_size, False, Sampling(**named)
    )
    return framework.numpy(found)


@pytest.mark.slow("ties that the frameworks break in two ways")
@in_all_ways
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kinds", [1, 2, 3])
def test_equal_logits_give_equal_texts(named, size, kinds):
    table = np.random.default_rng(size).integers(0, kinds, (3, size))
    table = table.astype(np.float32)
    one, other = (
        written(framework, table, **named) for framework in (TORCH, TENSORFLOW)
    )
    np.testing.assert_array_equal(one, other)


@both
@pytest.mark.parametrize("beam_size", [1, 2, 3, 4])
def test_of_equal_texts_the_one_with_the_lowest_ids_is_found(framework, beam_size):
    """All texts of equal length are equally probable, and shorter ones more so."""
    found = written(framework, np.zeros((2, 6), np.float32), beam_size=beam_size)
    # with two beams or fewer, ids 0 and 1 fill them; with three, the end is found
    wanted = [3, 3, 0, 0, 0, 0, 0] if beam_size < 3 else [3, 3, EOS]
    np.testing.assert_array_equal(found[:, : len(wanted)], [wanted, wanted])


@functools.cache  # a model takes long to make
def indifferent(framework, piece):
    """Return a model that gives all tokens the same logit."""
    translator = piece == "Transformer"
    settled = config(tie_output=False, num_layers=1) if translator else LLAMA
    model = getattr(framework, piece)(settled)
    table = parameters_of(model)["logits.tokens.weight"]
    table.write(np.zeros(table.shape, np.float32))
    return model


@pytest.mark.slow("ties that whole models break in two ways")
@in_all_ways
@pytest.mark.parametrize("piece", ["Transformer", "CausalLanguageModel"])
def test_models_whose_weights_are_0_write_the_same(named, piece):
    """With and without a cache, in a batch and alone."""
    ids = np.array([[5, 3, 4], [4, 6, 3]])
    inputs = (ids, BOS) if piece == "Transformer" else (ids,)
    texts = []
    for framework, use_cache in itertools.product((TORCH, TENSORFLOW), (True, False)):
        model = indifferent(framework, piece)
        named = {**named, "use_cache": use_cache}
        texts.append(framework.run(model.generate, *inputs, EOS, 4, **named))
    for one in texts[1:]:
        np.testing.assert_array_equal(one, texts[0])
