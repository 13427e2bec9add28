"""A diagram is drawn from the model: the same for twins, another for another model."""

import inspect
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import scratch.tensorflow
import scratch.torch
from scratch.config import TransformerConfig
from scratch.views import diagram

import pytest

CONFIG = TransformerConfig(
    vocab_size=1234, d_model=24, num_heads=3, d_ff=40, num_layers=5, max_len=77
)


def build(name, config=CONFIG, framework="torch"):
    """Build a model by its torch name, in either framework."""
    package, prefix = scratch.torch, ""
    if framework == "tensorflow":
        package, prefix = scratch.tensorflow, "TF"
    sizes = {
        "AttentionHead": (24, 8),
        "MultiHeadAttention": (24, 3, 0.0, 5, 6),
        "FeedForward": (24, 40, "gelu"),
        "SequenceClassifier": (config, 6),
    }
    return getattr(package, prefix + name)(*sizes.get(name, (config,)))


def words(picture):
    """Return all that is written in the picture, as lines."""
    root = ET.fromstring(picture.svg)
    return [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]


def models_of(package, call):
    """Return all classes that a config builds and that take ids, by torch's names."""
    found = []
    for name, one in vars(package).items():
        if inspect.isclass(one) and hasattr(one, call):
            takes = list(inspect.signature(getattr(one, call)).parameters)
            built_from = inspect.signature(one.__init__).parameters
            if "config" in built_from and takes[1].endswith("ids"):
                found.append(name.removeprefix("TF"))
    return found


PARTS = [
    "AttentionHead",
    "MultiHeadAttention",
    "FeedForward",
    "EncoderLayer",
    "DecoderLayer",
]
MODELS = models_of(scratch.torch, "forward")
NAMES = PARTS + MODELS


def test_both_packages_have_the_same_models():
    assert sorted(models_of(scratch.tensorflow, "call")) == sorted(MODELS)
    assert {"Encoder", "Transformer", "SpanExtractor"} <= set(MODELS)


@pytest.mark.parametrize("name", NAMES)
def test_twins_are_drawn_alike(name):
    theirs = diagram(build(name, framework="tensorflow")).svg
    assert theirs.replace(f"TF{name}", name) == diagram(build(name)).svg


@pytest.mark.parametrize("name", NAMES)
def test_a_diagram_is_svg_with_words_for_those_who_cannot_see_it(name):
    picture = diagram(build(name))
    root = ET.fromstring(picture._repr_svg_())
    assert root.get("role") == "img"
    assert root.get("aria-label") == repr(picture)
    assert repr(picture).startswith(f"{name}. ")
    assert root.find("{http://www.w3.org/2000/svg}title").text == name


@pytest.mark.parametrize("name", NAMES)
def test_nothing_reaches_beyond_the_card(name):
    root = ET.fromstring(diagram(build(name)).svg)
    left, top, width, height = map(float, root.get("viewBox").split())
    for shape in root.iter("{http://www.w3.org/2000/svg}rect"):
        x, y = float(shape.get("x")), float(shape.get("y"))
        assert left <= x and x + float(shape.get("width")) <= left + width
        assert top <= y and y + float(shape.get("height")) <= top + height


@pytest.mark.parametrize("framework", ["torch", "tensorflow"])
def test_parameters_are_counted_from_the_model_and_a_shared_table_once(framework):
    config = replace(CONFIG, num_layers=1)
    norm, attention = 2 * 24, 4 * (24 * 24 + 24)
    feed_forward = 24 * 40 + 40 + 40 * 24 + 24
    encoder = attention + feed_forward + 2 * norm
    decoder = 2 * attention + feed_forward + 3 * norm
    picture = diagram(build("Transformer", config, framework))
    total = 1234 * 24 + encoder + decoder
    assert repr(picture).endswith(f", {total:,} parameters")


@pytest.mark.parametrize(
    ("change", "appears"),
    [
        ({"num_layers": 9}, "× 9"),
        ({"num_heads": 4}, "4 heads, d_k 6 · 2,400 parameters"),
        ({"d_k": 5, "d_v": 7}, "3 heads, d_k 5, d_v 7 · 1,803 parameters"),
        ({"d_ff": 50}, "24 → 50 → 24 · 2,474 parameters"),
        ({"activation": "gelu_tanh"}, "Feed-forward, GELU (tanh)"),
        ({"activation": "silu"}, "Feed-forward, SiLU"),
        ({"positions": "learned"}, "learned"),
        ({"num_segments": 2}, "2 × 24"),
        ({"scale_embeddings": False}, "1,234 × 24"),
        ({"vocab_size": 4321}, "4,321 × 24, times √24"),
    ],
)
@pytest.mark.parametrize("framework", ["torch", "tensorflow"])
def test_another_model_is_another_picture(change, appears, framework):
    changed = build("Encoder", replace(CONFIG, **change), framework)
    assert appears in words(diagram(changed))
    assert appears not in words(diagram(build("Encoder", framework=framework)))


def sequence(picture):
    """Return the boxes and sums from bottom to top, sums as "+"."""
    root = ET.fromstring(picture.svg)
    drawn = []
    for element in root:
        tag = element.tag.removeprefix("{http://www.w3.org/2000/svg}")
        if tag == "circle":
            drawn.append((float(element.get("cy")), "+"))
        if tag == "text" and element.get("font-weight") == "600":
            drawn.append((float(element.get("y")), element.text))
    return [name for _, name in sorted(drawn, reverse=True)]


def test_the_norm_stands_after_the_sum_in_post_ln():
    assert sequence(diagram(build("EncoderLayer"))) == [
        "x",
        "Self-attention",
        "+",
        "Layer norm",
        "Feed-forward, ReLU",
        "+",
        "Layer norm",
        "x",
    ]


def test_the_norm_stands_before_the_sublayer_in_pre_ln_and_once_after_the_stack():
    model = build("Encoder", replace(CONFIG, norm_first=True))
    assert [name for name in sequence(diagram(model)) if name != "Positions"] == [
        "ids",
        "Token embeddings",
        "+",
        "Layer norm",
        "Self-attention",
        "+",
        "Layer norm",
        "Feed-forward, ReLU",
        "+",
        "Layer norm",
        "hidden",
    ]


def test_the_decoder_reads_the_memory_between_its_two_other_sublayers():
    drawn = sequence(diagram(build("DecoderLayer")))
    assert [name for name in drawn if "attention" in name or "Feed" in name] == [
        "Causal self-attention",
        "Cross-attention",
        "Feed-forward, ReLU",
    ]
    assert "memory" in drawn


def test_a_transformer_leads_the_memory_from_one_stack_to_the_other():
    config = replace(
        CONFIG, target_vocab_size=999, num_decoder_layers=2, tie_output=False
    )
    written = words(diagram(build("Transformer", config)))
    assert {"source ids", "target ids", "memory", "× 5", "× 2"} <= set(written)
    assert "24 → 999, by a table of its own" in written


def test_a_decoder_without_memory_is_drawn_without_cross_attention():
    drawn = sequence(diagram(build("CausalLanguageModel")))
    assert "Cross-attention" not in drawn and "memory" not in drawn
    assert drawn[-2:] == ["Scores of all tokens", "logits"]


@pytest.mark.parametrize("pooler", [None, "tanh", "relu"])
def test_a_classifier_is_drawn_with_its_pooler_and_classes(pooler):
    for framework in ("torch", "tensorflow"):
        model = build("SequenceClassifier", replace(CONFIG, pooler=pooler), framework)
        written = words(diagram(model))
        assert "24 → 6" in written
        activation = {None: False, "tanh": "tanh", "relu": "ReLU"}[pooler]
        assert (f"Linear, 24, {activation}" in written) == bool(pooler)


@pytest.mark.parametrize("framework", ["torch", "tensorflow"])
def test_the_heads_of_a_published_bert_are_drawn(framework):
    config = replace(CONFIG, activation="gelu", pooler="tanh", output_bias=True)
    drawn = {
        name: diagram(build(name, config, framework))
        for name in ("MaskedLanguageModel", "NextSentence", "SpanExtractor")
    }
    written = {name: words(picture) for name, picture in drawn.items()}
    assert {"24 → 24, GELU", "24 → 1,234, by the embeddings"} <= set(
        written["MaskedLanguageModel"]
    )
    assert sequence(drawn["MaskedLanguageModel"])[-4:] == [
        "Linear",
        "Layer norm",
        "Scores of all tokens",
        "logits",
    ]
    assert {"First token, pooled", "24 → 2", "(batch, 2)"} <= set(
        written["NextSentence"]
    )
    assert {"24 → 2: first and last", "2 × (batch, length)"} <= set(
        written["SpanExtractor"]
    )


def test_the_scale_and_the_heads_of_an_attention_are_its_own():
    written = words(diagram(build("MultiHeadAttention")))
    assert "24 → 3 × 5" in written and "24 → 3 × 6" in written
    assert any("√5)" in line for line in written)
    assert "heads side by side: 18 → 24" in written
    assert "× 3" in written


def test_no_random_ids_and_the_same_picture_each_time():
    first, second = (diagram(build("Decoder")).svg for _ in range(2))
    assert first == second
    assert not re.search(r'\bid="', first)


def test_what_cannot_be_drawn_is_named():
    with pytest.raises(TypeError, match=r"model is a dict.*Encoder"):
        diagram({})
