"""Tokenizers that the library reads: what `transformers` gives, by our own methods."""

import json
import pickle
from dataclasses import replace

from readymade.weights import load_checkpoint, minilm_path, save_checkpoint
from readymade.weights.tokenizers.library import LibraryTokenizer
from readymade.weights.tokenizers.reading import read_tokenizer
from scratch.tokenization import token_offsets
from scratch.torch import CausalLanguageModel, Encoder

import numpy as np
import pytest
import torch
import transformers
from helpers.configs import BERT, LLAMA
from helpers.library_models import config_of
from helpers.texts import odd_texts
from helpers.tools import tool
from jinja2 import TemplateError

small_tokenizers = tool("small_tokenizers")


def saved(family, folder):
    """Save a family's tokenizer to a folder that has only tokenizer.json."""
    tokenizer, settings = small_tokenizers.FAMILIES[family]()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return settings


@pytest.fixture(scope="module", params=small_tokenizers.FAMILIES)
def both(request, tmp_path_factory):
    """The tokenizer of `transformers` for a file, and ours."""
    folder = tmp_path_factory.mktemp(request.param)
    roles = {
        name: token
        for name, token in saved(request.param, folder).items()
        if name.endswith("_token") and isinstance(token, str)
    }
    file = str(folder / "tokenizer.json")
    theirs = transformers.PreTrainedTokenizerFast(tokenizer_file=file, **roles)
    return theirs, read_tokenizer(folder, "PreTrainedTokenizerFast")


# Only here are the methods of both compared on all kinds of texts.
@pytest.mark.slow("a rare character that becomes other ids")
def test_odd_texts_give_the_same_ids_as_theirs(both):
    theirs, ours = both
    assert type(ours) is LibraryTokenizer
    assert ours.vocab == theirs.get_vocab()
    assert ours.pad_id == theirs.pad_token_id
    texts = odd_texts()
    pairs = texts[::-1]
    # Theirs are computed all at once, because each call takes long.
    bare = theirs(texts, return_offsets_mapping=True, add_special_tokens=False)
    alone = theirs(texts)["input_ids"]
    # As lists, because a single empty second text counts as none there.
    both_texts = theirs(texts, pairs, return_token_type_ids=True)
    how = {"truncation": "longest_first"}
    short = [
        theirs(texts[n::9], pairs[n::9], max_length=4 + n, **how)["input_ids"]
        for n in range(9)
    ]
    for place, (text, pair) in enumerate(zip(texts, pairs, strict=True)):
        tokens = theirs.convert_ids_to_tokens(bare["input_ids"][place])
        assert ours.tokenize(text) == tokens, text
        assert token_offsets(ours, text) == bare["offset_mapping"][place], text
        assert ours.encode(text) == alone[place], text
        batch = ours.encode_batch([text], [pair])
        ids = both_texts["input_ids"][place]
        assert batch.ids.tolist() == [ids], (text, pair)
        segments = both_texts["token_type_ids"][place]
        assert batch.segment_ids.tolist() == [segments], (text, pair)
        for skip in (True, False):
            read = theirs.decode(ids, skip_special_tokens=skip)
            assert ours.decode(batch.ids[0], skip) == read, (text, pair)
        part, n = divmod(place, 9)
        assert ours.encode(text, pair, 4 + n) == short[n][part], (text, pair)


def test_rows_are_padded_like_theirs(both):
    theirs, ours = both
    texts = odd_texts(40, seed=1)
    if ours.pad_id is None:
        with pytest.raises(ValueError, match="pad is None: wanted a token"):
            ours.encode_batch(texts)
        return
    wanted = theirs(texts, padding="max_length", max_length=300, return_tensors="np")
    batch = ours.encode_batch(texts, pad_to=300)
    np.testing.assert_array_equal(batch.ids, wanted["input_ids"])
    np.testing.assert_array_equal(
        batch.attention_mask[:, 0, 0], wanted["attention_mask"]
    )


def test_special_tokens_around_texts_are_known(both):
    """As `scratch.answering` puts a question before each part of a text."""
    theirs, ours = both
    special = ours.special
    assert {*theirs.all_special_tokens} <= {*special.all}
    question, text = ours.tokenize("Which fox?"), ours.tokenize("The quick one.")
    whole = [*special.first, *question, *special.between, *text, *special.last]
    batch = ours.encode_batch(["Which fox?"], ["The quick one."])
    assert ours.tokens(batch.ids[0]) == whole
    assert {*batch.segment_ids[0, -len(special.last) - 1 :]} == {special.second_segment}


def test_saved_again_nothing_is_lost(both, tmp_path):
    theirs, ours = both
    ours.settings |= {"chat_template": "{{ messages }}", "auto_map": {"a": "program"}}
    config = replace(LLAMA, vocab_size=len(ours.vocab), pad_id=ours.pad_id)
    save_checkpoint(CausalLanguageModel(config), ours, tmp_path)
    again = load_checkpoint(tmp_path)[1]
    reread = transformers.AutoTokenizer.from_pretrained(tmp_path)
    assert reread.chat_template == "{{ messages }}"
    assert "auto_map" not in (tmp_path / "tokenizer_config.json").read_text()
    config = transformers.AutoConfig.from_pretrained(tmp_path)
    for role in ("bos", "eos", "pad"):
        token_id = getattr(theirs, f"{role}_token_id")
        assert getattr(reread, f"{role}_token_id") == token_id
        assert getattr(config, f"{role}_token_id") == token_id
    assert again.special == ours.special
    texts = odd_texts(60, seed=2)
    for pairs in (None, texts[::-1]):
        ids = theirs(texts, pairs)["input_ids"]
        assert reread(texts, pairs)["input_ids"] == ids
        pairs = pairs or [None] * len(texts)
        assert [*map(again.encode, texts, pairs)] == ids


def test_a_bert_saved_again_keeps_its_segments(tmp_path):
    """A cased one that keeps accents and has only tokenizer.json."""
    whole = json.loads((minilm_path() / "tokenizer.json").read_text())
    whole["normalizer"] |= {"lowercase": False, "strip_accents": False}
    whole["padding"] |= {"pad_token": "[unused0]", "pad_id": 1}
    (tmp_path / "tokenizer.json").write_text(json.dumps(whole))
    ours = read_tokenizer(tmp_path, "BertTokenizer")
    assert ours.pad_id == 1
    config = replace(BERT, vocab_size=len(ours.vocab), pad_id=ours.pad_id)
    save_checkpoint(Encoder(config), ours, tmp_path / "saved")
    reread = transformers.AutoTokenizer.from_pretrained(tmp_path / "saved")
    assert read_tokenizer(tmp_path / "saved", "BertTokenizer").pad_id == 1
    for text in odd_texts(60, seed=3):
        wanted = reread([text], ["the café"])
        batch = ours.encode_batch([text], ["the café"])
        assert batch.ids.tolist() == wanted["input_ids"]
        assert batch.segment_ids.tolist() == wanted["token_type_ids"]


def test_a_token_with_a_role_is_kept_whole(tmp_path):
    """Some folders name it only outside tokenizer.json."""
    saved("qwen2", tmp_path)
    path = tmp_path / "tokenizer.json"
    whole = json.loads(path.read_text())
    # The last one has an id of its own in the vocabulary, and no entry as a token.
    whole["model"]["vocab"] |= {
        token["content"]: token["id"] for token in whole["added_tokens"]
    }
    del whole["added_tokens"][2]
    path.write_text(json.dumps(whole))
    ours = read_tokenizer(tmp_path, "Qwen2Tokenizer")
    theirs = transformers.PreTrainedTokenizerFast.from_pretrained(tmp_path)
    ids = ours.encode("on<|im_end|>off")
    assert ids == theirs("on<|im_end|>off")["input_ids"]
    assert ids.count(ours.vocab["<|im_end|>"]) == 1


def test_an_added_token_that_is_not_special_is_decoded(tmp_path):
    """Like the tool calls of Qwen2.5, which a program looks for in the text."""
    saved("qwen2", tmp_path)
    ours = read_tokenizer(tmp_path, "Qwen2Tokenizer")
    ids = ours.encode(f"{small_tokenizers.START}<tool_call>now")
    assert len(ids) < 6
    assert ours.decode(ids) == "<tool_call>now"


def test_input_that_no_tokenizer_can_take_is_named(both):
    _, ours = both
    for call, error, said in [
        (lambda: ours.tokenize("half \ud800"), ValueError, "text has half"),
        (lambda: ours.encode(b"bytes"), TypeError, r"texts\[0\] is of type bytes"),
        (lambda: ours.encode("a", "b", -1), ValueError, "max_length is -1: wanted"),
        (lambda: ours.decode([10_000]), ValueError, r"ids\[0\] is 10000: wanted one"),
        (lambda: ours.decode([1.5]), TypeError, "ids is"),
    ]:
        with pytest.raises(error, match=said):
            call()
    many = pickle.loads(pickle.dumps(ours))
    assert many.encode("as a worker that loads data does") == ours.encode(
        "as a worker that loads data does"
    )


# Only here does such a tokenizer meet a model of each framework, which is slow.
@pytest.mark.slow("a published chat that goes on in other words")
def test_a_small_stand_in_for_smollm_continues_a_text(tmp_path):
    """As chapter 14 does with the published one: 9 heads share 3 heads of keys."""
    saved("smollm", tmp_path)
    config = config_of("LlamaForCausalLM")
    config.update(
        {
            "vocab_size": 502,
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
        written = np.asarray(
            model.generate(ids, tokenizer.vocab[small_tokenizers.END], 8)
        )
        assert written.tolist() == wanted.tolist()
        assert tokenizer.decode(written[0].tolist()).startswith(text)


# Chats

CHAT = (
    "{% for one in messages %}{% if one.role == 'tool' %}"
    "{{ raise_exception('nobody has tools') }}{% endif %}"
    "<|im_start|>{{ one.role }}\n{{ one.content | trim }}{{ eos_token }}\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SAID = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": " Who said: “Pack”? "},
    {"role": "assistant", "content": "The fox <|im_end|> did."},
    {"role": "user", "content": "Why?"},
]


@pytest.mark.parametrize("place", ["config", "named", "file"])
@pytest.mark.parametrize("family", ["gpt2", "qwen2"])
def test_a_chat_gives_the_ids_of_the_folder_s_template(family, place, tmp_path):
    settings = saved(family, tmp_path)
    others = [{"name": "tools", "template": "no"}]
    if place == "config":
        settings["chat_template"] = CHAT
    elif place == "named":
        settings["chat_template"] = [*others, {"name": "default", "template": CHAT}]
    else:
        (tmp_path / "chat_template.jinja").write_text(CHAT, encoding="utf-8")
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    ends = {"eos_token_id": [7, 3]}
    (tmp_path / "generation_config.json").write_text(json.dumps(ends))
    theirs = transformers.PreTrainedTokenizerFast.from_pretrained(tmp_path)
    ours = read_tokenizer(tmp_path, "PreTrainedTokenizerFast")
    wanted = theirs.apply_chat_template(
        SAID, add_generation_prompt=True, return_dict=False
    )
    assert ours.chat(SAID) == wanted
    assert ours.bos_id == theirs.bos_token_id
    assert ours.eos_ids == (theirs.eos_token_id, 7, 3)
    with pytest.raises(TemplateError, match="nobody has tools"):
        ours.chat([{"role": "tool", "content": "?"}])


def test_a_saved_chat_model_keeps_its_template_and_its_ends(tmp_path):
    settings = saved("qwen2", tmp_path) | {"chat_template": CHAT}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    (tmp_path / "config.json").write_text(json.dumps({"eos_token_id": [3, 7]}))
    tokenizer = read_tokenizer(tmp_path, "PreTrainedTokenizerFast")
    config = replace(LLAMA, vocab_size=len(tokenizer.vocab), pad_id=tokenizer.pad_id)
    save_checkpoint(CausalLanguageModel(config), tokenizer, tmp_path / "again")
    _, again = load_checkpoint(tmp_path / "again")
    assert again.chat(SAID) == tokenizer.chat(SAID)
    assert {*again.eos_ids} == {*tokenizer.eos_ids} == {again.vocab["<|im_end|>"], 3, 7}
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path / "again")
    wanted = theirs.apply_chat_template(
        SAID, add_generation_prompt=True, return_dict=False
    )
    assert again.chat(SAID) == wanted
    config = transformers.AutoConfig.from_pretrained(tmp_path / "again")
    assert {*config.eos_token_id} == {*tokenizer.eos_ids}


def test_without_a_template_there_is_no_chat(tmp_path):
    saved("gpt2", tmp_path)
    tokenizer = read_tokenizer(tmp_path, "PreTrainedTokenizerFast")
    with pytest.raises(ValueError, match="chat_template is None: wanted a template"):
        tokenizer.chat(SAID)


@pytest.mark.parametrize("special", [True, False])
def test_added_tokens_with_byte_letters_are_decoded(special, tmp_path):
    """`tokenizers` decodes their letters as bytes."""
    import tokenizers

    tokenizer, settings = small_tokenizers.FAMILIES["qwen2"]()
    written = ["<café>", "<½>", "<ĠĊ>", "<plain>", "<日本>"]
    tokenizer.add_tokens(
        [tokenizers.AddedToken(one, special=special) for one in written]
    )
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    ours = read_tokenizer(tmp_path, "PreTrainedTokenizerFast")
    assert type(ours) is LibraryTokenizer
    text = "é" + "a½".join(written) + "é"
    ids = ours.model.encode(text, add_special_tokens=False).ids
    assert ours.decode(ids, skip_special=False) == text
    bare = "é" + "a½" * (len(written) - 1) + "é"
    assert ours.decode(ids) == (bare if special else text)
