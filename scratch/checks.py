"""Checks of arguments, for what would otherwise silently compute something else.

A check is a statement that returns nothing, so a chapter can show the mathematics
without it. It raises TypeError (the wrong kind of thing) or ValueError (a value that
makes no sense), and takes the tensors of both frameworks and NumPy's arrays. What a
framework refuses in clear words by itself is left to it. Sizes that are unknown while
a function is traced (None) pass.
"""

import math
import re
import sys
from collections.abc import Mapping, Set
from itertools import groupby
from numbers import Integral, Real

BOOLEANS = "a boolean tensor, True = may attend"


def require_number(name, value, kind=Real, wanted="a number"):
    """Raise unless `value` is a real number, or of another kind of numbers."""
    if isinstance(value, bool) or not isinstance(value, kind):
        given = f"{value!r} ({type(value).__name__})"
        raise TypeError(f"{name} is {given}: wanted {wanted}")


def require_at_least(name, value, least):
    """Raise unless `value` is an integer not below `least`."""
    require_number(name, value, Integral, "an integer")
    if value < least:
        raise ValueError(f"{name} is {value}: wanted at least {least}")


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
    """Raise unless `value` is a number above 0, and finite.

    Below `least`, where the precision ends (float32), TensorFlow takes it for 0.
    """
    require_number(name, value)
    if not least <= value < math.inf:
        wanted = f"a number above 0 (from {least:.2g} on), and finite"
        raise ValueError(f"{name} is {value}: wanted {wanted}")


def require_from_zero(name, value):
    """Raise unless `value`, a number or a tensor of one, is from 0 on, and finite."""
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


def require_window_layers(numbers, window, layers):
    """Raise unless `numbers` are different layers of so many, and there is a window."""
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


def require_text(name, value):
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


def require_texts(name, values):
    """Raise unless `values` holds strings and is not a string itself.

    An iterator can be read only once, so its texts are checked where it is read. Of a
    dictionary Python would read the keys, and a set has no order.
    """
    no_list = isinstance(values, (str, Mapping, Set))
    if no_list or not hasattr(values, "__iter__"):
        kind = type(values).__name__
        raise TypeError(f"{name} is of type {kind}: wanted a list of strings")
    if not hasattr(values, "__next__"):
        for place, value in enumerate(values):
            require_text(f"{name}[{place}]", value)


def require_list(name, values):
    """Raise if `values` is an iterator, which would be empty when read once more."""
    if hasattr(values, "__next__"):
        raise TypeError(f"{name} is of type {type(values).__name__}: wanted a list")


def require_tokens(vocab, needed):
    """Raise unless the dictionary `vocab` gives each of the tokens `needed` an id."""
    if missing := [token for token in needed if token not in vocab]:
        raise ValueError(f"vocab has no {missing[:3]}: wanted an id for each")


def _require_tensor(name, value, wanted, kind, shape, axes, or_one=False):
    """Raise unless `value` is a tensor or a NumPy array of this kind and shape.

    The kind is "int", "bool", or another pattern in the name of the type; `_fits` says
    which shapes fit, None is any. `wanted` and `axes` are the words for what is wanted.
    """
    # TensorFlow's ragged tensors have no ndim
    if not all(hasattr(value, part) for part in ("dtype", "shape", "ndim")):
        given = "None" if value is None else f"a {type(value).__name__}"
        raise TypeError(f"{name} is {given}: wanted {wanted}")
    held = getattr(value.dtype, "name", str(value.dtype).removeprefix("torch."))
    if not re.search(kind, held):
        raise TypeError(f"{name} holds {held}: wanted {wanted}")
    if shape is not None and not _fits(value.shape, shape, or_one):
        raise ValueError(f"{name} has shape {tuple(value.shape)}: wanted {axes}")


def _fits(given, wanted, or_one=False):
    """Whether a shape is as wanted; a size may be unknown (None), or 1 if `or_one`."""
    return len(given) == len(wanted) and all(
        not isinstance(target, Integral)
        or size in (None, target)
        or (or_one and size == 1)
        for size, target in zip(given, wanted, strict=True)
    )


def _values(tensor):
    """Return the values of a tensor or a NumPy array as a NumPy array."""
    if hasattr(tensor, "is_meta"):  # PyTorch's: it may be on a GPU
        tensor = tensor.cpu()
    return tensor.numpy() if hasattr(tensor, "numpy") else tensor


def require_ids(name, ids, pad_id=None):
    """Raise unless `ids` is a tensor of integers with axes (batch, length)."""
    _require_pad_id(pad_id)
    axes = "(batch, length)"
    _require_tensor(name, ids, "a tensor of integers", "int", (None, None), axes)


def _require_pad_id(pad_id):
    """Raise unless `pad_id` is an integer, of the vocabulary or not, or None."""
    if pad_id is not None:
        require_number("pad_id", pad_id, Integral, "an integer or None")


def require_special(special_ids):
    """Raise unless all `special_ids` are ids; tokens would equal none of them."""
    require_list("special_ids", special_ids)
    for one in special_ids:
        require_at_least("special_ids", one, 0)


def require_known(name, ids, size, pad_id=None):
    """Raise unless `ids` are integers from 0 to `size` - 1, or `pad_id`.

    In the graph of a tf.function this is an operation, which raises TensorFlow's
    InvalidArgumentError. XLA, torch.compile, torch.export and torch.vmap leave it out.
    """
    _require_tensor(name, ids, "a tensor of integers", "int", None, "")
    if size is None:
        return
    if hasattr(ids, "is_meta"):
        import torch

        mapped = torch._C._functorch.is_functorch_wrapped_tensor
        if ids.is_meta or torch.compiler.is_compiling() or mapped(ids):
            return
    in_graph = hasattr(ids, "graph")
    ids = ids if in_graph else _values(ids)
    wanted = f"wanted integers from 0 to {size - 1}"
    wrong = (ids < 0) | (ids >= size)
    if pad_id is not None:
        wanted += f", or the pad_id {pad_id}"
        wrong = wrong & (ids != pad_id)
    if in_graph:
        import tensorflow as tf

        # tf.debugging.Assert has a branch, of which TensorFlow 2.20 warns the reader.
        data = [f"{name} holds", ids[wrong], f": {wanted}"]
        tf.raw_ops.Assert(condition=~tf.reduce_any(wrong), data=data)
    elif wrong.any():
        raise ValueError(f"{name} holds {ids[wrong][0]}: {wanted}")


def require_segments(segment_ids, segments, ids):
    """Raise unless there is one of `segment_ids` for each id, if there are segments."""
    if segment_ids is None:
        return
    if segments is None:
        raise ValueError(
            "segment_ids are given: wanted none, because the config has num_segments=0"
        )
    wanted, axes = "a tensor of integers", f"{tuple(ids.shape)}, one for each of ids"
    _require_tensor("segment_ids", segment_ids, wanted, "int", ids.shape, axes)


def require_targets(name, targets, logits, pad_id=None):
    """Raise unless `targets` (…) are integers, one for each row of `logits` (…, V)."""
    _require_pad_id(pad_id)
    shape = tuple(logits.shape[:-1])
    axes = f"{shape}, one for each row of logits"
    _require_tensor(name, targets, "a tensor of integers", "int", shape, axes)


def require_rewards(rewards):
    """Raise unless `rewards` are float32 or float64: squares of others overflow."""
    wanted, axes = "a tensor of float32 or float64", "(groups, samples)"
    _require_tensor("rewards", rewards, wanted, "^float(32|64)$", (None, None), axes)


def require_same_shape(first, *others):
    """Raise unless all tensors have one shape: another would be spread out unseen."""
    wanted = tuple(first.shape)
    for given in (tuple(other.shape) for other in others):
        if not _fits(given, wanted):
            raise ValueError(f"shapes are {wanted} and {given}: wanted the same")


def require_vectors(name, x, size):
    """Raise unless `x` is a tensor (batch, length, size) without a Keras mask."""
    axes = f"(batch, length, {size})"
    _require_tensor(name, x, f"a tensor {axes}", "", (None, None, size), axes)
    # Keras hands a mask on unseen: to ignore it would change the outputs.
    if getattr(x, "_keras_mask", None) is not None:
        raise ValueError(
            f"{name} has a mask of Keras (mask_zero or Masking): wanted none, but "
            "attention_mask (batch, 1, 1, length), True = may attend"
        )


def require_mask(name, mask, shape):
    """Raise unless `mask` is None, or boolean with the axes of `shape`, or 1 for any.

    A mask with fewer axes is refused, because it would be read from the last axis on:
    (batch, length) as (queries, keys), and (batch, queries, keys) as (heads, …).
    """
    if mask is None:
        return
    axes = f"{tuple(shape)}, where any size may be 1"
    if len(shape) == 4:
        axes = f"(batch, heads, queries, keys) = {axes}"
    _require_tensor(name, mask, BOOLEANS, "bool", shape, axes, or_one=True)


def require_attention_mask(mask, query, key):
    """Raise unless `mask` fits the queries and the keys of all heads."""
    require_mask("attention_mask", mask, (*query.shape[:-1], key.shape[-2]))


def require_mask_for(name, mask, x, keys):
    """Raise unless `mask` fits the queries of `x` (batch, queries, d_model) and `keys`.

    Attention checks its heads: those of the keys may be fewer (grouped queries).
    """
    require_mask(name, mask, (keys.shape[0], None, x.shape[1], keys.shape[2]))


def require_marks(name, marks, ids):
    """Raise unless `marks` are booleans, one for each of `ids`."""
    axes = f"{tuple(ids.shape)}, one for each of ids"
    _require_tensor(name, marks, "a boolean tensor", "bool", ids.shape, axes)


def require_lengths(length, key_length):
    """Raise unless `length` queries can be the last of `key_length` keys."""
    known = isinstance(length, Integral) and isinstance(key_length, Integral)
    if known and key_length < length:
        raise ValueError(f"key_length is {key_length}: wanted at least {length}")


def require_length(name, length, max_len):
    """Raise unless a sequence of `length` tokens fits into `max_len` positions."""
    if isinstance(length, Integral) and length > max_len:
        raise ValueError(f"{name} has {length} tokens: wanted at most {max_len}")


def require_memory(memory, cache, cross_attention):
    """Raise unless there is a memory just where it is attended to, or was (cache)."""
    if cross_attention is None and memory is not None:
        raise ValueError(
            "memory is given: wanted none, because there is no cross-attention"
        )
    if cross_attention is not None and memory is None and not cache:
        raise ValueError(
            "memory is None: wanted the encoder's output (batch, length, d_model)"
        )


def require_step(rate, batch):
    """Raise unless a step goes downhill, and its batch lists what a loss takes."""
    require_from_zero("learning_rate", rate)
    if not isinstance(batch, (tuple, list)):
        raise TypeError(f"batches holds a {type(batch).__name__}: wanted tuples")


def require_some(name, values):
    """Raise if a list is empty, since training would have done nothing."""
    if not values:
        raise ValueError(
            f"{name} is empty: wanted at least one; an iterator can be read only once"
        )


def require_trainable(name, weights, clip, weight_decay):
    """Raise unless some `weights` are not frozen, and a step goes downhill."""
    if not any(getattr(one, "requires_grad", True) for one in weights):
        raise ValueError(f"{name} has frozen weights only: wanted one to train")
    require_above_zero("clip", clip)
    require_from_zero("weight_decay", weight_decay)


def require_rates(rates):
    """Raise unless `rates` lists (share, list of weights), and no weight twice.

    A generator, such as that of `parameters()`, would be empty when read once more.
    """
    lists = [rates]
    if isinstance(rates, (list, tuple)):
        lists += [weights for _, weights in rates]
    for one in lists:
        if not isinstance(one, (list, tuple)):
            wanted = "wanted a list of (share, list of weights)"
            raise TypeError(f"rates holds a {type(one).__name__}: {wanted}")
    for share, _ in rates:
        require_from_zero("a share in rates", share)
    weights = [id(one) for _, group in rates for one in group]
    if len(weights) > len({*weights}):
        raise ValueError("rates holds a weight twice: wanted each in one group only")


def require_built(variables, model):
    """Raise unless all weights of a Keras model, once called, are among `variables`."""
    known = {id(one) for one in variables}
    if new := [one.path for one in model.trainable_variables if id(one) not in known]:
        raise ValueError(f"model had no {new[0]}: wanted a model called before")


def require_wide_gradients(loss, step):
    """Raise if the gradients of a PyTorch loss are float16; looks in the first step."""
    left, seen = [loss.grad_fn] if step == 1 else [], {None}
    while left:
        if (node := left.pop()) not in seen:
            seen.add(node)
            left += [after for after, _ in node.next_functions]
            for one in getattr(node, "_input_metadata", ()):
                _require_wide(str(one.dtype))


def require_wide_layers(model):
    """Raise if the gradients of a Keras model are float16."""
    for layer in model._flatten_layers():
        if layer.trainable_variables:
            _require_wide(layer.compute_dtype)


def _require_wide(dtype):
    """Raise if gradients are float16."""
    if dtype.endswith("float16") and not dtype.endswith("bfloat16"):
        raise ValueError(
            "gradients are float16 (by the weights, autocast or mixed_float16): wanted "
            "float32 or bfloat16, because float16 rounds small ones to 0"
        )


def require_encoder(encoder, part="hidden_states"):
    """Raise unless `encoder` has a part that a whole model, which holds one, hasn't."""
    if not hasattr(encoder, part):
        given = type(encoder).__name__
        raise TypeError(f"encoder is of type {given}: wanted an Encoder")


def require_low_rank(name, base, rank, alpha):
    """Raise unless `base` is a linear layer, and LoRA of this rank would change it."""
    require_at_least("rank", rank, 1)
    require_above_zero("alpha", alpha)
    weight = getattr(base, "kernel", getattr(base, "weight", None))
    if len(getattr(weight, "shape", ())) != 2:
        given = type(base).__name__
        raise TypeError(f"{name} is of type {given}: wanted a linear layer")


def require_lora(encoder, rank, alpha, names):
    """Raise unless add_lora can change all of its layers, an encoder's or decoder's."""
    require_encoder(encoder, "embeddings")
    require_texts("names", names)
    if not 0 < len({*names}) == len(names):
        raise ValueError(f"names is {names}: wanted at least one, and each once")
    for place, layer in enumerate(encoder.layers):
        for name in names:
            base = getattr(layer.self_attention, name, None)
            require_low_rank(f"{name} of layer {place}", base, rank, alpha)


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
            "model was built in the scope of another strategy: wanted a model and "
            f"its training in the same scope, here {type(strategy).__name__}'s"
        )


def require_prompts(name, ids):
    """Raise unless `ids` are integers (batch, length), neither 0, with values."""
    require_ids(name, ids)
    if 0 in ids.shape:
        raise ValueError(
            f"{name} has shape {tuple(ids.shape)}: wanted (batch, length), neither 0"
        )
    if hasattr(ids, "graph"):
        raise TypeError(
            f"{name} is a symbolic tensor: wanted one with values, because generate "
            "stops by what it writes; call it outside tf.function"
        )


def require_finite(highest, ids, ended=None, beam_size=1):
    """Raise unless the highest logit of each text's next token is a finite number.

    It is NaN or ∞ where one of them is, and -∞ where no token is allowed. Texts that
    have ended may have any; each text has `beam_size` rows.
    """
    if not hasattr(highest, "tolist"):  # TensorFlow's
        highest = highest.numpy()
    for row, value in enumerate(highest.tolist()):
        if not math.isfinite(value) and (ended is None or not ended[row]):
            raise ValueError(
                f"logits are {value} for position {ids.shape[1]} of row "
                f"{row // beam_size}: wanted finite numbers"
            )


def require_comparable(name, values):
    """Raise if one of `values` (length,) is NaN or ∞; -∞ is a choice ruled out."""
    for place, value in enumerate(values):
        if not value < math.inf:
            raise ValueError(f"{name}[{place}] is {value}: wanted a finite number")


def require_ends(eos_id, size):
    """Raise unless `eos_id` is an id of a vocabulary of `size`, or a list of them."""
    ends = listed(eos_id)
    if not ends:
        raise ValueError(f"eos_id is {eos_id!r}: wanted at least one id")
    for one in ends:
        require_id("eos_id", one, size)


def listed(ids):
    """Return one id, or several, as a list: those of a tensor, an array or a range."""
    ids = _values(ids).tolist() if hasattr(ids, "ndim") else ids
    return [*ids] if isinstance(ids, (list, tuple, set, frozenset, range)) else [ids]


def require_marked_padding(ids, mask, pad_id, eos_id):
    """Raise if `pad_id` is at an end of a prompt, where it may be padding, unmarked.

    Where pad_id is an end, a batch of one prompt, or of single tokens, needs no mask.
    """
    if mask is not None or (pad_id in listed(eos_id) and 1 in ids.shape):
        return
    for row, tokens in enumerate(_values(ids).tolist()):
        if pad_id in (tokens[0], tokens[-1]):
            raise ValueError(
                f"attention_mask is None: wanted one, because row {row} of ids begins "
                f"or ends with {pad_id}, the pad_id"
            )


def require_prompt_mask(attention_mask, ids):
    """Raise unless this is the mask of prompts with padding at one end, or none.

    It is boolean, (batch, 1, 1, length). A row has a token, and no padding between two.
    """
    name, shape = "attention_mask", (ids.shape[0], 1, 1, ids.shape[1])
    _require_tensor(name, attention_mask, BOOLEANS, "bool", shape, shape)
    for row, real in enumerate(_values(attention_mask)[:, 0, 0].tolist()):
        runs = [is_token for is_token, _ in groupby(real)].count(True)
        if runs != 1:
            found = "padding between the tokens" if runs else "no token"
            raise ValueError(
                f"{name} has {found} in row {row}: wanted a token in each row, and "
                "padding before or after the tokens only"
            )


def require_sampling(beam_size=1, temperature=1, top_k=None, top_p=None, seed=None):
    """Raise unless the arguments of sampling fit each other, and each makes sense."""
    require_at_least("beam_size", beam_size, 1)
    if temperature is None:
        for name, value in (("top_k", top_k), ("top_p", top_p), ("seed", seed)):
            if value is not None:
                raise ValueError(
                    f"temperature is None: wanted a number above 0 beside {name}, "
                    "because without one the likeliest token is taken"
                )
        return
    require_above_zero("temperature", temperature, sys.float_info.min)
    if beam_size != 1:
        raise ValueError(
            f"beam_size is {beam_size}: wanted 1 beside a temperature, because beam "
            "search draws nothing"
        )
    if top_k is not None:
        require_at_least("top_k", top_k, 1)
    if top_p is not None:
        require_number("top_p", top_p)
        if not 0 < top_p <= 1:
            raise ValueError(f"top_p is {top_p}: wanted 0 < top_p ≤ 1")
