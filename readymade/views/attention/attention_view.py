"""An interactive view as a notebook shows it: a frame, and a still picture under it."""

import html
from dataclasses import dataclass

from readymade.views.attention.bertviz_page import Drawn
from readymade.views.frame import framed


@dataclass(repr=False)
class AttentionView:
    """A drawing by bertviz that a notebook shows as HTML.

    Attributes:
        summary: the kind of view and its size, for plain text.
        title: the name of the frame, for screen readers.
        usage: how to use it.
        document: the HTML page inside the frame.
        drawn: the size of the drawing in it.
        extra: the pixels that the frame needs above and below the drawing.
        picture: the still picture of the same attention, PNG.
        alt: the picture in words.
        panels: where the picture may be cut, as `figures.panels` returns it.
    """

    summary: str
    title: str
    usage: str
    document: str
    drawn: Drawn
    extra: int
    picture: bytes
    alt: str
    panels: list[int] | None = None

    def __repr__(self):
        return self.summary

    def _repr_html_(self):
        drawn = self.drawn
        # The frame has its height before it is drawn: nothing below it moves.
        height = f"{drawn.height}px"
        if drawn.wide == drawn.widest:
            share = 100 * drawn.height / drawn.wide
            height = f"max({share:.2f}%, {round(drawn.tall * drawn.smallest)}px)"
        return framed(
            self,
            f'class="frame" style="padding-top:calc({height} + {self.extra}px)"',
            "The same attention as a still picture",
            usage=f'<p class="view-help">{html.escape(self.usage)}</p>',
            widest=drawn.widest + 28,
        )

    def _repr_mimebundle_(self, **formats):
        """Return no other format of the view, and what its HTML has for metadata."""
        return {}, {"text/html": {"panels": self.panels}} if self.panels else {}
