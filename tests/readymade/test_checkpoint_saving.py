"""What we save, `transformers` loads: equal logits, equal ids, and so do we."""

import json
import os
from dataclasses import replace

import scratch.tensorflow as scratch_tensorflow  # starts TensorFlow quietly
import scratch.torch as scratch_torch
from readymade.weights import (
    copy_weights,
    load_checkpoint,
    minilm_path,
    save_checkpoint,
)
from readymade.weights.families import FAMILIES
from readymade.weights.families.family import CLASSIFIERS
from readymade.weights.files import read_tensors
from readymade.weights.parameters import parameters_of
from readymade.weights.tokenizers.marian import MARIAN, SentencePieces
from scratch.config import TransformerConfig
from scratch.tokenization import (
    BERT,
    GPT2,
    ROBERTA,
    BytePairEncoding,
    Tokenizer,
    WordPiece,
)

import numpy as np
import pytest
import torch
import transformers
from helpers.library_models import random_model, save
from helpers.tools import tool

pytestmark = pytest.mark.filterwarnings("ignore:the tokenizer is None")

# Several roundings of 1e-7; a wrong weight or setting shows above 1e-2.
CLOSE = {"rtol": 0, "atol": 1e-5}

TASKS = {
    "Model": "AutoModel",
    "ForMaskedLM": "AutoModelForMaskedLM",
    "ForSequenceClassification": "AutoModelForSequenceClassification",
    "ForNextSentencePrediction": "AutoModelForNextSentencePrediction",
    "ForTokenClassification": "AutoModelForTokenClassification",
    "ForQuestionAnswering": "AutoModelForQuestionAnswering",
    "ForImageClassification": "AutoModelForImageClassification",
    "LMHeadModel": "AutoModelForCausalLM",
    "ForCausalLM": "AutoModelForCausalLM",
    "MTModel": "AutoModelForSeq2SeqLM",
}
# GPT2Model and a model for pretraining come back as the models with the head we keep.
ARCHITECTURES = [
    name
    for family in FAMILIES.values()
    for name in family.heads
    if name not in ("GPT2Model", "BertForPreTraining")
]


def config_of(model):
    return model.config if hasattr(model, "config") else model.encoder.config


def assert_same_model(one, other):
    assert config_of(one) == config_of(other)
    ours, others = parameters_of(one), parameters_of(other)
    assert ours.keys() == others.keys()
    for path in ours:
        np.testing.assert_array_equal(ours[path].read(), others[path].read(), path)


@pytest.mark.slow("a family that the library reads back otherwise")
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_transformers_loads_what_we_save_and_computes_the_same(architecture, tmp_path):
    theirs = random_model(architecture)
    theirs.save_pretrained(tmp_path / "theirs")
    kind = theirs.config.model_type
    for framework in ("torch", "tensorflow"):
        ours, _ = load_checkpoint(tmp_path / "theirs", framework)
        folder = tmp_path / framework
        save_checkpoint(ours, None, folder, family=kind)
        assert_same_model(load_checkpoint(folder, framework)[0], ours)
    for file in folder.iterdir():
        assert file.read_bytes() == (tmp_path / "torch" / file.name).read_bytes()

    suffix = max((s for s in TASKS if architecture.endswith(s)), key=len)
    reread, report = getattr(transformers, TASKS[suffix]).from_pretrained(
        folder, output_loading_info=True
    )
    assert type(reread).__name__ == architecture
    lost = {name for name in report["missing_keys"] if "embed_positions" not in name}
    assert not lost and not report["unexpected_keys"]
    # RoBERTa's words begin at position 4; 60 is Marian's padding.
    ids = torch.randint(4, 60, (2, 9), generator=torch.Generator().manual_seed(0))
    inputs = {"input_ids": ids}
    if kind == "marian":
        inputs["decoder_input_ids"] = ids.flip(1)
    if kind == "vit":
        inputs = {"pixel_values": torch.linspace(-2, 2, 384).reshape(2, 3, 8, 8)}
    with torch.no_grad():
        wanted, given = theirs(**inputs), reread.eval()(**inputs)
    for one, other in zip(wanted.to_tuple(), given.to_tuple(), strict=True):
        if torch.is_tensor(one):
            torch.testing.assert_close(other, one, **CLOSE)
    for setting in ("pad_token_id", "dropout", "num_labels", "decoder_start_token_id"):
        value = getattr(theirs.config, setting, None)
        assert getattr(reread.config, setting, None) == value, setting


def test_minilm_comes_back_byte_for_byte(tmp_path):
    model, tokenizer = load_checkpoint()
    save_checkpoint(model, tokenizer, tmp_path)
    original, saved = read_tensors(minilm_path()), read_tensors(tmp_path)
    assert original.keys() - saved.keys() <= {"embeddings.position_ids"}
    for name, array in saved.items():
        assert array.tobytes() == original[name].tobytes(), name
    again, its_tokenizer = load_checkpoint(tmp_path)
    assert_same_model(again, model)
    assert its_tokenizer.vocab == tokenizer.vocab
    assert its_tokenizer.encode(*TEXTS[:2]) == tokenizer.encode(*TEXTS[:2])


# Tokenizers

TEXTS = [
    "The fox said: “Pack my bag!” <mask> [MASK] <|endoftext|>",
    "  two  spaces\nand a naïve façade ½ 日本 🦊",
    "",
    "zebras' don't",
]
CORPUS = "The quick brown fox jumps over the lazy dog, said five dozen zebras. " * 5


def byte_pairs(special):
    trained = BytePairEncoding.train(CORPUS, 300)
    tokens = [*special.all, *trained.vocab]
    vocab = {token: number for number, token in enumerate(tokens)}
    return Tokenizer(BytePairEncoding(vocab, trained.merges), special)


def word_pieces(lowercase):
    letters = [letter for letter in sorted({*CORPUS}) if letter != " "]
    pieces = ["The", "the", "fox", "##ox", *letters, *[f"##{one}" for one in letters]]
    vocab = {token: number for number, token in enumerate([*BERT.all, *pieces])}
    return Tokenizer(WordPiece(vocab, lowercase), BERT)


def sentence_pieces(folder):
    """A SentencePiece for each language, and one vocabulary for both."""
    learn = tool("small_tokenizers").sentence_pieces
    cutters = [
        learn(folder, side, text.replace(". ", ".\n"), 36)
        for side, text in (("source", CORPUS), ("target", CORPUS[::-1]))
    ]
    pieces = [one.id_to_piece(i) for one in cutters for i in range(3, 36)]
    tokens = dict.fromkeys(["</s>", "<unk>", ">>de<<", *pieces, "<pad>"])
    vocab = {token: number for number, token in enumerate(tokens)}
    return Tokenizer(SentencePieces(cutters[0], vocab, target=cutters[1]), MARIAN)


ENCODER = {
    "d_model": 8,
    "num_heads": 2,
    "d_ff": 12,
    "num_layers": 1,
    "max_len": 99,
    "activation": "gelu",
    "positions": "learned",
    "norm_embeddings": True,
    "scale_embeddings": False,
    "num_segments": 1,
    "pooler": "tanh",
}
DISTIL = {"num_segments": 0, "pooler": None, "layer_norm_eps": 1e-12}
DECODER = {
    **ENCODER,
    "norm_first": True,
    "norm_embeddings": False,
    "activation": "gelu_tanh",
}
LLAMA = {
    **DECODER,
    "activation": "swiglu",
    "positions": "rotary",
    "norm": "rms",
    "num_kv_heads": 1,
    "bias": False,
}


def model_for(tokenizer, name, framework="torch", **fields):
    package = scratch_torch if framework == "torch" else scratch_tensorflow
    prefix = "" if framework == "torch" else "TF"
    known = {"vocab_size": len(tokenizer.vocab), "pad_id": tokenizer.pad_id}
    config = TransformerConfig(**(known | fields))
    arguments = (config, 3) if name in CLASSIFIERS else (config,)
    return getattr(package, prefix + name)(*arguments)


@pytest.mark.parametrize(
    ("kind", "name", "fields"),
    [
        ("bert", "Encoder", ENCODER),
        ("bert, cased", "Encoder", ENCODER),
        ("distilbert", "Encoder", ENCODER | DISTIL),
        ("gpt2", "CausalLanguageModel", DECODER),
        ("llama", "CausalLanguageModel", LLAMA),
        ("qwen2", "CausalLanguageModel", LLAMA | {"qkv_bias": True}),
        ("roberta", "SequenceClassifier", ENCODER),
        ("marian", "Transformer", None),
    ],
)
def test_the_tokenizer_that_we_save_gives_equal_ids(kind, name, fields, tmp_path):
    tokenizer = {
        "bert": lambda: word_pieces(True),
        "bert, cased": lambda: word_pieces(False),
        "distilbert": lambda: word_pieces(True),
        "gpt2": lambda: byte_pairs(GPT2),
        "llama": lambda: byte_pairs(GPT2),
        "qwen2": lambda: byte_pairs(GPT2),
        "roberta": lambda: byte_pairs(ROBERTA),
        "marian": lambda: sentence_pieces(tmp_path),
    }[kind]()
    if kind == "marian":
        fields = {"d_model": 8, "num_heads": 2, "d_ff": 12, "num_layers": 1}
        fields |= {"interleaved": False, "output_bias": True}
        fields["unwritten_ids"] = (tokenizer.pad_id,)
    folder = tmp_path / "saved"
    save_checkpoint(model_for(tokenizer, name, **fields), tokenizer, folder)
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    again = load_checkpoint(folder)[1]
    assert theirs.pad_token_id == again.pad_id == tokenizer.pad_id
    for text in TEXTS:
        ids = tokenizer.encode(text)
        assert theirs(text)["input_ids"] == ids, text
        assert again.encode(text) == ids, text
    config = transformers.AutoConfig.from_pretrained(folder)
    assert config.model_type == kind.partition(",")[0]
    if kind == "marian":
        assert again.model.target.encode("fox") == tokenizer.model.target.encode("fox")
        written = theirs(text_target=TEXTS[3])["input_ids"][:-1]
        pieces = tokenizer.model.target.encode(TEXTS[3], out_type=str)
        assert written == [tokenizer.vocab.get(one, 1) for one in pieces]
        generation = transformers.GenerationConfig.from_pretrained(folder)
        assert generation.bad_words_ids == [[tokenizer.pad_id]]
    elif kind in ("gpt2", "llama", "qwen2"):
        assert theirs.eos_token == "<|endoftext|>"
        assert config.eos_token_id == tokenizer.vocab["<|endoftext|>"]
    else:
        pair = theirs(*TEXTS[:2])["input_ids"]
        assert pair == tokenizer.encode(*TEXTS[:2]) == again.encode(*TEXTS[:2])


@pytest.mark.slow("names of classes that are lost on the way")
@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("framework", ["torch", "tensorflow"])
def test_the_names_of_classes_survive(framework, name, tmp_path):
    tokenizer = word_pieces(True)
    model = model_for(tokenizer, name, framework, **ENCODER)
    model.labels = ["bad", "so so", "good"]
    save_checkpoint(model, tokenizer, tmp_path)
    loaded, _ = load_checkpoint(tmp_path, framework)
    assert type(loaded) is type(model)
    assert loaded.labels == model.labels
    config = transformers.AutoConfig.from_pretrained(tmp_path)
    assert config.id2label == dict(enumerate(model.labels))
    for wrong in (["bad", "good"], {0: "bad", 1: "so so", 2: "good"}, None):
        model.labels = wrong
        with pytest.raises(ValueError, match="wanted a list of 3 different names"):
            save_checkpoint(model, tokenizer, tmp_path, overwrite=True)


def test_family_and_settings_of_generation_survive(tmp_path):
    save("XLMRobertaModel", tmp_path / "published")
    model, _ = load_checkpoint(tmp_path / "published")
    save_checkpoint(model, None, tmp_path / "saved")
    config = transformers.AutoConfig.from_pretrained(tmp_path / "saved")
    assert config.model_type == "xlm-roberta"
    save("LlamaForCausalLM", tmp_path / "llama")
    path = tmp_path / "llama" / "generation_config.json"
    path.write_text(json.dumps({"temperature": 0.6, "do_sample": True}))
    model, _ = load_checkpoint(tmp_path / "llama")
    save_checkpoint(model, None, tmp_path / "llama again")
    generation = transformers.GenerationConfig.from_pretrained(tmp_path / "llama again")
    assert (generation.temperature, generation.do_sample) == (0.6, True)


# What cannot be saved


@pytest.mark.parametrize(
    ("name", "changed", "said"),
    [
        ("Encoder", {"norm_first": True}, "norm_first is True: wanted False"),
        ("Encoder", {"d_k": 5}, "d_k is 5: wanted None"),
        (
            "Encoder",
            {"positions": "sinusoidal"},
            "positions is 'sinusoidal': wanted 'l",
        ),
        ("Encoder", {"pooler": "relu"}, "pooler is 'relu': wanted 'tanh'"),
        ("SequenceClassifier", {"pooler": None}, "pooler is None: wanted 'tanh'"),
        ("MaskedLanguageModel", {"tie_output": False}, "tie_output is False: wanted"),
        ("Encoder", {"num_segments": 0}, "type_vocab_size is 0: wanted at least 1"),
        ("CausalLanguageModel", {}, "no model of its tokenizer is one"),
    ],
)
def test_a_model_that_no_family_has_is_refused_by_field(name, changed, said, tmp_path):
    tokenizer = word_pieces(True)
    for framework in ("torch", "tensorflow"):
        model = model_for(tokenizer, name, framework, **(ENCODER | changed))
        with pytest.raises(ValueError, match=said):
            save_checkpoint(model, tokenizer, tmp_path)
    assert not [*tmp_path.iterdir()]


class Changed(scratch_torch.Encoder):
    """A subclass, which may compute anything."""


def test_what_does_not_match_is_refused_by_name(tmp_path):
    words, pairs = word_pieces(True), byte_pairs(GPT2)
    bert = model_for(words, "Encoder", **ENCODER)
    padded = model_for(words, "Encoder", **(ENCODER | {"pad_id": 1}))
    small = model_for(words, "Encoder", **(ENCODER | {"vocab_size": 9}))
    broken = model_for(words, "Encoder", **ENCODER)
    with torch.no_grad():
        broken.pooler.dense.bias[3] = torch.nan
    unmerged = [
        model_for(words, "SequenceClassifier", framework, **ENCODER)
        for framework in ("torch", "tensorflow")
    ]
    scratch_torch.add_lora(unmerged[0].encoder, rank=2, alpha=2.0)
    scratch_tensorflow.tf_add_lora(unmerged[1].encoder, rank=2, alpha=2.0)
    holes = Tokenizer(WordPiece(words.vocab | {"later": 999}), BERT)
    for model, tokenizer, family, error, said in [
        (bert, words, "mamba", ValueError, "family is 'mamba': wanted one of 'bert'"),
        (bert, words, "roberta", ValueError, "tokenizer is WordPiece .* of roberta"),
        (
            bert,
            Tokenizer(words.model, replace(BERT, pad="x")),
            None,
            ValueError,
            "pad='x'",
        ),
        (bert, pairs, None, ValueError, "pad_id of the tokenizer is .*: wanted"),
        (padded, words, None, ValueError, "pad_id of the tokenizer is .*: wanted 1"),
        (small, words, None, ValueError, "has the id .*: wanted less than 9"),
        (broken, words, None, ValueError, r"pooler\.dense\.bias holds NaN"),
        *(
            (one, words, None, ValueError, r"query is a layer .* after merge_lora")
            for one in unmerged
        ),
        (
            model_for(holes, "Encoder", **(ENCODER | {"vocab_size": 1000})),
            holes,
            None,
            ValueError,
            "gaps between its ids",
        ),
        (Changed(bert.config), words, None, TypeError, "model is of type Changed"),
        (bert.layers[0], words, None, TypeError, "model is of type EncoderLayer"),
    ]:
        with pytest.raises(error, match=said):
            save_checkpoint(model, tokenizer, tmp_path, family=family)
    assert not [*tmp_path.iterdir()]


# The folder


def test_files_have_the_permissions_of_the_umask(tmp_path):
    words = word_pieces(True)
    before = os.umask(0o027)
    try:
        save_checkpoint(model_for(words, "Encoder", **ENCODER), words, tmp_path / "a/b")
    finally:
        os.umask(before)
    files = [*(tmp_path / "a/b").iterdir()]
    assert {file.stat().st_mode & 0o777 for file in files} == {0o640}
    assert {file.name for file in files} == {
        "config.json",
        "model.safetensors",
        "special_tokens_map.json",
        "tokenizer_config.json",
        "vocab.txt",
    }


def test_other_files_are_never_overwritten(tmp_path):
    words = word_pieces(True)
    one, other = (model_for(words, "Encoder", **ENCODER) for _ in range(2))
    save_checkpoint(one, words, tmp_path)
    with pytest.raises(FileExistsError, match=r"holds config\.json, .*overwrite=True"):
        save_checkpoint(other, words, tmp_path)
    assert_same_model(load_checkpoint(tmp_path)[0], one)
    # A new checkpoint leaves nothing of the earlier one, its tokenizer included.
    save_checkpoint(other, None, tmp_path, overwrite=True)
    assert_same_model(load_checkpoint(tmp_path)[0], other)
    assert not (tmp_path / "vocab.txt").exists()
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(FileExistsError, match=r"holds notes\.txt: wanted an empty"):
        save_checkpoint(one, words, tmp_path, overwrite=True)
    assert_same_model(load_checkpoint(tmp_path)[0], other)


def test_a_config_may_have_settings_that_the_model_ignores(tmp_path):
    """One config serves the pretraining model and the classifier after it."""
    words = word_pieces(True)
    fields = ENCODER | {"output_bias": True}
    pretrained = model_for(words, "MaskedLanguageModel", **fields)
    config = pretrained.encoder.config
    classifier = scratch_torch.SequenceClassifier(config, 3, pretrained.encoder)
    twin = scratch_tensorflow.TFSequenceClassifier(config, 3)
    copy_weights(classifier, twin)
    save_checkpoint(pretrained, words, tmp_path / "words")
    save_checkpoint(twin, words, tmp_path / "classes")
    settings = json.loads((tmp_path / "classes" / "config.json").read_text())
    assert settings["id2label"] == {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}
    again, _ = load_checkpoint(tmp_path / "classes")
    np.testing.assert_array_equal(
        again.classifier.weight.detach(), classifier.classifier.weight.detach()
    )
