"""What is saved is read back as the same function, or nothing on the disk changes."""

from dataclasses import replace

import scratch.tensorflow  # starts TensorFlow quietly
import scratch.torch
from readymade.weights import copy_weights, load_checkpoint, save_checkpoint
from readymade.weights.checkpoints import our_class
from readymade.weights.parameters import parameters_of
from scratch.config import TransformerConfig

import keras
import numpy as np
import pytest
import safetensors.numpy
import tensorflow as tf
import torch
from helpers.frameworks import TENSORFLOW, TORCH, both

# These models have no tokenizer, and PyTorch's own quantization is deprecated.
pytestmark = pytest.mark.filterwarnings(
    "ignore:the tokenizer is None", "ignore::DeprecationWarning"
)

SIZES = {"vocab_size": 13, "d_model": 8, "num_heads": 2, "d_ff": 12, "num_layers": 2}
BERT = TransformerConfig(
    **SIZES,
    max_len=9,
    activation="gelu",
    positions="learned",
    num_segments=2,
    norm_embeddings=True,
    scale_embeddings=False,
    pooler="tanh",
)
LLAMA = TransformerConfig(
    **SIZES,
    max_len=9,
    activation="swiglu",
    positions="rotary",
    norm="rms",
    norm_first=True,
    num_kv_heads=1,
    bias=False,
    scale_embeddings=False,
    tie_output=False,
)
MARIAN = TransformerConfig(
    **SIZES, max_len=9, interleaved=False, output_bias=True, unwritten_ids=(0,)
)
MODELS = {
    "TokenClassifier": (BERT, 3),
    "CausalLanguageModel": (LLAMA,),
    "Transformer": (MARIAN,),
}
IDS = np.array([[5, 3, 8, 2]])


def random_model(name, framework):
    """A model whose weights are all random."""
    model = our_class(name, str(framework))(*MODELS[name])
    random = np.random.default_rng(0)
    for one in parameters_of(model).values():
        one.write(random.standard_normal(one.shape).astype(np.float32))
    return model.eval() if str(framework) == "torch" else model


def run(framework, model):
    inputs = (IDS, IDS) if type(model).__name__.endswith("Transformer") else (IDS,)
    return np.asarray(framework.run(model, *inputs), np.float64)


def linear(framework, d_in, d_out):
    if str(framework) == "torch":
        return scratch.torch.attention.new_linear(d_in, d_out)
    return scratch.tensorflow.attention.tf_new_linear(d_in, d_out)


def table(framework, rows):
    if str(framework) == "torch":
        return torch.nn.Embedding(rows, 8)
    embedding = keras.layers.Embedding(rows, 8)
    embedding.build()
    return embedding


def put(owner, name, layer):
    """Replace a layer; Keras also keeps a list of its layers."""
    if isinstance(owner, keras.Layer) and getattr(owner, name) is not None:
        owner._layers.remove(getattr(owner, name))
    setattr(owner, name, layer)


# Each changes a model after it was built, so that it computes something else.


def fewer_layers(model, framework):
    model.encoder.layers = model.encoder.layers[:1]


def more_layers(model, framework):
    one = random_model("TokenClassifier", framework).encoder.layers[0]
    model.encoder.layers = (
        model.encoder.layers.append(one)
        if str(framework) == "torch"
        else [*model.encoder.layers, one]
    )


def more_words(model, framework):
    put(model.encoder.embeddings, "tokens", table(framework, 20))


def fewer_positions(model, framework):
    put(model.encoder.embeddings.positions, "table", table(framework, 6))


def more_segments(model, framework):
    put(model.encoder.embeddings, "segments", table(framework, 3))


def a_wider_layer(model, framework):
    layer = model.encoder.layers[1].feed_forward
    put(layer, "expand", linear(framework, 8, 20))
    put(layer, "contract", linear(framework, 20, 8))


def no_norm(model, framework):
    same = torch.nn.Identity() if str(framework) == "torch" else keras.layers.Identity()
    put(model.encoder.layers[0].feed_forward_norm, "norm", same)


def a_norm_more(model, framework):
    norm = random_model("TokenClassifier", framework).encoder.embeddings.norm
    model.encoder.norm = norm


def another_epsilon(model, framework):
    name = "eps" if str(framework) == "torch" else "epsilon"
    setattr(model.encoder.layers[1].feed_forward_norm.norm, name, 0.5)


def another_activation(model, framework):
    silu = torch.nn.functional.silu if str(framework) == "torch" else tf.nn.silu
    model.encoder.layers[0].feed_forward.activation = silu


def other_heads(model, framework):
    model.encoder.layers[0].self_attention.num_heads = 4


def another_scale(model, framework):
    model.encoder.embeddings.scale = 8**0.5


def another_order(model, framework):
    model.encoder.layers[0].self_attention_norm.norm_first = True


def another_call(model, framework):
    layer = model.encoder.layers[0].feed_forward
    setattr(layer, "forward" if str(framework) == "torch" else "call", lambda x: -x)


def another_method(model, framework):
    pool = model.encoder.hidden_states
    model.encoder.hidden_states = lambda *inputs, **named: 2 * pool(*inputs, **named)


def quantized(model, framework):
    if str(framework) == "torch":
        model.encoder = torch.ao.quantization.quantize_dynamic(model.encoder)
    else:
        model.encoder.layers[0].feed_forward.expand.quantize("int8")


def a_quantized_head(model, framework):
    if str(framework) == "torch":
        model.classifier = torch.ao.quantization.quantize_dynamic(
            torch.nn.Sequential(model.classifier)
        )[0]
    else:
        model.classifier.quantize("int8")


def no_bias(model, framework):
    model.classifier.bias = None
    if str(framework) == "tensorflow":
        model.classifier.use_bias = False


def other_angles(model, framework):
    attention = model.decoder.layers[1].self_attention
    attention.frequency = attention.frequency * 0.5


def fewer_keys(model, framework):
    model.decoder.layers[0].self_attention.num_kv_heads = 2


def an_output_of_its_own(model, framework):
    put(model.logits, "tokens", table(framework, 13))


def other_sinusoids(model, framework):
    positions = model.encoder.embeddings.positions
    positions.table = positions.table * 0.5


CHANGES = [
    *[
        ("TokenClassifier", change)
        for change in (
            *(fewer_layers, more_layers, more_words, fewer_positions, more_segments),
            *(a_wider_layer, no_norm, a_norm_more, another_epsilon, another_scale),
            *(another_activation, other_heads, another_order, another_call, no_bias),
            *(another_method, quantized, a_quantized_head),
        )
    ],
    ("CausalLanguageModel", other_angles),
    ("CausalLanguageModel", fewer_keys),
    ("Transformer", an_output_of_its_own),
    ("Transformer", other_sinusoids),
]


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.rglob("*")}


def ids(value):
    return getattr(value, "__name__", None)


@pytest.mark.slow("a change of a model that saving does not see")
@both
@pytest.mark.parametrize(("name", "change"), CHANGES, ids=ids)
def test_a_model_that_was_changed_is_refused_and_the_older_copy_stays(
    name, change, framework, tmp_path
):
    model = random_model(name, framework)
    save_checkpoint(model, None, tmp_path)
    before = contents(tmp_path)
    change(model, framework)
    with pytest.raises(ValueError, match="wanted"):
        save_checkpoint(model, None, tmp_path, overwrite=True)
    assert contents(tmp_path) == before
    with pytest.raises(ValueError, match="wanted"):
        save_checkpoint(model, None, tmp_path / "new")
    assert contents(tmp_path) == before


def a_hook(model):
    model.encoder.layers[0].register_forward_hook(lambda *_: None)


def weights_as_buffers(model):
    for name in ("weight", "bias"):
        value = getattr(model.classifier, name).detach()
        delattr(model.classifier, name)
        model.classifier.register_buffer(name, value)


def normed_weights(model):
    torch.nn.utils.parametrizations.weight_norm(model.classifier)


def pruned(model):
    from torch.nn.utils import prune

    prune.l1_unstructured(model.classifier, "weight", amount=2)


def whole_numbers(model):
    weight = torch.ones(3, 8, dtype=torch.int32)
    model.classifier.weight = torch.nn.Parameter(weight, requires_grad=False)


@pytest.mark.parametrize(
    "change", [a_hook, weights_as_buffers, normed_weights, pruned, whole_numbers]
)
def test_what_only_pytorch_can_change_is_refused(change, tmp_path):
    model = scratch.torch.TokenClassifier(BERT, 3)
    change(model)
    with pytest.raises(ValueError, match="wanted"):
        save_checkpoint(model, None, tmp_path / "new")
    assert not contents(tmp_path)


# A config and weights still describe a model after each of these.


def as_it_is(model, framework):
    pass


def trained(model, framework):
    """Training settings, and notes, do not affect what a model computes."""
    model.note = "mine"
    layer = model.encoder.layers[0]
    if str(framework) == "torch":
        model.train().requires_grad_(False)
        layer.feed_forward.dropout.p = 0.5
        layer.self_attention_norm.dropout = torch.nn.Identity()
    else:
        model.compile("adam", "mse", run_eagerly=True)
        model.fit(IDS, np.zeros((1, 4, 3)), verbose=0)
        model.trainable = False
        layer.feed_forward.dropout.rate = 0.5
        layer.self_attention_norm.dropout = keras.layers.Identity()


def turned_round(model, framework):
    first, second = model.encoder.layers
    model.encoder.layers[0], model.encoder.layers[1] = second, first


def other_layers_of_one_kind(model, framework):
    put(model, "classifier", linear(framework, 8, 3))


def an_epsilon_with_its_config(model, framework):
    changed = replace(BERT, layer_norm_eps=0.5)
    other = our_class("Encoder", str(framework))(changed)
    copy_weights(model.encoder, other)
    put(model, "encoder", other)


@pytest.mark.slow("a trained model that is refused without need")
@both
@pytest.mark.parametrize(
    "change",
    [
        as_it_is,
        trained,
        turned_round,
        other_layers_of_one_kind,
        an_epsilon_with_its_config,
    ],
)
def test_what_a_config_and_weights_describe_is_read_back(change, framework, tmp_path):
    model = random_model("TokenClassifier", framework)
    change(model, framework)
    save_checkpoint(model, None, tmp_path)
    wanted = run(framework, model)
    for other in (TORCH, TENSORFLOW):
        again, _ = load_checkpoint(tmp_path, str(other))
        np.testing.assert_allclose(run(other, again), wanted, atol=1e-5)


def test_a_model_tied_by_hand_is_written_whole(tmp_path):
    model = random_model("CausalLanguageModel", "torch")
    model.logits.tokens = model.decoder.embeddings.tokens
    save_checkpoint(model, None, tmp_path)
    again, _ = load_checkpoint(tmp_path)
    torch.testing.assert_close(again(torch.tensor(IDS)), model(torch.tensor(IDS)))


@pytest.mark.slow("half precision that is saved as another")
@both
def test_half_precision_is_saved(framework, tmp_path):
    """Its weights are rounded, and in PyTorch its sinusoids, too."""
    model = random_model("Transformer", "torch").half()
    if str(framework) == "tensorflow":
        model = scratch.tensorflow.TFTransformer(MARIAN, dtype="float16")
    save_checkpoint(model, None, tmp_path)
    again, _ = load_checkpoint(tmp_path, str(framework))
    for path, one in parameters_of(model).items():
        np.testing.assert_array_equal(one.read(), parameters_of(again)[path].read())


@both
def test_saving_draws_no_random_numbers(framework, tmp_path):
    model, draws = random_model("TokenClassifier", framework), []
    for folder in (tmp_path / "one", None):
        framework.seed(3)
        if folder is not None:
            save_checkpoint(model, None, folder)
        draws.append(made_at_random(framework))
    np.testing.assert_array_equal(*draws)


def made_at_random(framework):
    layer = our_class("FeedForward", str(framework))(3, 4)
    return parameters_of(layer)["expand.weight"].read()


@both
def test_a_failed_write_leaves_the_older_copy_whole(framework, tmp_path, monkeypatch):
    model = random_model("TokenClassifier", framework)
    save_checkpoint(model, None, tmp_path / "old")
    before = contents(tmp_path / "old")

    def full(*_, **__):
        raise OSError("no space left")

    monkeypatch.setattr(safetensors.numpy, "save_file", full)
    for folder in ("old", "new/one"):
        with pytest.raises(OSError, match="no space left"):
            save_checkpoint(model, None, tmp_path / folder, overwrite=True)
    assert contents(tmp_path / "old") == before
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


# Copies


def counts(framework):
    layer = linear(framework, 4, 3)
    if str(framework) == "torch":
        layer.weight = torch.nn.Parameter(torch.ones(3, 4, dtype=torch.int8), False)
    else:
        layer.quantize("int8")
    return layer


@both
@pytest.mark.parametrize("other", ["torch", "tensorflow"])
@pytest.mark.parametrize("turned", [False, True])
def test_weights_that_are_not_floats_are_not_copied(framework, other, turned):
    pair = counts(framework), linear(other, 4, 3)
    source, target = pair[::-1] if turned else pair
    before = {path: one.read() for path, one in parameters_of(target).items()}
    with pytest.raises(ValueError, match=r"weight holds int8 in the .*: wanted"):
        copy_weights(source, target)
    for path, one in parameters_of(target).items():
        np.testing.assert_array_equal(one.read(), before[path])


# Keras' own files


@pytest.mark.slow("LoRA that Keras saves and cannot load")
@pytest.mark.parametrize("name", ["Encoder", "TokenClassifier", "SpanExtractor"])
@pytest.mark.parametrize("names", [("query", "value"), ("projection",)])
def test_keras_refuses_to_save_lora(name, names, tmp_path):
    sizes = [3] if name == "TokenClassifier" else []
    model = our_class(name, "tensorflow")(BERT, *sizes)
    encoder = getattr(model, "encoder", model)
    copies = [lambda: keras.models.clone_model(model)] if sizes else []
    copies += [lambda: type(model).from_config(model.get_config())]
    if name != "Encoder":
        copies += [lambda: model.save(tmp_path / "model.keras")]
    scratch.tensorflow.tf_add_lora(encoder, 2, 2.0, names)
    for copy in copies:
        with pytest.raises(ValueError, match=r"lacks a Dense .*: wanted"):
            copy()
    scratch.tensorflow.tf_merge_lora(encoder)
    for copy in copies:
        copy()


def test_a_refused_save_leaves_the_older_file_whole(tmp_path):
    model = scratch.tensorflow.TFTokenClassifier(BERT, 3)
    path = tmp_path / "model.keras"
    model.save(path)
    older = path.read_bytes()
    scratch.tensorflow.tf_add_lora(model.encoder, 2, 2.0)
    with pytest.raises(ValueError, match=r"lacks a Dense .*: wanted"):
        model.save(path)
    assert path.read_bytes() == older


def test_keras_refuses_lora_in_a_given_encoder():
    encoder = scratch.tensorflow.TFEncoder(BERT)
    scratch.tensorflow.tf_add_lora(encoder, 2, 2.0)
    model = scratch.tensorflow.TFSequenceClassifier(BERT, 3, encoder)
    with pytest.raises(ValueError, match=r"lacks a Dense .*: wanted"):
        keras.models.clone_model(model)
