"""An interactive view as a notebook shows it: a frame, and a still picture under it."""

import base64
import html
from dataclasses import dataclass

from scratch.views.attention.bertviz_page import SMALLEST_SCALE

# Once a view is drawn, its still picture is folded away. Without scripts and on paper,
# the picture takes the place of the frame.
_PAGE_STYLE = """\
@media (scripting: none) { .attention-view iframe { display: none !important } }
@supports selector(::details-content) { @media print {
.attention-view iframe, .attention-view summary { display: none !important }
.attention-view details::details-content { content-visibility: visible } } }
"""


@dataclass(repr=False)
class AttentionView:
    """A drawing by bertviz that a notebook shows as HTML.

    Attributes:
        summary: the kind of view and its size, for plain text.
        title: the name of the frame, for screen readers.
        document: the HTML page inside the frame.
        size: the largest (width, height) of the frame, in pixels.
        picture: the still picture of the same attention, PNG.
        alt: the picture in words.
    """

    summary: str
    title: str
    document: str
    size: tuple[int, int]
    picture: bytes
    alt: str

    def __repr__(self):
        return self.summary

    def _repr_html_(self):
        width, height = self.size
        style = (
            f"display:block;margin-bottom:6px;border:0;border-radius:6px;width:100%;"
            f"max-width:{width}px;aspect-ratio:{width}/{height};"
            f"min-height:{round(height * SMALLEST_SCALE)}px"
        )
        data = base64.b64encode(self.picture).decode("ascii")
        return (
            f'<div class="attention-view"><style>{_PAGE_STYLE}</style>'
            f'<iframe title="{html.escape(self.title)}" style="{style}" '
            f'onload="this.nextElementSibling.open=false" '
            f'srcdoc="{html.escape(self.document)}"></iframe>'
            f"<details open><summary>The same attention as a still picture</summary>"
            f'<img alt="{html.escape(self.alt)}" style="max-width:100%" '
            f'src="data:image/png;base64,{data}"></details></div>'
        )
