"""Sliding window attention: how far a query reaches, with a cache and without."""

from dataclasses import replace

from scratch.config import TransformerConfig

import keras
import numpy as np
import pytest
from helpers.configs import CLOSE, GPT, LLAMA, QWEN3, config
from helpers.frameworks import TENSORFLOW, TORCH, both, kept, random
from hypothesis import given, settings
from hypothesis import strategies as st

# Kinds of positions, of norms and of heads; and one model whose layers differ.
WINDOWED = {
    "sinusoidal": config(window=3),
    "learned": replace(GPT, window=4),
    "rotary": replace(LLAMA, window=1),
    "qk_norm": replace(QWEN3, window=3, num_layers=3),
    "some layers": replace(LLAMA, window=2, num_layers=3, window_layers=(2, 0)),
}
in_all = pytest.mark.parametrize("settled", WINDOWED.values(), ids=WINDOWED)
LENGTH = 12
IDS = np.random.default_rng(0).integers(1, 11, (2, LENGTH))


def near(length, window):
    """Return the mask of a window, (queries, keys), by two loops."""
    return np.array(
        [[0 <= i - j < window for j in range(length)] for i in range(length)]
    )


@pytest.mark.slow("a fused kernel that ignores a window")
@both
@pytest.mark.parametrize("window", [1, 3, LENGTH - 1, LENGTH, LENGTH + 5])
@pytest.mark.parametrize("training", [False, True], ids=["eval", "train"])
def test_weights_are_those_of_the_mask_alone(framework, window, training):
    """The same layer without a window, under the window's mask, is the same layer."""
    plain = kept(framework, "DecoderLayer", config(positions="rotary"), False)
    layer = framework.DecoderLayer(config(positions="rotary", window=window), False)
    copied(framework, plain, layer)
    x = random(2, LENGTH, 12)
    seen = np.arange(LENGTH) % 5 != 2
    for mask, wanted in (
        (None, near(LENGTH, window)[None, None]),
        (seen[None, None, None], (near(LENGTH, window) & seen)[None, None]),
    ):
        found = framework.run(layer, x, attention_mask=mask, training=training)
        right = framework.run(plain, x, attention_mask=wanted, training=training)
        np.testing.assert_allclose(found[0], right[0], **CLOSE)
        np.testing.assert_allclose(found[1][0], right[1][0], **CLOSE)
        fused, _ = framework.run(
            layer, x, attention_mask=mask, need_weights=False, training=training
        )
        np.testing.assert_allclose(fused, right[0], **CLOSE)


def copied(framework, source, target):
    """Give a layer the weights of another one of the same framework."""
    if framework is TORCH:
        target.load_state_dict(source.state_dict())
    else:
        target.set_weights(source.get_weights())


@both
@settings(max_examples=12, deadline=None)
@given(st.integers(1, 4), st.integers(1, 3), st.integers(0, LENGTH - 1))
def test_layers_reach_as_far_as_their_windows_together(
    framework, window, layers, place
):
    settled = config(window=window, num_layers=layers, positions="learned")
    model = kept(framework, "CausalLanguageModel", settled)
    changed = IDS.copy()
    changed[:, place] = changed[:, place] % 10 + 1
    one, other = framework.run(model, IDS), framework.run(model, changed)
    moved = (one != other).any((0, 2))
    reached = np.arange(LENGTH) - place
    np.testing.assert_array_equal(
        moved, (reached >= 0) & (reached <= layers * (window - 1))
    )


@pytest.mark.slow("a cache that keeps too few keys or too many")
@both
@in_all
@settings(max_examples=4, deadline=None)
@given(st.lists(st.integers(1, LENGTH - 1), max_size=6, unique=True))
def test_cached_equals_uncached_and_no_key_is_kept_in_vain(framework, settled, cuts):
    """For chunks of any length, a layer keeps as many keys as its window needs."""
    model = kept(framework, "CausalLanguageModel", settled)
    whole, _ = framework.run(model.decoder, IDS)
    cache, begin = (), 0
    for end in (*sorted(cuts), LENGTH):
        hidden, _, cache = framework.run(model.decoder, IDS[:, begin:end], cache=cache)
        np.testing.assert_allclose(hidden, whole[:, begin:end], **CLOSE)
        held = [min(end, one.window - 1) if one.window else end for one in each(model)]
        assert [keys.shape[2] for keys, *_ in cache] == held
        assert [values.shape[2] for _, values, *_ in cache] == held
        begin = end


def each(model):
    return model.config.for_layers()


@pytest.mark.slow("a window that counts padding")
@both
@in_all
def test_padding_on_the_left_changes_nothing(framework, settled):
    """With a cache and without: the mask counts the keys that were dropped, too."""
    model = kept(framework, "CausalLanguageModel", settled)
    alone, _ = framework.run(model.decoder, IDS[:1])
    ids = np.concatenate([np.full((1, 5), 7), IDS[:1]], 1)
    mask = (np.arange(LENGTH + 5) >= 5)[None, None, None]
    padded, _ = framework.run(model.decoder, ids, attention_mask=mask)
    np.testing.assert_allclose(padded[:, 5:], alone, **CLOSE)
    cache, begin = (), 0
    for end in (8, 9, 10, LENGTH + 5):
        hidden, _, cache = framework.run(
            model.decoder,
            ids[:, begin:end],
            attention_mask=mask[..., :end],
            cache=cache,
        )
        np.testing.assert_allclose(hidden, padded[:, begin:end], **CLOSE)
        begin = end


@pytest.mark.slow("a cache with which another text is written")
@pytest.mark.usefixtures("untraced")
@both
@pytest.mark.parametrize("beam_size", [1, 3])
@pytest.mark.parametrize("name", ["learned", "some layers"])
def test_with_and_without_a_cache_the_same_text_is_written(framework, name, beam_size):
    """Prompts shorter and longer than the window, padded on the left."""
    model = kept(framework, "CausalLanguageModel", WINDOWED[name])
    prompts = np.concatenate([IDS[:, :7], [[0, 0, 0, 0, 0, 0, 7]]])
    seen = (prompts != 0)[:, None, None]
    found = [
        framework.run(
            model.generate, prompts, 10, 12, beam_size, use, attention_mask=seen
        ).tolist()
        for use in (True, False)
    ]
    assert found[0] == found[1]
    assert len(np.unique(found[0])) > 3, "the model is too dull to tell"


@pytest.mark.slow("a trace that keeps a window's first cut")
def test_what_is_traced_writes_the_same():
    """In TensorFlow's graph, lengths are unknown; takes about 10 s."""
    settled = replace(WINDOWED["learned"], window=3)
    found = [
        np.asarray(
            kept(framework, "CausalLanguageModel", settled).generate(
                framework.tensor(IDS[:, :5]), 10, 9
            )
        ).tolist()
        for framework in (TORCH, TENSORFLOW)
    ]
    assert found[0] == found[1]


@pytest.mark.slow("a window in an encoder or across")
@both
def test_the_decoder_alone_of_a_translator_has_a_window(framework):
    """The encoder and cross-attention see the whole source."""
    settled = config(window=2)
    model = kept(framework, "Transformer", settled)
    full = kept(framework, "Transformer", config())
    copied(framework, full, model)
    source, target = IDS[:, :6], IDS[:, 6:]
    memory = framework.run(model.encode, source)
    for mine, other in zip(memory, framework.run(full.encode, source), strict=True):
        np.testing.assert_allclose(mine, other, **CLOSE)
    _, weights = framework.run(model.decoder, target, memory[0])
    for own, cross in weights:
        assert not own[..., ~near(6, 2)].any()
        assert (cross > 0).all()
    whole, _ = framework.run(model.decoder, target, memory[0])
    cache = ()
    for place in range(6):
        step, _, cache = framework.run(
            model.decoder, target[:, place : place + 1], memory[0], cache=cache
        )
        np.testing.assert_allclose(step[:, 0], whole[:, place], **CLOSE)
        assert [part.shape[2] for part in cache[1][-2:]] == [6, 6]


@both
def test_a_mask_of_too_few_keys_is_refused(framework):
    model = kept(framework, "CausalLanguageModel", WINDOWED["rotary"])
    _, _, cache = framework.run(model.decoder, IDS[:, :5], cache=())
    mask = np.ones((1, 1, 1, 2), bool)
    with pytest.raises(ValueError, match=r"attention_mask has shape .*: wanted .* 6\)"):
        framework.run(model.decoder, IDS[:, 5:6], attention_mask=mask, cache=cache)


def test_a_cache_does_not_hold_on_to_what_it_drops():
    model = kept(TORCH, "CausalLanguageModel", WINDOWED["sinusoidal"])
    ids = TORCH.tensor(np.ones((1, 200), int))
    _, cache = model.next_logits(ids, ())
    for part in cache[0]:
        assert part.untyped_storage().nbytes() <= 2 * 12 * 4


def test_keras_saves_a_window(tmp_path):
    model = kept(TENSORFLOW, "CausalLanguageModel", WINDOWED["some layers"])
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    assert again.config == model.config
    np.testing.assert_array_equal(again(IDS), model(IDS))


WRONG = [
    ({"window": 0}, ValueError, "window is 0: wanted at least 1"),
    ({"window": -4}, ValueError, "window is -4: wanted at least 1"),
    ({"window": True}, TypeError, "window is True.*wanted an integer"),
    ({"window": 4.0}, TypeError, "window is 4.0.*wanted an integer"),
    ({"window_layers": (0,)}, ValueError, "window_layers is .*wanted None, because"),
    ({"window": 4, "window_layers": (2,)}, ValueError, "window_layers.*from 0 to 1"),
    ({"window": 4, "window_layers": ()}, ValueError, "window_layers.*one or more"),
    ({"window": 4, "window_layers": 1}, TypeError, "window_layers is 1: wanted a tup"),
    ({"window": 4, "window_layers": (1, 1)}, ValueError, "window_layers.*different"),
    ({"window": 4, "window_layers": (-1,)}, ValueError, "window_layers is -1"),
    ({"window": 4, "window_layers": (True,)}, TypeError, "window_layers is True"),
]


@pytest.mark.parametrize(("change", "error", "words"), WRONG)
def test_a_window_that_makes_no_sense_is_named(change, error, words):
    with pytest.raises(error, match=words):
        TransformerConfig(vocab_size=10, num_layers=2, **change)
