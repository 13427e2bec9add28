"""Sliding windows of published models: computed, and saved, as by `transformers`."""

from readymade.packed import packed
from readymade.weights import load_checkpoint, save_checkpoint

import numpy as np
import pytest
import tensorflow as tf
import torch
import transformers
from helpers.library_models import config_of, random_model

pytestmark = pytest.mark.filterwarnings("ignore:the tokenizer is None")

# The order of float32 additions differs; a wrong mask differs by more than 1.
CLOSE = {"rtol": 0, "atol": 1e-4}
LENGTH = 19
SLIDING, FULL = "sliding_attention", "full_attention"
USED = {"use_sliding_window": True, "sliding_window": 4}
# (their settings, our window, our window_layers)
CASES = {
    "mistral": ("Mistral", {"sliding_window": 5}, 5, None),
    "mistral, no window": ("Mistral", {"sliding_window": None}, None, None),
    "mistral, itself alone": ("Mistral", {"sliding_window": 1}, 1, None),
    "qwen2, the last": ("Qwen2", {**USED, "max_window_layers": 1}, 4, (1,)),
    "qwen2, all": ("Qwen2", {**USED, "max_window_layers": 0}, 4, None),
    "qwen2, none left": ("Qwen2", {**USED, "max_window_layers": 2}, None, None),
    "qwen2, off": ("Qwen2", {"layer_types": [FULL, FULL]}, None, None),
    "qwen3, the first": ("Qwen3", {**USED, "layer_types": [SLIDING, FULL]}, 4, (0,)),
    "qwen3, the last": ("Qwen3", {**USED, "max_window_layers": 1}, 4, (1,)),
}


def reference(case):
    """Return a random model of `transformers` with the settings of a case."""
    family, changes, *_ = CASES[case]
    architecture = f"{family}ForCausalLM"
    settings = config_of(architecture).to_dict() | {"max_position_embeddings": 64}
    for name in ("layer_types", "use_sliding_window", "sliding_window"):
        settings.pop(name, None)
    config = type(config_of(architecture))(**settings | changes)
    model = getattr(transformers, architecture)(config).eval()
    model.load_state_dict(random_model(architecture).state_dict())
    return model


def batch():
    """Return two texts, the second padded on the left, and where they are real."""
    ids = np.random.default_rng(1).integers(3, 61, (2, LENGTH))
    real = np.arange(LENGTH) >= np.array([[0], [6]])
    return np.where(real, ids, 0), real


def as_tensor(array, framework):
    return torch.tensor(array) if framework == "torch" else tf.constant(array)


def logits(ours, framework, ids, real):
    mask = as_tensor(real[:, None, None], framework)
    with torch.no_grad():
        return np.asarray(ours(as_tensor(ids, framework), attention_mask=mask))


def their_logits(theirs, ids, real):
    mask = torch.tensor(real).long()
    with torch.no_grad():
        return theirs(torch.tensor(ids), attention_mask=mask).logits.numpy()


@pytest.mark.slow("a published window that is read as another")
@pytest.mark.parametrize("framework", ["torch", "tensorflow"])
@pytest.mark.parametrize("case", CASES)
def test_beyond_the_window_and_saved_they_compute_what_theirs_do(
    case, framework, tmp_path
):
    theirs, (*_, window, layers) = reference(case), CASES[case]
    theirs.save_pretrained(tmp_path / "theirs")
    ours, _ = load_checkpoint(tmp_path / "theirs", framework)
    assert (ours.config.window, ours.config.window_layers) == (window, layers)
    assert ours.config.max_len == 64
    ids, real = batch()
    wanted = their_logits(theirs, ids, real)
    computed = logits(ours, framework, ids, real)
    np.testing.assert_allclose(computed[real], wanted[real], **CLOSE)
    save_checkpoint(ours, None, tmp_path / "ours")
    again, _ = load_checkpoint(tmp_path / "ours", framework)
    assert again.config == ours.config
    back = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "ours").eval()
    computed = their_logits(back, ids, real)
    np.testing.assert_allclose(computed[real], wanted[real], **CLOSE)


@pytest.mark.slow("a window that a long text is written on without")
@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("framework", ["torch", "tensorflow"])
@pytest.mark.parametrize(
    "case",
    ["mistral", "mistral, itself alone", "qwen2, the last", "qwen3, the first"],
)
def test_they_continue_texts_as_theirs_do(case, framework, tmp_path):
    """Prompts that are longer than the window, and padded."""
    theirs = reference(case)
    theirs.save_pretrained(tmp_path)
    ours, _ = load_checkpoint(tmp_path, framework)
    ids, real = batch()
    wanted = theirs.generate(
        torch.tensor(ids),
        attention_mask=torch.tensor(real).long(),
        do_sample=False,
        max_new_tokens=20,
        eos_token_id=60,
        # With a window of 1, their cache keeps `keys[-0:]`: all keys, not none.
        use_cache=case != "mistral, itself alone",
    ).tolist()
    mask = as_tensor(real[:, None, None], framework)
    for use_cache in (True, False):
        written = ours.generate(
            as_tensor(ids, framework),
            60,
            20,
            use_cache=use_cache,
            attention_mask=mask,
        )
        assert np.asarray(written).tolist() == wanted
    assert len({*wanted[0][LENGTH:]}) > 3, "the model is too dull to tell"


@pytest.mark.slow("a beam search that misses a more probable text")
@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("beam_size", [2, 4])
def test_beam_search_writes_what_theirs_does(beam_size, tmp_path):
    """Theirs without its length penalty: ours compares probabilities alone."""
    theirs = reference("mistral")
    theirs.save_pretrained(tmp_path)
    ours, _ = load_checkpoint(tmp_path)
    eos_id, lengths = 23, set()
    for prompt in np.random.default_rng(0).integers(3, 61, (6, 1, 9)):
        prompt = torch.tensor(prompt)
        wanted = theirs.generate(
            prompt,
            attention_mask=torch.ones_like(prompt),
            do_sample=False,
            num_beams=beam_size,
            length_penalty=0.0,
            max_new_tokens=8,
            eos_token_id=eos_id,
        )
        written = ours.generate(prompt, eos_id, 8, beam_size=beam_size)
        length = wanted.shape[1]
        assert written[:, :length].tolist() == wanted.tolist()
        assert (written[:, length:] == ours.config.pad_id).all()
        lengths.add(length)
    assert len(lengths) > 2, "no text ends before the others"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"layer_types": [SLIDING, FULL]}, "layer_types is .*wanted one of 'full"),
        ({**USED, "layer_types": ["linear_attention", FULL]}, "layer_types is 'linear"),
        ({**USED, "layer_types": [FULL] * 3}, "layer_types is .*a list of 2 kinds"),
        ({**USED, "sliding_window": 0, "max_window_layers": 0}, "sliding_window is 0"),
    ],
)
def test_settings_that_contradict_each_other_are_named(changes, words, tmp_path):
    import json

    reference("qwen2, off").save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    settings = json.loads(path.read_text()) | {"layer_types": None} | changes
    path.write_text(json.dumps(settings))
    with pytest.raises(ValueError, match=words):
        load_checkpoint(tmp_path)


def test_a_family_without_windows_does_not_lose_one(tmp_path):
    """Llama has none, so another model would be saved."""
    reference("mistral").save_pretrained(tmp_path / "theirs")
    ours, _ = load_checkpoint(tmp_path / "theirs")
    with pytest.raises(ValueError, match="window is 5: wanted None"):
        save_checkpoint(ours, None, tmp_path / "ours", family="llama")
    assert not (tmp_path / "ours").exists()


def test_packed_computes_the_same():
    """With matrices large enough to be packed, and with a cache."""
    from scratch.config import TransformerConfig
    from scratch.torch import CausalLanguageModel

    settled = TransformerConfig(
        vocab_size=50, d_model=320, num_heads=4, num_kv_heads=2, d_ff=400,
        num_layers=2, max_len=40, positions="rotary", norm="rms", bias=False,
        activation="swiglu", norm_first=True, window=6, window_layers=(1,),
    )  # fmt: skip
    torch.manual_seed(0)
    model = CausalLanguageModel(settled).eval()
    ids = torch.randint(1, 50, (1, 12))
    plain = model.generate(ids, 49, 20)
    with packed(model):
        assert model.generate(ids, 49, 20).tolist() == plain.tolist()
        computed, cache = [], ()
        for part in ids[:, :9], *ids[:, 9:].split(1, 1):
            one, cache = model.next_logits(part, cache)
            computed.append(one)
    with torch.no_grad():
        wanted = model(ids)[:, 8:]
    np.testing.assert_allclose(torch.stack(computed, 1), wanted, rtol=0, atol=1e-4)
