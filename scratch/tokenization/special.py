"""The tokens that are no words: what a model was trained to see around a text."""

import re
from dataclasses import dataclass
from itertools import zip_longest

from scratch.arguments import require_at_least
from scratch.tokenization.checks import require_text


@dataclass(frozen=True)
class SpecialTokens:
    """Where a family of models puts its special tokens, as they stand in `vocab`.

    first, between, last: before the first text, between two texts, after the last.
    pad: what fills short rows. others: further tokens that a text may hold as such.
    greedy: those that swallow the space before them, as RoBERTa's `<mask>` does.
    second_segment: the segment id of the second text of a pair and of what follows it.
    """

    first: tuple[str, ...] = ()
    between: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    pad: str | None = None
    others: tuple[str, ...] = ()
    greedy: tuple[str, ...] = ()
    second_segment: int = 0

    @property
    def all(self):
        """Every special token once."""
        pad = () if self.pad is None else (self.pad,)
        every = self.first + self.between + self.last + pad + self.others
        return tuple(dict.fromkeys(every))


PLAIN = SpecialTokens()
BERT = SpecialTokens(
    first=("[CLS]",),
    between=("[SEP]",),
    last=("[SEP]",),
    pad="[PAD]",
    others=("[UNK]", "[MASK]"),
    second_segment=1,
)
ROBERTA = SpecialTokens(
    first=("<s>",),
    between=("</s>", "</s>"),
    last=("</s>",),
    pad="<pad>",
    others=("<unk>", "<mask>"),
    greedy=("<mask>",),
)
GPT2 = SpecialTokens(pad="<|endoftext|>")


def keep_special(text, special, tokenize):
    """Return the tokens of `text`: special tokens written in it, and what `tokenize`
    makes of the text between them."""
    require_text("text", text)
    pattern = "|".join(re.escape(token) for token in special.all)
    parts = re.split(f"({pattern})", text) if pattern else [text]
    tokens = []
    for part, token in zip_longest(parts[::2], parts[1::2]):
        tokens += tokenize(part.rstrip() if token in special.greedy else part)
        tokens += [] if token is None else [token]
    return tokens


def truncate_pair(first, second, room):
    """Shorten two lists of tokens to `room` in all, cutting the longer one first.

    The shorter keeps up to half of the room, rounded down; of two equally long ones
    the first counts as the shorter.
    """
    if len(first) + len(second) <= room:
        return first, second
    shorter = min(len(first), len(second), room // 2)
    if len(first) <= len(second):
        return first[:shorter], second[: room - shorter]
    return first[: room - shorter], second[:shorter]


def frame(first, second, special, max_length=None):
    """Put special tokens around one list of tokens, or two; `second` may be None.

    Returns the tokens, shortened to `max_length`, and the segment id of each.
    """
    added = special.first + special.last
    if second is not None:
        added += special.between
    if max_length is not None:
        require_at_least("max_length", max_length, len(added))
        first, rest = truncate_pair(first, second or [], max_length - len(added))
        second = None if second is None else rest
    if second is None:
        head, tail = [*special.first, *first, *special.last], []
    else:
        head = [*special.first, *first, *special.between]
        tail = [*second, *special.last]
    return head + tail, [0] * len(head) + [special.second_segment] * len(tail)
