"""A page in a frame with a still picture under it, as a notebook stores both.

`framed` writes the HTML, and `taken_apart` is its inverse, for the build of the book,
which puts the page and the picture into files of their own.
"""

import base64
import html
from itertools import chain
from typing import NamedTuple

START = '<div class="attention-view"><style>'
# Once a view is drawn, its still picture is folded away. Without scripts and on paper,
# the picture takes the place of the frame.
_STYLE = """\
.attention-view .frame { position: relative }
.attention-view iframe { position: absolute; inset: 0; width: 100%; height: 100% }
@media (scripting: none) { .attention-view .frame { display: none !important } }
@supports selector(::details-content) { @media print {
.attention-view .frame, .attention-view summary { display: none !important }
.attention-view details::details-content { content-visibility: visible } } }
"""
_WIDEST = '<div style="max-width:', 'px">'
# What follows each of a view's parts, in all views alike.
_SEAMS = (
    " onload=\"this.closest('.attention-view').querySelector('details').open=false\" "
    'srcdoc="',
    '"></iframe>',
    "<details open><summary>",
    '</summary><img alt="',
    '" style="max-width:100%" src="data:image/png;base64,',
    '"></details></div>',
)


class Parts(NamedTuple):
    """What a view consists of.

    Attributes:
        opening: HTML up to the last attributes of the frame.
        page: the page inside the frame.
        closing: HTML between the frame and the picture.
        summary: what the picture is called.
        alt: the picture in words.
        picture: PNG.
    """

    opening: str
    page: str
    closing: str
    summary: str
    alt: str
    picture: bytes

    @property
    def widest(self):
        """Return the width that the view can use, in pixels; 0: that of the text."""
        before, after = _WIDEST
        return int(self.opening.partition(before)[2].partition(after)[0] or 0)


def framed(view, place, summary, style="", usage="", widest=None):
    """Return a view as the HTML that a notebook shows.

    Args:
        view: has a `title`, for screen readers, a `document`, the page inside the
            frame, and a `picture` with its description, `alt`.
        place: the attributes of the frame's place on the page.
        summary: what the picture is called.
        style: more rules of CSS.
        usage: HTML that says how to use the view.
        widest: the width that the view can use, in pixels; None: that of the text.
    """
    around = f"{widest}".join(_WIDEST) if widest else ""
    parts = (
        f"{START}{_STYLE}{style}</style>{usage}{around}<div {place}>"
        f'<iframe title="{html.escape(view.title)}" style="border:0;border-radius:6px"',
        html.escape(view.document),
        "</div></div>" if widest else "</div>",
        summary,
        html.escape(view.alt),
        base64.b64encode(view.picture).decode("ascii"),
    )
    return "".join(chain.from_iterable(zip(parts, _SEAMS, strict=True)))


def taken_apart(stored):
    """Return the Parts of what `framed` wrote."""
    parts = []
    for seam in _SEAMS:
        part, stored = stored.split(seam, 1)
        parts.append(part)
    opening, page, closing, summary, alt, picture = parts
    page, alt = html.unescape(page), html.unescape(alt)
    return Parts(opening, page, closing, summary, alt, base64.b64decode(picture))
