"""The tokenizer.json of a byte-pair encoding, which says how it cuts a text."""

from scratch.tokenization import BytePairEncoding, SpecialTokens, Tokenizer
from scratch.tokenization.byte_pair import WORD
from scratch.tokenization.later_pairs import DIGIT, PATTERNS, LaterBytePairs
from scratch.tokenization.published_settings import templates

# By the patterns that cut: what comes before the bytes.
BEFORE = {
    (WORD.pattern,): [],
    (DIGIT, WORD.pattern): [{"type": "Digits", "individual_digits": True}],
} | {
    (pattern,): [
        {
            "type": "Split",
            "pattern": {"Regex": pattern},
            "behavior": "Isolated",
            "invert": False,
        }
    ]
    for pattern in PATTERNS
}


def tokenizer_json(tokenizer: Tokenizer) -> dict:
    """Return what the tokenizer.json of a byte-pair encoding holds.

    Raises:
        ValueError: it cuts by a pattern that no published tokenizer has.
    """
    model, special = tokenizer.model, tokenizer.special
    later = isinstance(model, LaterBytePairs)
    normal_form = model.normal_form if later else None
    added = sorted(special.all, key=model.vocab.get)
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [added_token(token, tokenizer) for token in added],
        "normalizer": normal_form and {"type": normal_form},
        "pre_tokenizer": pre_tokenizer(model),
        "post_processor": post_processor(special, model.vocab),
        "decoder": byte_level(use_regex=True),
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": later and model.whole_words,
            "vocab": model.vocab,
            "merges": model.merges,
        },
    }


def added_token(token: str, tokenizer: Tokenizer) -> dict:
    """Return one of the tokens that are kept whole in a text."""
    return {
        "id": tokenizer.vocab[token],
        "content": token,
        "single_word": False,
        "lstrip": token in tokenizer.special.greedy,
        "rstrip": False,
        "normalized": False,
        "special": True,
    }


def byte_level(use_regex: bool) -> dict:
    """Return the part that writes texts in the byte alphabet; it may cut as GPT-2."""
    return {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": use_regex,
    }


def pre_tokenizer(model: BytePairEncoding) -> dict:
    """Return how a text is cut into words."""
    compiled = model.patterns if isinstance(model, LaterBytePairs) else [WORD]
    patterns = tuple(one.pattern for one in compiled)
    if patterns not in BEFORE:
        wanted = " or ".join(map(str, BEFORE))
        raise ValueError(f"patterns are {patterns}: wanted {wanted}")
    level = byte_level(use_regex=patterns[-1] == WORD.pattern)
    return {"type": "Sequence", "pretokenizers": [*BEFORE[patterns], level]}


def post_processor(special: SpecialTokens, vocab: dict[str, int]) -> dict | None:
    """Return what is put around texts, None for nothing."""
    around = {*special.first, *special.between, *special.last}
    if not around:
        return None
    single, pair = templates(special)
    ids = {
        token: {"id": token, "ids": [vocab[token]], "tokens": [token]}
        for token in sorted(around)
    }
    return {
        "type": "TemplateProcessing",
        "single": single,
        "pair": pair,
        "special_tokens": ids,
    }
