"""An answer's text, as its tokens come."""

from collections.abc import Callable, Iterable, Iterator, Sequence

HALF = "\ufffd"  # what bytes are decoded to that are not a character, or not yet


class Answer:
    """Yield a text in pieces of whole characters, up to where it stops.

    Args:
        tokens: the ids of its tokens, whenever they are known.
        decode: from ids to a text.
        ends: the ids that end the text.
        stops: strings that end it, too. Neither is part of it.

    Attributes:
        count: the number of tokens so far, the one that ends it included.
        reason: why it ended: "stop", or "length" if there were no more tokens.
    """

    def __init__(
        self,
        tokens: Iterable[int],
        decode: Callable[[list[int]], str],
        ends: Sequence[int],
        stops: Sequence[str] = (),
    ):
        self.tokens, self.decode, self.ends, self.stops = tokens, decode, ends, stops
        self.count, self.reason = 0, "length"

    def __iter__(self) -> Iterator[str]:
        """Yield a piece, maybe empty, after each token, and what is left at the end."""
        ids, said, last = [], 0, False
        tokens = iter(self.tokens)
        while not last:
            token = next(tokens, None)
            self.count += token is not None
            if token in self.ends:
                self.reason = "stop"
            last = token is None or token in self.ends
            ids += [] if last else [token]
            text = self.decode(ids)
            if not last:
                text = text.rstrip(HALF)
            found = [text.index(stop) for stop in self.stops if stop in text]
            if found:
                text, self.reason, last = text[: min(found)], "stop", True
            elif not last:
                # what may be the beginning of a stop waits for its next letters
                begun = (stop[:n] for stop in self.stops for n in range(len(stop)))
                held = max((len(one) for one in begun if text.endswith(one)), default=0)
                text = text[: len(text) - held]
            yield text[said:]
            said = max(said, len(text))
