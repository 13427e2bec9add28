"""Load a published tokenizer from the files in its folder."""

from dataclasses import replace
from pathlib import Path

from scratch.tokenization.byte_pair import CHARACTER_TO_BYTE, BytePairEncoding
from scratch.tokenization.files import (
    as_added,
    as_pair,
    read_json,
    read_json_if_any,
    read_merges,
    require_vocab,
    take,
)
from scratch.tokenization.later_pairs import DIGIT, LaterBytePairs
from scratch.tokenization.published_settings import (
    BYTE_PAIR_CLASSES,
    BYTE_PAIRS,
    CUTS,
    WORD_PIECE,
    WORD_PIECE_CLASSES,
    Config,
    require_added,
    require_ids_of,
    require_setting,
    require_settings,
    special_around,
)
from scratch.tokenization.special_tokens import BERT, GPT2, PLAIN, ROBERTA
from scratch.tokenization.tokenizer import Tokenizer
from scratch.tokenization.word_piece import WordPiece

# What tokenizer_config.json may call by name, and what fills rows where it does not.
NAMES = tuple(f"{name}_token" for name in "bos eos unk sep pad cls mask".split())
PADS = ("[PAD]", "<pad>", "<|endoftext|>")


def load_tokenizer(folder: str | Path) -> Tokenizer:
    """Return the `Tokenizer` of the BERT, RoBERTa, GPT-2, Qwen2 or Llama in `folder`.

    Reads `tokenizer.json`; where it is missing, the older files: `vocab.txt`
    (WordPiece), or `vocab.json` and `merges.txt` (byte-pair encoding). What
    `tokenizer_config.json` says beside must agree. Lengths to cut and to pad to are
    arguments of the tokenizer's methods; stored ones are not applied, as in
    `transformers`. Llama's and Qwen2's are byte-pair encodings on bytes; the first two
    Llamas', which SentencePiece made, are refused.

    Args:
        folder: the folder of the published model.

    Raises:
        FileNotFoundError: the folder holds no tokenizer.
        UnsupportedTokenizer: ours lack a setting; a ValueError that names it.
        ValueError: a file is damaged.
    """
    folder = Path(folder)
    config = Config(folder)
    if (folder / "tokenizer.json").exists():
        model, special = read_whole(folder / "tokenizer.json", config)
    elif (folder / "vocab.txt").exists():
        model, special = read_word_piece(folder / "vocab.txt", config)
    elif (folder / "vocab.json").exists() and (folder / "merges.txt").exists():
        model, special = read_byte_pairs(folder, config)
    else:
        raise FileNotFoundError(
            f"folder is {folder}, which holds no tokenizer: wanted tokenizer.json, "
            "vocab.txt, or vocab.json and merges.txt"
        )
    return Tokenizer(model, agreed(special, model, config))


def read_whole(path, config):
    """Return the model and the special tokens that a `tokenizer.json` describes."""
    whole = read_json(path)
    model, added = take(whole, "model", dict, {}), take(whole, "added_tokens", list, [])
    kind = kind_of(model)
    require_setting(f"model.type in {path}", kind, ["WordPiece", "BPE"])
    for part, settings in (WORD_PIECE if kind == "WordPiece" else BYTE_PAIRS).items():
        require_settings(path, take(whole, part, dict, {}), settings, f"{part}.")
    vocab = with_added(take(model, "vocab", dict), added)
    others = tuple(token["content"] for token in added)
    special = special_around(take(whole, "post_processor", dict, {}), vocab, path)
    pad = stored_pad(take(whole, "padding", dict, {}), vocab, path)
    greedy = tuple(token["content"] for token in added if token.get("lstrip"))
    special = replace(special, pad=pad, others=others, greedy=greedy)
    # Only these are found in a text.
    require_ids_of(f"added_tokens in {path}", others, special.all)
    if kind == "WordPiece":
        family = config.family(WORD_PIECE_CLASSES)
        ours = word_piece_from(whole, vocab, config, path)
        normalized = [None, False]
    else:
        family = config.family(BYTE_PAIR_CLASSES)
        require_ids_of(f"model.vocab in {path}", vocab, CHARACTER_TO_BYTE)
        ours = byte_pairs_from(whole, vocab, path)
        normalized = [None, False, True]
        require_apart(added, path)
    for token in added:
        require_added(path, token, special, normalized)
    # Such a class puts its own tokens around texts, whatever tokenizer.json says.
    if family in (BERT, ROBERTA):
        name = f"what post_processor in {path} puts around texts"
        require_setting(name, placed(special), [placed(family)])
    return ours, special


def kind_of(model):
    """Return the type of a model, which older files do not name."""
    if "type" in model:
        return model["type"]
    if "merges" in model:
        return "BPE"
    return "WordPiece" if "max_input_chars_per_word" in model else None


def with_added(vocab, added):
    """Return `vocab` with the added tokens, which must have the ids that are next."""
    require_vocab("tokenizer.json", vocab)
    whole, following = dict(vocab), len(vocab)
    for content, token_id in map(as_added, added):
        wanted = vocab.get(content, following)
        if token_id != wanted:
            raise ValueError(
                f"tokenizer.json gives the added token {content!r} the id {token_id}: "
                f"wanted {wanted}"
            )
        following = max(following, token_id + 1)
        whole[content] = token_id
    return whole


def placed(special):
    """Return what `special` puts around texts, and the second text's segment id."""
    return special.first, special.between, special.last, special.second_segment


def stored_pad(padding, vocab, path):
    """Return the token that a `tokenizer.json` pads with, None where it has none."""
    if not padding:
        return None
    token = padding.get("pad_token")
    name = f"padding.pad_id in {path}"
    require_setting(name, padding.get("pad_id"), [vocab.get(token, f"that of {token}")])
    return token


def word_piece_from(whole, vocab, config, path):
    """Return the `WordPiece` of a `tokenizer.json` whose parts have been checked."""
    lowercase = whole["normalizer"]["lowercase"]
    accents = {"strip_accents": [None, lowercase]}
    require_settings(path, whole["normalizer"], accents, "normalizer.")
    config.require(accents | {"do_lower_case": [None, lowercase]})
    return WordPiece(vocab, lowercase, take(whole["model"], "unk_token", str))


def byte_pairs_from(whole, vocab, path):
    """Return the `BytePairEncoding` of a `tokenizer.json`, which says how it cuts."""
    model, cutting = whole["model"], whole["pre_tokenizer"]
    merges = [*map(as_pair, take(model, "merges", list))]
    parts = take(cutting, "pretokenizers", list, [cutting])
    kind = parts[0].get("type") if parts else None
    name = f"pre_tokenizer.type in {path}"
    require_setting(name, kind, list(CUTS))
    require_setting(f"the number of parts of {name}", len(parts), [len(CUTS[kind])])
    for part, settings in zip(parts, CUTS[kind], strict=True):
        require_settings(path, part, settings, "pre_tokenizer.")
    normal_form = take(whole, "normalizer", dict, {}).get("type")
    whole_words = model.get("ignore_merges") or False
    patterns = {
        "ByteLevel": [None],
        "Digits": [DIGIT, None],
        "Split": [parts[0].get("pattern", {}).get("Regex")],
    }[kind]
    if patterns == [None] and normal_form is None and not whole_words:
        return BytePairEncoding(vocab, merges)
    return LaterBytePairs(vocab, merges, patterns, normal_form, whole_words)


def require_apart(added, path):
    """Raise if an added token could overlap with one that is looked for after it."""
    for late in added:
        for early in added:
            one, other = late["content"], early["content"]
            shorter = min(len(one), len(other))
            touching = (
                one in other
                or other in one
                or any(
                    one.endswith(other[:n]) or other.endswith(one[:n])
                    for n in range(1, shorter)
                )
            )
            if late.get("normalized") and not early.get("normalized") and touching:
                name = f"normalized of {one!r}, which overlaps {other!r}, in {path}"
                require_setting(name, True, [False])


def read_word_piece(path, config):
    """Return the model and the special tokens of a folder with a `vocab.txt`."""
    config.family(WORD_PIECE_CLASSES)
    lowercase = config.get("do_lower_case", True)
    require_setting(config.where("do_lower_case"), lowercase, [True, False])
    config.require({"strip_accents": [None, lowercase]})
    return WordPiece.from_file(path, lowercase), BERT


def read_byte_pairs(folder, config):
    """Return the model and the special tokens of `vocab.json` and `merges.txt`."""
    vocab, merges = read_json(folder / "vocab.json"), read_merges(folder / "merges.txt")
    require_vocab(folder / "vocab.json", vocab)
    guesses = (family for family in (ROBERTA, GPT2, PLAIN) if {*family.all} <= {*vocab})
    special = config.family(BYTE_PAIR_CLASSES) or next(guesses)
    return BytePairEncoding(vocab, merges), special


def agreed(special, model, config):
    """Return `special` with its padding; raise unless the other files agree with it."""
    require_ids_of(f"the vocabulary in {config.folder}", model.vocab, special.all)
    named = {name: config.get(name) for name in NAMES}
    for setting, token in named.items():
        require_setting(config.where(setting), name_in(token), [None, *special.all])
    for setting in ("additional_special_tokens", "extra_special_tokens"):
        for token in config.get(setting, []):
            require_setting(config.where(setting), name_in(token), [*special.all])
    for setting, around in (("cls_token", special.first), ("sep_token", special.last)):
        if around:
            token = name_in(named[setting])
            require_setting(config.where(setting), token, [None, *around])
    for token, token_id, where in older_added(config):
        require_setting(f"a token of {where}", token, [*special.all])
        wanted = [model.vocab[token]]
        require_setting(f"the id of {token!r} of {where}", token_id, wanted)
    normalized = [None, False] if isinstance(model, WordPiece) else [None, False, True]
    for token in config.get("added_tokens_decoder", {}).values():
        where = config.where("added_tokens_decoder")
        require_added(where, token, special, normalized)
    known = [token for token in PADS if token in special.all]
    pad = name_in(named["pad_token"]) or special.pad or [*known, None][0]
    return replace(special, pad=pad)


def older_added(config):
    """Yield (token, id, its file) of the added tokens beside `tokenizer.json`."""
    path = config.folder / "added_tokens.json"
    for token, token_id in read_json_if_any(path).items():
        yield token, token_id, path
    for token_id, token in config.get("added_tokens_decoder", {}).items():
        whole = token | {"id": int(token_id)}
        yield *as_added(whole), config.where("added_tokens_decoder")


def name_in(token):
    """Return the text of a token in tokenizer_config.json: a string or an object."""
    return token.get("content") if isinstance(token, dict) else token
