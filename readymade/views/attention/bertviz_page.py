"""The page inside the frame of an interactive view, drawn by bertviz's own code.

bertviz draws in the notebook's own page, loads require.js from the network and chooses
a new random id each time. Here its drawing code runs in a frame of its own: nothing
leaks between two views of a page, and nothing changes from one run to the next.
"""

import base64
import html
from dataclasses import asdict, dataclass
from pathlib import Path

from readymade.views.attention.bertviz_patches import drawing_code
from readymade.views.figures import COLORS, INK, PAPER
from readymade.views.script_json import script_json

import numpy as np

# The two scripts that every frame loads, and what the book calls its copies of them.
_CDN = "https://cdnjs.cloudflare.com/ajax/libs"
LIBRARIES = {
    f"{_CDN}/d3/5.7.0/d3.min.js": "d3.min.js",
    f"{_CDN}/jquery/3.6.0/jquery.min.js": "jquery.min.js",
}

_PADDING = 14  # pixels around the drawing
_BAR = 34  # a row of menus or buttons, pixels high
_TOLD = 52  # what is shown in words, two lines or three
_NARROWEST = 320  # the room that a phone leaves
_LARGEST_PACKED = 32767  # in 16 bits

# A colour for each of 12 heads or layers: those of `figures.py`, then darker ones; on a
# dark page, lighter ones.
_LIGHT = [color for name, color in COLORS.items() if name != "gray"]
_LIGHT += ["#004b76", "#8f3e00", "#00684d", "#8a4a6d", "#8a5f00", "#2f6f93"]
_DARK = ["#5fb2e6", "#ff8a3d", "#33c79c", "#e6a0c6", "#f2b933", "#8fd0f7"]
_DARK += ["#a9c8e8", "#ffc19a", "#a5e3cf", "#f3cfe2", "#f7dd9a", "#c8e6fa"]


def _variables(**colors):
    return " ".join(f"--{name.replace('_', '-')}: {c};" for name, c in colors.items())


def _numbered(colors):
    return " ".join(f"--color-{i}: {color};" for i, color in enumerate(colors))


_STYLE = f"""\
html {{ {
    _variables(
        paper=PAPER,
        ink=INK,
        faint="#5a5f67",
        edge="#8b9098",
        chosen="#e4e1d8",
        plus=COLORS["blue"],
        minus=COLORS["vermilion"],
        key="#b9d7ea",
    )
}
  {_numbered(_LIGHT)}
  background: var(--paper); color: var(--ink); color-scheme: light; }}
html[data-theme=dark] {{ {
    _variables(
        paper="#1f242c",
        ink="#dfe3e8",
        faint="#a9b1bd",
        edge="#77808d",
        chosen="#39424e",
        plus="#5fb2e6",
        minus="#ff8a3d",
        key="#2b5673",
    )
}
  {_numbered(_DARK)}
  color-scheme: dark; }}
body {{ box-sizing: border-box; margin: 0; padding: {_PADDING}px;
  font: 14px/1.4 system-ui, "Helvetica Neue", Helvetica, Arial, sans-serif; }}
#attention {{ background: none !important; padding: 0 !important; }}
#menus, #heads {{ display: flex; flex-wrap: wrap; gap: 4px 12px; }}
#heads {{ gap: 4px; touch-action: manipulation; }}
:is(#menus, #heads) > * {{ min-height: {_BAR - 4}px; margin-bottom: 4px; }}
select, button {{ box-sizing: border-box; min-height: 28px; min-width: 28px;
  font: inherit; color: inherit; background: var(--paper);
  border: 1px solid var(--edge); border-radius: 4px; }}
#heads button {{ border-bottom: 6px solid var(--color); padding: 0 4px; }}
#heads button[aria-pressed=false] {{ border-bottom-color: transparent;
  border-style: dashed; color: var(--faint); }}
:focus-visible {{ outline: 2px solid var(--plus); outline-offset: 1px; }}
g:focus-visible > rect:first-child {{ stroke: var(--plus); stroke-width: 3px;
  opacity: 1 !important; fill-opacity: 0.4; }}
g[role=button]:focus-visible {{ outline: 0; }}
.detail + [role=button]:focus-visible {{ outline-offset: -2px; }}
rect[role=button]:focus-visible {{ opacity: 1 !important; fill: none;
  stroke: var(--plus); stroke-width: 3px; outline: 0; }}
#vis {{ height: calc(var(--height) * var(--zoom, 1)); overflow: auto hidden; }}
#vis svg {{ zoom: var(--zoom, 1); display: block; }}
#vis.wide {{ display: flex; }}
#vis.wide > svg {{ flex: none; }}
#vis.wide::after {{ content: ""; flex: none; position: sticky; right: 0;
  width: 24px; background:
  linear-gradient(to left, rgb(128 128 128 / 0.5), transparent); }}
svg text {{ fill: var(--ink) !important; }}
svg[fill=white] {{ fill: var(--paper); }}
.attn_background[fill=white] {{ fill: none; }}
.background {{ fill: var(--chosen); }}
:is(.plus-sign, .minus-sign) {{ display: none; }}
#told {{ margin: 8px 0 0; min-height: 20px; color: var(--faint); }}
"""

# What runs before bertviz's code: it asks require.js for two libraries, which are here
# already; the numbers are unpacked, and cut into the parts that can be chosen. After it
# the drawing shrinks to the frame, layers and heads get the model's numbers, and heads,
# tokens and drawings become buttons, for the keyboard and for a finger.
_HERE = Path(__file__).parent
_BEFORE_JS = (_HERE / "bertviz_before.js").read_text(encoding="utf-8")
_AFTER_JS = (_HERE / "bertviz_after.js").read_text(encoding="utf-8")


def pack(array, decimals):
    """Return numbers as short text: base64 of little-endian 16-bit integers.

    Written as JSON, the attention of a small model takes a third of a megabyte; here a
    number is rounded and takes two bytes. Fewer decimals are kept where the numbers are
    too large. `array` is float64: in float32, 0.0005 would round by accident.
    """
    largest = np.abs(array).max(initial=0.0)
    while decimals > 0 and largest * 10**decimals > _LARGEST_PACKED:
        decimals -= 1
    scaled = np.rint(array * 10**decimals).clip(-_LARGEST_PACKED, _LARGEST_PACKED)
    data = base64.b64encode(scaled.astype("<i2").tobytes()).decode("ascii")
    return {"shape": list(array.shape), "scale": 10**decimals, "data": data}


def build_document(name, title, menus, drawn, selection, params, vectors=()):
    """Return the HTML page of one view, and the height of what is beside the drawing.

    `menus` is {id: label} of the drop-down menus that bertviz fills, `drawn` the size
    of the drawing (`Drawn`), `params` bertviz's other parameters, and `vectors` the
    (queries, keys) of the neuron view.

    With None for `params` the page around the frame provides the data, as properties
    of the frame: `params` what `feed` in `bertviz_before.js` returns, and `numbers` the
    numbers of the layers and heads.
    """
    parts = selection.parts
    if params is None:
        data, shown = "frameElement.params", "frameElement.numbers"
    else:
        shown = script_json({"layers": selection.layers, "heads": selection.heads})
        data = f"feed({script_json(_fed(selection, params, vectors))})"
    scripts = "".join(f'<script src="{address}"></script>\n' for address in LIBRARIES)
    controls = [
        f'<label>{label} <select id="{menu}"></select></label>'
        for menu, label in menus.items()
    ]
    if len(parts) > 1:
        choices = "".join(f'<option value="{key}">{part}' for key, part, *_ in parts)
        controls.append(f'<label>Show <select id="filter">{choices}</select></label>')
    if vectors:
        controls.append('<button id="vectors" aria-pressed="true">Vectors</button>')
    bars = f'<div id="menus">{"".join(controls)}</div>' if controls else ""
    rows = -(-110 * len(controls) // _NARROWEST)
    if name == "head_view":
        bars += '<div id="heads" role="group" aria-label="Heads"></div>'
        rows += -(-32 * len(selection.heads) // _NARROWEST)
    title = html.escape(title)
    page = (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{title}</title>\n<style>\n{_STYLE}"
        f"#vis {{ --height: {drawn.height}px; }}\n"
        f"@media (max-width: 699px) {{ #vis {{ --height: {drawn.tall}px; }} }}\n"
        f"</style>\n{scripts}</head><body>"
        f'<main id="attention">{bars}'
        f'<div id="vis" role="group" aria-label="{title}"></div>'
        f'<p id="told" aria-live="polite"></p></main>\n'
        f"<script>\nconst DRAWN = {script_json(asdict(drawn))}, "
        f"SHOWN = {shown};\n{_BEFORE_JS}"
        f"window.bertviz_params = {data};\n</script>\n"
        f"<script>\n{drawing_code(name)}\n</script>\n"
        f"<script>\n{_AFTER_JS}</script>"
        f"</body></html>\n"
    )
    return page, _BAR * rows + _TOLD + 2 * _PADDING


def _fed(selection, params, vectors):
    """Return what `feed` in `bertviz_before.js` takes."""
    fed = {
        "weights": pack(selection.weights, decimals=3),
        "query_tokens": selection.query_tokens,
        "key_tokens": selection.key_tokens,
        "parts": selection.parts,
        "params": {"root_div_id": "attention", "default_filter": "all"} | params,
    }
    if vectors:
        fed["queries"], fed["keys"] = (pack(array, decimals=2) for array in vectors)
    return fed


def with_local_libraries(page, folder):
    """Return a page that loads its libraries from a folder, not from the network."""
    for address, name in LIBRARIES.items():
        page = page.replace(address, f"{folder}/{name}")
    return page


@dataclass(frozen=True)
class Drawn:
    """The size of a drawing, in pixels before it shrinks to its frame.

    Attributes:
        wide: its width.
        narrow: its width on a phone.
        height: its height.
        tall: its height on a phone.
        smallest: the scale below which it scrolls sideways instead of shrinking.
        widest: the width that it can use.
    """

    wide: int
    narrow: int
    height: int
    tall: int
    smallest: float
    widest: int
