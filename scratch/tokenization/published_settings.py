"""The settings of published tokenizers that ours have; any other is refused by name."""

from pathlib import Path

from scratch.tokenization.files import read_json_if_any, shorten, take
from scratch.tokenization.later_pairs import PATTERNS
from scratch.tokenization.special_tokens import BERT, GPT2, ROBERTA, SpecialTokens

# {part of tokenizer.json: {setting: the values that ours has}}; None: it is missing.
SHARED = {
    "truncation": {"direction": [None, "Right"], "strategy": [None, "LongestFirst"]},
    "padding": {"direction": [None, "Right"], "pad_type_id": [None, 0]},
}
WORD_PIECE = SHARED | {
    "normalizer": {
        "type": ["BertNormalizer"],
        "clean_text": [None, True],
        "handle_chinese_chars": [None, True],
        "lowercase": [True, False],
    },
    "pre_tokenizer": {"type": ["BertPreTokenizer"]},
    "model": {
        "continuing_subword_prefix": [None, "##"],
        "max_input_chars_per_word": [None, 100],
    },
    "decoder": {
        "type": [None, "WordPiece"],
        "prefix": [None, "##"],
        "cleanup": [None, True],
    },
}
BYTE_PAIRS = SHARED | {
    "normalizer": {"type": [None, "NFC"]},
    "pre_tokenizer": {"type": ["ByteLevel", "Sequence"]},
    "model": {
        "dropout": [None],
        "continuing_subword_prefix": [None, ""],
        "end_of_word_suffix": [None, ""],
        "byte_fallback": [None, False],
        "ignore_merges": [None, False, True],
    },
    "decoder": {"type": [None, "ByteLevel"]},
}
# How byte-pair encodings cut texts into words: the parts of their pre_tokenizer.
BYTES = {"type": ["ByteLevel"], "add_prefix_space": [False]}
CUTS = {
    "ByteLevel": [BYTES | {"use_regex": [None, True]}],
    "Split": [
        {
            "type": ["Split"],
            "pattern": [{"Regex": one} for one in PATTERNS],
            "behavior": ["Isolated"],
            "invert": [None, False],
        },
        BYTES | {"use_regex": [False]},
    ],
    "Digits": [
        {"type": ["Digits"], "individual_digits": [True]},
        BYTES | {"use_regex": [None, True]},
    ],
}
# The same for tokenizer_config.json, whatever the kind of tokenizer.
CONFIG = {
    "add_bos_token": [None, False],
    "add_eos_token": [None, False],
    "add_prefix_space": [None, False],
    "do_basic_tokenize": [None, True],
    "errors": [None, "replace"],
    "never_split": [None, []],
    "padding_side": [None, "right"],
    "split_special_tokens": [None, False],
    "subword_tokenizer_type": [None, "wordpiece"],
    "tokenize_chinese_chars": [None, True],
    "truncation_side": [None, "right"],
    "truncation_strategy": [None, "longest_first"],
    "word_tokenizer_type": [None, "basic"],
}
# The same for an added token, of which `lstrip` and `normalized` depend on the rest.
ADDED_TOKEN = {
    "rstrip": [None, False],
    "single_word": [None, False],
    "special": [None, True],
}
# The values of tokenizer_class, which may end in Fast, and the special tokens that such
# a class puts around texts; None: those that the files name.
ANY_KIND = {None: None, "PreTrainedTokenizer": None, "TokenizersBackend": None}
WORD_PIECE_CLASSES = ANY_KIND | {"BertTokenizer": BERT, "DistilBertTokenizer": BERT}
BYTE_PAIR_CLASSES = ANY_KIND | {
    "RobertaTokenizer": ROBERTA,
    "GPT2Tokenizer": GPT2,
    "Qwen2Tokenizer": None,
}


class UnsupportedTokenizer(ValueError):
    """The files are sound, but ours cannot do what one of their settings asks for."""


class Config:
    """What `tokenizer_config.json` says, and older files where it does not.

    Args:
        folder: the folder of the published model.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.values, self.paths = folder, {}, {}
        for name in ("special_tokens_map.json", "config.json", "tokenizer_config.json"):
            found = read_json_if_any(folder / name)
            if name == "config.json":
                found = {"tokenizer_class": found.get("tokenizer_class")}
            known = {key: value for key, value in found.items() if value is not None}
            self.values |= known
            self.paths |= dict.fromkeys(known, folder / name)
        self.require(CONFIG)

    def get(self, setting: str, otherwise: object = None) -> object:
        """Return the value of a setting, or `otherwise` where no file has one."""
        return self.values.get(setting, otherwise)

    def where(self, setting: str) -> str:
        """Return a setting's name with that of its file."""
        path = self.paths.get(setting, self.folder / "tokenizer_config.json")
        return f"{setting} in {path}"

    def require(self, wanted: dict[str, list]) -> None:
        """Raise unless each setting in `wanted` has one of the values listed there."""
        for setting, values in wanted.items():
            require_setting(self.where(setting), self.get(setting), values)

    def family(self, classes: dict) -> SpecialTokens | None:
        """Return the special tokens of the configured class, None if it has none."""
        given = self.get("tokenizer_class")
        name = given.removesuffix("Fast") if isinstance(given, str) else given
        if name not in list(classes):
            require_setting(self.where("tokenizer_class"), given, list(classes))
        return classes[name]


def require_setting(name, value, wanted):
    """Raise unless the `value` of a setting is one of the list `wanted`."""
    if value not in wanted:
        listed = " or ".join(shorten(one) for one in wanted)
        raise UnsupportedTokenizer(f"{name} is {shorten(value)}: wanted {listed}")


def require_settings(path, given, wanted, part=""):
    """Raise unless each setting in `wanted` has one of the values listed there."""
    for setting, values in wanted.items():
        require_setting(f"{part}{setting} in {path}", given.get(setting), values)


def require_ids_of(name, vocab, needed):
    """Raise unless `vocab`, called `name`, has each of the tokens `needed`."""
    if missing := [token for token in needed if token not in vocab]:
        raise UnsupportedTokenizer(
            f"{name} has no {shorten(missing)}: wanted an id for each"
        )


def require_added(path, token, special, normalized):
    """Raise unless an added token, an object, is found as ours are."""
    name = f"the added token {token['content']!r}: "
    settings = ADDED_TOKEN | {
        "lstrip": [True] if token["content"] in special.greedy else [None, False],
        "normalized": normalized,
    }
    require_settings(path, token, settings, name)


def special_around(processor: dict, vocab: dict[str, int], path: Path) -> SpecialTokens:
    """Return the `SpecialTokens` that a `post_processor` puts around texts.

    Example:
        >>> processor = {"type": "RobertaProcessing", "cls": ["<s>", 0],
        ...              "sep": ["</s>", 2]}
        >>> special = special_around(processor, {"<s>": 0, "</s>": 2}, "a file")
        >>> special.first, special.between, special.last
        (('<s>',), ('</s>', '</s>'), ('</s>',))
    """
    parts = take(processor, "processors", list, [processor])
    parts = [part for part in parts if part.get("type") not in (None, "ByteLevel")]
    if not parts:
        return SpecialTokens(second_segment=1)
    name = f"post_processor in {path}"
    require_setting(f"the number of parts of {name}", len(parts), [1])
    (processor,) = parts
    if processor["type"] == "TemplateProcessing":
        return special_of_template(processor, vocab, name)
    kinds = ["BertProcessing", "RobertaProcessing", "TemplateProcessing", "ByteLevel"]
    require_setting(f"type of {name}", processor["type"], kinds)
    first, last = processor["cls"], processor["sep"]
    for token, token_id in (first, last):
        require_setting(f"id of {token!r} in {name}", token_id, [vocab.get(token)])
    bert = processor["type"] == "BertProcessing"
    return SpecialTokens(
        first=(first[0],),
        between=(last[0],) if bert else (last[0], last[0]),
        last=(last[0],),
        second_segment=1 if bert else 0,
    )


def special_of_template(processor, vocab, name):
    """Return the `SpecialTokens` that a TemplateProcessing puts around texts."""
    parts, segments = [[]], []
    for item in take(processor, "pair", list):
        match item:
            case {"SpecialToken": {"id": str(token)}}:
                parts[-1].append(token)
            case {"Sequence": {"type_id": int(segment)}}:
                parts.append([])
                segments.append(segment)
    require_setting(f"the number of texts in {name}", len(segments), [2])
    first, between, last = map(tuple, parts)
    special = SpecialTokens(first, between, last, second_segment=segments[1])
    single, pair = templates(special)
    pairs = [pair]
    if first == between and not last:
        # Llama 3 counts what is between as the second text's, but has no segments.
        own = len(first) + 1
        late = marks_of(between, special.second_segment)
        pairs.append(pair[:own] + late + pair[own + len(between) :])
    require_setting(f"single of {name}", processor.get("single"), [single])
    require_setting(f"pair of {name}", processor["pair"], pairs)
    for token in special.all:
        written = take(processor, "special_tokens", dict, {}).get(token, {}).get("ids")
        require_setting(f"ids of {token!r} in {name}", written, [[vocab.get(token)]])
    return special


def marks_of(tokens, segment):
    """Return special tokens as parts of a template."""
    return [{"SpecialToken": {"id": t, "type_id": segment}} for t in tokens]


def templates(special: SpecialTokens) -> tuple[list[dict], list[dict]]:
    """Return the templates of one text and of two that `tokenizers` would have."""

    def text(name, segment):
        return [{"Sequence": {"id": name, "type_id": segment}}]

    first, second = marks_of(special.first, 0) + text("A", 0), special.second_segment
    single = first + marks_of(special.last, 0)
    pair = first + marks_of(special.between, 0) + text("B", second)
    return single, pair + marks_of(special.last, second)
