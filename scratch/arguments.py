"""Checks of arguments, shared by both frameworks, so that the mathematics stays bare.

Each raises TypeError (the wrong kind of thing) or ValueError (a value that makes no
sense) with a message that names the argument, what was given and what is wanted. Sizes
that are unknown while TensorFlow traces a function (None) pass.
"""

import math
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from operator import index


def require_at_least(name, value, least):
    """Return `value` as an int; raise unless it is an integer not below `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(
            f"{name} is {value!r} ({type(value).__name__}): wanted an integer"
        )
    if value < least:
        raise ValueError(f"{name} is {value}: wanted at least {least}")
    # index would fix a size that torch.compile leaves open
    return value if type(value) is int else index(value)


def require_positive(name, value):
    """Return `value` as an int; raise unless it is an integer above 0."""
    return require_at_least(name, value, 1)


SINES = "sinusoidal positions are pairs of sine and cosine"


def require_even(name, value, because=SINES):
    """Return `value` as an int; raise unless it is an even integer above 0."""
    value = require_positive(name, value)
    if value % 2:
        raise ValueError(f"{name} is {value}: wanted an even number, because {because}")
    return value


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
    """Return `value` as an int; raise unless it is an id of a vocabulary of `size`."""
    value = require_at_least(name, value, 0)
    if value >= size:
        raise ValueError(
            f"{name} is {value}: wanted less than {size}, the size of the vocabulary"
        )
    return value


def require_choice(name, value, choices):
    """Raise unless `value` is one of `choices`."""
    if value not in choices:
        wanted = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} is {value!r}: wanted one of {wanted}")


BOOLEANS = "a boolean tensor, True = may attend"


def _require_tensor(name, value, wanted, kind=""):
    """Raise unless `value` is a tensor or a NumPy array, of "int" or "bool" if told."""
    # TensorFlow's ragged tensors have no ndim
    if not all(hasattr(value, part) for part in ("dtype", "shape", "ndim")):
        given = "None" if value is None else f"a {type(value).__name__}"
        raise TypeError(f"{name} is {given}: wanted {wanted}")
    held = getattr(value.dtype, "name", str(value.dtype).removeprefix("torch."))
    if kind not in held:
        raise TypeError(f"{name} holds {held}: wanted {wanted}")


def _fits(given, wanted, or_one=False):
    """Whether a shape is as wanted; a size may be unknown (None), or 1 if `or_one`."""
    return len(given) == len(wanted) and all(
        None in (size, target) or size == target or (or_one and size == 1)
        for size, target in zip(given, wanted, strict=True)
    )


def require_ids(name, ids):
    """Raise unless `ids` is a tensor of integers with axes (batch, length)."""
    _require_tensor(name, ids, "a tensor of integers", "int")
    if len(ids.shape) != 2:
        raise ValueError(f"{name} has shape {tuple(ids.shape)}: wanted (batch, length)")


def wanted_ids(size):
    """The end of a message about ids that a table of `size` rows does not have."""
    return f": wanted ids from 0 to {size - 1}"


def require_within(name, lowest, highest, size):
    """Raise unless `lowest` and `highest`, of some ids, number rows of `size`."""
    for value in (lowest, highest):
        if not 0 <= value < size:
            raise ValueError(f"{name} holds {value}{wanted_ids(size)}")


def require_segments(segment_ids, segments, ids):
    """Raise unless `segment_ids` fit `ids`, and only where there are `segments`."""
    if segment_ids is None:
        return
    if segments is None:
        raise ValueError(
            "segment_ids are given: wanted none, because the config has num_segments=0"
        )
    require_ids("segment_ids", segment_ids)
    given, wanted = tuple(segment_ids.shape), tuple(ids.shape)
    if not _fits(given, wanted, or_one=True):
        raise ValueError(
            f"segment_ids has shape {given}: wanted {wanted}, the shape of ids"
        )


def require_targets(targets, logits):
    """Raise unless `targets` (…) are integers, one for each row of `logits` (…, V)."""
    _require_tensor("targets", targets, "a tensor of integers", "int")
    given, wanted = tuple(targets.shape), tuple(logits.shape[:-1])
    if not _fits(given, wanted):
        raise ValueError(
            f"targets has shape {given}: wanted {wanted}, one for each row of logits"
        )


def require_floats(name, tensor):
    """Raise unless `tensor` holds floating-point numbers, not what Keras quantized."""
    _require_tensor(name, tensor, "a tensor of floating-point numbers", "float")


def require_batch(batch):
    """Raise unless `batch` is a tuple or list, whose parts a loss takes in order."""
    if not isinstance(batch, (tuple, list)):
        raise TypeError(
            f"batches holds a {type(batch).__name__}: wanted tuples of tensors"
        )


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
    """Raise unless `x` is a tensor (batch, length, size) without a Keras mask."""
    wanted = f"(batch, length, {size})"
    _require_tensor(name, x, f"a tensor {wanted}")
    if len(x.shape) != 3 or x.shape[-1] not in (size, None):
        raise ValueError(f"{name} has shape {tuple(x.shape)}: wanted {wanted}")
    # Keras hands a mask on unseen: to ignore it would change the outputs.
    if getattr(x, "_keras_mask", None) is not None:
        raise ValueError(
            f"{name} has a mask of Keras (mask_zero or Masking): wanted none, but "
            "attention_mask (batch, 1, 1, length), True = may attend"
        )


def require_mask(name, mask, shape):
    """Raise unless `mask` is boolean and has the axes of `shape`, each that long or 1.

    A mask with fewer axes is refused, because it would be read from the last axis on:
    (batch, length) as (queries, keys), and (batch, queries, keys) as (heads, …).
    """
    _require_tensor(name, mask, BOOLEANS, "bool")
    given, wanted = tuple(mask.shape), tuple(shape)
    if not _fits(given, wanted, or_one=True):
        axes = " (batch, heads, queries, keys) =" if len(wanted) == 4 else ""
        raise ValueError(
            f"{name} has shape {given}: wanted{axes} {wanted}, where any size may be 1"
        )


def require_decoder_mask(name, mask, x, keys):
    """Raise unless `mask` fits the queries x (batch, queries, d_model) and the keys."""
    if mask is not None:
        batch, heads, length, _ = keys.shape
        require_mask(name, mask, (batch, heads, x.shape[1], length))


def require_attention(query, key, value, attention_mask):
    """Raise unless these fit together in scaled dot-product attention.

    query (…, queries, d_k), key (…, keys, d_k), value (…, keys, d_v); the mask, if
    there is one, is boolean, (…, queries, keys), where any size may be 1.
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
    wanted = tuple(query.shape[:-2])
    for name, tensor in (("key", key), ("value", value)):
        given = tuple(tensor.shape[:-2])
        # An axis of size 1, or none, serves all.
        pairs = zip(given[::-1], wanted[::-1], strict=False)
        if not all(1 in pair or _fits(pair[:1], pair[1:]) for pair in pairs):
            raise ValueError(
                f"{name} has axes {given} before its positions: wanted {wanted}, those "
                "of the query"
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
        if not (_is_symbolic(value) or _is_symbolic(least)):
            require_at_least(name, value, least)


def _is_symbolic(size):
    """Whether a size is unknown until the function runs: a tensor, PyTorch's SymInt."""
    return not isinstance(size, Real) and (
        hasattr(size, "dtype") or hasattr(size, "node")
    )


def require_memory(memory, cache, cross_attention):
    """Raise unless there is a memory where, and only where, it is attended to."""
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
    """Return d_model / num_heads, the size of a head; raise if it is not whole."""
    d_model = require_positive("d_model", d_model)
    num_heads = require_positive("num_heads", num_heads)
    if d_model % num_heads:
        raise ValueError(
            f"d_model is {d_model} and num_heads is {num_heads}: wanted a d_model that "
            "num_heads divides, or a d_k"
        )
    return d_model // num_heads


def require_text(name: str, value: object) -> None:
    """Raise unless `value` is a string that UTF-8 can write.

    A surrogate is half of a character; alone it has no meaning and no bytes.
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} is of type {type(value).__name__}: wanted a string")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        code = ord(value[error.start])
        raise ValueError(
            f"{name} has half a character (surrogate U+{code:04X}) at position "
            f"{error.start}: wanted whole characters"
        ) from None


def require_texts(name: str, values: Iterable[str]) -> list[str]:
    """Return `values` as a list; raise unless all are strings, and not one string."""
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        kind = type(values).__name__
        raise TypeError(f"{name} is of type {kind}: wanted a list of strings")
    values = list(values)
    for place, value in enumerate(values):
        require_text(f"{name}[{place}]", value)
    return values


def match_pairs(
    texts: Iterable[str], pairs: Iterable[str] | None
) -> list[tuple[str, str | None]]:
    """Return each of `texts` with its second text, or with None where there is none."""
    texts = require_texts("texts", texts)
    pairs = [None] * len(texts) if pairs is None else require_texts("pairs", pairs)
    if len(pairs) != len(texts):
        raise ValueError(
            f"pairs has {len(pairs)} texts: wanted {len(texts)}, one for each of texts"
        )
    return list(zip(texts, pairs, strict=True))


def require_tokens(vocab: Mapping[str, int], needed: Iterable[str]) -> None:
    """Raise unless the dictionary `vocab` gives each of the tokens `needed` an id."""
    if missing := [token for token in needed if token not in vocab]:
        raise ValueError(f"vocab has no {missing[:3]}: wanted an id for each")


def look_up(tokens: Mapping[int, str], ids: Iterable[int]) -> list[str]:
    """Return the token of each of `ids`; raise unless all are keys of `tokens`."""
    try:
        ids = [index(token_id) for token_id in ids]
    except TypeError:
        raise TypeError(
            f"ids is {ids!r}: wanted integers, one for each token"
        ) from None
    for place, token_id in enumerate(ids):
        if token_id not in tokens:
            raise ValueError(
                f"ids[{place}] is {token_id}: wanted one of the vocabulary's, "
                f"{min(tokens)} to {max(tokens)}"
            )
    return [tokens[token_id] for token_id in ids]


def require_prompts(name, ids):
    """Raise unless `ids` are integers (batch, length), and neither of the two is 0."""
    require_ids(name, ids)
    if 0 in ids.shape:
        raise ValueError(
            f"{name} has shape {tuple(ids.shape)}: wanted (batch, length), neither 0"
        )


def require_prompt_mask(attention_mask, ids):
    """Raise unless the mask of `ids` is boolean and has shape (batch, 1, 1, length)."""
    _require_tensor("attention_mask", attention_mask, BOOLEANS, "bool")
    batch, length = ids.shape
    given, wanted = tuple(attention_mask.shape), (batch, 1, 1, length)
    if given != wanted:
        raise ValueError(f"attention_mask has shape {given}: wanted {wanted}")


def require_marked_padding(rows, pad_id, eos_id):
    """Raise if `pad_id` is at an end of a prompt, where it may be padding.

    If it ends texts, too, a prompt alone and one of a single token have no padding.
    """
    if pad_id == eos_id and 1 in (len(rows), len(rows[0])):
        return
    for row, ids in enumerate(rows):
        if pad_id in (ids[0], ids[-1]):
            raise ValueError(
                f"attention_mask is None: wanted one, because row {row} of ids begins "
                f"or ends with {pad_id}, the pad_id"
            )


def require_padding_outside(rows):
    """Raise unless each row, True at tokens, has one, and no padding between them."""
    for row, real in enumerate(rows):
        if not any(real):
            raise ValueError(
                f"attention_mask has no token in row {row}: wanted at least one, "
                "beside padding"
            )
        first, end = real.index(True), len(real) - real[::-1].index(True)
        if not all(real[first:end]):
            raise ValueError(
                f"attention_mask has padding between the tokens of row {row}: wanted "
                "padding before or after them"
            )


def require_sampling(beam_size, temperature, top_k, top_p, seed):
    """Raise unless the arguments of sampling fit each other, and each makes sense."""
    if temperature is None:
        for name, value in (("top_k", top_k), ("top_p", top_p), ("seed", seed)):
            if value is not None:
                raise ValueError(
                    f"temperature is None: wanted a number above 0 beside {name}, "
                    "because without one the likeliest token is taken"
                )
        return
    require_number("temperature", temperature)
    if not 0 < temperature < math.inf:
        raise ValueError(
            f"temperature is {temperature}: wanted a number above 0, or None to take "
            "the likeliest token"
        )
    if beam_size != 1:
        raise ValueError(
            f"beam_size is {beam_size}: wanted 1 beside a temperature, because beam "
            "search draws nothing"
        )
    if top_k is not None:
        require_positive("top_k", top_k)
    if top_p is not None:
        require_number("top_p", top_p)
        if not 0 < top_p <= 1:
            raise ValueError(f"top_p is {top_p}: wanted 0 < top_p ≤ 1")
    if seed is not None:
        require_at_least("seed", seed, 0)
