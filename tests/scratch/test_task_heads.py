"""Each head passes on all arguments of the encoder and computes its formula."""

from functools import partial

import numpy as np
import pytest
from helpers import configs
from helpers.frameworks import both, in_both_modes, kept

CLOSE = {"atol": 1e-5, "rtol": 1e-5}
IDS = np.array([[5, 3, 9, 1, 4], [2, 2, 7, 0, 0]])
SEGMENTS = np.array([[0, 0, 1, 1, 1], [0, 1, 1, 0, 0]])
HEADS = {
    "SequenceClassifier": (3,),
    "TokenClassifier": (3,),
    "MaskedLanguageModel": (),
    "NextSentence": (),
    "SpanExtractor": (),
}
all_heads = pytest.mark.parametrize("head", HEADS)


config = partial(configs.config, num_segments=2)


def model_of(framework, head):
    return kept(framework, head, config(), *HEADS.get(head, ()))


def away_from(place, outputs):
    """Return the outputs except those at one place; classes' logits have no places."""
    if isinstance(outputs, tuple):
        return np.stack([np.delete(one, place, 1) for one in outputs])
    return np.delete(outputs, place, 1) if outputs.ndim == 3 else outputs


@pytest.mark.slow("a head that forgets segments")
@both
@in_both_modes
@all_heads
def test_a_head_reads_the_segments(framework, training, head):
    model = model_of(framework, head)
    plain, other = (
        framework.run(model, IDS, segment_ids=segments, training=training)
        for segments in (np.zeros_like(IDS), SEGMENTS)
    )
    assert np.abs(np.asarray(other) - np.asarray(plain)).max() > 1e-3


@pytest.mark.slow("a head that reads what is hidden")
@both
@pytest.mark.parametrize(
    ("head", "training"),
    [
        *((head, False) for head in [*HEADS, "CausalLanguageModel"]),
        # as much of an encoder's in training as of a decoder's
        ("SequenceClassifier", True),
        ("CausalLanguageModel", True),
    ],
)
def test_a_head_does_not_read_what_its_mask_hides(framework, training, head):
    model = model_of(framework, head)
    place = 1
    changed = IDS.copy()
    changed[:, place] = 8
    mask = (np.arange(5) != place)[None, None, None]
    for named, same in ({}, False), ({"attention_mask": mask}, True):
        one, other = (
            away_from(place, framework.run(model, ids, training=training, **named))
            for ids in (IDS, changed)
        )
        assert np.allclose(one, other, **CLOSE) is same


@both
def test_a_span_neither_begins_nor_ends_where_nothing_may_attend(framework):
    """At padding; or, whatever the ids are, where the mask hides a position."""
    model = model_of(framework, "SpanExtractor")
    lowest = np.finfo(np.float32).min
    mask = np.array([[1, 1, 0, 1, 1], [0, 1, 1, 1, 0]], bool)
    for named, seen in (
        ({}, IDS != 0),
        ({"attention_mask": mask[:, None, None]}, mask),
    ):
        for logits in framework.run(model, IDS, **named):
            assert (logits[~seen] == lowest).all()
            assert (np.abs(logits[seen]) < 100).all()


@both
@pytest.mark.parametrize(
    ("name", "activation"),
    [("relu", lambda x: np.maximum(x, 0)), ("silu", lambda x: x / (1 + np.exp(-x)))],
    ids=["relu", "silu"],
)
def test_masked_words_go_through_the_configs_activation(framework, name, activation):
    model = kept(framework, "MaskedLanguageModel", config(activation=name))
    hidden, _ = framework.run(model.encoder, IDS)
    x = activation(framework.run(model.transform, hidden))
    wanted = framework.run(model.logits, framework.run(model.norm, x))
    np.testing.assert_allclose(framework.run(model, IDS), wanted, **CLOSE)


@both
def test_a_gated_activation_is_refused_where_none_can_be(framework):
    with pytest.raises(ValueError, match="activation is 'swiglu': wanted one of"):
        framework.MaskedLanguageModel(config(activation="swiglu"))


@both
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_logits_at_places_are_those_of_all_places(framework, kind):
    model = kept(framework, "MaskedLanguageModel", config())
    places = np.array([[2, 0, 4], [1, 1, 2]])
    wanted = np.take_along_axis(framework.run(model, IDS), places[..., None], 1)
    found = framework.run(model, IDS, places=places.astype(kind))
    np.testing.assert_allclose(found, wanted, **CLOSE)
