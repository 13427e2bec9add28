"""The page inside the frame of an interactive view, drawn by bertviz's own code.

bertviz draws in the notebook's own page, loads require.js from the network and chooses
a new random id each time. Here its drawing code runs in a frame of its own: nothing
leaks between two views of a page, and nothing changes from one run to the next.
"""

import base64
import html
import json
from importlib.util import find_spec
from pathlib import Path

from scratch.views.figures import INK, PAPER

import numpy as np

# The two scripts that every frame loads. The book's build replaces exactly these tags
# by ones that point to local files.
D3_TAG = (
    '<script src="https://cdnjs.cloudflare.com/ajax/libs/d3/5.7.0/d3.min.js"></script>'
)
JQUERY_TAG = (
    '<script src="https://cdnjs.cloudflare.com/ajax/libs/jquery/3.6.0/jquery.min.js">'
    "</script>"
)

# Below this scale the frame scrolls sideways instead of shrinking further.
SMALLEST_SCALE = 0.6
_PADDING = 14  # pixels around the drawing
_MENUS = 30  # pixels high
_HELP_LINE = 19
_GAP = 12  # between the help and the drawing
_LARGEST_PACKED = 32767  # in 16 bits

_STYLE = f"""\
html {{ background: {PAPER}; color: {INK}; color-scheme: light; }}
body {{ box-sizing: border-box; margin: 0; padding: {_PADDING}px;
  font: 14px/1.4 "Helvetica Neue", Helvetica, Arial, sans-serif; }}
#attention {{ background: none !important; padding: 0 !important; }}
#menus {{ height: {_MENUS}px; }}
#menus label {{ margin-right: 1em; }}
select {{ font: inherit; color: inherit; background: #fff; }}
#help {{ margin: 0 0 {_GAP}px; font-size: 13px; line-height: {_HELP_LINE}px;
  color: #5a5f67; }}
#vis {{ overflow: hidden; }}
[fill=white] {{ fill: {PAPER}; }}
"""

_CREDIT = (
    "Drawn by bertviz (Jesse Vig), Apache License 2.0: github.com/jessevig/bertviz"
)

# What runs before bertviz's code: it asks require.js for two libraries, which are here
# already; the numbers are unpacked, and cut into the parts that can be chosen. After it
# the page shrinks to the frame, and layers and heads get the model's numbers.
_HERE = Path(__file__).parent
_BEFORE_JS = (_HERE / "bertviz_before.js").read_text(encoding="utf-8")
_AFTER_JS = (_HERE / "bertviz_after.js").read_text(encoding="utf-8")


def pack(array, decimals):
    """Return numbers as short text: base64 of little-endian 16-bit integers.

    Written as JSON, the attention of a small model takes a third of a megabyte; here a
    number is rounded and takes two bytes. Fewer decimals are kept where the numbers are
    too large. `array` is float64: in float32, 0.0005 would round by accident.
    """
    if not np.isfinite(array).all():
        raise ValueError(
            "weights, queries or keys hold NaN or infinity: wanted finite numbers"
        )
    largest = np.abs(array).max(initial=0.0)
    while decimals > 0 and largest * 10**decimals > _LARGEST_PACKED:
        decimals -= 1
    scaled = np.rint(array * 10**decimals).clip(-_LARGEST_PACKED, _LARGEST_PACKED)
    data = base64.b64encode(scaled.astype("<i2").tobytes()).decode("ascii")
    return {"shape": list(array.shape), "scale": 10**decimals, "data": data}


def drawing_code(name):
    """Return the JavaScript of one of bertviz's views.

    It is read from the package's files, because importing bertviz would import
    PyTorch, which a TensorFlow reader may not have.
    """
    spec = find_spec("bertviz")
    if spec is None:
        raise ImportError("bertviz is missing: wanted for views (pip install bertviz)")
    folder = Path(spec.submodule_search_locations[0])
    code = (folder / f"{name}.js").read_text(encoding="utf-8")
    # The lines before give require.js the network addresses of d3 and jQuery.
    code = code[code.index("requirejs(") :]
    code = "\n".join(line.strip() for line in code.splitlines())
    return f"/* {_CREDIT} */\n" + code.replace("PYTHON_PARAMS", "window.bertviz_params")


def build_document(
    name, title, help_lines, menus, size, selection, params, vectors=(), finish=""
):
    """Return the HTML page of one view, and its (width, height) in pixels.

    `menus` is {id: label} of the drop-down menus that bertviz fills, `size` that of the
    drawing, `params` bertviz's other parameters, `vectors` the (queries, keys) of the
    neuron view, and `finish` JavaScript to run at the end.
    """
    width = size[0] + 2 * _PADDING
    parts = selection.parts
    feed = {
        "weights": pack(selection.weights, decimals=3),
        "query_tokens": selection.query_tokens,
        "key_tokens": selection.key_tokens,
        "parts": parts,
        "params": {"root_div_id": "attention", "default_filter": "all"} | params,
    }
    if vectors:
        feed["queries"], feed["keys"] = (pack(array, decimals=2) for array in vectors)
    shown = {"layers": selection.layers, "heads": selection.heads}
    labels = [
        f'<label>{label} <select id="{menu}"></select></label>'
        for menu, label in menus.items()
    ]
    if len(parts) > 1:
        choices = "".join(f'<option value="{key}">{part}' for key, part, *_ in parts)
        labels.append(f'<label>Show <select id="filter">{choices}</select></label>')
    menu_bar = f'<div id="menus">{"".join(labels)}</div>' if labels else ""
    header = _MENUS * bool(labels) + _HELP_LINE * len(help_lines) + _GAP
    title = html.escape(title)
    page = (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{title}</title>\n<style>\n{_STYLE}"
        f"body {{ width: {width}px; }}\n#vis {{ height: {round(size[1])}px; }}\n"
        f"</style>\n{D3_TAG}\n{JQUERY_TAG}\n</head><body>"
        f'<main id="attention">{menu_bar}'
        f'<p id="help">{"<br>".join(map(html.escape, help_lines))}</p>'
        f'<div id="vis" role="img" aria-label="{title}"></div></main>\n'
        f"<script>\n{_BEFORE_JS}"
        f"window.bertviz_params = feed({_script_json(feed)});\n</script>\n"
        f"<script>\n{drawing_code(name)}\n</script>\n"
        f"<script>\nconst WIDTH = {width}, SMALLEST = {SMALLEST_SCALE}, "
        f"SHOWN = {_script_json(shown)};\n{_AFTER_JS}{finish}</script>"
        f"</body></html>\n"
    )
    return page, (width, round(size[1]) + header + 2 * _PADDING)


def _script_json(value):
    # "<" would let a token such as "</script>" end the script.
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")
