"""Tokenizers of the library `tokenizers`, with the methods of our own."""

import json
from collections.abc import Iterable
from itertools import groupby
from operator import index
from pathlib import Path

from readymade.weights.files import read_json
from readymade.weights.tokenizers.config import (
    NAMES,
    TokenizerConfig,
    text_of,
)
from scratch.checks import require_at_least, require_text
from scratch.tokenization import SpecialTokens, Tokenizer, WordPiece, truncate_pair
from scratch.tokenization.lists import look_up

# What fills rows where no file says it.
PADS = ("[PAD]", "<pad>", "<|endoftext|>")


class LibraryTokenizer(Tokenizer):
    """A tokenizer of the library `tokenizers`, which a `tokenizer.json` describes.

    Args:
        model: a `tokenizers.Tokenizer`.
        pad: the token that fills short rows; None if there is none.
        settings: what `tokenizer_config.json` says, to be saved again.
    """

    def __init__(
        self, model: object, pad: str | None = None, settings: dict | None = None
    ) -> None:
        # Lengths are arguments of the methods here.
        model.no_truncation()
        model.no_padding()
        self.model, self.settings = model, settings or {}
        self.vocab = model.get_vocab()
        self.by_id = {token_id: token for token, token_id in self.vocab.items()}
        self.pad_id = self.vocab.get(pad)
        added = model.get_added_tokens_decoder()
        # The library decodes an added token as if it were in the byte alphabet.
        bytewise = model.decoder is not None and "ByteLevel" in str(model.decoder)
        self.texts = {
            one: token.content
            for one, token in added.items()
            if bytewise and model.decode([one], False) != token.content
        }
        probe = model.encode("a", "b")
        first, between, last = [], [], []
        around, second_segment = first, 0
        for token_id, segment, sequence in zip(
            probe.ids, probe.type_ids, probe.sequence_ids, strict=True
        ):
            if sequence == 0:
                around = between
            elif sequence == 1:
                around, second_segment = last, segment
            else:
                around += self.tokens([token_id])
        self.special = SpecialTokens(
            *map(tuple, (first, between, last)),
            pad=pad,
            others=tuple(token.content for token in added.values() if token.special),
            greedy=tuple(token.content for token in added.values() if token.lstrip),
            second_segment=second_segment,
        )

    def same_as(self, ours: Tokenizer) -> bool:
        """Whether one of our tokenizers gives the same ids and texts."""
        return described(as_library(ours)) == described(self.model)

    def cut(self, text: str) -> object:
        """Return the library's encoding of a text, without special tokens around."""
        require_text("text", text)
        return self.model.encode(text, add_special_tokens=False)

    def tokenize(self, text: str) -> list[str]:
        """Return the tokens of `text`; special tokens written in it are kept whole."""
        return self.tokens(self.cut(text).ids)

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Return the place of each token in `text`, as (start, end)."""
        return self.cut(text).offsets

    def row(self, text: str, pair: str | None, max_length: int | None) -> tuple:
        """Return the tokens of one row, with special tokens, and their segment ids."""
        parts = [self.cut(one) for one in (text, pair) if one is not None]
        if max_length is not None:
            added = self.model.num_special_tokens_to_add(pair is not None)
            require_at_least("max_length", max_length, added)
            ids = [*(part.ids for part in parts), []][:2]
            kept = truncate_pair(*ids, max_length - added)
            for part, short in zip(parts, kept, strict=False):
                part.truncate(len(short))
        whole = self.model.post_process(*parts)
        # Encoded alone, the second text counts as a first one, but not by a template.
        second = self.special.second_segment
        counted = zip(whole.type_ids, whole.sequence_ids, strict=True)
        segments = [second if n == 1 else segment for segment, n in counted]
        return self.tokens(whole.ids), segments

    def chat(self, messages: list[dict[str, str]]) -> list[int]:
        """Return the ids of a chat, up to the beginning of the model's next answer.

        Args:
            messages: {"role": …, "content": …} of each; "user" and "assistant" take
                turns, after a "system" if the template has one.

        Raises:
            ValueError: the folder of the tokenizer has no chat template.
            jinja2.TemplateError: the template refuses the messages.
        """
        return self.cut(self.chat_text(messages)).ids

    def chat_text(self, messages: list[dict[str, str]]) -> str:
        """Return the text of a chat, whose ids `chat` returns."""
        from transformers.utils.chat_template_utils import render_jinja_template

        template = self.settings.get("chat_template")
        if template is None:
            raise ValueError("chat_template is None: wanted a template in the folder")
        tokens = {name: text_of(self.settings.get(name)) or "" for name in NAMES}
        (text,), _ = render_jinja_template(
            [messages], chat_template=template, add_generation_prompt=True, **tokens
        )
        return text

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """Return the token of each id in `ids`, to label a picture for example."""
        return look_up(self.by_id, ids)

    def decode(self, ids: Iterable[int], skip_special: bool = True) -> str:
        """Return the text of one row of `ids`, by default without special tokens."""
        ids = [*ids]
        self.tokens(ids)  # raises for an id that the library would skip
        text = ""
        for added, run in groupby(map(index, ids), self.texts.__contains__):
            if not added:
                text += self.model.decode([*run], skip_special_tokens=skip_special)
                continue
            tokens = [self.texts[one] for one in run]
            skipped = self.special.others if skip_special else ()
            text += "".join(one for one in tokens if one not in skipped)
        return text


def read_library(path: Path) -> object:
    """Return what the library reads from a `tokenizer.json`.

    Raises:
        ValueError: the file is damaged.
    """
    import tokenizers

    added = read_json(path).get("added_tokens") or []
    try:
        model = tokenizers.Tokenizer.from_file(str(path))
    # The library raises nothing more specific.
    except Exception as error:
        raise ValueError(
            f"{path} is damaged, or too new for tokenizers {tokenizers.__version__}: "
            f"{error}"
        ) from error
    for token in added:
        given, known = token["id"], model.token_to_id(token["content"])
        if given != known:  # which the library ignores
            raise ValueError(
                f"{path} gives the added token {token['content']!r} the id {given}: "
                f"wanted {known}"
            )
    if None in map(model.id_to_token, model.encode("a", "b").ids):
        raise ValueError(f"{path} puts an id around texts: wanted one of its tokens")
    return model


def configured(model: object, config: TokenizerConfig) -> LibraryTokenizer:
    """Return a LibraryTokenizer with the padding and the tokens of its config.

    Raises:
        UnsupportedTokenizer: the config contradicts it.
    """
    config.require_ids(model.token_to_id)
    # As in `transformers`, a token with a role is kept whole in a text.
    added = {token.content for token in model.get_added_tokens_decoder().values()}
    roles = {token for _, token, token_id in config.tokens() if token_id is None}
    model.add_special_tokens(sorted(roles - added))
    likely = [token for token in PADS if token in added | roles]
    stored = (model.padding or {}).get("pad_token")
    pad = config.token("pad_token") or stored or next(iter(likely), None)
    tokenizer = LibraryTokenizer(model, pad, config.values)
    # `transformers` changes what it has read by these settings, so neither file alone
    # says which ids the model learned.
    normalizer, cutting = state(model.normalizer), state(model.pre_tokenizer)
    lowercase, accents = normalizer.get("lowercase"), normalizer.get("strip_accents")
    special = tokenizer.special
    for setting, value in {
        "do_lower_case": lowercase,
        "strip_accents": lowercase if accents is None else accents,
        "tokenize_chinese_chars": normalizer.get("handle_chinese_chars"),
        "add_prefix_space": cutting.get("add_prefix_space"),
        "add_bos_token": config.token("bos_token") in special.first,
        "add_eos_token": config.token("eos_token") in special.last,
    }.items():
        if value is not None:
            config.require({setting: [None, value]})
    return tokenizer


def state(part: object | None) -> dict:
    """Return the settings of a part of the library's tokenizer, {} if there is none."""
    return {} if part is None else json.loads(part.__getstate__())


def as_library(tokenizer: Tokenizer) -> object:
    """Return the library's tokenizer that gives the same ids as one of ours."""
    import tokenizers as library

    ours, special = tokenizer.model, tokenizer.special
    if isinstance(ours, WordPiece):
        theirs = library.Tokenizer(
            library.models.WordPiece(ours.vocab, unk_token=ours.unknown)
        )
        theirs.normalizer = library.normalizers.BertNormalizer(lowercase=ours.lowercase)
        theirs.pre_tokenizer = library.pre_tokenizers.BertPreTokenizer()
        theirs.decoder = library.decoders.WordPiece()
    else:
        theirs = library.Tokenizer(library.models.BPE(ours.vocab, ours.merges))
        theirs.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=False)
        theirs.decoder = library.decoders.ByteLevel()
    first, last = [*special.first, "$A"], [*special.last]
    second = [f"{one}:{special.second_segment}" for one in ("$B", *last)]
    around = {*special.first, *special.between, *last}
    theirs.post_processor = library.processors.TemplateProcessing(
        single=[*first, *last],
        pair=[*first, *special.between, *second],
        special_tokens=[(token, ours.vocab[token]) for token in sorted(around)],
    )
    theirs.add_special_tokens(
        [
            library.AddedToken(token, lstrip=token in special.greedy, normalized=False)
            for token in special.all
        ]
    )
    return theirs


def described(model: object) -> dict:
    """Return the parts of a tokenizer of the library that affect ids and texts."""
    whole = json.loads(model.to_str())
    left_out = {"trim_offsets"}
    if whole["normalizer"] is None:
        left_out.add("normalized")

    def kept(part):
        # Files have "", false or null for what is absent.
        named = (part or {}).items()
        return {name: value or None for name, value in named if name not in left_out}

    decoder = kept(whole["decoder"])
    return {
        "added": [kept(token) for token in whole["added_tokens"]],
        "normalizer": whole["normalizer"],
        "pre_tokenizer": kept(whole["pre_tokenizer"]),
        "model": kept(whole["model"]),
        "decoder": [decoder.get(name) for name in ("type", "prefix", "cleanup")],
        "around": [
            (probe.ids, probe.type_ids)
            for probe in (model.encode("a"), model.encode("a", "b"))
        ],
    }
