"""Checks of numbers and choices."""

import math
from numbers import Integral, Real


def require_number(name, value, kind=Real, wanted="a number"):
    """Raise unless `value` is a number of this kind; True and False are not."""
    if isinstance(value, bool) or not isinstance(value, kind):
        given = f"{value!r} ({type(value).__name__})"
        raise TypeError(f"{name} is {given}: wanted {wanted}")


def require_at_least(name, value, least):
    """Raise unless `value` is an integer not below `least`."""
    require_number(name, value, Integral, "an integer")
    if value < least:
        raise ValueError(f"{name} is {value}: wanted at least {least}")


def require_height_and_width(name, size, or_none=False):
    """Raise unless `size` is (height, width), both integers from 1 on."""
    if size is None and or_none:
        return
    if not isinstance(size, tuple | list) or len(size) != 2:
        raise ValueError(f"{name} is {size}: wanted (height, width)")
    for one in size:
        require_at_least(name, one, 1)


def require_even(name, value, because):
    """Raise unless the integer `value` is even."""
    if value % 2:
        raise ValueError(f"{name} is {value}: wanted an even number, because {because}")


def require_heads(d_model, num_heads):
    """Raise unless d_model / num_heads, the size of a head, is whole."""
    require_at_least("num_heads", num_heads, 1)
    if d_model % num_heads:
        raise ValueError(
            f"d_model is {d_model} and num_heads is {num_heads}: wanted a d_model that "
            "num_heads divides, or a d_k"
        )


def require_above_zero(name, value, least=2**-126):
    """Raise unless `value` is a finite number above 0.

    TensorFlow takes what is below `least`, the smallest normal float32, for 0.
    """
    require_number(name, value)
    if not least <= value < math.inf:
        wanted = f"a number above 0 (from {least:.2g} on), and finite"
        raise ValueError(f"{name} is {value}: wanted {wanted}")


def require_temperature(value):
    """Raise unless a temperature, a number or a tensor of one, is above 0 and finite.

    The value of a tensor is unknown while a function is traced, and passes.
    """
    if not hasattr(value, "dtype"):
        require_number("temperature", value)
    elif len(value.shape):
        given = tuple(value.shape)
        raise ValueError(f"temperature has shape {given}: wanted a single number")
    elif hasattr(value, "graph"):
        return
    if not 0 < value < math.inf:
        raise ValueError(f"temperature is {value}: wanted a number above 0, and finite")


def require_from_zero(name, value):
    """Raise unless `value`, a number or a tensor of one, is finite and not negative."""
    if not hasattr(value, "dtype"):
        require_number(name, value)
    if not 0 <= value < math.inf:
        raise ValueError(f"{name} is {value}: wanted a number from 0 on, and finite")


def require_fraction(name, value):
    """Raise unless `value` is a number from 0 up to but not including 1."""
    require_number(name, value)
    if not 0 <= value < 1:
        raise ValueError(f"{name} is {value}: wanted 0 ≤ {name} < 1")


def require_choice(name, value, choices):
    """Raise unless `value` is one of `choices`."""
    if value not in choices:
        wanted = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} is {value!r}: wanted one of {wanted}")


def require_id(name, value, size):
    """Raise unless `value` is an id of a vocabulary of `size`."""
    require_at_least(name, value, 0)
    if value >= size:
        raise ValueError(
            f"{name} is {value}: wanted less than {size}, the size of the vocabulary"
        )


def require_no_tokens(config):
    """Raise if a config without a vocabulary has what only tokens have."""
    for name, wanted in (
        ("pad_id", None),
        ("num_segments", 0),
        ("norm_embeddings", False),
    ):
        given = getattr(config, name)
        if given != wanted:
            raise ValueError(
                f"{name} is {given!r}: wanted {wanted} beside vocab_size=None, because "
                "pictures have no tokens"
            )


def require_vocabulary(config):
    """Raise unless a decoder has a vocabulary to write with."""
    if config.vocab_size is None and config.target_vocab_size is None:
        raise ValueError(
            "target_vocab_size is None: wanted a number beside vocab_size=None, "
            "because a decoder needs a vocabulary of its own"
        )


def require_window_layers(numbers, window, layers):
    """Raise unless `numbers` are different layers below `layers`, with a window."""
    name = "window_layers"
    if window is None:
        raise ValueError(f"{name} is {numbers!r}: wanted None, because window is None")
    if not isinstance(numbers, (tuple, list)):
        raise TypeError(f"{name} is {numbers!r}: wanted a tuple of integers")
    for number in numbers:
        require_at_least(name, number, 0)
    if not 0 < len(numbers) == len({*numbers} & {*range(layers)}):
        wanted = f"different numbers from 0 to {layers - 1}, one or more"
        raise ValueError(f"{name} is {numbers!r}: wanted {wanted}")


def require_lengths(length, key_length):
    """Raise unless `length` queries can be the last of `key_length` keys."""
    known = isinstance(length, Integral) and isinstance(key_length, Integral)
    if known and key_length < length:
        raise ValueError(f"key_length is {key_length}: wanted at least {length}")


def require_length(name, length, max_len):
    """Raise unless a sequence of `length` tokens fits into `max_len` positions."""
    if isinstance(length, Integral) and length > max_len:
        raise ValueError(f"{name} has {length} tokens: wanted at most {max_len}")


def require_positions(length, positions):
    """Raise unless a layer of positions, if there is one, has `length` of them."""
    if positions is not None:
        require_length("ids", length, positions.max_len)
