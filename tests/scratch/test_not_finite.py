"""Generating and answering stop at a number that isn't finite, and say where."""

import functools

from readymade.weights import copy_weights, load_tokenizer, minilm_path
from readymade.weights.parameters import parameters_of
from scratch.answering import answer, best_span
from scratch.sampling import Sampling

import numpy as np
import pytest
from helpers.configs import LLAMA, config
from helpers.frameworks import both, kept

BOS, EOS = 1, 2
IDS = np.array([[5, 3, 4], [4, 6, 3]])
WAYS = {
    "greedy": {},
    "beam": {"beam_size": 3},
    "sampling": {"temperature": 1.0, "seed": 0},
    "top k": {"temperature": 1.0, "top_k": 3, "seed": 0},
    "top p": {"temperature": 0.5, "top_p": 0.9, "seed": 0},
}
in_all_ways = pytest.mark.parametrize("named", WAYS.values(), ids=WAYS)
caching = pytest.mark.parametrize("use_cache", [True, False], ids=["cache", "anew"])


@functools.cache  # a model takes long to make
def broken(framework, piece, settled, path, place, value):
    """Return a model in which some weights have this value."""
    model = getattr(framework, piece)(settled)
    copy_weights(kept(framework, piece, settled), model)
    one = parameters_of(model)[path]
    values = one.read()
    values[place] = value
    one.write(values)
    return model


@pytest.mark.slow("a way of writing that takes NaN for a token")
@both
@in_all_ways
@caching
@pytest.mark.parametrize(
    ("piece", "path", "place", "value", "row"),
    [
        ("Transformer", "decoder.layers.1.feed_forward_norm.norm.bias", 2, np.nan, 0),
        ("Transformer", "encoder.embeddings.tokens.weight", 6, np.nan, 1),
        ("CausalLanguageModel", "decoder.embeddings.tokens.weight", 6, np.inf, 1),
        ("CausalLanguageModel", "logits.tokens.weight", (7, 2), np.nan, 0),
    ],
)
def test_a_broken_model_writes_nothing(
    framework, named, use_cache, piece, path, place, value, row
):
    """Only the second row holds token 6."""
    translator = piece == "Transformer"
    settled = config(tie_output=False, target_vocab_size=11 if translator else None)
    model = broken(framework, piece, settled, path, place, value)
    position = 1 if translator else IDS.shape[1]
    inputs = (IDS, BOS, EOS, 4) if translator else (IDS, EOS, 4)
    said = f"^logits are nan for position {position} of row {row}: wanted finite"
    with pytest.raises(ValueError, match=said):
        framework.run(model.generate, *inputs, use_cache=use_cache, **named)


@both
@in_all_ways
def test_a_broken_table_of_logits_is_noticed_at_its_first_token(framework, named):
    """A model with rotary positions and grouped queries, and a bias for one token."""
    settled = LLAMA
    model = broken(
        framework, "CausalLanguageModel", settled, "decoder.norm.weight", 0, np.inf
    )
    with pytest.raises(
        ValueError, match=r"^logits are (nan|inf) for position 3 of row"
    ):
        framework.run(model.generate, IDS, EOS, 4, **named)


def written(framework, table, steps=5, beam_size=1, **named):
    """Return what is generated from logits that are looked up: table[step][row]."""

    def next_logits(ids, cache):
        rows = np.asarray(table[ids.shape[1] - 2], np.float32)
        rows = np.repeat(rows, beam_size, 0)
        return framework.tensor(rows), cache

    settled = config(vocab_size=4, pad_id=None, max_len=20)
    prompt = framework.tensor(np.full((len(table[0]), 2), 3))
    ids = framework.generate_ids(
        next_logits, prompt, EOS, steps, settled, beam_size, False, Sampling(**named)
    )
    return framework.numpy(ids)[:, 2:]


GOOD = [0.5, 2.0, -np.inf, 0.0]  # goes on, whatever is drawn
WITHOUT_BEAMS = {name: one for name, one in WAYS.items() if name != "beam"}


@both
@in_all_ways
@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ([0.5, np.nan, -1.0, 0.0], "nan"),
        ([np.nan] * 4, "nan"),
        ([np.nan, np.inf, -np.inf, 1.0], "nan"),
        ([0.5, np.inf, -1.0, 0.0], "inf"),
        ([-np.inf] * 4, "-inf"),
    ],
)
def test_the_place_where_it_was_first_seen_is_named(framework, named, bad, said):
    table = [[GOOD, GOOD], [GOOD, GOOD], [GOOD, bad], [bad, bad], [bad, bad]]
    said = f"^logits are {said} for position 4 of row 1: wanted finite numbers$"
    with pytest.raises(ValueError, match=said):
        written(framework, table, **named)


@both
@pytest.mark.parametrize("named", WITHOUT_BEAMS.values(), ids=WITHOUT_BEAMS)
def test_tokens_may_be_ruled_out_and_texts_may_have_ended(framework, named):
    """With -∞ for all tokens but one; what follows an end is never read."""
    one, end = [-np.inf, 0.1, -np.inf, -np.inf], [-np.inf, -np.inf, 3.0, -np.inf]
    table = [[one, end], [one, [np.nan] * 4], [end, [np.nan] * 4]]
    found = written(framework, table, **named)
    np.testing.assert_array_equal(found, [[1, 1, EOS], [EOS, EOS, EOS]])


@both
@pytest.mark.parametrize("length", [1, 3, 4, 7, 8, 17, 33, 100])
def test_no_place_hides_a_nan(framework, length):
    """A maximum is computed in parts, one of which might skip NaN."""
    for place in range(length):
        logits = np.zeros((2, length), np.float32)
        logits[1, place] = np.nan
        with pytest.raises(ValueError, match=r"^logits are nan .* of row 1"):
            framework.run(
                lambda one: framework.greedy_search(
                    lambda ids, cache: (one, cache), framework.tensor(IDS), EOS, 1, 0
                ),
                logits,
            )


# Answers

TOKENIZER = load_tokenizer(minilm_path())
TEXT = "Ann found the old key in May."


def answered(*wrong, name="start"):
    """Answer with logits some of which are replaced: (place, value)."""

    def predict(ids, attention_mask, segment_ids):
        logits = {key: np.linspace(-1, 1, ids.size) for key in ("start", "end")}
        logits = {key: one.reshape(ids.shape) for key, one in logits.items()}
        for place, value in wrong:
            logits[name][0, place] = value
        return logits["start"], logits["end"]

    return answer(predict, TOKENIZER, "Who found it?", TEXT)


@pytest.mark.parametrize("name", ["start", "end"])
@pytest.mark.parametrize("place", [0, 2, 8])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_broken_model_answers_nothing(name, place, value):
    said = rf"^{name}_logits\[{place}\] is {value}: wanted a finite number$"
    with pytest.raises(ValueError, match=said):
        answered((place, value), name=name)


def test_a_model_of_nan_alone_is_refused_at_its_first_token():
    with pytest.raises(ValueError, match=r"^start_logits\[0\] is nan"):
        answered((slice(None), np.nan))
    with pytest.raises(ValueError, match=r"^end_logits\[1\] is nan"):
        best_span([0.0, 1.0], np.array([0, np.nan]), [True, True])


def test_a_place_may_be_ruled_out():
    """With -∞, as some models mark their padding."""
    # [CLS] who found it ? [SEP] ann found the old key in may . [SEP]
    assert answered().text == "."
    assert answered((13, -np.inf), name="end").text == "May"


# Temperatures


@both
@pytest.mark.parametrize("temperature", [1e-320, 5e-324, np.float64(1e-310)])
def test_a_temperature_that_may_count_as_0_is_refused(framework, temperature):
    """TensorFlow takes it for 0, and 0 / 0 is NaN: it always wrote id 0."""
    with pytest.raises(
        ValueError, match=r"^temperature is \S+: wanted a number above 0"
    ):
        written(framework, [[GOOD]] * 5, temperature=temperature, seed=0)


@both
@pytest.mark.parametrize("temperature", [1e-45, np.float32(1e-45), 2.3e-308, 1e-40])
def test_the_lowest_temperatures_are_greedy_search(framework, temperature):
    table = [[GOOD, GOOD[::-1]]] * 5
    found = written(framework, table, temperature=temperature, seed=0)
    np.testing.assert_array_equal(found, written(framework, table))


@pytest.mark.parametrize("epsilon", [1e-320, 1e-45, 1e-39])
def test_an_epsilon_that_float32_does_not_have_is_refused(epsilon):
    with pytest.raises(
        ValueError, match=r"^layer_norm_eps is .* wanted a number above 0"
    ):
        config(layer_norm_eps=epsilon)
