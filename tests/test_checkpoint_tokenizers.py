"""With a checkpoint comes its tokenizer, which gives the ids that the model learned."""

import json
import shutil
import sys

from readymade.weights import load_checkpoint, minilm_path

import numpy as np
import pytest
import sentencepiece
import transformers
from helpers.references import save
from tokenizers import ByteLevelBPETokenizer

CORPUS = [
    "The quick brown fox jumps over the lazy dog.",
    "Pack my box with five dozen liquor jugs, said the fox.",
    "How vexingly quick daft zebras jump over the box!",
    "Sphinx of black quartz, judge my vow: fünf Boxkämpfer.",
] * 5
TEXTS = [
    "The fox said: “Pack my bag!”",
    " two  spaces\nand a naïve façade ½ 日本 🦊",
    "",
    "zebras' don't",
]


def byte_pairs(folder, special):
    """Train a byte-level tokenizer and save it as older checkpoints have it."""
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(CORPUS, vocab_size=300, special_tokens=special)
    trained.save_model(str(folder))


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gpt2")
    save("GPT2LMHeadModel", folder)
    byte_pairs(folder, ["<|endoftext|>"])
    return folder


@pytest.fixture(scope="module")
def roberta(tmp_path_factory):
    folder = tmp_path_factory.mktemp("roberta")
    save("RobertaModel", folder)
    byte_pairs(folder, ["<s>", "</s>", "<unk>", "<pad>", "<mask>"])
    return folder


@pytest.fixture(scope="module")
def marian(tmp_path_factory):
    """A Marian with vocabulary files of the published kind: two cutters, one list."""
    folder = tmp_path_factory.mktemp("marian")
    save("MarianMTModel", folder)
    (folder / "corpus.txt").write_text("\n".join(CORPUS))
    for side in ("source", "target"):
        sentencepiece.SentencePieceTrainer.train(
            input=str(folder / "corpus.txt"),
            model_prefix=str(folder / side),
            vocab_size=61,
            minloglevel=2,
        )
        (folder / f"{side}.model").rename(folder / f"{side}.spm")
    pieces = sentencepiece.SentencePieceProcessor(str(folder / "source.spm"))
    # Numbered otherwise than SentencePiece does, and with two pieces left out.
    kept = [pieces.id_to_piece(i) for i in range(pieces.get_piece_size())][:2:-1][2:]
    tokens = ["</s>", "<unk>", ">>de<<", ">>fr<<", *kept, "<pad>"]
    vocab = {token: token_id for token_id, token in enumerate(tokens)}
    (folder / "vocab.json").write_text(json.dumps(vocab))
    return folder


def ours(folder):
    return load_checkpoint(folder)[1]


def test_gpt2_cuts_as_theirs(gpt2):
    theirs = transformers.GPT2Tokenizer.from_pretrained(gpt2)
    tokenizer = ours(gpt2)
    for text in TEXTS:
        assert tokenizer.encode(text) == theirs(text)["input_ids"]
        assert tokenizer.decode(tokenizer.encode(text)) == text


def test_gpt2_with_the_newer_file_alone_cuts_the_same(gpt2, tmp_path):
    theirs = transformers.GPT2Tokenizer.from_pretrained(gpt2)
    folder = shutil.copytree(gpt2, tmp_path / "copy")
    theirs.save_pretrained(folder)
    (folder / "merges.txt").unlink(missing_ok=True)
    (folder / "vocab.json").unlink(missing_ok=True)
    assert (folder / "tokenizer.json").exists()
    tokenizer = ours(folder)
    for text in TEXTS:
        assert tokenizer.encode(text) == theirs(text)["input_ids"]


def test_roberta_cuts_as_theirs_pairs_and_padding_included(roberta):
    theirs = transformers.RobertaTokenizer.from_pretrained(roberta)
    tokenizer = ours(roberta)
    wanted = theirs(TEXTS, TEXTS[::-1], padding=True, return_tensors="np")
    ids, mask, _ = tokenizer.encode_batch(TEXTS, TEXTS[::-1])
    np.testing.assert_array_equal(ids, wanted["input_ids"])
    np.testing.assert_array_equal(mask[:, 0, 0], wanted["attention_mask"])


@pytest.fixture(scope="module")
def their_marian(marian):
    return transformers.MarianTokenizer.from_pretrained(marian)


MARIAN_TEXTS = [*TEXTS, ">>de<< The fox jumps.", ">>xx<< The fox", "a << b >> c", ">>"]


def test_marian_cuts_as_theirs(marian, their_marian):
    tokenizer = ours(marian)
    unknown = 0
    for text in MARIAN_TEXTS:
        ids = tokenizer.encode(text)
        assert ids == their_marian(text)["input_ids"], text
        unknown += ids.count(tokenizer.vocab["<unk>"])
    assert unknown  # the list has fewer pieces than the cutter


def test_marian_pads_as_theirs(marian, their_marian):
    wanted = their_marian(MARIAN_TEXTS, padding=True, return_tensors="np")
    ids, mask, _ = ours(marian).encode_batch(MARIAN_TEXTS)
    np.testing.assert_array_equal(ids, wanted["input_ids"])
    np.testing.assert_array_equal(mask[:, 0, 0], wanted["attention_mask"])


def test_marian_reads_ids_as_theirs(marian, their_marian):
    tokenizer = ours(marian)
    for text in MARIAN_TEXTS:
        ids = tokenizer.encode(text)
        assert tokenizer.decode(ids) == their_marian.decode(
            ids, skip_special_tokens=True
        )


@pytest.mark.parametrize("missing", ["source.spm", "vocab.json"])
def test_a_folder_without_tokenizer_says_so(marian, missing, tmp_path):
    folder = shutil.copytree(marian, tmp_path / "copy")
    (folder / missing).unlink()
    with pytest.warns(UserWarning, match=f"tokenizer is None: .* holds no {missing}"):
        model, tokenizer = load_checkpoint(folder)
    assert model is not None
    assert tokenizer is None


def test_without_sentencepiece_the_warning_says_what_to_install(marian, monkeypatch):
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.warns(UserWarning, match="is None: .*pip install sentencepiece"):
        assert load_checkpoint(marian)[1] is None


@pytest.mark.parametrize("damaged", ["source.spm", "vocab.json"])
def test_a_damaged_tokenizer_is_no_missing_one(marian, damaged, tmp_path):
    folder = shutil.copytree(marian, tmp_path / "copy")
    (folder / damaged).write_bytes(b"{")
    with pytest.raises(ValueError, match=f"{damaged}.* damaged"):
        load_checkpoint(folder)


def test_a_marian_vocabulary_of_another_kind_is_named(marian, tmp_path):
    folder = shutil.copytree(marian, tmp_path / "copy")
    sound = json.loads((folder / "vocab.json").read_text())
    for content in ([], 7, None, sound | {"</s>": "0"}, sound | {"</s>": [0]}):
        (folder / "vocab.json").write_text(json.dumps(content))
        with pytest.raises(ValueError, match=r"in .*vocab.*(JSON object|'</s>')"):
            load_checkpoint(folder)


@pytest.mark.parametrize("name", ["vocab.txt", "merges.txt"])
def test_a_list_that_is_no_text_is_named(gpt2, name, tmp_path):
    folder = shutil.copytree(gpt2, tmp_path / "copy")
    (folder / name).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match=rf"copy/{name} is damaged: 'utf-8' codec"):
        load_checkpoint(folder)


@pytest.mark.parametrize("line", ["a", "a b c"])
def test_a_merge_of_another_number_is_named(gpt2, line, tmp_path):
    folder = shutil.copytree(gpt2, tmp_path / "copy")
    with (folder / "merges.txt").open("a") as file:
        file.write(f"{line}\n")
    with pytest.raises(
        ValueError, match=rf"merges\.txt .* '{line}': wanted two tokens"
    ):
        load_checkpoint(folder)


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bert")
    save("BertModel", folder)
    return folder


def test_a_bert_without_tokenizer_says_so(bert):
    with pytest.warns(UserWarning, match="tokenizer is None: .* holds no tokenizer"):
        assert load_checkpoint(bert)[1] is None


def test_a_part_of_another_kind_is_damage(bert, tmp_path):
    folder = shutil.copytree(bert, tmp_path / "copy")
    for change in ({"normalizer": [1]}, {"post_processor": {"type": "BertProcessing"}}):
        whole = json.loads((minilm_path() / "tokenizer.json").read_text())
        (folder / "tokenizer.json").write_text(json.dumps(whole | change))
        with pytest.raises(ValueError, match=r"the tokenizer in .* cannot be read: "):
            load_checkpoint(folder)


LEFT, SEPARATE = {"padding_side": "left"}, {"separate_vocabs": True}
JAPANESE = {"tokenizer_class": "BertJapaneseTokenizer"}


@pytest.mark.parametrize(
    ("family", "file", "change", "said"),
    [
        ("bert", "tokenizer_config.json", JAPANESE, "wanted None or 'PreTrainedTok"),
        (
            "bert",
            "tokenizer_config.json",
            {"strip_accents": False},
            "wanted None or Tr",
        ),
        ("roberta", "config.json", {"pad_token_id": 2}, "wanted 3"),
        ("gpt2", "tokenizer_config.json", LEFT, "wanted None or 'right'"),
        ("marian", "tokenizer_config.json", SEPARATE, "wanted None or False"),
        ("marian", "tokenizer_config.json", JAPANESE, "wanted None or 'Marian"),
        (
            "marian",
            "tokenizer_config.json",
            {"eos_token": "<e>"},
            "wanted None or '</s>",
        ),
    ],
)
def test_a_tokenizer_that_ours_is_not_is_none_and_named(
    family, file, change, said, tmp_path, request
):
    folder = shutil.copytree(request.getfixturevalue(family), tmp_path / "copy")
    if family == "bert":
        shutil.copy(minilm_path() / "tokenizer.json", folder)
    path = folder / file
    whole = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(whole | change))
    ((setting, value),) = change.items()
    message = rf"is None: {setting} in .*{file} is {value!r}: {said}"
    with pytest.warns(UserWarning, match=message):
        model, tokenizer = load_checkpoint(folder)
    assert model is not None
    assert tokenizer is None
