"""Arrays of numbers as short text, and the line of JavaScript that unpacks them.

Written as JSON, the attention of a small model is a third of a megabyte. Here each
number is rounded and takes two bytes: base64 of little-endian 16-bit integers.
"""

import base64

import numpy as np

_LARGEST = 32767


def pack(array, decimals):
    """Return `array` as {"shape", "scale", "data"}: data / scale are its numbers.

    Args:
        array: any shape, float64 (in float32, 0.0005 would round by accident).
        decimals: how many to keep; fewer are kept where the numbers are too large.

    Raises:
        ValueError: a number is NaN or infinite.
    """
    if not np.isfinite(array).all():
        raise ValueError("weights, queries or keys hold NaN or infinite numbers.")
    largest = np.abs(array).max(initial=0.0)
    while decimals > 0 and largest * 10**decimals > _LARGEST:
        decimals -= 1
    scaled = np.clip(np.rint(array * 10**decimals), -_LARGEST, _LARGEST)
    data = base64.b64encode(scaled.astype("<i2").tobytes()).decode("ascii")
    return {"shape": list(array.shape), "scale": 10**decimals, "data": data}


def unpack(packed):
    """Return the numbers that `pack` kept, as float64."""
    integers = np.frombuffer(base64.b64decode(packed["data"]), dtype="<i2")
    return integers.reshape(packed["shape"]) / packed["scale"]


UNPACK_JS = """\
function unpack({shape, scale, data}) {
  const bytes = Uint8Array.from(atob(data), letter => letter.charCodeAt(0));
  const numbers = new DataView(bytes.buffer);
  let at = -2;
  const nest = ([size, ...rest]) => Array.from({length: size}, () =>
    rest.length ? nest(rest) : numbers.getInt16(at += 2, true) / scale);
  return nest(shape);
}
"""
