"""An interactive figure as a notebook shows it: a frame and a still picture."""

import html
from dataclasses import dataclass
from pathlib import Path

from readymade.views.frame import framed
from readymade.views.script_json import script_json

_HERE = Path(__file__).parent

# On a narrow page, parts move below each other, and the frame is higher.
_STYLE = """\
.figure-frame { height: var(--height); }
@media (max-width: 640px) { .figure-frame { height: var(--narrow-height); } }
"""


@dataclass(repr=False)
class InteractiveFigure:
    """A figure that answers, which a notebook shows as HTML.

    Attributes:
        name: that of the figure's JavaScript file.
        title: the name of the frame, for screen readers.
        data: what the script draws, as JSON takes it.
        heights: of the frame on a wide and on a narrow page, in pixels.
        picture: a still picture of the figure's first state, PNG.
        alt: the picture in words.
        parts: JavaScript files that this figure shares with some of the others.
    """

    name: str
    title: str
    data: dict
    heights: tuple[int, int]
    picture: bytes
    alt: str
    parts: tuple[str, ...] = ()

    def __repr__(self):
        return f"{self.title} (interactive figure)"

    @property
    def document(self) -> str:
        """Return the HTML page inside the frame, which loads nothing else."""
        style, *scripts = (
            (_HERE / file).read_text(encoding="utf-8")
            for file in ("page.css", "page.js", *self.parts, f"{self.name}.js")
        )
        return (
            f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width">'
            f"<title>{html.escape(self.title)}</title>\n<style>\n{style}</style></head>"
            f'<body><main aria-label="{html.escape(self.title)}"></main>\n'
            f"<script>\nconst DATA = {script_json(self.data)};\n"
            + "\n".join(scripts)
            + "</script></body></html>\n"
        )

    def _repr_html_(self):
        height, narrow = self.heights
        return framed(
            self,
            'class="frame figure-frame" '
            f'style="--height:{height}px;--narrow-height:{narrow}px"',
            "The same as a still picture",
            style=_STYLE,
        )
