"""A diagram is drawn from the model: the same for twins, another for another model."""

import inspect
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from functools import cache

import scratch.tensorflow
import scratch.torch
from readymade.views import diagram
from scratch.config import TransformerConfig

import keras
import pytest
import torch
from helpers.frameworks import TENSORFLOW, TORCH, both
from matplotlib import get_data_path
from PIL.ImageFont import truetype

CONFIG = TransformerConfig(
    vocab_size=1234, d_model=24, num_heads=3, d_ff=40, num_layers=2, max_len=77
)


@cache
def build(name, config=CONFIG, framework=TORCH):
    """Build a model by its PyTorch name, in either framework."""
    sizes = {
        "AttentionHead": (24, 8),
        "MultiHeadAttention": (24, 3, 0.0, 5, 6),
        "FeedForward": (24, 40, "gelu"),
        "SequenceClassifier": (config, 6),
        "TokenClassifier": (config, 6),
    }
    return getattr(framework, name)(*sizes.get(name, (config,)))


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


@pytest.mark.slow("a model that is drawn unlike its twin")
@pytest.mark.parametrize("name", NAMES)
def test_twins_are_drawn_alike_with_words_for_those_who_cannot_see_it(name):
    picture = diagram(build(name))
    other = diagram(build(name, framework=TENSORFLOW))
    assert other.svg.replace(f"TF{name}", name) == picture.svg
    root = ET.fromstring(picture._repr_svg_())
    assert root.get("role") == "img"
    assert root.get("aria-label") == repr(picture)
    assert repr(picture).startswith(f"{name}. ")
    assert root.find("{http://www.w3.org/2000/svg}title").text == name


def test_nothing_reaches_beyond_the_card():
    for name in NAMES:
        root = ET.fromstring(diagram(build(name)).svg)
        left, top, width, height = map(float, root.get("viewBox").split())
        for shape in root.iter("{http://www.w3.org/2000/svg}rect"):
            x, y = float(shape.get("x")), float(shape.get("y"))
            assert left <= x and x + float(shape.get("width")) <= left + width, name
            assert top <= y and y + float(shape.get("height")) <= top + height, name


def test_the_words_in_a_box_leave_room_at_its_edges():
    """Also in DejaVu Sans, which is wider than the fonts that are asked for."""
    config = replace(
        CONFIG, d_model=96, num_heads=24, num_kv_heads=12, positions="rotary"
    )
    shared = build("CausalLanguageModel", config)
    for model in [*map(build, NAMES), shared]:
        left = top = width = height = 0
        for one in ET.fromstring(diagram(model).svg):
            x, y = float(one.get("x", "nan")), float(one.get("y", "nan"))
            if one.get("rx") == "7":
                left, top = x, y
                width, height = float(one.get("width")), float(one.get("height"))
            elif one.text and left < x < left + width and top < y < top + height:
                bold = "-Bold" if one.get("font-weight") == "600" else ""
                font = f"{get_data_path()}/fonts/ttf/DejaVuSans{bold}.ttf"
                size = float(one.get("font-size"))
                assert truetype(font, size).getlength(one.text) < width - 12, one.text


@both
def test_parameters_are_counted_from_the_model_and_a_shared_table_once(framework):
    norm, attention = 2 * 24, 4 * (24 * 24 + 24)
    feed_forward = 24 * 40 + 40 + 40 * 24 + 24
    encoder = 2 * (attention + feed_forward + 2 * norm)
    decoder = 2 * (2 * attention + feed_forward + 3 * norm)
    total = f", {1234 * 24 + encoder + decoder:,} parameters"
    assert repr(diagram(build("Transformer", framework=framework))).endswith(total)


@both
def test_frozen_parameters_are_counted_too(framework):
    layer = framework.FeedForward(24, 40)
    if framework is TORCH:
        layer.requires_grad_(False)
    else:
        layer.trainable = False
    assert repr(diagram(layer)).endswith(", 1,984 parameters")


CHANGES = [
    {
        "num_layers": 3,
        "num_heads": 4,
        "d_ff": 50,
        "activation": "gelu_tanh",
        "positions": "learned",
        "num_segments": 2,
        "scale_embeddings": False,
    },
    {"d_k": 5, "d_v": 7, "activation": "silu", "vocab_size": 4321, "num_layers": 1},
]
APPEAR = [
    {
        "× 3",
        "4 heads, d_k 6 · 2,400 parameters",
        "24 → 50 → 24 · 2,474 parameters",
        "Feed-forward, GELU (tanh)",
        "learned",
        "2 × 24",
        "1,234 × 24",
    },
    {
        "3 heads, d_k 5, d_v 7 · 1,803 parameters",
        "Feed-forward, SiLU",
        "4,321 × 24, times √24",
        "× 1",
    },
]


@both
def test_another_model_is_another_picture(framework):
    usual = set(words(diagram(build("Encoder", framework=framework))))
    for change, appear in zip(CHANGES, APPEAR, strict=True):
        changed = build("Encoder", replace(CONFIG, **change), framework)
        assert appear <= set(words(diagram(changed)))
        assert not appear & usual


@both
def test_a_derived_class_is_drawn_as_its_base_under_its_own_name(framework):
    for name in ("Encoder", "DecoderLayer"):
        derived = type("Mine", (getattr(framework, name),), {})
        usual = diagram(build(name, framework=framework)).svg
        usual = usual.replace(f"TF{name}", "Mine").replace(f"{name}.", "Mine.")
        usual = usual.replace(f"<title>{name}<", "<title>Mine<")
        assert diagram(derived(CONFIG)).svg == usual


@both
def test_a_model_in_half_precision_is_drawn_the_same(framework):
    usual = diagram(build("Encoder", framework=framework)).svg
    if framework is TORCH:
        half = framework.Encoder(CONFIG).bfloat16().to("meta")  # without its numbers
    else:
        before = keras.config.dtype_policy()
        keras.config.set_dtype_policy("bfloat16")
        half = framework.Encoder(CONFIG)
        keras.config.set_dtype_policy(before)
    assert diagram(half).svg == usual


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
        CONFIG, target_vocab_size=999, num_decoder_layers=3, tie_output=False
    )
    written = words(diagram(build("Transformer", config)))
    assert {"source ids", "target ids", "memory", "× 2", "× 3"} <= set(written)
    assert "24 → 999, with a table of its own" in written


def test_a_decoder_without_memory_is_drawn_without_cross_attention():
    drawn = sequence(diagram(build("CausalLanguageModel")))
    assert "Cross-attention" not in drawn and "memory" not in drawn
    assert drawn[-2:] == ["Logits of all tokens", "logits"]


@both
def test_a_classifier_is_drawn_with_its_pooler_and_classes(framework):
    for pooler, activation in ((None, None), ("tanh", "tanh"), ("relu", "ReLU")):
        model = build("SequenceClassifier", replace(CONFIG, pooler=pooler), framework)
        written = words(diagram(model))
        assert "24 → 6" in written
        pooled = [line for line in written if line.startswith("Linear, ")]
        assert pooled == ([f"Linear, 24, {activation}"] if pooler else [])


@both
def test_the_heads_of_a_published_bert_are_drawn(framework):
    config = replace(CONFIG, activation="gelu", pooler="tanh", output_bias=True)
    drawn = {
        name: diagram(build(name, config, framework))
        for name in ("MaskedLanguageModel", "NextSentence", "SpanExtractor")
    }
    written = {name: words(picture) for name, picture in drawn.items()}
    assert {"24 → 24, GELU", "24 → 1,234, with the embeddings"} <= set(
        written["MaskedLanguageModel"]
    )
    assert sequence(drawn["MaskedLanguageModel"])[-4:] == [
        "Linear",
        "Layer norm",
        "Logits of all tokens",
        "logits",
    ]
    rms = replace(config, norm="rms", norm_embeddings=True)
    picture = diagram(build("MaskedLanguageModel", rms, framework))
    assert "RMSNorm" in words(picture) and "Layer norm" not in words(picture)
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


def test_the_same_picture_each_time_without_ids_that_could_clash():
    first, second = (diagram(build("Decoder")).svg for _ in range(2))
    assert first == second
    assert not re.search(r'\bid="', first)


def test_what_cannot_be_drawn_is_named():
    # The second and third share a name with models of ours.
    strangers = {
        "builtins.dict": {},
        "torch.nn.modules.transformer.Transformer": torch.nn.Transformer(
            8, 2, 1, 1, batch_first=True
        ),
        f"{__name__}.TFEncoder": type("TFEncoder", (), {})(),
        "torch.nn.modules.linear.Linear": torch.nn.Linear(2, 3),
    }
    for name, stranger in strangers.items():
        wanted = rf"^model is a {re.escape(name)}: wanted .*Encoder"
        with pytest.raises(TypeError, match=wanted):
            diagram(stranger)
