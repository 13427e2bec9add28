"""Checks of tensors: what they hold, and their axes."""

import re
from numbers import Integral

from scratch.checks.numbers import require_at_least, require_number

# Pixels from 0 to 255 are not scaled; with mean 0 and variance 1, a rare dot is below.
BRIGHTEST = 100


def require_tensor(name, value, wanted, kind, shape, axes, or_one=False):
    """Raise unless `value` is a tensor or a NumPy array of this kind and shape.

    The kind is "int", "bool", or another pattern in the name of the type; `_fits` says
    which shapes fit, None is any. `wanted` and `axes` are the words for what is wanted.
    """
    # TensorFlow's ragged tensors have no ndim
    if not all(hasattr(value, part) for part in ("dtype", "shape", "ndim")):
        raise TypeError(f"{name} is {_kind(value)}: wanted {wanted}")
    held = _held(value)
    if not re.search(kind, held):
        raise TypeError(f"{name} holds {held}: wanted {wanted}")
    if shape is not None and not _fits(value.shape, shape, or_one):
        raise ValueError(f"{name} has shape {tuple(value.shape)}: wanted {axes}")


def _held(tensor):
    """Return the name of a tensor's type, the same in both frameworks."""
    return getattr(tensor.dtype, "name", str(tensor.dtype).removeprefix("torch."))


def _kind(value):
    """Return the words for what came in place of a tensor."""
    return "None" if value is None else f"a {type(value).__name__}"


def _fits(given, wanted, or_one=False):
    """Whether a shape is as wanted; a size may be unknown (None), or 1 if `or_one`."""
    return len(given) == len(wanted) and all(
        not isinstance(target, int) or size in (None, target) or (or_one and size == 1)
        for size, target in zip(given, wanted, strict=True)
    )


def values_of(tensor):
    """Return the values of a tensor or a NumPy array as a NumPy array."""
    if hasattr(tensor, "is_meta"):  # PyTorch's: it may be on a GPU
        tensor = tensor.cpu()
    return tensor.numpy() if hasattr(tensor, "numpy") else tensor


def require_ids(name, ids, pad_id=None):
    """Raise unless `ids` is a tensor of integers with axes (batch, length)."""
    _require_pad_id(pad_id)
    axes = "(batch, length)"
    require_tensor(name, ids, "a tensor of integers", "int", (None, None), axes)


def _require_pad_id(pad_id):
    """Raise unless `pad_id` is an integer, of the vocabulary or not, or None."""
    if pad_id is not None:
        require_number("pad_id", pad_id, Integral, "an integer or None")


def require_known(name, ids, size, pad_id=None):
    """Raise unless `ids` are integers from 0 to `size` - 1, or `pad_id`.

    In the graph of a tf.function this is an operation, which raises TensorFlow's
    InvalidArgumentError. XLA, torch.compile, torch.export and torch.vmap leave it out.
    """
    require_tensor(name, ids, "a tensor of integers", "int", None, "")
    if size is None:
        return
    wanted = f"wanted integers from 0 to {size - 1}"
    if pad_id is not None:
        wanted += f", or the pad_id {pad_id}"

    def wrong(ids):
        outside = (ids < 0) | (ids >= size)
        return outside if pad_id is None else outside & (ids != pad_id)

    _require_none_wrong(name, ids, wrong, wanted)


def _require_none_wrong(name, tensor, wrong, wanted):
    """Raise if `wrong`, a function, is true of a value; see `require_known`."""
    if hasattr(tensor, "is_meta"):
        import torch

        mapped = torch._C._functorch.is_functorch_wrapped_tensor
        if tensor.is_meta or torch.compiler.is_compiling() or mapped(tensor):
            return
        # NumPy has no bfloat16
        tensor = tensor.detach().float() if tensor.is_floating_point() else tensor
    if hasattr(tensor, "graph"):
        import tensorflow as tf

        found = wrong(tensor)
        # tf.debugging.Assert has a branch, about which TensorFlow 2.20 warns.
        data = [f"{name} holds", tensor[found], f": {wanted}"]
        tf.raw_ops.Assert(condition=~tf.reduce_any(found), data=data)
        return
    values = values_of(tensor)
    found = wrong(values)
    if found.any():
        raise ValueError(f"{name} holds {values[found][0]}: {wanted}")


def require_tiles(name, pictures, size):
    """Raise unless `pictures` (batch, channels, height, width) divide into squares.

    Their sizes must be known while a function is traced, too, the batch's aside.
    """
    require_at_least("size", size, 1)
    axes = "(batch, channels, height, width)"
    require_tensor(name, pictures, f"a tensor {axes}", "", (None,) * 4, axes)
    sizes = pictures.shape[2:]
    if None in pictures.shape[1:] or 0 in sizes or any(one % size for one in sizes):
        wanted = f"wanted a height and a width that {size}, the size, divides"
        raise ValueError(f"{name} has shape {tuple(pictures.shape)}: {wanted}")


def require_pictures(name, pictures, channels, size):
    """Raise unless `pictures` are floats near 0, with so many channels, of this size.

    The size is (height, width), or None for any. The values are checked where
    `require_known` checks them.
    """
    wanted = "a tensor of floats, such as pixels / 255"
    axes = f"(batch, channels, height, width) with {channels} channels"
    height, width = size or (None, None)
    if size is not None:
        axes += f", {height} lines and {width} columns"
    shape = None, channels, height, width
    require_tensor(name, pictures, wanted, "float", shape, axes)
    wanted = f"wanted numbers from -{BRIGHTEST} to {BRIGHTEST}, such as pixels / 255"

    def wrong(values):  # True of NaN
        return ~((values >= -BRIGHTEST) & (values <= BRIGHTEST))

    _require_none_wrong(name, pictures, wrong, wanted)


def require_segments(segment_ids, segments, ids):
    """Raise unless `segment_ids` are None, or one for each id if there are segments."""
    if segment_ids is None:
        return
    if segments is None:
        raise ValueError(
            "segment_ids are given: wanted none, because the config has num_segments=0"
        )
    wanted, axes = "a tensor of integers", f"{tuple(ids.shape)}, one for each of ids"
    require_tensor("segment_ids", segment_ids, wanted, "int", ids.shape, axes)


def require_targets(name, targets, logits, pad_id=None):
    """Raise unless `targets` (…) are integers, one for each row of `logits` (…, V)."""
    _require_pad_id(pad_id)
    shape = tuple(logits.shape[:-1])
    axes = f"{shape}, one for each row of logits"
    require_tensor(name, targets, "a tensor of integers", "int", shape, axes)


def require_rewards(rewards):
    """Raise unless `rewards` are float32 or float64: squares of others overflow."""
    wanted, axes = "a tensor of float32 or float64", "(groups, samples)"
    require_tensor("rewards", rewards, wanted, "^float(32|64)$", (None, None), axes)


def require_same_shape(first, *others):
    """Raise unless all tensors have one shape: others would be broadcast silently."""
    wanted = tuple(first.shape)
    for given in (tuple(other.shape) for other in others):
        if not _fits(given, wanted):
            raise ValueError(f"shapes are {wanted} and {given}: wanted the same")


def require_pairs(pictures, texts):
    """Raise unless `pictures` and `texts` are floats (batch, d), of the same shape."""
    for name, value in (("pictures", pictures), ("texts", texts)):
        axes = "(batch, d)"
        require_tensor(name, value, "a tensor of floats", "float", (None, None), axes)
    require_same_shape(pictures, texts)


def require_vectors(name, x, size):
    """Raise unless `x` is a tensor (batch, length, size) without a Keras mask."""
    axes = f"(batch, length, {size})"
    require_tensor(name, x, f"a tensor {axes}", "", (None, None, size), axes)
    # Keras passes its mask on silently; ignoring it would change the outputs.
    if getattr(x, "_keras_mask", None) is not None:
        raise ValueError(
            f"{name} has a mask of Keras (mask_zero or Masking): wanted none, but "
            "attention_mask (batch, 1, 1, length), True = may attend"
        )


def require_marks(name, marks, ids):
    """Raise unless `marks` are booleans, one for each of `ids`."""
    axes = f"{tuple(ids.shape)}, one for each of ids"
    require_tensor(name, marks, "a boolean tensor", "bool", ids.shape, axes)


def require_layer(part, layer, method):
    """Raise unless `part` is a `layer`, of a kind that has a `method` of its own."""
    if not isinstance(part, layer) or getattr(type(part), method) is getattr(
        layer, method
    ):
        raise TypeError(f"part is {_kind(part)}: wanted a layer of a model")


def require_function(name, value):
    """Raise unless `value` can be called."""
    if not callable(value):
        raise TypeError(f"{name} is {_kind(value)}: wanted a function")


def require_changed(x, changed, tensor):
    """Raise unless a change of `x` is a `tensor` of the same shape and type."""
    wanted = f"wanted a tensor of shape {tuple(x.shape)} and {_held(x)}, as it took"
    if not isinstance(changed, tensor):
        raise TypeError(f"change returns {_kind(changed)}: {wanted}")
    if changed.dtype != x.dtype:
        raise TypeError(f"change returns {_held(changed)}: {wanted}")
    if not _fits(changed.shape, tuple(x.shape)):
        raise ValueError(f"change returns shape {tuple(changed.shape)}: {wanted}")
