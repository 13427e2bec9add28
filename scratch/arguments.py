"""Checks of arguments, shared by both frameworks, so that the mathematics stays bare.

Each raises TypeError (the wrong kind of thing) or ValueError (a value that makes no
sense) with a message that names the argument, what was given and what is wanted. Sizes
that are unknown while TensorFlow traces a function (None) pass.
"""

import sys
from numbers import Integral, Real


def require_at_least(name, value, least):
    """Raise unless `value` is an integer not below `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(
            f"{name} is {value!r} ({type(value).__name__}): wanted an integer"
        )
    if value < least:
        raise ValueError(f"{name} is {value}: wanted at least {least}")


def require_positive(name, value):
    """Raise unless `value` is an integer above 0."""
    require_at_least(name, value, 1)


def require_number(name, value):
    """Raise unless `value` is a real number."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(
            f"{name} is {value!r} ({type(value).__name__}): wanted a number"
        )


def require_fraction(name, value):
    """Raise unless `value` is a number from 0 up to but not including 1."""
    require_number(name, value)
    if not 0 <= value < 1:
        raise ValueError(f"{name} is {value}: wanted 0 ≤ {name} < 1")


def require_truth(name, value):
    """Raise unless `value` is True or False."""
    if not isinstance(value, bool):
        raise TypeError(
            f"{name} is {value!r} ({type(value).__name__}): wanted True or False"
        )


def require_id(name, value, size):
    """Raise unless `value` is one of the ids of a vocabulary of `size` tokens."""
    require_at_least(name, value, 0)
    if value >= size:
        raise ValueError(
            f"{name} is {value}: wanted less than {size}, the size of the vocabulary"
        )


def require_choice(name, value, choices):
    """Raise unless `value` is one of `choices`."""
    if value not in choices:
        wanted = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} is {value!r}: wanted one of {wanted}")


def _kind(value):
    """What a tensor holds; of anything else, its own type."""
    return str(getattr(value, "dtype", type(value).__name__))


def require_ids(name, ids):
    """Raise unless `ids` is a tensor of integers with axes (batch, length)."""
    kind = _kind(ids)
    if "int" not in kind or not hasattr(ids, "shape"):
        raise TypeError(f"{name} holds {kind}: wanted a tensor of integers")
    if len(ids.shape) != 2:
        raise ValueError(f"{name} has shape {tuple(ids.shape)}: wanted (batch, length)")


def require_segments(segment_ids, segments):
    """Raise unless `segment_ids` are integers, and only where there are `segments`."""
    if segment_ids is None:
        return
    if segments is None:
        raise ValueError(
            "segment_ids are given: wanted none, because the config has num_segments=0"
        )
    require_ids("segment_ids", segment_ids)


def require_targets(targets, logits):
    """Raise unless `targets` (…) are integers, one for each row of `logits` (…, V)."""
    kind = _kind(targets)
    if "int" not in kind:
        raise TypeError(f"targets hold {kind}: wanted integers")
    given, wanted = tuple(targets.shape), tuple(logits.shape[:-1])
    same = len(given) == len(wanted) and all(
        None in pair or pair[0] == pair[1] for pair in zip(given, wanted, strict=True)
    )
    if not same:
        raise ValueError(
            f"targets have shape {given}: wanted {wanted}, one for each row of logits"
        )


def require_known_targets(targets, size, pad_id):
    """Return `targets`; raise unless each is `pad_id` or an id below `size`.

    `targets` is a tensor of int64. In a tf.function the check becomes an operation of
    the graph, which raises when it runs (XLA leaves it out). What torch.compile traces,
    and PyTorch's meta device, cannot be checked.
    """
    torch, tf = sys.modules.get("torch"), sys.modules.get("tensorflow")
    is_torch = torch is not None and isinstance(targets, torch.Tensor)
    if is_torch and (torch.compiler.is_compiling() or targets.is_meta):
        return targets
    wrong = (targets < 0) | (targets >= size)
    wanted = f": wanted ids from 0 to {size - 1}"
    if pad_id is not None:
        wrong = wrong & (targets != pad_id)
        wanted += f", or the pad_id {pad_id}"
    if not is_torch and tf.is_symbolic_tensor(targets):
        given = ["targets hold", targets[wrong], wanted]
        check = tf.debugging.Assert(~tf.reduce_any(wrong), given)
        # What reads the targets waits for the check.
        with tf.control_dependencies([check]):
            return tf.identity(targets)
    given = targets[wrong]
    if len(given):
        raise ValueError(f"targets hold {int(given[0])}{wanted}")
    return targets


def require_strategy(strategy, variables):
    """Raise unless a tf.distribute.Strategy can train a model with these variables."""
    replicas = strategy.num_replicas_in_sync
    if replicas != 1:
        raise ValueError(
            f"strategy has {replicas} replicas: wanted 1, because each would average "
            "over its own tokens alone"
        )
    scope = strategy.extended
    if not all(scope.variable_created_in_scope(one.value) for one in variables):
        raise ValueError(
            "model was built in the scope of another strategy: wanted a model and a "
            f"call of tf_fit in the same scope, here {type(strategy).__name__}'s"
        )


def require_vectors(name, x, size):
    """Raise unless the last axis of the tensor `x` (batch, length, size) is `size`."""
    if len(x.shape) != 3 or x.shape[-1] not in (size, None):
        raise ValueError(
            f"{name} has shape {tuple(x.shape)}: wanted (batch, length, {size})"
        )


def require_mask(name, mask, shape):
    """Raise unless `mask` is boolean and broadcasts to `shape`."""
    kind = _kind(mask)
    if "bool" not in kind:
        raise TypeError(
            f"{name} holds {kind}: wanted a boolean tensor, True = may attend"
        )
    given, wanted = tuple(mask.shape), tuple(shape)
    fits = len(given) <= len(wanted) and all(
        size in (1, None) or target is None or size == target
        for size, target in zip(reversed(given), reversed(wanted), strict=False)
    )
    if not fits:
        raise ValueError(f"{name} has shape {given}: wanted one that fits {wanted}")


def require_attention(query, key, value, attention_mask):
    """Raise unless these fit together in scaled dot-product attention.

    query (…, queries, d_k), key (…, keys, d_k), value (…, keys, d_v); the mask, if
    there is one, is boolean and broadcasts to (…, queries, keys).
    """
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            f"key has vectors of length {key.shape[-1]}: wanted {query.shape[-1]}, "
            "the length of the query's"
        )
    if key.shape[-2] != value.shape[-2]:
        raise ValueError(
            f"value has {value.shape[-2]} positions: wanted {key.shape[-2]}, one for "
            "each key"
        )
    if attention_mask is not None:
        shape = (*query.shape[:-1], key.shape[-2])
        require_mask("attention_mask", attention_mask, shape)


def require_lengths(length, key_length):
    """Raise unless `length` queries can be the last of `key_length` keys."""
    for name, value, least in (
        ("length", length, 1),
        ("key_length", key_length, length),
    ):
        # A tensor is a length that is not known before the function runs.
        if not (hasattr(value, "dtype") or hasattr(least, "dtype")):
            require_at_least(name, value, least)


def require_memory(memory, cache, cross_attention):
    """Raise unless there is something to look at where, and only where, it is read."""
    if cross_attention is None and memory is not None:
        raise ValueError(
            "memory is given: wanted none, because there is no cross-attention"
        )
    if cross_attention is not None and memory is None and not cache:
        raise ValueError(
            "memory is None: wanted the encoder's output (batch, length, d_model)"
        )


def require_length(name, length, max_len):
    """Raise unless a sequence of `length` tokens fits into `max_len` positions."""
    if isinstance(length, Integral) and length > max_len:
        raise ValueError(f"{name} has {length} tokens: wanted at most {max_len}")


def head_size(d_model, num_heads):
    """Length of one head's vectors, d_model / num_heads; raise if it is no integer."""
    require_positive("d_model", d_model)
    require_positive("num_heads", num_heads)
    if d_model % num_heads:
        raise ValueError(
            f"d_model is {d_model} and num_heads is {num_heads}: wanted a d_model that "
            "num_heads divides, or a d_k"
        )
    return d_model // num_heads
