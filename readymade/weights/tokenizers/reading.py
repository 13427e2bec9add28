"""Read the tokenizer in a checkpoint's folder: as our own, or as the library's."""

import warnings
from dataclasses import replace
from pathlib import Path

from readymade.weights.tokenizers.config import (
    TokenizerConfig,
    UnsupportedTokenizer,
    require_setting,
)
from readymade.weights.tokenizers.library import as_library, configured, read_library
from readymade.weights.tokenizers.marian import MARIAN, SentencePieces, read_marian
from readymade.weights.tokenizers.vocabularies import load_tokenizer
from scratch.tokenization import (
    BERT,
    GPT2,
    ROBERTA,
    BytePairEncoding,
    Tokenizer,
    WordPiece,
)

# What every tokenizer does (None: the setting is missing). The side of the padding is
# left out: rows are padded at their ends, and the mask hides it.
EVERY = {
    "split_special_tokens": [None, False],
    "truncation_side": [None, "right"],
    "truncation_strategy": [None, "longest_first"],
}
# What our own do; a tokenizer.json is compared as a whole.
OURS = {
    "do_basic_tokenize": [None, True],
    "errors": [None, "replace"],
    "never_split": [None, []],
    "subword_tokenizer_type": [None, "wordpiece"],
    "word_tokenizer_type": [None, "basic"],
}
# The special tokens of each class of `transformers` that ours can be, by vocabulary.
CLASSES = {
    WordPiece: {"BertTokenizer": BERT, "DistilBertTokenizer": BERT},
    BytePairEncoding: {"GPT2Tokenizer": GPT2, "RobertaTokenizer": ROBERTA},
    SentencePieces: {"MarianTokenizer": MARIAN},
}


def read_tokenizer(
    folder: str | Path, kind: str, pad_id: int | None = None, segmented: bool = True
) -> Tokenizer | None:
    """Return the Tokenizer in a folder, or None with a warning that says why.

    Args:
        folder: the folder of the published model.
        kind: the class of the tokenizer if the folder does not name one.
        pad_id: the id that the model hides; None if it hides none.
        segmented: whether the model takes segment ids.
    """
    folder = Path(folder)
    try:
        config = TokenizerConfig(folder)
        config.require(EVERY)
        if kind == "MarianTokenizer":
            tokenizer = read_marian(folder, config)
        else:
            tokenizer = read_published(folder, kind, config)
        tokenizer.bos_id = tokenizer.vocab.get(config.token("bos_token"))
        tokenizer.eos_ids = config.eos_ids(tokenizer.vocab)
        tokenizer.segmented = segmented
        if pad_id is not None and tokenizer.pad_id is not None:
            name = f"pad_token_id in {folder}/config.json"
            require_setting(name, pad_id, [tokenizer.pad_id])
        return tokenizer
    except (FileNotFoundError, ModuleNotFoundError, UnsupportedTokenizer) as error:
        warnings.warn(f"the tokenizer is None: {error}", stacklevel=3)
        return None
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"the tokenizer in {folder} cannot be read: {error}"
        ) from error


def read_published(folder: Path, kind: str, config: TokenizerConfig) -> Tokenizer:
    """Return the Tokenizer of a folder that is not a Marian's.

    A `tokenizer.json`, if there is one, says how texts are split. Otherwise,
    `tokenizer_config.json` does, beside `vocab.txt`, or `vocab.json` and `merges.txt`.
    The tokenizer is ours if the folder has these vocabularies and ours splits texts in
    the same way. In every other case it is the library's.

    Raises:
        FileNotFoundError: the folder holds no tokenizer.
        UnsupportedTokenizer: the files contradict each other, or say what neither does.
        ValueError: a file is damaged.
    """
    path, ours = folder / "tokenizer.json", None
    try:
        ours = load_tokenizer(folder)
    except FileNotFoundError as error:
        if not path.exists():
            raise FileNotFoundError(f"{error}, or tokenizer.json") from error
    except ValueError:
        if not path.exists():
            raise
        # A `vocab.txt` may be of another kind than BERT's.
    if path.exists():
        published = configured(read_library(path), config)
    else:
        ours = of_class(ours.model, kind, config)
        published = configured(as_library(ours), config)
    template = config.values.get("chat_template")  # ours has none
    if ours is None or template or not published.same_as(ours):
        return published
    # The padding that another one replaces is still kept whole in a text.
    special, pad = ours.special, published.special.pad
    others = special.others if pad == special.pad else special.all
    return Tokenizer(ours.model, replace(special, pad=pad, others=others))


def of_class(
    model: WordPiece | BytePairEncoding, kind: str, config: TokenizerConfig
) -> Tokenizer:
    """Return the Tokenizer of a vocabulary, with the special tokens of its class.

    Raises:
        UnsupportedTokenizer: ours has no such class, or another setting.
    """
    config.require(OURS)
    classes, given = CLASSES[type(model)], config.values.get("tokenizer_class")
    name = kind if given is None else str(given).removesuffix("Fast")
    if name not in classes:
        require_setting(config.where("tokenizer_class"), given, list(classes))
    special = classes[name]
    if missing := [token for token in special.all if token not in model.vocab]:
        raise UnsupportedTokenizer(
            f"the vocabulary in {config.folder} has no {missing}: wanted an id for "
            f"each token of a {name}"
        )
    if isinstance(model, WordPiece):
        unknown = config.token("unk_token")
        require_setting(config.where("unk_token"), unknown, [None, model.unknown])
    return Tokenizer(model, special)
