"""Special tokens: what a model was trained to see around a text and between two."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest

from scratch.checks import require_at_least, require_text

import regex

# White space before a greedy token; Python's `rstrip` also removes U+001C to U+001F.
WHITE_SPACE = "".join(regex.findall(r"\s", "".join(map(chr, range(0x3001)))))


@dataclass(frozen=True)
class SpecialTokens:
    """Where a family of models puts its special tokens, as they are written in `vocab`.

    Args:
        first: tokens before the first text.
        between: tokens between two texts.
        last: tokens after the last text.
        pad: the token that fills short rows; None if there is none.
        others: further tokens that a text may contain.
        greedy: those that remove the space before them, as RoBERTa's `<mask>` does.
        second_segment: the segment id of the second text of a pair and of `last`.
    """

    first: tuple[str, ...] = ()
    between: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    pad: str | None = None
    others: tuple[str, ...] = ()
    greedy: tuple[str, ...] = ()
    second_segment: int = 0

    def __post_init__(self) -> None:
        if "" in self.all + self.greedy:
            raise ValueError("a special token is '': wanted at least one character")

    @property
    def all(self) -> tuple[str, ...]:
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
GPT2 = SpecialTokens(pad="<|endoftext|>", second_segment=1)  # as `transformers` has it


def keep_special(
    text: str, special: SpecialTokens, tokenize: Callable[[str], list[str]]
) -> list[str]:
    """Cut `text` with `tokenize`, but keep the special tokens in it whole.

    If two special tokens begin at the same place, the longer one is meant.

    Example:
        >>> keep_special("a [MASK] b", BERT, str.split)
        ['a', '[MASK]', 'b']
    """
    require_text("text", text)
    longest_first = sorted(special.all, key=len, reverse=True)
    pattern = "|".join(map(regex.escape, longest_first))
    parts = regex.split(f"({pattern})", text) if pattern else [text]
    tokens = []
    for part, token in zip_longest(parts[::2], parts[1::2]):
        if token in special.greedy:
            part = part.rstrip(WHITE_SPACE)
        tokens += tokenize(part)
        tokens += [] if token is None else [token]
    return tokens


def truncate_pair(
    first: list[str], second: list[str], room: int
) -> tuple[list[str], list[str]]:
    """Shorten two lists of tokens to `room` in all, cutting the longer one first.

    The shorter keeps up to half of the room, rounded down; of two equally long ones
    the first counts as the shorter.

    Example:
        >>> truncate_pair(["a", "b", "c", "d"], ["x", "y"], room=4)
        (['a', 'b'], ['x', 'y'])
    """
    if len(first) + len(second) <= room:
        return first, second
    shorter = min(len(first), len(second), room // 2)
    if len(first) <= len(second):
        return first[:shorter], second[: room - shorter]
    return first[: room - shorter], second[:shorter]


def frame(
    first: list[str],
    second: list[str] | None,
    special: SpecialTokens,
    max_length: int | None = None,
) -> tuple[list[str], list[int]]:
    """Put special tokens around one list of tokens, or two; `second` may be None.

    Returns:
        The tokens, shortened to `max_length`, and the segment id of each.

    Raises:
        ValueError: `max_length` has no room for the special tokens.

    Example:
        >>> frame(["a"], ["b"], BERT)
        (['[CLS]', 'a', '[SEP]', 'b', '[SEP]'], [0, 0, 0, 1, 1])
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
