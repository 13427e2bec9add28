"""Sampling: the right distribution, and the same tokens in both frameworks."""

import itertools
from functools import partial

from scratch.random_numbers import uniform_numbers
from scratch.sampling import Sampling

import numpy as np
import pytest
from helpers import configs
from helpers.frameworks import TENSORFLOW, TORCH, both, kept

BOS, EOS = 1, 2
config = partial(configs.config, vocab_size=9, max_len=16, num_layers=1)
SOURCE = np.array([[5, 3, 8, 7], [4, 6, 0, 0], [3, 3, 3, 0]])
MODELS = pytest.mark.parametrize("piece", ["Transformer", "CausalLanguageModel"])
# Logits of a row that repeats; their order differs from that of the ids.
LOGITS = np.array([0.3, -1.2, 1.9, 0.3, 2.4, -0.5, 1.1, 0.8], np.float32)


def lively(framework, piece, **named):
    """Return a model, the same in both frameworks, that varies what it writes."""
    return kept(framework, piece, config(tie_output=False, **named), weights_seed=2)


def write(framework, piece, ids=SOURCE, eos_id=EOS, **named):
    """Return what a model with varied logits writes."""
    inputs = [ids, BOS]
    if piece == "CausalLanguageModel":
        inputs = [ids]
        named = {"attention_mask": (ids != 0)[:, None, None], **named}
    model = lively(framework, piece)
    return framework.run(
        model.generate, *inputs, eos_id, **{"max_new_tokens": 8, **named}
    )


def softmax(logits):
    exponentials = np.exp(logits - np.max(logits))
    return exponentials / exponentials.sum()


def first_tokens(framework, rows, logits=LOGITS, settled=None, **named):
    """Return the tokens drawn after one prompt in each of many rows."""

    def next_logits(ids, cache):
        return framework.tensor(np.tile(logits, (rows, 1))), cache

    settled = settled or config(vocab_size=len(logits), pad_id=None)
    prompt = framework.tensor(np.full((rows, 1), BOS))
    found = framework.generate_ids(
        next_logits, prompt, EOS, 1, settled, sampling=Sampling(**named)
    )
    return framework.numpy(found)[:, 1]


def assert_drawn_from(tokens, p):
    """Compare counts with probabilities by Pearson's chi-square.

    With up to 7 degrees of freedom it exceeds 40 once in a million.
    """
    counts = np.bincount(tokens, minlength=len(p))
    assert counts[p == 0].sum() == 0
    expected = len(tokens) * p[p > 0]
    assert ((counts[p > 0] - expected) ** 2 / expected).sum() < 40


# The random numbers


def test_a_rows_numbers_depend_on_its_seed_and_place_alone():
    few, many = uniform_numbers(5, 2, 3), uniform_numbers(5, 4, 7)
    np.testing.assert_array_equal(few, many[:2, :3])
    assert len(np.unique(many)) == 28
    assert not np.isin(uniform_numbers(6, 4, 7), many).any()


def test_without_a_seed_the_numbers_are_others_each_time():
    assert (uniform_numbers(None, 2, 3) != uniform_numbers(None, 2, 3)).all()


def test_numbers_are_spread_evenly_over_the_unit_interval():
    numbers = uniform_numbers(0, 100, 100)
    assert numbers.dtype == np.float64 and 0 <= numbers.min() <= numbers.max() < 1
    assert_drawn_from((numbers.ravel() * 8).astype(int), np.full(8, 1 / 8))


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((-1, 2, 3), ValueError, "seed is -1: wanted at least 0"),
        ((1.5, 2, 3), TypeError, r"seed is 1.5 \(float\): wanted an integer"),
        ((1, 0, 3), ValueError, "rows is 0: wanted at least 1"),
        ((1, 2, 0), ValueError, "steps is 0: wanted at least 1"),
    ],
)
def test_numbers_that_cannot_be_drawn_are_refused(arguments, error, words):
    with pytest.raises(error, match=words):
        uniform_numbers(*arguments)


# What may be drawn


@both
def test_equal_logits_are_ranked_by_id(framework):
    logits = np.array([[0.5, 2.0, 0.5, 1.0], [-np.inf, 3.0, 3.0, -np.inf]])
    ranks = framework.run(framework.token_ranks, logits)
    assert ranks.tolist() == [[2, 0, 3, 1], [2, 0, 1, 3]]


@both
@pytest.mark.parametrize("top_k", [1, 2, 3, 4, 8, 50])
def test_top_k_keeps_k_logits_as_they_are(framework, top_k):
    """Ids 0 and 3 are equally likely: the lower one is kept first."""
    found = framework.run(framework.top_k_logits, LOGITS[None], top_k)[0]
    keep = np.argsort(-LOGITS, kind="stable")[:top_k]
    np.testing.assert_array_equal(found[keep], LOGITS[keep])
    assert np.isneginf(np.delete(found, keep)).all()


@both
@pytest.mark.parametrize(
    ("top_p", "kept_ids"),
    [
        (1e-9, [0]),
        (0.49, [0]),
        (0.51, [0, 2]),
        (0.79, [0, 2]),
        (0.81, [0, 1, 2]),
        (0.96, [0, 1, 2, 3]),
        (1.0, [0, 1, 2, 3]),
    ],
)
def test_top_p_keeps_the_fewest_that_reach_p(framework, top_p, kept_ids):
    logits = np.log([[0.5, 0.15, 0.3, 0.05]])
    found = framework.run(framework.top_p_logits, logits, top_p)[0]
    assert np.flatnonzero(np.isfinite(found)).tolist() == kept_ids
    np.testing.assert_array_equal(found[kept_ids], logits[0, kept_ids])


@both
def test_the_rows_of_a_batch_are_filtered_apart(framework):
    logits = np.stack([LOGITS, LOGITS[::-1]])
    for name, value in (("top_k_logits", 3), ("top_p_logits", 0.7)):
        function = getattr(framework, name)
        found = framework.run(function, logits, value)
        for row, alone in zip(found, logits, strict=True):
            one = framework.run(function, alone[None], value)[0]
            np.testing.assert_array_equal(row, one)


# The draw


@both
def test_a_number_falls_on_its_tokens_part_of_the_line(framework):
    logits = np.log(np.tile([0.5, 0.2, 0.3], (6, 1)))
    uniform = np.array([0.0, 0.49, 0.51, 0.69, 0.71, np.nextafter(1, 0)])
    found = framework.run(framework.drawn_tokens, logits, uniform)
    assert found.tolist() == [0, 0, 1, 1, 2, 2]


@both
@pytest.mark.parametrize("size", [3, 10, 1_000])
def test_a_token_of_probability_0_is_never_drawn(framework, size):
    """Neither at the ends of the interval nor where the sum is rounded."""
    logits = np.random.default_rng(size).normal(size=(3, size))
    logits[:, [0, size // 2, -1]] = -np.inf
    logits[:, 1] = 0
    for uniform in (0.0, np.nextafter(1, 0)):
        found = framework.run(framework.drawn_tokens, logits, np.full(3, uniform))
        assert np.isfinite(logits[np.arange(3), found]).all()


@both
@pytest.mark.parametrize("temperature", [0.5, 1, 2.0])
def test_tokens_come_as_often_as_they_are_likely(framework, temperature):
    tokens = first_tokens(framework, 4_000, temperature=temperature, seed=0)
    assert_drawn_from(tokens, softmax(LOGITS / temperature))


@both
@pytest.mark.parametrize(
    ("named", "kept_ids"),
    [
        ({"top_k": 3}, [4, 2, 6]),
        ({"top_p": 0.7}, [4, 2, 6]),
        ({"top_k": 2, "top_p": 0.99}, [4, 2]),
        ({"top_k": 7, "top_p": 0.5}, [4, 2]),
    ],
)
def test_what_is_kept_shares_the_probability(framework, named, kept_ids):
    tokens = first_tokens(framework, 4_000, temperature=1.0, seed=1, **named)
    p = np.zeros(8)
    p[kept_ids] = softmax(LOGITS[kept_ids])
    assert_drawn_from(tokens, p)


@both
def test_the_temperature_comes_before_top_p(framework):
    """At 5 the nucleus of 0.7 is wider than at 1."""
    tokens = first_tokens(framework, 2_000, temperature=5.0, top_p=0.7, seed=2)
    assert set(tokens) == {0, 2, 3, 4, 6, 7} - {3}


@both
def test_ids_that_are_never_written_are_never_drawn(framework):
    settled = config(vocab_size=8, unwritten_ids=(2, 4))
    tokens = first_tokens(
        framework, 2_000, settled=settled, temperature=1.5, top_k=6, seed=3
    )
    p = softmax(LOGITS / 1.5)
    p[[2, 4]] = 0
    assert_drawn_from(tokens, p / p.sum())


@both
@pytest.mark.parametrize("scale", [1e-30, 1, 1e30])
@pytest.mark.parametrize("temperature", [1e-300, 1e-3, 1e300])
def test_no_temperature_overflows(framework, scale, temperature):
    """The smallest is greedy search; the largest draws all tokens alike."""
    logits = np.float32(scale) * LOGITS
    tokens = first_tokens(
        framework, 1_000, logits=logits, temperature=temperature, seed=4
    )
    if scale / temperature > 1e2:
        assert (tokens == 4).all()
    elif scale / temperature < 1e-2:
        assert_drawn_from(tokens, np.full(8, 1 / 8))


# Whole texts


@pytest.mark.parametrize(
    ("piece", "named"),
    [
        ("Transformer", {"temperature": 1.3, "top_p": 0.8}),
        ("CausalLanguageModel", {"temperature": 0.7, "top_k": 4}),
        ("CausalLanguageModel", {"temperature": 2, "top_k": 5, "top_p": 0.9}),
    ],
)
def test_both_frameworks_draw_the_same_tokens(piece, named):
    found = []
    for seed in range(2):
        one, other = (
            write(framework, piece, seed=seed, **named)
            for framework in (TORCH, TENSORFLOW)
        )
        np.testing.assert_array_equal(one, other)
        found.append(one[:, -8:])
    for one, other in itertools.combinations(found, 2):
        assert one.shape != other.shape or (one != other).any()
    assert len(np.unique(np.concatenate([one.ravel() for one in found]))) > 4


@both
@MODELS
def test_a_seed_repeats_a_text_and_no_seed_does_not(framework, piece):
    one, other = (write(framework, piece, temperature=2.0, seed=7) for _ in range(2))
    np.testing.assert_array_equal(one, other)
    texts = {write(framework, piece, temperature=2.0).tobytes() for _ in range(4)}
    assert len(texts) > 1


@both
@MODELS
@pytest.mark.parametrize(
    "named", [{"temperature": 1e-6}, {"top_k": 1}, {"top_p": 1e-9}]
)
def test_with_one_token_to_draw_from_it_is_greedy_search(framework, piece, named):
    drawn = write(framework, piece, **{"temperature": 3.0, "seed": 5, **named})
    np.testing.assert_array_equal(drawn, write(framework, piece))


@both
@MODELS
def test_a_top_k_of_all_and_a_top_p_of_1_change_nothing(framework, piece):
    plain = write(framework, piece, temperature=1.5, seed=6)
    for named in ({"top_k": 9}, {"top_k": 99}, {"top_p": 1}):
        found = write(framework, piece, temperature=1.5, seed=6, **named)
        np.testing.assert_array_equal(found, plain)


@pytest.mark.slow("a cache with which other tokens are drawn")
@both
@MODELS
def test_cached_drawing_equals_uncached(framework, piece):
    for seed in range(2):
        cached, uncached = (
            write(
                framework, piece, temperature=1.2, top_p=0.9, seed=seed, use_cache=use
            )
            for use in (True, False)
        )
        np.testing.assert_array_equal(cached, uncached)


@both
def test_a_row_is_written_as_it_would_be_without_the_others(framework):
    """Other prompts, shorter and longer, and padding change nothing for the first."""
    first = [5, 3, 8]
    named = {"temperature": 1.2, "top_k": 6, "seed": 8}
    alone = write(framework, "CausalLanguageModel", np.array([first]), **named)[0, 3:]
    batches = [
        [first, [4, 6, 0]],
        [[0, 0, *first], [4, 6, 7, 3, 3]],
        [[*first, 0], [0, 0, 0, 7], [8, 3, 4, 5]],
    ]
    for rows in batches:
        ids = np.array(rows)
        found = write(framework, "CausalLanguageModel", ids, **named)[0, len(rows[0]) :]
        np.testing.assert_array_equal(found[: len(alone)], alone)
        assert not found[len(alone) :].any()


@both
def test_a_longer_text_begins_like_a_shorter_one(framework):
    short, long = (
        write(framework, "CausalLanguageModel", max_new_tokens=n, temperature=1, seed=9)
        for n in (4, 10)
    )
    np.testing.assert_array_equal(long[:, : short.shape[1]], short)
    assert long.shape[1] > short.shape[1]


@both
@pytest.mark.parametrize("eos_id", [EOS, (4, EOS)])
def test_a_row_ends_at_its_end_and_all_stop_with_the_last(framework, eos_id):
    options = {"max_new_tokens": 15, "temperature": 2, "seed": 3}
    found = write(framework, "Transformer", eos_id=eos_id, **options)
    ends = []
    for row in found:
        (place,) = np.flatnonzero(np.isin(row, eos_id))[:1]
        assert not row[place + 1 :].any()
        ends.append(place)
    assert len(set(ends)) > 1 and max(ends) == found.shape[1] - 1 < 14


# What is refused


@both
@MODELS
@pytest.mark.parametrize(
    ("named", "error", "words"),
    [
        *[
            (
                {name: value},
                ValueError,
                f"temperature is None: wanted a number above 0 beside {name}",
            )
            for name, value in (("top_k", 3), ("top_p", 0.5), ("seed", 0))
        ],
        ({"temperature": 0}, ValueError, "temperature is 0: wanted a number above 0"),
        ({"temperature": -1.0}, ValueError, "temperature is -1.0: wanted a number"),
        ({"temperature": np.nan}, ValueError, "temperature is nan: wanted a number"),
        ({"temperature": np.inf}, ValueError, "temperature is inf: wanted a number"),
        ({"temperature": "1"}, TypeError, r"temperature is '1' \(str\): wanted a"),
        ({"temperature": True}, TypeError, r"temperature is True \(bool\): wanted a"),
        ({"temperature": 1, "top_k": 0}, ValueError, "top_k is 0: wanted at least 1"),
        ({"temperature": 1, "top_k": 2.0}, TypeError, r"top_k is 2.0 \(float\)"),
        ({"temperature": 1, "top_p": 0}, ValueError, "top_p is 0: wanted 0 < top_p"),
        ({"temperature": 1, "top_p": 1.1}, ValueError, "top_p is 1.1: wanted 0 < to"),
        ({"temperature": 1, "top_p": "a"}, TypeError, r"top_p is 'a' \(str\)"),
        ({"temperature": 1, "seed": -1}, ValueError, "seed is -1: wanted at least 0"),
        ({"temperature": 1, "seed": 0.5}, TypeError, r"seed is 0.5 \(float\)"),
        (
            {"temperature": 1, "beam_size": 2},
            ValueError,
            "beam_size is 2: wanted 1 beside a temperature",
        ),
    ],
)
def test_what_does_not_fit_is_refused_by_name(framework, piece, named, error, words):
    with pytest.raises(error, match=words):
        write(framework, piece, **named)


@both
def test_numbers_of_numpy_are_taken(framework):
    plain = write(framework, "Transformer", temperature=1.5, top_k=4, top_p=0.5, seed=3)
    found = write(
        framework,
        "Transformer",
        temperature=np.float32(1.5),
        top_k=np.int64(4),
        top_p=np.float64(0.5),
        seed=np.int32(3),
    )
    np.testing.assert_array_equal(found, plain)
