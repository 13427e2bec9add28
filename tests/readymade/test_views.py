"""Pictures of attention: of either framework, whole, small, the same each time."""

import base64
import gzip
import html
import json
import re
import subprocess
import sys
from configparser import ConfigParser
from dataclasses import replace
from functools import cache
from io import BytesIO

from readymade.views import (
    as_svg,
    head_view,
    heatmap,
    mask_picture,
    model_view,
    neuron_view,
    vectors_of,
)
from readymade.views.attention import bertviz_patches, bertviz_views
from readymade.views.attention.bertviz_page import LIBRARIES, pack
from readymade.views.figures import as_png, diverging
from readymade.views.frame import taken_apart
from scratch.config import TransformerConfig

import keras
import matplotlib.pyplot as plt
import numpy as np
import pytest
import tensorflow as tf
import torch
from helpers.book import ROOT
from helpers.frameworks import both
from PIL import Image

CONVERTERS = {
    "torch, bfloat16 with gradient": lambda array: torch.tensor(
        array, dtype=torch.bfloat16, requires_grad=True
    ),
    "torch, float16": lambda array: torch.tensor(array, dtype=torch.float16),
    "tensorflow, bfloat16": lambda array: tf.constant(array, tf.bfloat16),
    "tensorflow, float16 variable": lambda array: tf.Variable(array, dtype=tf.float16),
}
TOKENS = ["[CLS]", "time", "flies", "<i>like</i>", "</script>", "ein $ \\Pfeil \"'"]
KEY_TOKENS = ["[CLS]", "la", "flèche", "[SEP]"]


@pytest.fixture(autouse=True)
def close_figures():
    plt.switch_backend("agg")
    yield
    plt.close("all")


def random_weights(*shape, seed=0):
    """Return numbers from 0 to 1 that every floating-point type holds exactly."""
    return np.random.default_rng(seed).integers(0, 257, shape) / 256


def self_attention(layers=3, heads=5, length=6):
    return [random_weights(1, heads, length, length, seed=i) for i in range(layers)]


def vectors(layers=3, heads=5, length=6, d_k=7, seed=0):
    random = np.random.default_rng(seed)
    return list(random.integers(-40, 41, (layers, 1, heads, length, d_k)) / 4)


def make_views(convert=np.asarray):
    """Make every kind of view of the same attention, in the form that is asked for."""
    weights = [convert(layer) for layer in self_attention()]
    queries = [convert(layer) for layer in vectors(seed=1)]
    keys = [convert(layer) for layer in vectors(seed=2)]
    return {
        "head": head_view(weights, TOKENS, heads=[0, 3]),
        "pair": head_view(weights, TOKENS, sentence_b_start=4, layer=2, head=1),
        "cross": head_view(convert(random_weights(1, 2, 6, 4)), TOKENS, KEY_TOKENS),
        "model": model_view(weights, TOKENS, layers=[2, 0], heads=-1),
        "neuron": neuron_view(queries, keys, TOKENS),
    }


@cache
def views():
    return make_views()


def fed(view):
    """Read what the frame's script is fed with."""
    call = re.search(r"window\.bertviz_params = feed\((.*)\);\n", view.document)
    return json.loads(call[1])


def unpack(packed):
    """Return the numbers that `pack` kept."""
    integers = np.frombuffer(base64.b64decode(packed["data"]), dtype="<i2")
    return integers.reshape(packed["shape"]) / packed["scale"]


@pytest.mark.slow("a precision in which a view is another")
@pytest.mark.parametrize("source", CONVERTERS)
def test_every_framework_and_precision_gives_the_same_html(source, monkeypatch):
    """All but the pictures, which are drawn of the same numbers and take the time."""
    wanted = {name: replace(view, picture=b"") for name, view in views().items()}
    monkeypatch.setattr(bertviz_views, "as_png", lambda figure: b"")
    for name, view in make_views(CONVERTERS[source]).items():
        assert view._repr_html_() == wanted[name]._repr_html_(), name


def test_the_frame_holds_the_weights_to_three_decimals():
    inside = unpack(fed(views()["pair"])["weights"])
    assert inside.shape == (3, 5, 6, 6)
    assert np.abs(inside - np.stack(self_attention())[:, 0]).max() <= 0.0005 + 1e-12


def test_only_the_chosen_layers_and_heads_are_inside_and_keep_their_numbers():
    weights, view = self_attention(), views()["model"]
    data = fed(view)
    exact = np.stack([weights[2][0, [4]], weights[0][0, [4]]])
    assert np.allclose(unpack(data["weights"]), exact, atol=0.00051)
    assert data["params"]["include_layers"] == [2, 0]
    assert data["params"]["include_heads"] == [4]
    assert 'SHOWN = {"layers":[2,0],"heads":[4]}' in view.document


def test_the_neuron_view_holds_queries_keys_and_the_softmax_of_their_product():
    queries, keys = np.stack(vectors(seed=1))[:, 0], np.stack(vectors(seed=2))[:, 0]
    data = fed(views()["neuron"])
    assert np.allclose(unpack(data["queries"]), queries, atol=0.00501)
    assert np.allclose(unpack(data["keys"]), keys, atol=0.00501)
    scores = torch.from_numpy(queries @ keys.swapaxes(-1, -2))
    expected = torch.softmax(scores / 7**0.5, -1).numpy()
    assert np.allclose(unpack(data["weights"]), expected, atol=0.00051)
    assert data["params"]["bidirectional"] is True


def test_the_neuron_view_takes_masked_weights_and_sees_that_they_are_causal():
    weights = random_weights(1, 5, 6, 6) * np.tri(6)
    data = fed(neuron_view(vectors(1), vectors(1, seed=1), TOKENS, weights=weights))
    assert np.allclose(unpack(data["weights"])[0], weights[0], atol=0.00051)
    assert data["params"]["bidirectional"] is False


@pytest.mark.slow("queries and keys that do not give the weights")
@both
def test_an_encoders_queries_and_keys_explain_its_weights(framework):
    class Derived(framework.Encoder):
        pass

    ids = framework.tensor(np.array([[4, 9, 2, 7, 5, 0]]))
    segment_ids = framework.tensor(np.array([[0, 0, 0, 1, 1, 1]]))
    post = TransformerConfig(
        vocab_size=50,
        d_model=12,
        num_heads=3,
        d_ff=20,
        num_layers=2,
        num_segments=2,
        dropout=0.0,
    )
    pre = replace(post, norm_first=True)
    for encoder in (framework.Encoder(post), Derived(pre)):
        found = vectors_of(encoder, ids, segment_ids=segment_ids)
        _, weights = framework.numpy(encoder(ids, segment_ids=segment_ids))
        for layer in range(2):
            query, key = found["queries"][layer], found["keys"][layer]
            scores = torch.tensor(query @ key.swapaxes(-1, -2) / 2.0)
            scores[..., 5] = -torch.inf  # the last token is padding
            assert np.allclose(torch.softmax(scores, -1), weights[layer], atol=1e-6)
            assert np.allclose(found["weights"][layer], weights[layer], atol=1e-6)
    rotary = framework.Encoder(replace(post, positions="rotary"))
    with pytest.raises(TypeError, match=r"encoder attends with \w*Grouped.*: wanted"):
        vectors_of(rotary, ids)
    view = neuron_view(tokens=TOKENS, **found, layers=1)
    assert repr(view) == "Neuron view: 1 layer, 3 heads, 6 tokens, vectors of 4"


def test_a_pair_can_be_viewed_sentence_by_sentence():
    parts = fed(views()["pair"])["parts"]
    assert [(key, rows, columns) for key, _, rows, columns in parts] == [
        ("all", [0, 6], [0, 6]),
        ("aa", [0, 4], [0, 4]),
        ("ab", [0, 4], [4, 6]),
        ("ba", [4, 6], [0, 4]),
        ("bb", [4, 6], [4, 6]),
    ]


def test_tokens_cannot_break_out_of_the_frame():
    for name, view in views().items():
        assert fed(view)["query_tokens"] == TOKENS, name
        assert view.document.count("</script>") == view.document.count("<script"), name
        source = re.search(r'srcdoc="([^"]*)"', view._repr_html_())[1]
        assert html.unescape(source) == view.document, name


def test_a_view_is_a_titled_frame_and_a_still_picture_with_words_for_it():
    for name, view in views().items():
        page = view._repr_html_()
        assert page.startswith('<div class="attention-view">'), name
        assert page.endswith("</div>"), name
        assert f'<iframe title="{html.escape(view.title)}"' in page, name
        assert "time flies" in view.title and "time flies" in view.alt, name
        assert f'<img alt="{html.escape(view.alt)}"' in page, name
        assert 'src="data:image/png;base64,' in page, name
        assert view.picture.startswith(b"\x89PNG"), name
    assert plt.get_fignums() == []


def test_a_frame_loads_d3_and_jquery_and_nothing_else():
    for name, view in views().items():
        rest = view.document
        for address in LIBRARIES:
            script = f'<script src="{address}"></script>'
            assert rest.count(script) == 1, name
            rest = rest.replace(script, "")
        assert "https:" not in rest and "src=" not in rest, name


def test_a_view_is_taken_apart_as_it_was_put_together():
    for name, view in views().items():
        parts = taken_apart(view._repr_html_())
        assert (parts.page, parts.alt) == (view.document, view.alt), name
        assert (parts.picture, parts.widest) == (view.picture, view.drawn.widest + 28)


@pytest.mark.parametrize("name", ["head_view", "model_view", "neuron_view"])
def test_a_script_that_a_patch_does_not_fit_is_refused(name, monkeypatch):
    patches = bertviz_patches._PATCHES[name] | {"const GONE = 1;": ""}
    monkeypatch.setitem(bertviz_patches._PATCHES, name, patches)
    with pytest.raises(ImportError, match=rf"bertviz is .*{name}\.js.*const GONE = 1;"):
        bertviz_patches.drawing_code(name)


def test_the_plain_text_counts_layers_heads_and_tokens():
    assert repr(views()["pair"]) == "Head view: 3 layers, 5 heads, 6 tokens"
    assert repr(views()["model"]) == "Model view: 2 layers, 1 head, 6 tokens"
    assert repr(views()["cross"]) == "Head view: 1 layer, 2 heads, 6 × 4 tokens"


@pytest.mark.slow("a rule of comparing outputs that overlooks more")
def test_nbval_overlooks_the_last_decimal_and_nothing_else():
    patterns = ConfigParser()
    patterns.read(ROOT / "tests" / "nbval.cfg")

    def seen(weights, tokens, layer):
        page = head_view(weights, tokens, layer=layer)._repr_html_()
        for name in patterns.sections():
            page = re.sub(patterns[name]["regex"], patterns[name]["replace"], page)
        return page

    weights = self_attention(2, 1)
    first = seen([layer.round(2) for layer in weights], TOKENS, 0)
    assert first == seen(weights, TOKENS, 0)
    assert first != seen(weights, TOKENS[::-1], 0)
    assert first != seen(weights, TOKENS, 1)


@pytest.mark.slow("a view that is too heavy for a page")
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


W = self_attention()
OBLONG = random_weights(1, 2, 6, 4)
ERRORS = {
    "weights is None: .*need_weights=False": (TypeError, lambda: head_view(None, "a")),
    r"weights\[1\] is None": (TypeError, lambda: head_view([W[0], None], TOKENS)),
    "weights is empty": (ValueError, lambda: head_view([], TOKENS)),
    r"weights\[0\] is a str: wanted": (TypeError, lambda: head_view(["a"], TOKENS)),
    "weights is a Tensor: wanted .* numbers": (
        TypeError,
        lambda: head_view(torch.empty(1, 2, 6, 6, device="meta"), TOKENS),
    ),
    "weights is a KerasTensor: wanted .* numbers": (
        TypeError,
        lambda: head_view(keras.Input((2, 6, 6)), TOKENS),
    ),
    r"weights has shape \(6,\): wanted .*keys": (
        ValueError,
        lambda: head_view(W[0][0, 0, 0], TOKENS),
    ),
    r"weights holds a batch of 2: wanted .*weights\[:1\]": (
        ValueError,
        lambda: head_view(np.concatenate(W[:2]), TOKENS),
    ),
    r"weights\[0\] is a tuple of 2: wanted .*\(self, cross\)": (
        TypeError,
        lambda: head_view([(W[0], W[1])], TOKENS),
    ),
    r"weights\[1\] has shape \(2, 6, 6\): wanted \(5, 6, 6\)": (
        ValueError,
        lambda: head_view([W[0], W[1][:, :2]], TOKENS),
    ),
    r"weights\[0\] holds NaN.*: wanted": (
        ValueError,
        lambda: head_view([W[0] * np.nan], TOKENS),
    ),
    "weights holds NaN.*: wanted": (ValueError, lambda: heatmap(W[0] * np.nan)),
    "tokens has 4 entries: wanted 6": (ValueError, lambda: head_view(W, TOKENS[:4])),
    "tokens has 3 entries: wanted 6": (ValueError, lambda: heatmap(W, TOKENS[:3])),
    "tokens is a str: wanted": (TypeError, lambda: head_view(W, "time flies")),
    "tokens is a NoneType: wanted": (TypeError, lambda: head_view(W, None)),
    "key_tokens is None: wanted .*6 queries and 4 keys": (
        ValueError,
        lambda: head_view(OBLONG, TOKENS),
    ),
    "key_tokens has 6 entries: wanted 4": (
        ValueError,
        lambda: head_view(OBLONG, TOKENS, TOKENS),
    ),
    "sentence_b_start is 6: wanted .*1 to 5": (
        ValueError,
        lambda: head_view(W, TOKENS, sentence_b_start=6),
    ),
    "sentence_b_start is 2.5 .*: wanted an integer": (
        TypeError,
        lambda: head_view(W, TOKENS, sentence_b_start=2.5),
    ),
    "sentence_b_start and key_tokens are both given: wanted one": (
        ValueError,
        lambda: head_view(W, TOKENS, TOKENS, sentence_b_start=3),
    ),
    "layers holds 3: wanted .*0 to 2": (
        ValueError,
        lambda: head_view(W, TOKENS, layers=3),
    ),
    "heads is empty": (ValueError, lambda: model_view(W, TOKENS, heads=[])),
    r"layer is 2: wanted .*\[0, 1\]": (
        ValueError,
        lambda: head_view(W, TOKENS, layers=[0, 1], layer=2),
    ),
    r"keys\[0\] has shape \(5, 6, 8\): wanted .*d_k.*\(5, 6, 7\)": (
        ValueError,
        lambda: neuron_view(vectors(d_k=7), vectors(d_k=8), TOKENS),
    ),
    "keys has 3 layers: wanted 2": (
        ValueError,
        lambda: neuron_view(vectors(2), vectors(3), TOKENS),
    ),
    r"weights have shape \(3, 5, 6, 6\): wanted \(2, 5, 6, 6\)": (
        ValueError,
        lambda: neuron_view(vectors(2), vectors(2), TOKENS, weights=W),
    ),
    "encoder is a dict: wanted .*TFEncoder": (TypeError, lambda: vectors_of({}, None)),
    r"masks\[0\] holds .*: wanted a boolean": (ValueError, lambda: mask_picture(W[0])),
    r"masks\[0\] has shape \(2, 1, 3, 3\): wanted": (
        ValueError,
        lambda: mask_picture(np.ones((2, 1, 3, 3), bool)),
    ),
    "titles has 1 entries: wanted 2": (
        ValueError,
        lambda: mask_picture(np.eye(2), np.eye(2), titles=["one"]),
    ),
}


def test_errors_name_the_argument_what_came_and_what_is_wanted():
    for wanted, (kind, make) in ERRORS.items():
        said = "no error"
        try:
            make()
        except kind as error:
            said = str(error)
        assert re.match(wanted, said), wanted


def test_a_heatmap_shows_the_matrix_with_its_numbers_and_tokens():
    weights = random_weights(1, 1, 6, 4)
    weights[0, 0, 0, 0] = -0.001
    axis = heatmap(weights, TOKENS, KEY_TOKENS).axes[0]
    assert np.allclose(axis.images[0].get_array(), weights[0, 0])
    first, *printed = [text.get_text() for text in axis.texts]
    assert first == "0.00"
    assert printed == [f"{value:.2f}" for value in weights[0, 0].ravel()[1:]]
    assert [label.get_text() for label in axis.get_xticklabels()] == KEY_TOKENS
    assert len(axis.get_yticklabels()) == 6


def tiles(figure):
    """Return a heat map's only image, cut at the gaps into a grid of panels."""
    axis, _ = figure.axes  # the second is the scale of colours
    (drawn,) = axis.images
    image = np.ma.filled(drawn.get_array(), np.nan)

    def runs(empty):
        places = np.flatnonzero(~empty)
        return np.split(places, np.flatnonzero(np.diff(places) > 1) + 1)

    rows = runs(np.isnan(image).all(axis=1))
    columns = runs(np.isnan(image).all(axis=0))
    return [[image[np.ix_(row, column)] for column in columns] for row in rows]


@pytest.mark.parametrize(("layers", "heads"), [(3, 2), (12, 32)])
def test_any_number_of_heads_is_one_image_on_one_scale(layers, heads):
    weights = self_attention(layers, heads)
    figure = heatmap(weights, TOKENS, layer_numbers=range(7, 7 + layers))
    assert np.array_equal(tiles(figure), np.stack(weights)[:, 0])
    axis = figure.axes[0]
    assert axis.images[0].get_clim() == (0.0, np.max(weights))
    assert len(axis.collections[0].get_paths()) == layers * heads
    written = [text.get_text() for text in axis.texts]
    name = "head {}" if heads == 2 else "{}"
    assert written[:heads] == [name.format(head) for head in range(heads)]
    assert written[heads:] == [f"layer {7 + layer}" for layer in range(layers)]
    labels = [label.get_text() for label in axis.get_yticklabels()]
    assert len(labels) == (6 * layers if heads == 2 else 0)


@pytest.mark.parametrize(("heads", "width"), [(6, 3), (7, 4)])
def test_the_many_heads_of_one_layer_are_folded_and_each_is_named(heads, width):
    weights = random_weights(heads, 5, 7)
    figure = heatmap(weights, head_numbers=range(heads, 0, -1))
    folded = [panel for row in tiles(figure) for panel in row]
    assert np.array_equal(folded[:heads], weights)
    places = [(*text.xy, text.get_text()) for text in figure.axes[0].texts]
    left, top, name = places[0]
    assert name == f"head {heads}"
    below = [place for place in places if place[0] == left and place[1] > top + 5]
    assert [name for *_, name in below] == [f"head {heads - width}"]


def test_signed_matrices_are_drawn_symmetrically_about_zero():
    figure = heatmap(np.array([[0.5, -2.0], [1.0, 0.0]]))
    assert figure.axes[0].images[0].get_clim() == (-2.0, 2.0)
    # Each colour of the scale is stored, although most of the picture is paper.
    stored = Image.open(BytesIO(as_png(figure))).getpalette()
    scale = 255 * diverging()(np.linspace(0, 1, 256))[:, :3]
    missed = np.abs(np.reshape(stored, (-1, 1, 3)) - scale).max(-1).min(0)
    assert missed.max() < 6


def test_a_mask_is_filled_where_attention_is_allowed():
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


def test_views_load_what_they_need_and_neither_framework():
    code = (
        "import sys, numpy, readymade.views\n"
        "heavy = {'torch', 'tensorflow', 'keras', 'bertviz', 'matplotlib'}\n"
        "print(*(heavy & set(sys.modules)))\n"
        "readymade.views.head_view(numpy.eye(2), ['a', 'b'])\n"
        "print(*(heavy & set(sys.modules)))"
    )
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert loaded == "\nmatplotlib\n"


def test_half_a_character_in_a_label_is_named():
    with pytest.raises(ValueError, match=r"tokens\[1\] has half a character"):
        head_view([np.full((1, 1, 2, 2), 0.5)], ["a", "\ud800"])


@pytest.mark.parametrize("view", [head_view, model_view, heatmap])
@pytest.mark.parametrize("shape", [(1, 2, 0, 0), (2, 3, 0), (1, 0, 2, 2), (0, 4)])
@pytest.mark.parametrize("convert", [np.zeros, torch.zeros, tf.zeros])
def test_a_view_of_no_tokens_is_refused(view, shape, convert):
    tokens = ["a"] * shape[-2]
    words = "has shape .*: wanted no axis of length 0"
    for weights in (convert(shape), [convert(shape)] * 2):
        with pytest.raises(ValueError, match=words):
            view(weights, tokens)


def test_other_pictures_of_nothing_are_refused():
    nothing = np.zeros((1, 2, 0, 4))
    for queries, keys in (
        (nothing, nothing),
        (torch.zeros(1, 2, 3, 0), torch.zeros(1, 2, 3, 0)),
        (np.zeros((1, 2, 3, 4)), nothing),
    ):
        with pytest.raises(ValueError, match="wanted no axis of length 0"):
            neuron_view(queries, keys, ["a"] * queries.shape[2], [])
    with pytest.raises(ValueError, match=r"masks\[0\] has shape \(0, 3\): wanted no"):
        mask_picture(np.zeros((0, 3), bool))
    for weights in ([[]], [[[]]], [()]):
        with pytest.raises(ValueError, match=r"weights has shape .*: wanted no axis"):
            heatmap(weights)
    with pytest.raises(ValueError, match="tokens has 0 entries: wanted 2, one for"):
        head_view(np.ones((1, 1, 2, 2)), [])
