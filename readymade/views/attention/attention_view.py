"""An interactive view as a notebook shows it: a frame, and a still picture under it."""

import base64
import html
from dataclasses import dataclass

from readymade.views.attention.bertviz_page import Drawn

# Once a view is drawn, its still picture is folded away. Without scripts and on paper,
# the picture takes the place of the frame.
PAGE_STYLE = """\
.attention-view .frame { position: relative }
.attention-view iframe { position: absolute; inset: 0; width: 100%; height: 100% }
@media (scripting: none) { .attention-view .frame { display: none !important } }
@supports selector(::details-content) { @media print {
.attention-view .frame, .attention-view summary { display: none !important }
.attention-view details::details-content { content-visibility: visible } } }
"""


@dataclass(repr=False)
class AttentionView:
    """A drawing by bertviz that a notebook shows as HTML.

    Attributes:
        summary: the kind of view and its size, for plain text.
        title: the name of the frame, for screen readers.
        told: how to use it.
        document: the HTML page inside the frame.
        drawn: the size of the drawing in it.
        extra: the pixels that the frame needs above and below the drawing.
        picture: the still picture of the same attention, PNG.
        alt: the picture in words.
    """

    summary: str
    title: str
    told: str
    document: str
    drawn: Drawn
    extra: int
    picture: bytes
    alt: str

    def __repr__(self):
        return self.summary

    def _repr_html_(self):
        drawn = self.drawn
        # The frame has its height before it is drawn: nothing below it moves.
        height = f"{drawn.height}px"
        if drawn.wide == drawn.widest:
            share = 100 * drawn.height / drawn.wide
            height = f"max({share:.2f}%, {round(drawn.tall * drawn.smallest)}px)"
        data = base64.b64encode(self.picture).decode("ascii")
        return (
            f'<div class="attention-view"><style>{PAGE_STYLE}</style>'
            f'<p class="view-help">{html.escape(self.told)}</p>'
            f'<div style="max-width:{drawn.widest + 28}px"><div class="frame" '
            f'style="padding-top:calc({height} + {self.extra}px)">'
            f'<iframe title="{html.escape(self.title)}" '
            f'style="border:0;border-radius:6px" '
            f"onload=\"this.closest('.attention-view').querySelector('details')"
            f'.open=false" '
            f'srcdoc="{html.escape(self.document)}"></iframe></div></div>'
            f"<details open><summary>The same attention as a still picture</summary>"
            f'<img alt="{html.escape(self.alt)}" style="max-width:100%" '
            f'src="data:image/png;base64,{data}"></details></div>'
        )
