"""Wrong arguments are refused everywhere, in the same words in both frameworks."""

from scratch.sampling import Sampling

import numpy as np
import pytest
import tensorflow as tf
import torch
from helpers.configs import config
from helpers.frameworks import TENSORFLOW, TORCH, both, kept, random

SMALL = config(num_layers=1)
IDS = np.array([[3, 4]])


def refused(error, words, function, *arguments, **named):
    with pytest.raises(error) as caught:
        function(*arguments, **named)
    assert words in str(caught.value)


@pytest.fixture(scope="module", params=["CausalLanguageModel", "Transformer"])
def written(request):
    """Return a function that writes two tokens and ends at the first end id."""

    def write(framework, eos_id):
        model = kept(framework, request.param, SMALL)
        bos = (1,) if request.param == "Transformer" else ()
        ids = model.generate(framework.tensor(IDS), *bos, eos_id, 2)
        return framework.numpy(ids).tolist()

    return write


ENDS = {
    "int": 2,
    "NumPy's integer": np.int32(2),
    "array of one": np.array(2),
    "tensor of one": torch.tensor(2),
    "list": [2, 9],
    "tuple": (9, 2),
    "set": {2, 9},
    "range": range(2, 10),
    "array": np.array([2, 9], dtype=np.uint8),
    "PyTorch's": torch.tensor([2, 9]),
    "TensorFlow's": tf.constant([2, 9]),
    "NumPy's in a list": [np.int64(2), 9],
}


@pytest.mark.slow("an end that one kind of list hides")
@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("eos_id", ENDS.values(), ids=ENDS)
@both
def test_ends_come_as_one_id_or_in_any_row_of_ids(framework, written, eos_id):
    ends = eos_id.tolist() if hasattr(eos_id, "tolist") else eos_id
    ends = [int(one) for one in (ends if np.iterable(ends) else [ends])]
    assert written(framework, eos_id) == written(framework, ends)


@pytest.mark.parametrize(
    ("eos_id", "error", "words"),
    [
        (True, TypeError, "eos_id is True (bool): wanted an integer"),
        (np.array([True]), TypeError, "eos_id is True (bool): wanted an integer"),
        (torch.tensor(2.0), TypeError, "eos_id is 2.0 (float): wanted an integer"),
        ("2", TypeError, "eos_id is '2' (str): wanted an integer"),
        (["</s>"], TypeError, "eos_id is '</s>' (str): wanted an integer"),
        (None, TypeError, "eos_id is None (NoneType): wanted an integer"),
        (np.array([[2]]), TypeError, "eos_id is [2] (list): wanted an integer"),
        (tf.constant([-1]), ValueError, "eos_id is -1: wanted at least 0"),
        (np.array([2, 11]), ValueError, "eos_id is 11: wanted less than 11"),
        (
            np.array([], int),
            ValueError,
            "eos_id is array([], dtype=int64): wanted",
        ),
        (set(), ValueError, "eos_id is set(): wanted at least one id"),
    ],
)
@both
def test_what_is_no_end_is_named(framework, written, eos_id, error, words):
    refused(error, words, written, framework, eos_id)


HEADS = {
    "SequenceClassifier": (3,),
    "TokenClassifier": (3,),
    "MaskedLanguageModel": (),
    "NextSentence": (),
    "SpanExtractor": (),
}


@pytest.mark.parametrize(
    ("whole", "arguments"),
    [
        ("SequenceClassifier", (SMALL, 3)),
        ("Transformer", (SMALL,)),
        ("CausalLanguageModel", (SMALL,)),
        ("EncoderLayer", (SMALL,)),
    ],
)
@both
def test_what_is_no_encoder_is_not_built_on(framework, whole, arguments):
    model = kept(framework, whole, *arguments)
    words = f"{whole}: wanted an Encoder"
    for name, more in HEADS.items():
        refused(TypeError, words, getattr(framework, name), SMALL, *more, model)
        refused(TypeError, words, getattr(framework, name), SMALL, *more, encoder=model)
    refused(TypeError, words, framework.add_lora, model, 2, 4.0)
    refused(TypeError, words, framework.merge_lora, model)


LORA = [
    ({"rank": 0}, ValueError, "rank is 0: wanted at least 1"),
    ({"rank": -2}, ValueError, "rank is -2: wanted at least 1"),
    ({"rank": True}, TypeError, "rank is True (bool): wanted an integer"),
    ({"rank": 2.0}, TypeError, "rank is 2.0 (float): wanted an integer"),
    ({"alpha": 0}, ValueError, "alpha is 0: wanted a number above 0"),
    ({"alpha": float("nan")}, ValueError, "alpha is nan: wanted a number above 0"),
    ({"alpha": "8"}, TypeError, "alpha is '8' (str): wanted a number"),
]
NAMES = [
    ("query", TypeError, "names is of type str: wanted a list of strings"),
    ((), ValueError, "names is (): wanted at least one, and each once"),
    (("key", "key"), ValueError, "wanted at least one, and each once"),
    (("query", "q_proj"), TypeError, "q_proj of layer 0 is of type NoneType: wanted a"),
    (("query", "dropout"), TypeError, "dropout of layer 0 is of type Dropout: wanted"),
]


@both
def test_lora_that_changes_nothing_or_not_what_was_meant_is_refused(framework):
    """All layers are checked before the first is changed."""
    encoder = framework.Encoder(config())
    for wrong, error, words in LORA:
        named = {"rank": 2, "alpha": 4.0, **wrong}
        refused(error, words, framework.add_lora, encoder, **named)
        base = encoder.layers[0].self_attention.query
        refused(error, words, framework.LoRA, base, **named)
    for names, error, words in NAMES:
        refused(error, words, framework.add_lora, encoder, 2, 4.0, names)
    kind = type(framework.new_linear(2, 2))
    for layer in encoder.layers:
        assert isinstance(layer.self_attention.query, kind)


@pytest.mark.parametrize("names", [("query", "value"), ("key", "value"), ("value",)])
@both
def test_a_layer_has_lora_once_and_again_when_it_is_merged(framework, names):
    encoder = framework.Encoder(SMALL)
    framework.add_lora(encoder, 2, 4.0)
    words = "of layer 0 is of type"
    refused(TypeError, words, framework.add_lora, encoder, 2, 4.0, names)
    framework.merge_lora(encoder)
    assert len(framework.add_lora(encoder, 13, 4.0, names)) == 2 * len(names)


@pytest.mark.parametrize("names", [("query", "value"), ("key",), ("projection",)])
@both
def test_merged_lora_leaves_all_weights_in_their_order(framework, names):
    """Keras lists a layer's parts: what isn't listed is neither trained nor saved."""

    def weights(encoder):
        if framework is TORCH:
            return [id(one) for one in encoder.parameters()]
        return [id(one) for one in encoder.trainable_weights]

    encoder = framework.Encoder(SMALL)
    before = weights(encoder)
    framework.add_lora(encoder, 2, 4.0, names)
    assert len(weights(encoder)) == len(before) + 2 * len(names)
    framework.merge_lora(encoder)
    assert weights(encoder) == before


@pytest.mark.parametrize(
    ("rewards", "error", "words"),
    [
        ([[True, False]], TypeError, "rewards holds bool: wanted a tensor of float32"),
        ([[1, 0, 0]], TypeError, "rewards holds int64: wanted a tensor of float32"),
        ([1.0, 0.0], ValueError, "rewards has shape (2,): wanted (groups, samples)"),
    ],
)
@pytest.mark.parametrize("normalize", [True, False])
@both
def test_rewards_are_floats_in_groups(framework, rewards, error, words, normalize):
    """TensorFlow takes the mean of integers, rounded down."""
    rewards = framework.tensor(np.array(rewards))
    refused(error, words, framework.group_advantages, rewards, normalize)


@pytest.mark.parametrize(
    ("name", "arguments", "error", "words"),
    [
        ("noam_schedule", (1, 8, 0), ValueError, "warmup is 0: wanted at least 1"),
        ("noam_schedule", (1, 8, -4), ValueError, "warmup is -4: wanted at least 1"),
        ("noam_schedule", (1, 0, 4), ValueError, "d_model is 0: wanted at least 1"),
        ("noam_schedule", (1, 8, True), TypeError, "warmup is True (bool): wanted an"),
        ("cosine_schedule", (1, 1e-3, -1, 9), ValueError, "warmup is -1: wanted at l"),
        ("cosine_schedule", (1, 1e-3, 0.5, 9), TypeError, "warmup is 0.5 (float): wa"),
    ],
)
@both
def test_a_warm_up_that_is_none_is_named(framework, name, arguments, error, words):
    refused(error, words, getattr(framework, name), *arguments)


@both
def test_without_a_warm_up_the_cosine_begins_at_its_peak(framework):
    assert 0.9 < framework.cosine_schedule(1, 1.0, 0, 20) < 1.0


@both
def test_what_leaves_nothing_to_draw_is_named_at_each_door(framework):
    logits = framework.tensor(random(1, 5))
    for top_k in (0, -1, True, 2.0):
        words = f"top_k is {top_k}"
        with pytest.raises((TypeError, ValueError), match=f"{words}.*: wanted"):
            framework.top_k_logits(logits, top_k)
    for top_p in (0, -0.5, 1.5, float("nan")):
        refused(
            ValueError, f"top_p is {top_p}: ", framework.top_p_logits, logits, top_p
        )
    for temperature in (0, -1.0, float("inf")):
        words = f"temperature is {temperature}: wanted a number above 0"
        refused(ValueError, words, Sampling, temperature)


@pytest.mark.parametrize("beta", [0, -0.1, float("nan")])
@both
def test_a_beta_that_prefers_nothing_or_the_rejected_is_named(framework, beta):
    pair = framework.tensor(random(2))
    words = f"beta is {beta}: wanted a number above 0"
    refused(ValueError, words, framework.dpo_loss, pair, pair, pair, pair, beta)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("SequenceClassifier", (SMALL, 0)),
        ("FeedForward", (4, 0)),
        ("AttentionHead", (4, 0)),
        ("MultiHeadAttention", (12, 0, 0.0, 4)),
        ("MultiHeadAttention", (12, 3, 0.0, 4, 0)),
    ],
)
@both
def test_a_layer_without_width_is_refused(framework, name, arguments):
    words = "d_out is 0: wanted at least 1"
    refused(ValueError, words, getattr(framework, name), *arguments)


@both
def test_prompts_of_numpy_are_padded_on_the_left(framework):
    ids = np.array([[5, 3, 0], [0, 0, 7]])
    padded = framework.left_padded(ids, (ids != 0)[:, None, None])
    assert framework.numpy(padded).tolist() == [[0, 5, 3], [0, 0, 7]]


def test_fine_tuning_asks_for_the_scope_of_the_model_as_training_does():
    with tf.distribute.OneDeviceStrategy("CPU:0").scope():
        model = TENSORFLOW.FeedForward(4, 8)
    rates = [(1.0, model.trainable_variables)]
    words = "model was built in the scope of another strategy: wanted a model and its"
    refused(ValueError, words, TENSORFLOW.fine_tune, model, [], None, rates, float)
    refused(ValueError, words, TENSORFLOW.fit, model, [], None, 1e-3)
