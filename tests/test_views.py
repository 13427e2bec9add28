"""Pictures of attention: of either framework, whole, small, the same each time."""

import gzip
import html
import json
import re
import subprocess
import sys
from configparser import ConfigParser
from functools import cache
from pathlib import Path

import scratch.tensorflow
import scratch.torch
from scratch.config import TransformerConfig
from scratch.views import (
    as_svg,
    head_view,
    heatmap,
    mask_picture,
    model_view,
    neuron_view,
    vectors_of,
)
from scratch.views.document import D3_TAG, JQUERY_TAG
from scratch.views.packing import pack, unpack

import matplotlib.pyplot as plt
import numpy as np
import pytest
import tensorflow as tf
import torch

CONVERTERS = {
    "torch": torch.from_numpy,
    "torch with gradient": lambda array: torch.from_numpy(array).requires_grad_(),
    "tensorflow": tf.constant,
    "numpy": np.asarray,
}

TOKENS = ["[CLS]", "time", "flies", "<i>like</i>", "</script>", "ein $ \\Pfeil \"'"]
KEY_TOKENS = ["[CLS]", "la", "flèche", "[SEP]"]


@pytest.fixture(autouse=True)
def close_figures():
    plt.switch_backend("agg")
    yield
    plt.close("all")


def random_weights(*shape, seed=0):
    scores = np.random.default_rng(seed).normal(size=shape, scale=2.0)
    weights = np.exp(scores)
    return (weights / weights.sum(-1, keepdims=True)).astype(np.float32)


def self_attention(layers=3, heads=5, length=6):
    return [random_weights(1, heads, length, length, seed=i) for i in range(layers)]


def vectors(layers=3, heads=5, length=6, d_k=7, seed=0):
    return list(
        np.random.default_rng(seed)
        .normal(size=(layers, 1, heads, length, d_k), scale=3.0)
        .astype(np.float32)
    )


@cache
def views_of(source):
    """Every kind of view of the same attention, given as `source` says."""
    convert = CONVERTERS[source]
    weights = [convert(layer) for layer in self_attention()]
    queries = [convert(layer) for layer in vectors(seed=1)]
    keys = [convert(layer) for layer in vectors(seed=2)]
    return {
        "head": head_view(weights, TOKENS),
        "head, pair": head_view(weights, TOKENS, sentence_b_start=4, layer=2, head=1),
        "head, cross": head_view(
            convert(random_weights(1, 2, 6, 4)), TOKENS, KEY_TOKENS
        ),
        "model": model_view(weights, TOKENS, layers=[0, 2], heads=[1, 4]),
        "neuron": neuron_view(queries, keys, TOKENS),
    }


def fed(view):
    """Read what the frame's script is fed with."""
    call = re.search(r"window\.bertviz_params = feed\((.*)\);\n", view.document)
    return json.loads(call[1])


@pytest.mark.parametrize("source", [name for name in CONVERTERS if name != "numpy"])
def test_every_framework_gives_the_same_html(source):
    expected = views_of("numpy")
    for name, view in views_of(source).items():
        assert view._repr_html_() == expected[name]._repr_html_(), name


def test_half_precision_is_accepted():
    weights = torch.from_numpy(self_attention()[0]).bfloat16()
    assert fed(head_view(weights, TOKENS))["weights"]["shape"] == [1, 5, 6, 6]


def test_the_frame_holds_the_weights_to_three_decimals():
    weights = self_attention()
    inside = unpack(fed(head_view(weights, TOKENS))["weights"])
    exact = np.stack(weights)[:, 0].astype(np.float64)
    assert inside.shape == (3, 5, 6, 6)
    assert np.abs(inside - exact).max() <= 0.0005 + 1e-12


def test_only_the_chosen_layers_and_heads_are_inside_and_keep_their_numbers():
    weights = self_attention()
    view = model_view(weights, TOKENS, layers=[2, 0], heads=-1)
    data = fed(view)
    exact = np.stack([weights[2][0, [4]], weights[0][0, [4]]])
    assert np.allclose(unpack(data["weights"]), exact, atol=0.0005)
    assert data["params"]["include_layers"] == [2, 0]
    assert data["params"]["include_heads"] == [4]
    assert 'SHOWN = {"layers":[2,0],"heads":[4]}' in view.document


def test_the_neuron_view_holds_queries_keys_and_the_softmax_of_their_product():
    queries, keys = vectors(seed=1), vectors(seed=2)
    data = fed(neuron_view(queries, keys, TOKENS))
    assert np.allclose(unpack(data["queries"]), np.stack(queries)[:, 0], atol=0.00501)
    assert np.allclose(unpack(data["keys"]), np.stack(keys)[:, 0], atol=0.00501)
    scores = torch.from_numpy(np.stack(queries) @ np.stack(keys).swapaxes(-1, -2))
    expected = torch.softmax(scores / 7**0.5, -1)[:, 0].numpy()
    assert np.allclose(unpack(data["weights"]), expected, atol=0.00051)
    assert data["params"]["bidirectional"] is True


def test_the_neuron_view_takes_masked_weights_and_sees_that_they_are_causal():
    scores = np.random.default_rng(0).normal(size=(1, 5, 6, 6))
    exponentials = np.exp(scores) * np.tri(6)
    weights = exponentials / exponentials.sum(-1, keepdims=True)
    data = fed(neuron_view(vectors(1), vectors(1, seed=1), TOKENS, weights=weights))
    assert np.allclose(unpack(data["weights"])[0], weights[0], atol=0.00051)
    assert data["params"]["bidirectional"] is False


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("framework", ["torch", "tensorflow"])
def test_an_encoders_queries_and_keys_explain_its_weights(framework, norm_first):
    config = TransformerConfig(
        vocab_size=50,
        d_model=12,
        num_heads=3,
        d_ff=20,
        num_layers=2,
        num_segments=2,
        norm_first=norm_first,
    )
    ids, segment_ids = np.array([[4, 9, 2, 7, 5, 0]]), np.array([[0, 0, 0, 1, 1, 1]])
    if framework == "torch":
        encoder = scratch.torch.Encoder(config).eval()
        ids, segment_ids = torch.tensor(ids), torch.tensor(segment_ids)
    else:
        encoder = scratch.tensorflow.TFEncoder(config)
        ids, segment_ids = tf.constant(ids), tf.constant(segment_ids)
    found = vectors_of(encoder, ids, segment_ids=segment_ids)
    _, weights = encoder(ids, segment_ids=segment_ids)
    for layer in range(2):
        query, key = (torch.tensor(found[name][layer]) for name in ("queries", "keys"))
        scores = query @ key.transpose(-1, -2) / 2.0
        scores[..., 5] = -torch.inf  # the last token is padding
        explained = torch.softmax(scores, -1).numpy()
        ours = weights[layer].detach() if framework == "torch" else weights[layer]
        assert np.allclose(explained, ours.numpy(), atol=1e-6)
        assert np.allclose(found["weights"][layer], ours.numpy(), atol=1e-6)
    view = neuron_view(tokens=TOKENS, **found, layers=1)
    assert repr(view) == "Neuron view: 1 layer, 3 heads, 6 tokens, vectors of 4"


def test_a_pair_can_be_looked_at_sentence_by_sentence():
    data = fed(head_view(self_attention(), TOKENS, sentence_b_start=4))
    assert [(key, rows, columns) for key, _, rows, columns in data["parts"]] == [
        ("all", [0, 6], [0, 6]),
        ("aa", [0, 4], [0, 4]),
        ("ab", [0, 4], [4, 6]),
        ("ba", [4, 6], [0, 4]),
        ("bb", [4, 6], [4, 6]),
    ]


def test_tokens_cannot_break_out_of_the_frame():
    for name, view in views_of("numpy").items():
        assert fed(view)["query_tokens"] == TOKENS, name
        assert view.document.count("</script>") == view.document.count("<script"), name
        source = re.search(r'srcdoc="([^"]*)"', view._repr_html_())[1]
        assert html.unescape(source) == view.document, name


def test_a_view_is_a_titled_frame_and_a_still_picture_with_words_for_it():
    for name, view in views_of("numpy").items():
        page = view._repr_html_()
        assert page.startswith('<div class="attention-view">'), name
        assert page.endswith("</div>"), name
        assert f'<iframe title="{html.escape(view.title)}"' in page, name
        assert "time flies" in view.title and "time flies" in view.alt, name
        assert f'<img alt="{html.escape(view.alt)}"' in page, name
        assert 'src="data:image/png;base64,' in page, name
        assert view.picture.startswith(b"\x89PNG"), name


def test_a_frame_loads_d3_and_jquery_by_the_published_tags_and_nothing_else():
    for name, view in views_of("numpy").items():
        assert view.document.count(D3_TAG) == 1, name
        assert view.document.count(JQUERY_TAG) == 1, name
        rest = view.document.replace(D3_TAG, "").replace(JQUERY_TAG, "")
        assert "https:" not in rest and "src=" not in rest, name


def test_the_plain_text_is_short_and_the_same_for_other_numbers():
    shown = head_view(self_attention(), TOKENS)
    other = head_view([layer[:, ::-1] for layer in self_attention()], TOKENS)
    assert repr(shown) == repr(other) == "Head view: 3 layers, 5 heads, 6 tokens"
    cross = head_view(random_weights(1, 1, 6, 4), TOKENS, KEY_TOKENS)
    assert repr(cross) == "Head view: 1 layer, 1 head, 6 × 4 tokens"


def test_nbval_overlooks_the_last_decimal_and_nothing_else():
    patterns = ConfigParser()
    patterns.read(Path(__file__).with_name("nbval.cfg"))

    def seen(view):
        page = view._repr_html_()
        for name in patterns.sections():
            page = re.sub(patterns[name]["regex"], patterns[name]["replace"], page)
        return page

    first = seen(head_view([layer.round(2) for layer in self_attention()], TOKENS))
    assert first == seen(head_view(self_attention(), TOKENS))
    assert first != seen(head_view(self_attention(), TOKENS[::-1]))
    assert first != seen(head_view(self_attention(), TOKENS, layer=1))


def test_the_same_attention_gives_the_same_bytes():
    first, second = views_of("numpy"), views_of.__wrapped__("numpy")
    for name in first:
        assert first[name]._repr_html_() == second[name]._repr_html_(), name


def test_views_of_a_whole_small_model_are_small():
    tokens = [f"token{i}" for i in range(16)]
    weights = self_attention(layers=6, heads=12, length=16)
    queries = vectors(layers=2, heads=12, length=16, d_k=32, seed=1)
    keys = vectors(layers=2, heads=12, length=16, d_k=32, seed=2)
    for view in (
        head_view(weights, tokens),
        model_view(weights, tokens),
        neuron_view(queries, keys, tokens),
    ):
        compressed = gzip.compress(view.document.encode())
        assert len(compressed) <= 120_000, view
        assert len(view._repr_html_()) <= 220_000, view


def test_making_views_leaves_no_figure_open():
    head_view(self_attention(), TOKENS)
    neuron_view(vectors(1), vectors(1), TOKENS)
    assert plt.get_fignums() == []


WEIGHTS = self_attention()


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: head_view(None, TOKENS), TypeError, ["weights", "need_weights=False"]),
        (lambda: head_view([WEIGHTS[0], None], TOKENS), TypeError, ["weights[1]"]),
        (lambda: head_view([], TOKENS), ValueError, ["weights", "empty"]),
        (lambda: head_view(["a"], TOKENS), TypeError, ["weights[0]", "str"]),
        (lambda: head_view(WEIGHTS[0][0, 0, 0], TOKENS), ValueError, ["(6,)", "keys"]),
        (
            lambda: head_view(np.concatenate(WEIGHTS[:2]), TOKENS),
            ValueError,
            ["weights", "batch of 2", "weights[:1]"],
        ),
        (
            lambda: head_view([(WEIGHTS[0], WEIGHTS[1])], TOKENS),
            TypeError,
            ["weights[0]", "(self, cross)"],
        ),
        (
            lambda: head_view([WEIGHTS[0], WEIGHTS[1][:, :2]], TOKENS),
            ValueError,
            ["weights[1]", "(2, 6, 6)", "(5, 6, 6)"],
        ),
        (
            lambda: head_view([WEIGHTS[0] * np.nan], TOKENS),
            ValueError,
            ["weights", "NaN"],
        ),
        (lambda: head_view(WEIGHTS, TOKENS[:4]), ValueError, ["tokens", "4", "6"]),
        (lambda: head_view(WEIGHTS, "time flies"), TypeError, ["tokens", "str"]),
        (lambda: head_view(WEIGHTS, None), TypeError, ["tokens", "NoneType"]),
        (
            lambda: head_view(random_weights(1, 2, 6, 4), TOKENS),
            ValueError,
            ["key_tokens", "6 queries", "4 keys"],
        ),
        (
            lambda: head_view(random_weights(1, 2, 6, 4), TOKENS, TOKENS),
            ValueError,
            ["key_tokens", "6", "4"],
        ),
        (
            lambda: head_view(WEIGHTS, TOKENS, sentence_b_start=6),
            ValueError,
            ["sentence_b_start", "6", "1 to 5"],
        ),
        (
            lambda: head_view(WEIGHTS, TOKENS, TOKENS, sentence_b_start=3),
            ValueError,
            ["sentence_b_start", "key_tokens"],
        ),
        (
            lambda: head_view(WEIGHTS, TOKENS, layers=3),
            ValueError,
            ["layers", "3", "0 to 2"],
        ),
        (lambda: model_view(WEIGHTS, TOKENS, heads=[]), ValueError, ["heads"]),
        (
            lambda: head_view(WEIGHTS, TOKENS, layers=[0, 1], layer=2),
            ValueError,
            ["layer", "2", "[0, 1]"],
        ),
        (
            lambda: neuron_view(vectors(d_k=7), vectors(d_k=8), TOKENS),
            ValueError,
            ["queries[0]", "(5, 6, 7)", "keys[0]", "(5, 6, 8)", "d_k"],
        ),
        (
            lambda: neuron_view(vectors(2), vectors(3), TOKENS),
            ValueError,
            ["queries", "2", "keys", "3"],
        ),
        (
            lambda: neuron_view(vectors(2), vectors(2), TOKENS, weights=WEIGHTS),
            ValueError,
            ["weights", "(3, 5, 6, 6)", "(2, 5, 6, 6)"],
        ),
        (lambda: vectors_of({}, None), TypeError, ["encoder", "dict", "TFEncoder"]),
        (lambda: heatmap(WEIGHTS, TOKENS[:3]), ValueError, ["tokens", "3", "6"]),
        (lambda: mask_picture(WEIGHTS[0]), ValueError, ["masks[0]", "boolean"]),
        (
            lambda: mask_picture(np.ones((2, 1, 3, 3), bool)),
            ValueError,
            ["masks[0]", "(2, 1, 3, 3)"],
        ),
    ],
)
def test_errors_name_the_argument_what_came_and_what_is_wanted(make, error, words):
    with pytest.raises(error) as raised:
        make()
    for word in words:
        assert word in str(raised.value)


@pytest.mark.parametrize("convert", CONVERTERS.values(), ids=CONVERTERS)
def test_heatmap_draws_the_matrix_with_its_numbers_and_tokens(convert):
    weights = random_weights(1, 1, 6, 4)
    axis = heatmap(convert(weights), TOKENS, KEY_TOKENS).axes[0]
    assert np.allclose(axis.images[0].get_array(), weights[0, 0])
    printed = [text.get_text() for text in axis.texts]
    assert printed == [f"{value:.2f}" for value in weights[0, 0].ravel()]
    assert [label.get_text() for label in axis.get_xticklabels()] == KEY_TOKENS
    assert len(axis.get_yticklabels()) == 6


def test_heatmap_draws_a_panel_for_each_head_of_each_layer_on_one_scale():
    weights = self_attention()
    figure = heatmap(weights, TOKENS, heads=[0, 3])
    panels = [axis for axis in figure.axes if axis.images]
    assert len(panels) == 6
    assert np.allclose(panels[3].images[0].get_array(), weights[1][0, 3])
    largest = np.stack(weights)[:, 0, [0, 3]].max()
    for panel in panels:
        assert panel.images[0].get_clim() == pytest.approx((0.0, largest))


def test_signed_matrices_are_drawn_symmetrically_about_zero():
    matrix = np.array([[0.5, -2.0], [1.0, 0.0]])
    low, high = heatmap(matrix).axes[0].images[0].get_clim()
    assert (low, high) == (-2.0, 2.0)


def test_mask_picture_fills_what_may_be_attended_to():
    causal = np.tri(5, dtype=bool)[None, None]
    padding = np.array([[[[True, True, False]]]])
    figure = mask_picture(
        torch.from_numpy(causal), tf.constant(padding), titles=["causal", "padding"]
    )
    drawn = [axis.collections[0].get_array() for axis in figure.axes]
    assert np.array_equal(drawn[0].reshape(5, 5), np.tri(5))
    assert np.array_equal(drawn[1].reshape(1, 3), [[1, 1, 0]])
    assert [axis.get_title(loc="left") for axis in figure.axes] == ["causal", "padding"]


def test_a_mask_is_the_same_svg_from_run_to_run_and_leaves_no_figure_open():
    first, second = (as_svg(mask_picture(np.tri(3, dtype=bool))) for _ in range(2))
    assert first.data == second.data
    assert first.data.startswith("<svg")
    assert not plt.get_fignums()


def test_a_mask_for_all_queries_is_one_row_with_the_tokens_below():
    axis = mask_picture(np.array([[[[True, True, False]]]]), tokens=list("abc")).axes[0]
    assert [label.get_text() for label in axis.get_yticklabels()] == ["all"]
    assert [label.get_text() for label in axis.get_xticklabels()] == ["a", "b", "c"]


def test_packing_keeps_numbers_of_any_size_as_well_as_two_bytes_can():
    numbers = np.array([[0.12345, -1.0], [31.9, 0.0005000001]])
    assert np.allclose(unpack(pack(numbers, 3)), numbers, atol=0.000501)
    large = np.array([12345.678, -0.4])
    assert np.allclose(unpack(pack(large, 3)), large, atol=0.501)


def test_importing_the_views_loads_no_framework_and_no_bertviz():
    code = (
        "import sys, scratch.views; "
        "heavy = {'torch', 'tensorflow', 'keras', 'bertviz', 'matplotlib'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"


def test_a_view_of_numpy_weights_loads_neither_framework():
    code = (
        "import sys, numpy, scratch.views; "
        "scratch.views.head_view(numpy.eye(2), ['a', 'b']); "
        "print(sorted({'torch', 'tensorflow', 'keras', 'bertviz'} & set(sys.modules)))"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"
