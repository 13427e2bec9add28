"""Pictures at night: the book's figures in colours for a dark page.

Paper becomes a dark ground, and ink becomes light. A curve keeps its hue, a little
lighter, and a map that went from paper to deep blue goes from the ground to light blue.
A colour between two of those below, as on the edge of a letter, ends up between their
counterparts. A figure is stored with a palette, so only the palette is rewritten; any
other picture is given one first.
"""

import io
import re
import struct
import zlib

import numpy as np
from PIL import Image

# Those of `readymade.views`, and the colours of the interactive views at night.
NIGHT = {
    "#fbfaf7": "#1c1f24",  # paper
    "#22252b": "#e6e3dc",  # ink
    "#d9d6ce": "#454a52",
    "#7a7f87": "#a0a5ad",
    "#0072b2": "#74bdf0",  # blue
    "#d55e00": "#f5854a",  # vermilion
    "#009e73": "#3cc495",
    "#cc79a7": "#a5608a",
    "#e69f00": "#b5800f",
    "#56b4e9": "#3689bf",  # sky
    # from paper to deep blue, and to deep vermilion
    "#b9d7ea": "#29485e",
    "#5aa2cf": "#2f6d99",
    "#06304f": "#d3ecfb",
    "#f3c6a5": "#5a3822",
    "#7a2e00": "#ffdcc4",
}
HEX = re.compile(r"#[0-9a-f]{6}\b")


def rgb(colours):
    return np.array([list(bytes.fromhex(colour[1:])) for colour in colours]) / 255


def distances(colours):
    """Return each colour's distances from the known ones, and a linear part."""
    known = np.linalg.norm(colours[:, None] - rgb(NIGHT), axis=-1)
    return np.hstack([known, np.ones((len(colours), 1)), colours])


def weights():
    """Return the factors of `distances` that match each known colour exactly."""
    left = distances(rgb(NIGHT))
    size = len(NIGHT)
    below = np.hstack([left[:, size:].T, np.zeros((4, 4))])
    right = np.vstack([rgb(NIGHT.values()), np.zeros((4, 3))])
    return np.linalg.solve(np.vstack([left, below]), right)


WEIGHTS = weights()


def darkened(colours):
    """Return colours, n × 3 from 0 to 255, as they are at night."""
    dark = distances(np.asarray(colours) / 255) @ WEIGHTS
    return np.rint(255 * dark.clip(0, 1)).astype(np.uint8)


def png(data):
    """Return a PNG with another palette."""
    if b"PLTE" not in data:
        few, image = io.BytesIO(), Image.open(io.BytesIO(data)).convert("RGB")
        image.quantize(method=Image.Quantize.MAXCOVERAGE).save(few, "png")
        data = few.getvalue()
    start = data.index(b"PLTE")
    (length,) = struct.unpack(">I", data[start - 4 : start])
    end = start + 4 + length
    palette = np.frombuffer(data[start + 4 : end], np.uint8).reshape(-1, 3)
    chunk = b"PLTE" + darkened(palette).tobytes()
    checksum = struct.pack(">I", zlib.crc32(chunk))
    return data[:start] + chunk + checksum + data[end + 4 :]


def svg(text):
    """Return a drawing in other colours."""

    def other(match):
        colour = darkened(255 * rgb([match[0]]))
        return f"#{colour.tobytes().hex()}"

    return HEX.sub(other, text)
