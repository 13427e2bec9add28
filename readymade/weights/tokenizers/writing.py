"""The files of a checkpoint that hold its tokenizer, to save."""

import json

from readymade.weights.processors import PictureProcessor
from readymade.weights.tokenizers.config import text_of
from readymade.weights.tokenizers.library import LibraryTokenizer, as_library
from readymade.weights.tokenizers.marian import SentencePieces
from readymade.weights.tokenizers.reading import CLASSES
from scratch.tokenization import BytePairEncoding, SpecialTokens, Tokenizer, WordPiece

# All that may be written.
TOKENIZER_FILES = {
    *"tokenizer.json tokenizer_config.json special_tokens_map.json".split(),
    *"vocab.txt vocab.json merges.txt source.spm target.spm".split(),
}


def roles(**tokens):
    """Return {setting: token}, as tokenizer_config.json names its tokens."""
    return {f"{name}_token": token for name, token in tokens.items()}


# It takes the space before it along, unlike a token that is a plain string.
ROBERTA_MASK = {
    "__type": "AddedToken",
    "content": "<mask>",
    "lstrip": True,
    "rstrip": False,
    "single_word": False,
    "normalized": False,
}
END = "<|endoftext|>"
BERT_ROLES = roles(unk="[UNK]", sep="[SEP]", pad="[PAD]", cls="[CLS]", mask="[MASK]")
GPT2_ROLES = roles(bos=END, eos=END, unk=END, pad=END)
MARIAN_ROLES = roles(eos="</s>", unk="<unk>", pad="<pad>")
ROBERTA_ROLES = roles(
    bos="<s>", eos="</s>", unk="<unk>", sep="</s>", pad="<pad>", cls="<s>"
) | roles(mask=ROBERTA_MASK)
# The roles of the special tokens, by the class of `transformers`.
ROLES = {
    "BertTokenizer": BERT_ROLES,
    "DistilBertTokenizer": BERT_ROLES,
    "GPT2Tokenizer": GPT2_ROLES,
    "MarianTokenizer": MARIAN_ROLES,
    "RobertaTokenizer": ROBERTA_ROLES,
}
# A class that does what its tokenizer.json says, with any special tokens.
BY_ITS_FILE = "PreTrainedTokenizerFast"
# What BERT's own class gives a model; other classes leave out the segments.
BERT_INPUTS = ["input_ids", "token_type_ids", "attention_mask"]


def suits(tokenizer: Tokenizer, kind: str) -> bool:
    """Whether a tokenizer has the vocabulary and the special tokens of its kind."""
    if isinstance(tokenizer, PictureProcessor) or kind == "ViTImageProcessor":
        return isinstance(tokenizer, PictureProcessor) and kind == "ViTImageProcessor"
    if isinstance(tokenizer, LibraryTokenizer):
        return kind != "MarianTokenizer"
    if kind == BY_ITS_FILE:
        return type(tokenizer.model) is BytePairEncoding
    # A subclass may split texts differently.
    special = CLASSES.get(type(tokenizer.model), {}).get(kind)
    return special is not None and parts(tokenizer.special) == parts(special)


def parts(special: SpecialTokens) -> tuple:
    """Return the parts of special tokens that affect ids."""
    around = (special.first, special.between, special.last, special.pad)
    return *around, {*special.all}, {*special.greedy}


def tokenizer_files(
    tokenizer: Tokenizer, kind: str, vocab_size: int, max_len: int
) -> dict[str, bytes]:
    """Return {name: content} of the files that hold a tokenizer that suits its kind."""
    if max(tokenizer.vocab.values()) >= vocab_size:
        raise ValueError(
            f"the tokenizer has the id {max(tokenizer.vocab.values())}: wanted less "
            f"than {vocab_size}, the model's vocab_size"
        )
    config = {"tokenizer_class": kind, "model_max_length": max_len}
    if isinstance(tokenizer, LibraryTokenizer):
        config |= tokenizer.settings | {"tokenizer_class": BY_ITS_FILE}
        config.pop("auto_map", None)  # names a program, which is not saved
        if tokenizer.special.pad is not None:
            config["pad_token"] = tokenizer.special.pad
        if kind == "BertTokenizer":
            config["model_input_names"] = BERT_INPUTS
        return by_its_file(tokenizer.model, config)
    if kind == BY_ITS_FILE:
        config |= roles_in(tokenizer.special)
        return by_its_file(as_library(tokenizer), config)
    config |= ROLES[kind]
    files = {"special_tokens_map.json": as_json(ROLES[kind])}
    model = tokenizer.model
    if isinstance(model, WordPiece):
        config["do_lower_case"] = model.lowercase
        files["vocab.txt"] = as_lines(model)
    else:
        files["vocab.json"] = as_json(model.vocab)
    if isinstance(model, BytePairEncoding):
        config["add_prefix_space"] = False
        pairs = [f"{left} {right}\n" for left, right in model.merges]
        files["merges.txt"] = "".join(["#version: 0.2\n", *pairs]).encode()
    if isinstance(model, SentencePieces):
        target = model.target or model.processor
        files["source.spm"] = model.processor.serialized_model_proto()
        files["target.spm"] = target.serialized_model_proto()
    return files | {"tokenizer_config.json": as_json(config)}


def by_its_file(model: object, config: dict) -> dict[str, bytes]:
    """Return {name: content} of the files of a tokenizer of the library."""
    return {
        "tokenizer.json": model.to_str(pretty=True).encode(),
        "tokenizer_config.json": as_json(config),
    }


def role(tokenizer: Tokenizer | None, name: str, otherwise: str) -> str | None:
    """Return the token of a role, such as eos_token, as the tokenizer's files say."""
    settings = getattr(tokenizer, "settings", {})
    if settings.keys() & {"bos_token", "eos_token"}:
        return text_of(settings.get(name))
    return otherwise


def roles_in(special: SpecialTokens) -> dict[str, str]:
    """Return {setting: token} for the tokens whose place or name shows their role."""
    bos = special.first[0] if special.first else None
    eos = END if END in special.all else None
    named = roles(bos=bos, eos=eos, pad=special.pad)
    return {name: token for name, token in named.items() if token is not None}


def as_lines(model: WordPiece) -> bytes:
    """Return a vocab.txt: a token a line, in the order of ids."""
    tokens = sorted(model.vocab, key=model.vocab.get)
    if [model.vocab[token] for token in tokens] != [*range(len(tokens))]:
        raise ValueError("vocab has gaps between its ids: wanted 0, 1, 2, …")
    if broken := [token for token in tokens if len(f"{token}.".splitlines()) > 1]:
        raise ValueError(f"vocab has the token {broken[0]!r}: wanted one line a token")
    if model.unknown != BERT_ROLES["unk_token"]:
        raise ValueError(f"unknown is {model.unknown!r}: wanted '[UNK]', as in BERT")
    return "".join(f"{token}\n" for token in tokens).encode()


def as_json(value: dict) -> bytes:
    """Return the content of a JSON file."""
    return json.dumps(value, indent=2, ensure_ascii=False).encode() + b"\n"
