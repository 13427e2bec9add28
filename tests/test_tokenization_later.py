"""Tokenizers of Qwen2, Llama 3 and SmolLM: the ids of the `tokenizers` package."""

import json
import re
from dataclasses import replace

from readymade.weights import load_checkpoint, save_checkpoint
from scratch import tokenization
from scratch.tokenization import BytePairEncoding, load_tokenizer
from scratch.tokenization.later_pairs import PATTERNS, LaterBytePairs
from scratch.tokenization.published_settings import UnsupportedTokenizer
from scratch.torch import CausalLanguageModel

import numpy as np
import pytest
import torch
import transformers
from helpers.configs import LLAMA, QWEN2
from helpers.references import config_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizers import Regex, Tokenizer, models, normalizers, trainers
from tokenizers import decoders as decoding
from tokenizers import pre_tokenizers as cutting
from tokenizers import processors as processing

CORPUS = [
    "The quick brown fox, 1234 jumps over the lazy dog's 56 tails.",
    "Pack my box with five dozen liquor jugs\n\n said THE'S fox.   ",
    "fünf Boxkämpfer naïve façade ½ 日本 🦊",
] * 5
TEXTS = [
    "The fox said: “Pack my bag!” 12345",
    " two  spaces\n\n and a nai\u0308ve façade ½ 日本 🦊",
    "",
    "zebras' DON'T don't\r\n x ",
    "<|im_start|>user<|endoftext|>",
    "  \t12 34",
]
END = "<|endoftext|>"
KINDS = {
    "qwen2": "Qwen2Tokenizer",
    "llama3": "PreTrainedTokenizerFast",
    "smollm": "GPT2Tokenizer",
}


def trained(kind):
    """A tokenizer that is made as the published ones of its kind are."""
    made = Tokenizer(models.BPE(ignore_merges=kind == "llama3"))
    first = cutting.Split(Regex(PATTERNS[kind == "llama3"]), "isolated")
    if kind == "qwen2":
        made.normalizer = normalizers.NFC()
    if kind == "smollm":
        first = cutting.Digits(individual_digits=True)
    level = cutting.ByteLevel(add_prefix_space=False, use_regex=kind == "smollm")
    made.pre_tokenizer = cutting.Sequence([first, level])
    made.decoder = decoding.ByteLevel()
    learn = trainers.BpeTrainer(
        vocab_size=330,
        special_tokens=[END, "<|im_start|>"],
        initial_alphabet=cutting.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(CORPUS, learn)
    if kind == "llama3":
        template = processing.TemplateProcessing(
            f"{END} $A", f"{END} $A {END}:1 $B:1", [(END, 0)]
        )
        made.post_processor = processing.Sequence([processing.ByteLevel(), template])
    return made


def saved(made, kind, folder):
    made.save(str(folder / "tokenizer.json"))
    config = {"tokenizer_class": KINDS[kind]}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))


@pytest.fixture(scope="module", params=KINDS)
def pair(request, tmp_path_factory):
    """A tokenizer of the package, and ours from its file."""
    folder, made = tmp_path_factory.mktemp(request.param), trained(request.param)
    saved(made, request.param, folder)
    return made, load_tokenizer(folder)


def test_ids_are_theirs(pair):
    theirs, ours = pair
    assert type(ours.model) is LaterBytePairs
    for text in TEXTS:
        ids = theirs.encode(text).ids
        assert ours.encode(text) == ids, text
        assert ours.decode(ids, skip_special=False) == theirs.decode(
            ids, skip_special_tokens=False
        )


def test_saved_again_they_are_read_by_transformers_and_by_us(pair, tmp_path):
    _, ours = pair
    settled = QWEN2 if ours.model.normal_form else LLAMA
    settled = replace(settled, vocab_size=len(ours.vocab), pad_id=ours.pad_id)
    save_checkpoint(CausalLanguageModel(settled), ours, tmp_path)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    again = load_checkpoint(tmp_path)[1]
    assert again.special == ours.special
    assert vars(again.model) == vars(ours.model)
    assert theirs.pad_token_id == ours.pad_id
    for texts in [TEXTS], [TEXTS, TEXTS[::-1]]:
        ids = theirs(*texts)["input_ids"]
        for tokenizer in ours, again:
            assert [tokenizer.encode(*one) for one in zip(*texts, strict=True)] == ids


@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.text("aZ'st1½ \n\t.é\u0301日🦊<|", max_size=20))
def test_ids_of_any_text_are_theirs(pair, text):
    theirs, ours = pair
    assert ours.encode(text) == theirs.encode(text).ids


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"pattern": {"Regex": "[a-z]+"}}, "pattern"),
        ({"behavior": "Removed"}, "behavior"),
        ({"invert": True}, "invert"),
        ({"type": "Metaspace"}, "pre_tokenizer.type"),
    ],
)
def test_another_way_of_cutting_is_refused_by_name(changes, said, tmp_path):
    saved(trained("qwen2"), "qwen2", tmp_path)
    path = tmp_path / "tokenizer.json"
    whole = json.loads(path.read_text())
    whole["pre_tokenizer"]["pretokenizers"][0] |= changes
    path.write_text(json.dumps(whole))
    with pytest.raises(UnsupportedTokenizer, match=re.escape(said)):
        load_tokenizer(tmp_path)


def test_pieces_with_bytes_for_what_they_lack_are_refused_by_name(tmp_path):
    """The first two Llamas', which SentencePiece made."""
    made = trained("qwen2")
    saved(made, "qwen2", tmp_path)
    path = tmp_path / "tokenizer.json"
    whole = json.loads(path.read_text())
    whole["model"]["byte_fallback"] = True
    path.write_text(json.dumps(whole))
    with pytest.raises(UnsupportedTokenizer, match=r"model\.byte_fallback"):
        load_tokenizer(tmp_path)


def test_a_small_stand_in_for_smollm_continues_a_text(tmp_path):
    """As chapter 13 does with the published one: 9 heads, of which 3 have keys."""
    made = trained("smollm")
    saved(made, "smollm", tmp_path)
    config = config_of("LlamaForCausalLM")
    config.update(
        {
            "vocab_size": made.get_vocab_size(),
            "hidden_size": 36,
            "head_dim": 4,
            "num_attention_heads": 9,
            "num_key_value_heads": 3,
            "tie_word_embeddings": True,
            "max_position_embeddings": 64,
            "pad_token_id": None,
            "bos_token_id": 0,
            "eos_token_id": 0,
        }
    )
    torch.manual_seed(0)
    theirs = transformers.LlamaForCausalLM(config).to(torch.bfloat16)
    theirs.save_pretrained(tmp_path)
    theirs = theirs.float().eval()
    text = "The quick brown"
    for framework in ("torch", "tensorflow"):
        model, tokenizer = load_checkpoint(tmp_path, framework)
        ids = np.array([tokenizer.encode(text)])
        prompt = torch.tensor(ids)
        wanted = theirs.generate(prompt, max_new_tokens=8, do_sample=False)
        ids = prompt if framework == "torch" else ids
        found = np.asarray(model.generate(ids, tokenizer.vocab[END], 8))
        assert found.tolist() == wanted.tolist()
        assert tokenizer.decode(found[0].tolist()).startswith(text)


def test_a_plain_byte_level_one_is_that_of_chapter_1(tmp_path):
    made = trained("smollm")
    made.pre_tokenizer = cutting.ByteLevel(add_prefix_space=False)
    saved(made, "smollm", tmp_path)
    assert type(load_tokenizer(tmp_path).model) is BytePairEncoding


def test_cuts_that_no_published_one_has_are_not_saved(tmp_path):
    plain = BytePairEncoding.train("some text", 256)
    odd = tokenization.Tokenizer(LaterBytePairs(plain.vocab, [], ["[a-z]+"]))
    model = CausalLanguageModel(replace(LLAMA, vocab_size=256, pad_id=None))
    with pytest.raises(ValueError, match=r"patterns are \('\[a-z\]\+',\): wanted"):
        save_checkpoint(model, odd, tmp_path)
    assert not [*tmp_path.iterdir()]
