"""Raw arrays over a pipe: a JSON header and bytes, limited in size, never a pickle.

Both ends use this file. The judge's end trusts nothing that it reads, and raises
`ForgedError` for anything that no worker sends.
"""

import json
import math
import os
import select
import struct
import time

import numpy as np

MOST_HEADER, MOST_BYTES = 1_000_000, 32_000_000
_DEEPEST = 100  # nested lists: more than the judge accepts, fewer than Python's limit
_KINDS = "biuf"
_FRAME = struct.Struct(">II")


class ForgedError(Exception):
    """What came over the pipe is not a worker's reply."""


class SilentError(Exception):
    """Nothing came in time."""


class ClosedError(Exception):
    """The other end has closed the pipe."""


class TooLargeError(Exception):
    """A value is larger than a message may be."""


class Something:
    """Stands for a value of a type that is not sent."""

    def __init__(self, kind):
        self.kind = kind


# ---- Values ----------------------------------------------------------------------


def pack(value):
    """Return (header, bytes) of a value; other types are replaced by their name."""
    chunks = []

    def lay(item, depth=0):
        if depth > _DEEPEST:
            return {"other": type(item).__name__}
        if item is None or isinstance(item, bool):
            return item
        if item is Ellipsis:
            return {"other": "ellipsis"}
        if isinstance(item, str):
            _require_small(len(item), MOST_HEADER)
            return item
        if isinstance(item, int):
            return item if abs(item) < 2**63 else {"other": "int"}
        if isinstance(item, float):
            return {"float": repr(float(item))}
        if isinstance(item, np.ndarray) and item.dtype.kind in _KINDS:
            _require_small(item.nbytes, MOST_BYTES)
            data = np.ascontiguousarray(item).astype(item.dtype.newbyteorder("<"))
            chunks.append(data.tobytes())
            return {"array": data.dtype.str, "shape": list(item.shape)}
        if isinstance(item, bytes):
            _require_small(len(item), MOST_HEADER)
            return {"bytes": list(item)}
        for name, kind in (("tuple", tuple), ("list", list), ("set", set | frozenset)):
            if isinstance(item, kind):
                return {name: [lay(inner, depth + 1) for inner in item]}
        if isinstance(item, dict):
            pairs = [[lay(part, depth + 1) for part in pair] for pair in item.items()]
            return {"dict": pairs}
        return {"other": type(item).__name__}

    header = lay(value)
    _require_small(sum(map(len, chunks)), MOST_BYTES)
    return json.dumps(header).encode(), b"".join(chunks)


def _require_small(size, most):
    if size > most:
        raise TooLargeError


def unpack(header, data):
    """Return the value of a header and its bytes; raise `ForgedError`."""
    place = 0

    def raise_up(item):
        nonlocal place
        if not isinstance(item, dict):
            return item
        if "array" in item:
            dtype, shape = np.dtype(str(item["array"])), tuple(item["shape"])
            if dtype.kind not in _KINDS or not all(type(n) is int for n in shape):
                raise ForgedError("an array of a kind that does not travel")
            size = math.prod(shape) * dtype.itemsize
            if min(shape, default=0) < 0 or place + size > len(data):
                raise ForgedError("an array larger than its bytes")
            flat = np.frombuffer(data, dtype, math.prod(shape), place)
            place += size
            return flat.reshape(shape).copy()
        ((name, inner),) = item.items()
        if name == "float":
            return float(inner)
        if name == "bytes":
            return bytes(list(inner))  # `bytes` of a number would be that many zeros
        if name == "dict":
            return {raise_up(key): raise_up(value) for key, value in inner}
        if name == "other":
            if inner == "ellipsis":
                return Ellipsis
            return Something("".join(filter(str.isprintable, str(inner)[:40])))
        return {"tuple": tuple, "list": list, "set": set}[name](map(raise_up, inner))

    try:
        return raise_up(json.loads(header))
    except ForgedError:
        raise
    except Exception as error:  # a forgery can be anything
        raise ForgedError("a reply that cannot be read") from error


# ---- Messages --------------------------------------------------------------------


class Channel:
    """Messages over two file descriptors, each with a time limit."""

    def __init__(self, reading, writing):
        self.reading, self.writing = reading, writing
        for descriptor in (reading, writing):
            os.set_blocking(descriptor, False)

    def send(self, value, seconds=None):
        """Send one value."""
        header, data = pack(value)
        _require_small(len(header), MOST_HEADER)
        message = memoryview(_FRAME.pack(len(header), len(data)) + header + data)
        deadline = _deadline(seconds)
        while message:
            _wait(deadline, writing=self.writing)
            try:
                message = message[os.write(self.writing, message) :]
            except BrokenPipeError as error:
                raise ClosedError from error

    def receive(self, seconds=None):
        """Return the next value; raise `SilentError`, `ClosedError`, `ForgedError`."""
        deadline = _deadline(seconds)
        sizes = _FRAME.unpack(self._read(_FRAME.size, deadline))
        if sizes[0] > MOST_HEADER or sizes[1] > MOST_BYTES:
            raise ForgedError("a reply that is too large")
        header = self._read(sizes[0], deadline)
        return unpack(header, self._read(sizes[1], deadline))

    def drain(self, seconds):
        """Discard input until the other end closes; raise `SilentError` if late."""
        deadline = _deadline(seconds)
        while True:
            _wait(deadline, reading=self.reading)
            if not os.read(self.reading, 1 << 20):
                return

    def _read(self, size, deadline):
        parts = bytearray()
        while len(parts) < size:
            _wait(deadline, reading=self.reading)
            part = os.read(self.reading, min(size - len(parts), 1 << 20))
            if not part:
                raise ClosedError
            parts += part
        return bytes(parts)


def _deadline(seconds):
    return None if seconds is None else time.monotonic() + seconds


def _wait(deadline, reading=None, writing=None):
    """Wait until a descriptor is ready; raise `SilentError` at the deadline."""
    left = None if deadline is None else max(0, deadline - time.monotonic())
    to_read = [] if reading is None else [reading]
    to_write = [] if writing is None else [writing]
    if not any(select.select(to_read, to_write, [], left)):
        raise SilentError
