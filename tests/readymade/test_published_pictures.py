"""Published models of pictures (ViT), and from raw pixels to what they take."""

import json

import scratch.tensorflow as scratch_tensorflow  # starts TensorFlow quietly
import scratch.torch as scratch_torch
from readymade.weights import PictureProcessor, load_checkpoint, save_checkpoint
from readymade.weights.files import read_settings, read_tensors
from scratch.config import TransformerConfig

import numpy as np
import pytest
import tensorflow as tf
import torch
import transformers
from helpers.library_models import VIT_SIZES, random_model
from safetensors.torch import save_file

pytestmark = [
    pytest.mark.filterwarnings("ignore:the processor is None"),
    pytest.mark.filterwarnings("ignore:the tokenizer is None"),
]

# Several roundings of 1e-7; a wrong weight or setting shows above 1e-4.
CLOSE = {"rtol": 0, "atol": 1e-5}
FRAMEWORKS = ["torch", "tensorflow"]
in_both = pytest.mark.parametrize("framework", FRAMEWORKS)
RAW = np.random.default_rng(0).integers(0, 256, (2, 3, 4, 6)).astype(np.uint8)
PROCESSOR = PictureProcessor((4, 6), (0.4, 0.5, 0.6), (0.2, 0.3, 0.1))
NAMES = {"hundred": 0, "two": 1, "cat, tabby": 2, "dog": 3, "ship": 4}


def vit(kind="ForImageClassification", **changed):
    """Return a random model of `transformers` for pictures that are no squares."""
    torch.manual_seed(0)
    sizes = VIT_SIZES | {"image_size": [4, 6], "label2id": NAMES, **changed}
    sizes["id2label"] = {i: name for name, i in NAMES.items()}
    config = transformers.ViTConfig(**sizes)
    model = getattr(transformers, f"ViT{kind}")(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.5)
    return model


def ask(model, pictures):
    """Return the outputs of one of our models as a NumPy array."""
    if isinstance(model, torch.nn.Module):
        with torch.no_grad():
            found = model(torch.tensor(pictures))
    else:
        found = model(tf.constant(pictures))
    found = found[0] if isinstance(found, tuple) else found
    return found.numpy()


def theirs_of(model, pictures):
    with torch.no_grad():
        return model(torch.tensor(pictures))[0].numpy()


def difference(ours, theirs):
    pictures = PROCESSOR(RAW)
    return np.abs(ask(ours, pictures) - theirs_of(theirs, pictures)).max()


CHANGES = [
    {},
    {"qkv_bias": False},
    {"hidden_act": "gelu_pytorch_tanh", "patch_size": 1, "num_hidden_layers": 1},
    {"image_size": [6, 4], "patch_size": [2, 2]},
]


@in_both
@pytest.mark.parametrize("changed", CHANGES, ids=["", "no bias", "tanh", "upright"])
def test_classes_equal_theirs(framework, changed, tmp_path):
    theirs = vit(**changed)
    theirs.save_pretrained(tmp_path)
    ours, processor = load_checkpoint(tmp_path, framework)
    assert processor is None and ours.labels == [*NAMES]
    size = changed.get("image_size", [4, 6])
    pictures = PROCESSOR(RAW).reshape(2, 3, *size)
    wanted = theirs_of(theirs, pictures)
    assert wanted.std() > 0.1
    np.testing.assert_allclose(ask(ours, pictures), wanted, **CLOSE)
    with pytest.raises(ValueError, match=rf"wanted .* {size[0]} lines and {size[1]} c"):
        ask(ours, pictures.reshape(2, 3, *size[::-1]))


@in_both
def test_an_encoder_and_its_pooler_equal_theirs(framework, tmp_path):
    theirs = vit("Model")
    theirs.save_pretrained(tmp_path)
    ours, _ = load_checkpoint(tmp_path, framework)
    assert difference(ours, theirs) < 1e-5
    hidden = ask(ours, PROCESSOR(RAW))
    with torch.no_grad():
        wanted = theirs(torch.tensor(PROCESSOR(RAW))).pooler_output
    hidden = torch.tensor(hidden) if framework == "torch" else tf.constant(hidden)
    with torch.no_grad():
        np.testing.assert_allclose(ours.pool(hidden).numpy(), wanted, **CLOSE)


@pytest.mark.parametrize(
    ("setting", "value", "least"),
    [("hidden_act", "gelu_new", 1e-4), ("layer_norm_eps", 1e-5, 1e-4)],
)
def test_another_setting_would_be_seen(setting, value, least, tmp_path):
    """The tolerance of 1e-5 tells apart what `transformers` calls other models."""
    theirs = vit(layer_norm_eps=1e-3)
    theirs.save_pretrained(tmp_path)
    settings = read_settings(tmp_path) | {setting: value}
    (tmp_path / "config.json").write_text(json.dumps(settings))
    ours, _ = load_checkpoint(tmp_path)
    assert difference(ours, theirs) > least


def test_names_of_both_generations_are_read(tmp_path):
    """Published files have the older ones; a model of `transformers` 5 the others."""
    theirs = vit()
    theirs.save_pretrained(tmp_path / "published")
    (tmp_path / "new").mkdir()
    theirs.config.save_pretrained(tmp_path / "new")
    state = {name: one.contiguous() for name, one in theirs.state_dict().items()}
    save_file(state, tmp_path / "new" / "model.safetensors")
    old, new = (read_tensors(tmp_path / name) for name in ("published", "new"))
    layer = "vit.{}.1.attention.{}.weight"
    assert layer.format("encoder.layer", "attention.query") in old
    assert layer.format("layers", "q_proj") in new
    for name in ("published", "new"):
        ours, _ = load_checkpoint(tmp_path / name)
        assert difference(ours, theirs) < 1e-5
    save_checkpoint(ours, None, tmp_path / "saved")
    assert read_settings(tmp_path / "saved")["image_size"] == [4, 6]
    with pytest.raises(ValueError, match=r"size is \(6, 4\): wanted \(4, 6\), the mod"):
        save_checkpoint(ours, PictureProcessor((6, 4)), tmp_path / "turned")
    assert read_tensors(tmp_path / "saved").keys() == old.keys()


@in_both
@pytest.mark.parametrize("kind", ["ForImageClassification", "Model"])
def test_there_and_back(framework, kind, tmp_path):
    """What we save, `transformers` loads, with classes and processor; and so do we."""
    theirs = vit(kind)
    theirs.save_pretrained(tmp_path / "theirs")
    ours, _ = load_checkpoint(tmp_path / "theirs", framework)
    save_checkpoint(ours, PROCESSOR, tmp_path / "ours")
    auto = {"Model": "AutoModel"}.get(kind, "AutoModelForImageClassification")
    reread, report = getattr(transformers, auto).from_pretrained(
        tmp_path / "ours", output_loading_info=True
    )
    assert not report["missing_keys"] and not report["unexpected_keys"]
    pictures = PROCESSOR(RAW)
    wanted = theirs_of(theirs, pictures)
    np.testing.assert_allclose(theirs_of(reread.eval(), pictures), wanted, **CLOSE)
    again, processor = load_checkpoint(tmp_path / "ours", framework)
    np.testing.assert_array_equal(ask(again, pictures), ask(ours, pictures))
    assert processor == PROCESSOR
    if kind != "Model":
        assert reread.config.label2id == NAMES and again.labels == [*NAMES]
    for setting in ("image_size", "patch_size", "num_channels", "hidden_dropout_prob"):
        given = getattr(reread.config, setting)
        assert given == getattr(theirs.config, setting), setting


def test_raw_pixels_become_what_their_processor_makes_of_them(tmp_path):
    model = vit()
    model.save_pretrained(tmp_path)
    theirs = transformers.ViTImageProcessor(
        size={"height": 4, "width": 6},
        image_mean=[0.4, 0.5, 0.6],
        image_std=[0.2, 1, 3],
    )
    theirs.save_pretrained(tmp_path)
    for rounds in range(2):  # theirs, and what we save of it
        _, ours = load_checkpoint(tmp_path)
        wanted = theirs(
            [*RAW], return_tensors="np", input_data_format="channels_first"
        )["pixel_values"]
        np.testing.assert_allclose(ours(RAW), wanted, atol=1e-6)
        assert ours(RAW).dtype == np.float32
        assert ours.mean == (0.4, 0.5, 0.6) and np.ptp(wanted) > 1, rounds
        loaded, _ = load_checkpoint(tmp_path)
        save_checkpoint(loaded, ours, tmp_path / "again")
        tmp_path = tmp_path / "again"
        theirs = transformers.AutoImageProcessor.from_pretrained(tmp_path)


WRONG_RAW = [
    (RAW / 255, TypeError, "pictures holds float64: wanted integers"),
    (
        RAW[..., :5],
        ValueError,
        r"shape \(2, 3, 4, 5\): wanted \(batch, 3, 4, 6\); resi",
    ),
    (RAW[:, :1], ValueError, r"shape \(2, 1, 4, 6\): wanted"),
    (RAW[0], ValueError, r"shape \(3, 4, 6\): wanted"),
    (RAW.astype(int) + 300, ValueError, "wanted 0 to 255"),
    (RAW.astype(int) - 300, ValueError, "wanted 0 to 255"),
]


def test_pixels_that_do_not_fit_are_refused():
    for raw, error, words in WRONG_RAW:
        with pytest.raises(error, match=words):
            PROCESSOR(raw)
    for wrong in ({"size": (4,)}, {"size": (0, 6)}, {"mean": (0.5,)}, {"scale": 0}):
        with pytest.raises(ValueError, match="wanted"):
            PictureProcessor(**{"size": (4, 6), **wrong})
    sixteen = PictureProcessor((8, 8), (0,), (1,), 1 / 16)
    with pytest.raises(ValueError, match="pictures holds 17: wanted 0 to 16"):
        sixteen(np.full((1, 1, 8, 8), 17))
    np.testing.assert_array_equal(sixteen(np.full((1, 1, 8, 8), 16)), 1)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"size": {"shortest_edge": 4}}, "wanted height and width"),
        ({"do_center_crop": True}, "do_center_crop is True: wanted False"),
        ({"do_normalize": False}, "do_normalize is False: wanted True"),
        ({"image_std": [1, 0, 1]}, "std and scale is 0"),
    ],
)
def test_a_processor_that_does_more_is_refused(changed, words, tmp_path):
    vit().save_pretrained(tmp_path)
    settings = {"size": {"height": 4, "width": 6}, **changed}
    (tmp_path / "preprocessor_config.json").write_text(json.dumps(settings))
    with pytest.raises(ValueError, match=words):
        load_checkpoint(tmp_path)


def test_a_processor_for_another_size_is_left_out_with_a_warning(tmp_path):
    vit().save_pretrained(tmp_path)
    path = tmp_path / "preprocessor_config.json"
    for size in (224, {"height": 6, "width": 4}):  # the first as in the first files
        path.write_text(json.dumps({"size": size}))
        with pytest.warns(
            UserWarning, match=r"the processor is None: .* wanted \(4, 6"
        ):
            assert load_checkpoint(tmp_path)[1] is None


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"patch_size": [2, 1]}, "patch_size is .*: wanted a square"),
        ({"patch_size": 4}, "image_size is .*: wanted what 4, the patch_size"),
        ({"image_size": [4, 6, 2]}, "image_size is .*: wanted a number, or height"),
        ({"pooler_act": "relu"}, "pooler_act is 'relu': wanted 'tanh'"),
        ({"image_size": [4, 8]}, "position"),
        ({"num_channels": 1}, "projection.weight gives .*: wanted"),
    ],
)
def test_a_folder_that_ours_cannot_be_is_refused_by_setting(changed, words, tmp_path):
    vit().save_pretrained(tmp_path)
    settings = read_settings(tmp_path) | changed
    (tmp_path / "config.json").write_text(json.dumps(settings))
    with pytest.raises(ValueError, match=words):
        load_checkpoint(tmp_path)


def test_a_pooler_from_pretraining_is_not_the_classifiers(tmp_path):
    theirs = vit()
    theirs.save_pretrained(tmp_path)
    state = {
        name: torch.tensor(np.array(one))
        for name, one in read_tensors(tmp_path).items()
    }
    state["vit.pooler.dense.weight"] = torch.ones(24, 24)
    state["vit.pooler.dense.bias"] = torch.ones(24)
    save_file(state, tmp_path / "model.safetensors")
    ours, _ = load_checkpoint(tmp_path)
    assert difference(ours, theirs) < 1e-5


FIELDS = {
    "vocab_size": None,
    "pad_id": None,
    "d_model": 12,
    "num_heads": 3,
    "d_ff": 20,
    "num_layers": 1,
    "max_len": 5,
    "activation": "gelu",
    "norm_first": True,
    "positions": "learned",
    "scale_embeddings": False,
    "dropout": 0.0,
}


def own(framework, name="SequenceClassifier", channels=1, **changed):
    """Return a model of pictures of our own, of 4 × 4 pixels."""
    package = scratch_torch if framework == "torch" else scratch_tensorflow
    prefix = "" if framework == "torch" else "TF"
    config = TransformerConfig(**{**FIELDS, **changed})
    embeddings = getattr(package, f"{prefix}PatchEmbeddings")(config, 2, channels)
    if name == "Transformer":
        return getattr(package, f"{prefix}Transformer")(config, embeddings)
    encoder = getattr(package, f"{prefix}Encoder")(config, embeddings)
    return getattr(package, f"{prefix}SequenceClassifier")(config, 4, encoder)


@in_both
def test_a_model_of_our_own_is_saved_as_a_vit(framework, tmp_path):
    model = own(framework)
    gray = PictureProcessor((4, 4), (0,), (1,), 1 / 16)
    save_checkpoint(model, gray, tmp_path)
    pictures = gray(RAW[:1, :1, :, :4] // 16)
    theirs = transformers.AutoModelForImageClassification.from_pretrained(tmp_path)
    np.testing.assert_allclose(
        ask(model, pictures), theirs_of(theirs.eval(), pictures), **CLOSE
    )


REFUSED = [
    ({"norm_first": False}, "norm_first is False: wanted True"),
    ({"positions": "sinusoidal"}, "positions is 'sinusoidal': wanted 'learned'"),
    ({"scale_embeddings": True}, "scale_embeddings is True: wanted False"),
    ({"max_len": 10}, "max_len is 10: wanted 5"),
    ({"d_k": 5}, "d_k is 5: wanted None"),
]


@in_both
def test_what_is_no_vit_is_refused_by_field(framework, tmp_path):
    gray = PictureProcessor((4, 4), (0.5,), (0.5,))
    for changed, words in REFUSED:
        with pytest.raises(ValueError, match=words):
            save_checkpoint(own(framework, **changed), gray, tmp_path)
    with pytest.raises(ValueError, match="max_len is 7: wanted 1 more than a square"):
        save_checkpoint(own(framework, max_len=7), None, tmp_path)
    with pytest.raises(ValueError, match="mean has 1 numbers: wanted 3"):
        save_checkpoint(own(framework, channels=3), gray, tmp_path)
    reader = own(framework, "Transformer", target_vocab_size=9)
    with pytest.raises(ValueError, match="no family of published models has this Tr"):
        save_checkpoint(reader, gray, tmp_path)
    model = own(framework)
    with pytest.raises(ValueError, match="'bert' is for texts: wanted vit"):
        save_checkpoint(model, gray, tmp_path, family="bert")
    text = load_checkpoint(save_bert(tmp_path / "bert"), framework)[0]
    with pytest.raises(ValueError, match="PictureProcessor: wanted one of texts"):
        save_checkpoint(text, gray, tmp_path / "no")
    with pytest.raises(ValueError, match="family is 'vit': wanted one of texts"):
        save_checkpoint(text, None, tmp_path / "no", family="vit")
    model.encoder.embeddings.size = 1
    with pytest.raises(ValueError, match="wanted"):
        save_checkpoint(model, gray, tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == ["bert"]


def save_bert(folder):
    random_model("BertModel").save_pretrained(folder)
    return folder
