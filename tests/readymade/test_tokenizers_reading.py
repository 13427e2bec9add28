"""Which tokenizer a folder gets: ours, the library's, or none and a reason."""

import copy
import json
import re
import shutil

from readymade.weights import load_tokenizer, minilm_path
from readymade.weights.tokenizers.library import LibraryTokenizer
from readymade.weights.tokenizers.reading import read_tokenizer
from scratch.tokenization import Tokenizer

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

MINILM = minilm_path()
CORPUS = ["The quick brown fox jumps over the lazy dog.", "Sphinx of quartz!"] * 5
TEXTS = [
    "The fox <mask> jumps [MASK], over  the dog",
    "Sphinx\x1f<mask> \t<mask>",
    "brown fox<|endoftext|>lazy <|end|> dog " * 9,
    "  <mask><mask> <s> <pad>x</s>",
    *NASTY,
]
ROBERTA_TOKENS = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
END = "<|endoftext|>"


def byte_pairs(tokens, texts=CORPUS, size=290):
    """A byte-pair encoding as the `tokenizers` package trains it."""
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(texts, size, special_tokens=tokens, show_progress=False)
    return trained


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A folder of each kind, by name, and one with only the older files."""
    word_pieces = BertWordPieceTokenizer()
    word_pieces.train_from_iterator(CORPUS, 120, show_progress=False)
    word_pieces.post_processor = processors.BertProcessing(
        ("[SEP]", word_pieces.token_to_id("[SEP]")),
        ("[CLS]", word_pieces.token_to_id("[CLS]")),
    )
    roberta = byte_pairs([*ROBERTA_TOKENS[:-1], AddedToken("<mask>", lstrip=True)])
    roberta.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    tokenizers = {BERT: word_pieces, ROBERTA: roberta, GPT2: byte_pairs([END])}
    where = {}
    for name, trained in tokenizers.items():
        folder = where[name] = tmp_path_factory.mktemp(name)
        older = where[f"older {name}"] = tmp_path_factory.mktemp(f"older{name}")
        config = json.dumps({"tokenizer_class": name})
        for one in (folder, older):
            trained.save_model(str(one))
            (one / "tokenizer_config.json").write_text(config)
        trained.save(str(folder / "tokenizer.json"))
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


def assert_published(tokenizer, folder, said):
    """The ids and segments are those of the library, whatever lengths are stored."""
    published = Published.from_file(str(folder / "tokenizer.json"))
    published.no_truncation()
    published.no_padding()
    for text in TEXTS:
        wanted = published.encode(text, "the dog")
        assert tokenizer.encode(text) == published.encode(text).ids, said
        batch = tokenizer.encode_batch([text], ["the dog"])
        assert batch.ids[0].tolist() == wanted.ids, said
        assert batch.segment_ids[0].tolist() == wanted.type_ids, said


BERT, ROBERTA, GPT2 = "BertTokenizer", "RobertaTokenizer", "GPT2Tokenizer"
TRUNCATION = {"max_length": 4, "strategy": "LongestFirst", "stride": 0}
PADDING = {"strategy": {"Fixed": 9}, "pad_to_multiple_of": None, "pad_token": "[PAD]"}
OURS = [
    (BERT, "tokenizer.json: truncation", TRUNCATION | {"direction": "Right"}),
    (
        BERT,
        "tokenizer.json: padding",
        PADDING | {"direction": "Right", "pad_id": 0, "pad_type_id": 0},
    ),
    (BERT, "tokenizer.json: model.type", ...),
    (BERT, "tokenizer_config.json: tokenizer_class", "PreTrainedTokenizerFast"),
    (BERT, "tokenizer_config.json: pad_token", "[UNK]"),
    (ROBERTA, "tokenizer.json: model.end_of_word_suffix", ""),
    (ROBERTA, "tokenizer.json: added_tokens.0.normalized", True),
    (ROBERTA, "tokenizer_config.json: padding_side", "left"),
    (GPT2, "tokenizer_config.json: pad_token", END),
]


@pytest.mark.parametrize("name", [BERT, ROBERTA, GPT2])
def test_a_tokenizer_is_ours_if_its_file_says_what_ours_does(folders, tmp_path, name):
    for base, where, value in OURS:
        if base != name:
            continue
        folder = changed(folders[name], tmp_path / "copy", {where: value})
        ours = read_tokenizer(folder, name)
        assert type(ours) is Tokenizer, where
        assert_published(ours, folder, where)
        theirs = transformers.AutoTokenizer.from_pretrained(folder)
        assert theirs.pad_token_id in (None, ours.pad_id), where
        theirs.save_pretrained(tmp_path / "saved")
        saved = read_tokenizer(tmp_path / "saved", name)
        older = read_tokenizer(folders[f"older {name}"], name)
        for text in TEXTS:
            for one in (ours, saved, older):
                assert one.encode(text) == theirs(text)["input_ids"], where


A, B = ({"Sequence": {"id": name, "type_id": place}} for place, name in enumerate("AB"))


def marks(token, *segments):
    return [{"SpecialToken": {"id": token, "type_id": segment}} for segment in segments]


def template(single, pair, **ids):
    special = {t: {"id": t, "ids": [i], "tokens": [t]} for t, i in ids.items()}
    named = {"special_tokens": special, "type": "TemplateProcessing"}
    return named | {"single": single, "pair": pair}


BYTE_LEVEL = json.loads(processors.ByteLevel().__getstate__())
IN_FRONT = template(
    [*marks(END, 0), A], [*marks(END, 0), A, *marks(END, 0), B], **{END: 0}
)
BETWEEN = template(
    [A, *marks("[SEP]", 0)],
    [A, *marks("[MASK]", 0, 0), B, *marks("[SEP]", 1)],
    **{"[SEP]": 3, "[MASK]": 4},
)
AT_THE_END = template([A], [A, *marks("[SEP]", 1), B], **{"[SEP]": 3})
# A kind of folder, and a setting that ours does not have.
LIBRARY = [
    (BERT, "model.max_input_chars_per_word", 9),
    (BERT, "normalizer.strip_accents", False),
    (BERT, "normalizer.lowercase", False),
    (BERT, "pre_tokenizer.type", "Whitespace"),
    (BERT, "decoder.cleanup", False),
    (BERT, "post_processor", None),
    (BERT, "post_processor", BETWEEN),
    (BERT, "post_processor", AT_THE_END),
    (BERT, "added_tokens", []),
    (BERT, "added_tokens.4.normalized", True),
    (ROBERTA, "pre_tokenizer.add_prefix_space", True),
    (ROBERTA, "normalizer", {"type": "NFD"}),
    (ROBERTA, "model.ignore_merges", True),
    (ROBERTA, "added_tokens.4.lstrip", False),
    (ROBERTA, "post_processor", BYTE_LEVEL),
    (GPT2, "post_processor", IN_FRONT),
    (
        GPT2,
        "post_processor",
        {"type": "Sequence", "processors": [BYTE_LEVEL, IN_FRONT]},
    ),
]


@pytest.mark.parametrize("name", [BERT, ROBERTA, GPT2])
def test_a_tokenizer_is_the_librarys_if_its_file_says_something_else(
    folders, tmp_path, name
):
    for base, where, value in LIBRARY:
        if base == name:
            changes = {f"tokenizer.json: {where}": value}
            folder = changed(folders[name], tmp_path / "copy", changes)
            # The same file, alone.
            (tmp_path / "alone").mkdir(exist_ok=True)
            shutil.copy(folder / "tokenizer.json", tmp_path / "alone")
            for one in (folder, tmp_path / "alone"):
                tokenizer = read_tokenizer(one, name)
                assert type(tokenizer) is LibraryTokenizer, where
                assert_published(tokenizer, folder, where)


def test_a_vocabulary_of_another_kind_is_no_obstacle(folders, tmp_path):
    """BERTweet has a `vocab.txt` that is not BERT's."""
    folder = shutil.copytree(folders[GPT2], tmp_path / "copy")
    for content in (b"fox 7\n", b"\xff"):
        (folder / "vocab.txt").write_bytes(content)
        assert type(read_tokenizer(folder, GPT2)) is LibraryTokenizer


# A kind of folder, a setting that no tokenizer supports, and what is wanted.
ADDED, KNOWN = {"4": {"content": "[CLS]"}}, "a token of the vocabulary"
CONFIG = "tokenizer_config.json: "
UNSUPPORTED = [
    (BERT, f"{CONFIG}do_lower_case", False, "None or True"),
    (BERT, f"{CONFIG}strip_accents", False, "None or True"),
    (BERT, f"{CONFIG}tokenize_chinese_chars", False, "None or True"),
    (BERT, f"{CONFIG}truncation_side", "left", "None or 'right'"),
    (BERT, f"{CONFIG}mask_token", {"content": "[M]"}, KNOWN),
    (BERT, f"{CONFIG}extra_special_tokens", ["[X]"], KNOWN),
    (BERT, f"{CONFIG}extra_special_tokens", {"image_token": "[X]"}, KNOWN),
    (BERT, f"{CONFIG}added_tokens_decoder", ADDED, "2"),
    (BERT, f"{CONFIG}add_eos_token", True, "None or False"),
    (BERT, "added_tokens.json: [X]", 5, KNOWN),
    (BERT, "special_tokens_map.json: mask_token", "[M]", KNOWN),
    (ROBERTA, f"{CONFIG}add_prefix_space", True, "None or False"),
    (GPT2, f"{CONFIG}add_bos_token", True, "None or False"),
    (f"older {BERT}", f"{CONFIG}tokenizer_class", "BertJapaneseTokenizer", "'BertTok"),
    (f"older {BERT}", f"{CONFIG}word_tokenizer_type", "mecab", "None or"),
    (f"older {BERT}", f"{CONFIG}strip_accents", False, "None or True"),
    (f"older {BERT}", f"{CONFIG}do_lower_case", "no", "None or True"),
    (f"older {BERT}", f"{CONFIG}unk_token", "fox", "None or '[UNK]'"),
    (f"older {BERT}", "added_tokens.json: [X]", 200, KNOWN),
    (f"older {GPT2}", f"{CONFIG}add_prefix_space", True, "None or False"),
    (f"older {GPT2}", f"{CONFIG}tokenizer_class", "Qwen2Tokenizer", "'GPT2Tok"),
    (f"older {GPT2}", f"vocab.json: {END}", ..., "an id for each"),
    (f"older {ROBERTA}", "config.json: tokenizer_class", "MPNetTokenizer", "'GPT2Tok"),
]


@pytest.mark.parametrize("name", sorted({name for name, *_ in UNSUPPORTED}))
def test_unsupported_settings_are_named(folders, tmp_path, name):
    for base, where, value, wanted in UNSUPPORTED:
        if base != name:
            continue
        folder = changed(folders[name], tmp_path / "copy", {where: value})
        if where.startswith("config.json"):
            (folder / "tokenizer_config.json").unlink()
        with pytest.warns(UserWarning, match="the tokenizer is None: ") as warned:
            assert read_tokenizer(folder, name.removeprefix("older ")) is None
        before, _, after = str(warned[0].message).partition(": wanted ")
        file, _, setting = where.partition(": ")
        assert f"{folder}/{file}" in before or f"in {folder} has no" in before, where
        assert setting in before, where
        assert wanted in after, (where, after)


def test_older_files_of_a_later_model_are_not_split_as_gpt2s(folders, tmp_path):
    folder = shutil.copytree(folders[f"older {GPT2}"], tmp_path / "copy")
    (folder / "tokenizer_config.json").unlink()
    with pytest.warns(UserWarning, match="is None: tokenizer_class .*'GPT2Tokenizer'"):
        assert read_tokenizer(folder, "PreTrainedTokenizerFast") is None


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
    for ours in (load_tokenizer(folder), read_tokenizer(folder, ROBERTA)):
        assert ours.vocab == published.get_vocab()
        assert ours.pad_id == 1
        for text in [PROSE[:70_000], *NASTY[:-1]]:
            assert ours.encode(text) == published.encode(text).ids
            assert ours.decode(ours.encode(text)) == text
            pair = published.encode(text, "and more").ids
            assert ours.encode(text, "and more") == pair
        assert not ours.encode_batch(["a"], ["b"]).segment_ids.any()


def test_the_class_decides_which_special_tokens_count(prose_pairs, tmp_path):
    """Many GPT-2s were trained with a tokenizer that also has RoBERTa's tokens."""
    vocab = json.loads((prose_pairs[0] / "vocab.json").read_text()) | {END: 700}
    (tmp_path / "vocab.json").write_text(json.dumps(vocab))
    shutil.copy(prose_pairs[0] / "merges.txt", tmp_path)
    plain = read_tokenizer(tmp_path, GPT2)
    assert plain.encode("one") == plain.model.encode("one")
    for framed in (read_tokenizer(tmp_path, ROBERTA), load_tokenizer(tmp_path)):
        assert framed.encode("one")[0] == vocab["<s>"]


def test_an_older_folder_of_gpt2_has_one_special_token(prose_pairs, tmp_path):
    vocab = json.loads((prose_pairs[0] / "vocab.json").read_text())
    kept = {token: i for token, i in vocab.items() if token not in ROBERTA_TOKENS}
    (tmp_path / "vocab.json").write_text(json.dumps(kept | {END: 700}))
    shutil.copy(prose_pairs[0] / "merges.txt", tmp_path)
    ours = load_tokenizer(tmp_path)
    ids = ours.encode("one<|endoftext|>two")
    assert ids == [*ours.encode("one"), 700, *ours.encode("two")]
    batch = ours.encode_batch(["one", "one two"])
    assert ours.pad_id == 700
    assert (batch.ids == 700).tolist() == (~batch.attention_mask[:, 0, 0]).tolist()


def test_an_older_folder_of_word_pieces_is_read(tmp_path):
    shutil.copy(MINILM / "vocab.txt", tmp_path)
    bundled = read_tokenizer(MINILM, BERT)
    assert type(bundled) is Tokenizer
    for read in (load_tokenizer, lambda folder: read_tokenizer(folder, BERT)):
        assert read(tmp_path).encode("Été!") == bundled.encode("Été!")
    (tmp_path / "tokenizer_config.json").write_text('{"do_lower_case": false}')
    for read in (load_tokenizer, lambda folder: read_tokenizer(folder, BERT)):
        assert read(tmp_path).tokenize("Été!") == ["[UNK]", "!"]


def minilm(**changes):
    """The bundled tokenizer.json with some of its parts changed."""
    whole = json.loads((MINILM / "tokenizer.json").read_text())
    return json.dumps(whole | changes)


BERT_FRAME = {"type": "BertProcessing", "sep": ["[SEP]", 99_999], "cls": ["[CLS]", 1]}
ADDED_TOKEN = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
ADDED_TOKEN |= {"special": True, "content": "a", "id": 7}
DAMAGED = [
    ("tokenizer.json", "{", "is damaged"),
    ("tokenizer.json", "[]", "holds []: wanted a JSON object"),
    ("tokenizer.json", minilm(model="x"), "is damaged, or too new for tokenizers"),
    ("tokenizer.json", minilm(added_tokens={}), "is damaged"),
    ("tokenizer.json", minilm(added_tokens=[ADDED_TOKEN]), "'a' the id 7: wanted 1037"),
    ("tokenizer.json", minilm(post_processor=BERT_FRAME), "puts an id around texts"),
    ("tokenizer_config.json", "{", "is damaged"),
    ("special_tokens_map.json", "[]", "holds []: wanted a JSON object"),
    ("vocab.txt", b"\xff", "is damaged: 'utf-8' codec"),
    ("merges.txt", b"\xff", "is damaged: 'utf-8' codec"),
    ("merges.txt", "a b\nt h e", "has the merge 't h e': wanted two tokens"),
    ("vocab.json", '{"a": "0"}', "gives 'a' the id '0': wanted an integer"),
]


def test_a_damaged_file_is_named_with_what_is_wanted(folders, tmp_path):
    for name, content, said in DAMAGED:
        folder = changed(folders[f"older {GPT2}"], tmp_path / "copy", {})
        content = content if isinstance(content, bytes) else content.encode()
        (folder / name).write_bytes(content)
        with pytest.raises(ValueError, match=f"{name} .*{re.escape(said)}"):
            read_tokenizer(folder, GPT2)
    (folder / "vocab.txt").write_text("a\nb")
    with pytest.raises(ValueError, match=re.escape("vocab has no ['[UNK]']: wanted")):
        read_tokenizer(folder, GPT2)


def test_a_folder_without_a_tokenizer_says_what_is_wanted(tmp_path):
    with pytest.raises(FileNotFoundError, match="which holds no tokenizer: wanted"):
        load_tokenizer(tmp_path)
    with pytest.warns(UserWarning, match="holds no tokenizer: .*, or tokenizer.json"):
        assert read_tokenizer(tmp_path, BERT) is None
