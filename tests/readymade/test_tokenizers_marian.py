"""Marian's tokenizer gives the ids that the model learned, or none is returned."""

import json
import shutil
import sys

from readymade.weights import load_checkpoint

import numpy as np
import pytest
import transformers
from helpers.library_models import save
from helpers.tools import tool

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


@pytest.fixture(scope="module")
def marian(tmp_path_factory):
    """A Marian with published kinds of files: two processors, one vocabulary."""
    folder = tmp_path_factory.mktemp("marian")
    save("MarianMTModel", folder)
    pieces, _ = (
        tool("small_tokenizers").sentence_pieces(folder, side, "\n".join(CORPUS), 61)
        for side in ("source", "target")
    )
    # In another order than SentencePiece's, and with two pieces left out.
    kept = [pieces.id_to_piece(i) for i in range(pieces.get_piece_size())][:2:-1][2:]
    tokens = ["</s>", "<unk>", ">>de<<", ">>fr<<", *kept, "<pad>"]
    vocab = {token: token_id for token_id, token in enumerate(tokens)}
    (folder / "vocab.json").write_text(json.dumps(vocab))
    return folder


def ours(folder):
    return load_checkpoint(folder)[1]


@pytest.fixture(scope="module")
def their_marian(marian):
    return transformers.MarianTokenizer.from_pretrained(marian)


MARIAN_TEXTS = [*TEXTS, ">>de<< The fox jumps.", ">>xx<< The fox", "a << b >> c", ">>"]


def test_marian_splits_texts_as_theirs(marian, their_marian):
    tokenizer = ours(marian)
    unknown = 0
    for text in MARIAN_TEXTS:
        ids = tokenizer.encode(text)
        assert ids == their_marian(text)["input_ids"], text
        unknown += ids.count(tokenizer.vocab["<unk>"])
    assert unknown  # the vocabulary has fewer pieces than SentencePiece


def test_marian_pads_as_theirs(marian, their_marian):
    wanted = their_marian(MARIAN_TEXTS, padding=True, return_tensors="np")
    ids, mask = ours(marian).encode_batch(MARIAN_TEXTS)
    np.testing.assert_array_equal(ids, wanted["input_ids"])
    np.testing.assert_array_equal(mask[:, 0, 0], wanted["attention_mask"])


def test_marian_decodes_as_theirs(marian, their_marian):
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
def test_a_damaged_tokenizer_is_not_a_missing_one(marian, damaged, tmp_path):
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


def test_a_bert_without_tokenizer_says_so(tmp_path):
    save("BertModel", tmp_path)
    with pytest.warns(UserWarning, match="tokenizer is None: .* holds no tokenizer"):
        assert load_checkpoint(tmp_path)[1] is None


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("separate_vocabs", True, "wanted None or False"),
        ("tokenizer_class", "BertTokenizer", "wanted None or 'Marian"),
        ("eos_token", "<e>", "wanted a token of the vocabulary"),
        ("eos_token", ">>de<<", "wanted '</s>'"),
    ],
)
def test_an_unsupported_marian_tokenizer_is_none_and_named(
    marian, setting, value, said, tmp_path
):
    folder = shutil.copytree(marian, tmp_path / "copy")
    (folder / "tokenizer_config.json").write_text(json.dumps({setting: value}))
    message = rf"is None: {setting} in .*config\.json is {value!r}: {said}"
    with pytest.warns(UserWarning, match=message):
        model, tokenizer = load_checkpoint(folder)
    assert model is not None
    assert tokenizer is None
