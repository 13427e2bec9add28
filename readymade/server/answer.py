"""An answer's text, as its tokens come."""

from collections.abc import Callable, Sequence

HALF = "\ufffd"  # what bytes are decoded to that are not a character, or not yet


class Answer:
    """Cut a text into pieces of whole characters, up to where it stops.

    Args:
        decode: from ids to a text.
        ends: the ids that end the text.
        stops: strings that end it, too. Neither is part of it.

    Attributes:
        count: the number of tokens so far, the one that ends it included.
        reason: None while the text goes on; then why it ended, "stop", or "length" if
            there were no more tokens.
    """

    def __init__(
        self,
        decode: Callable[[list[int]], str],
        ends: Sequence[int],
        stops: Sequence[str] = (),
    ):
        self.decode, self.ends, self.stops = decode, ends, stops
        self.ids, self.said = [], 0
        self.count, self.reason = 0, None

    def add(self, token: int | None) -> str:
        """Return the piece, maybe empty, that a token adds; None if there is none."""
        self.count += token is not None
        if token is None:
            self.reason = "length"
        elif token in self.ends:
            self.reason = "stop"
        else:
            self.ids.append(token)
        text = self.decode(self.ids)
        if self.reason is None:
            text = text.rstrip(HALF)
        found = [text.index(stop) for stop in self.stops if stop in text]
        if found:
            text, self.reason = text[: min(found)], "stop"
        elif self.reason is None:
            # what may be the beginning of a stop waits for its next letters
            shorter = ((one, min(len(one) - 1, len(text))) for one in self.stops)
            begun = (one[:n] for one, most in shorter for n in range(most + 1))
            held = max((len(one) for one in begun if text.endswith(one)), default=0)
            text = text[: len(text) - held]
        piece = text[self.said :]
        self.said = max(self.said, len(text))
        return piece
