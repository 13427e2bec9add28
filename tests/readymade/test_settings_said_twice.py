"""If a config.json has a setting twice, ours reads the one that theirs reads."""

import json

import scratch.tensorflow
from readymade.weights import load_checkpoint

import numpy as np
import pytest
import torch
import transformers
from helpers.frameworks import both
from helpers.library_models import random_model

pytestmark = pytest.mark.filterwarnings("ignore:the tokenizer is None")

IDS = np.array([[5, 9, 4, 33, 8, 20, 17, 3, 2, 40, 41]])
ROTARY = [f"{one}ForCausalLM" for one in ("Llama", "Mistral", "Qwen2", "Qwen3")]
SLOWED = {
    "rope_type": "llama3",
    "factor": 4.0,
    "low_freq_factor": 0.2,
    "high_freq_factor": 1.0,
}


def changed(architecture, folder, settings):
    theirs = random_model(architecture)
    theirs.save_pretrained(folder)
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | settings))


def assert_followed(framework, folder):
    theirs = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    with torch.no_grad():
        wanted = theirs(torch.tensor(IDS)).logits.numpy()
    ours, _ = load_checkpoint(folder, str(framework))
    np.testing.assert_allclose(framework.run(ours, IDS), wanted, atol=2e-5)


@pytest.mark.slow("a scaling that another setting hides")
@both
@pytest.mark.parametrize(
    "settings",
    [
        {"rope_scaling": SLOWED | {"original_max_position_embeddings": 20}},
        {"rope_scaling": SLOWED | {"rope_theta": 300.0}, "rope_theta": 70.0},
        {"rope_scaling": SLOWED, "original_max_position_embeddings": 7},
        {"rope_scaling": {"rope_type": "default"}, "rope_theta": 70.0},
        {"rope_scaling": {"type": "default"}},
        {"rope_scaling": {}, "rope_theta": 70.0},
    ],
    ids=["slowed", "with a base", "with a length", "a base beside", "plain", "empty"],
)
def test_rope_scaling_replaces_rope_parameters(settings, framework, tmp_path):
    changed("Qwen3ForCausalLM", tmp_path, settings)
    assert_followed(framework, tmp_path)


@pytest.mark.parametrize("architecture", ROTARY)
def test_every_family_with_rotary_positions_reads_it(architecture, tmp_path):
    scaling = {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 9}
    changed(architecture, tmp_path, {"rope_scaling": scaling})
    with pytest.raises(ValueError, match="rope_type is 'yarn': wanted one of"):
        load_checkpoint(tmp_path)


@pytest.mark.parametrize("kind", ["linear", "dynamic", "longrope", "proportional"])
@pytest.mark.parametrize("name", ["type", "rope_type"])
def test_every_unsupported_kind_of_scaling_is_refused(kind, name, tmp_path):
    changed("LlamaForCausalLM", tmp_path, {"rope_scaling": {name: kind, "factor": 4.0}})
    with pytest.raises(ValueError, match=f"rope_type is '{kind}': wanted one of"):
        load_checkpoint(tmp_path)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {"rope_scaling": {"factor": 2.0, "partial_rotary_factor": 0.5}},
            "partial_rotary_factor is 0.5: wanted 1.0",
        ),
        ({"rope_scaling": "yarn"}, "rope_scaling is 'yarn': wanted an object"),
        (
            {"rope_parameters": {"full_attention": {"rope_theta": 5.0}}},
            "rope_parameters is .*: wanted the same for all layers",
        ),
        (
            {"per_layer_config": {"0": {"rms_norm_eps": 0.5}}},
            "per_layer_config is .*: wanted None",
        ),
    ],
    ids=["part", "word", "nested", "by layer"],
)
def test_unsupported_settings_are_refused(settings, said, tmp_path):
    changed("Qwen2ForCausalLM", tmp_path, settings)
    with pytest.raises(ValueError, match=said):
        load_checkpoint(tmp_path)


@both
def test_the_second_name_of_a_setting_wins(framework, tmp_path):
    changed("GPT2LMHeadModel", tmp_path, {"n_head": 3, "num_attention_heads": 2})
    assert_followed(framework, tmp_path)


@pytest.mark.parametrize(
    ("architecture", "name", "value"),
    [
        ("GPT2LMHeadModel", "num_hidden_layers", 1),
        ("GPT2LMHeadModel", "max_position_embeddings", 10),
        ("DistilBertModel", "hidden_size", 48),
        ("MarianMTModel", "num_attention_heads", 2),
    ],
)
def test_a_second_name_that_contradicts_the_tensors_is_refused(
    architecture, name, value, tmp_path
):
    changed(architecture, tmp_path, {name: value})
    with pytest.raises(ValueError, match=r"wanted|no place"):
        load_checkpoint(tmp_path)


@both
def test_a_second_name_alone_is_read(framework, tmp_path):
    changed("GPT2LMHeadModel", tmp_path, {"hidden_size": 24})
    path = tmp_path / "config.json"
    settings = json.loads(path.read_text())
    del settings["n_embd"]
    path.write_text(json.dumps(settings))
    assert_followed(framework, tmp_path)
