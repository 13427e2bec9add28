"""bertviz's drawing code, with what the book changes in it.

`bertviz_before.js` and `bertviz_after.js` run around it.
"""

from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

_CREDIT = (
    "Drawn by bertviz (Jesse Vig), Apache License 2.0: github.com/jessevig/bertviz"
)
# In each view, what bertviz writes down as a number or a colour, and what the book has
# instead: the page's colours, room for a finger, and on a phone narrower columns.
_PATCHES = {
    "head_view": {
        "PYTHON_PARAMS": "window.bertviz_params",
        "d3.scaleOrdinal(d3.schemeCategory10)": "d3.scaleOrdinal(HEAD_COLORS)",
        "const BOXHEIGHT = 22.5;": "const BOXHEIGHT = PHONE ? 28 : 25;",
        "const TEXT_TOP = 30;": "const TEXT_TOP = 2;",
        "const MATRIX_WIDTH = 115;": "const MATRIX_WIDTH = "
        "Math.max(115, Math.min(320, ROOM - 2 * BOXWIDTH));",
    },
    "model_view": {
        "PYTHON_PARAMS": "window.bertviz_params",
        "LAYER_COLORS = d3.schemeCategory10": "LAYER_COLORS = HEAD_COLORS",
        "'highlight': '#F5F5F5'": "'highlight': 'var(--chosen)'",
    },
    "neuron_view": {
        "const BOXHEIGHT = 26;": "const BOXHEIGHT = PHONE ? 34 : 26;",
        "const MATRIX_WIDTH = 200;": "const MATRIX_WIDTH = "
        "Math.max(66, Math.min(200, (ROOM - (NARROW ? 249 : 404)) / 3));",
        "const BOXWIDTH = TEXT_SIZE * 8;": "const BOXWIDTH = NARROW ? 84 : 120;",
        "const PADDING_WIDTH = 25;": "const PADDING_WIDTH = NARROW ? 10 : 25;",
        "posQueries + 68": "posQueries + (NARROW ? 4 : 68)",
        "posKeys + 73": "posKeys + (NARROW ? 12 : 73)",
        "posProduct + 28": "posProduct + (NARROW ? 10 : 28)",
        "posProduct + 55": "posProduct + (NARROW ? 0 : 55)",
        "'q \\u00D7 k (elementwise)'": "NARROW ? 'q × k' : 'q × k (elementwise)'",
        "'attn': 'blue'": "'attn': 'var(--plus)'",
        "'neg': '#ff6318'": "'neg': 'var(--minus)'",
        "'pos': '#0c36d8'": "'pos': 'var(--plus)'",
        "'connector': \"blue\"": "'connector': 'var(--plus)'",
        "'vector_border': \"#EEE\"": "'vector_border': 'var(--chosen)'",
        "'text_highlight_left': \"#e5e5e5\"": "'text_highlight_left': 'var(--chosen)'",
        "'text_highlight_right': \"#478be8\"": "'text_highlight_right': 'var(--key)'",
    },
}


def drawing_code(name):
    """Return the JavaScript of one of bertviz's views, patched.

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
    for theirs, ours in _PATCHES[name].items():
        if theirs not in code:
            raise ImportError(
                f"bertviz is version {version('bertviz')}, whose {name}.js has no "
                f"{theirs!r}: wanted one of the versions that the book patches, 1.4"
            )
        code = code.replace(theirs, ours)
    return f"/* {_CREDIT} */\n{code}"
