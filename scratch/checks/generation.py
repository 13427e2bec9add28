"""Checks of what generates a text: prompts, logits, ends and sampling."""

import math
import reprlib
import sys
from collections.abc import Mapping
from itertools import groupby

from scratch.checks.masks import BOOLEANS
from scratch.checks.numbers import (
    require_above_zero,
    require_at_least,
    require_id,
    require_length,
    require_number,
)
from scratch.checks.tensors import (
    require_ids,
    require_known,
    require_tensor,
    values_of,
)


def require_prompts(name, ids):
    """Raise unless `ids` are integers (batch, length), neither 0, and not symbolic."""
    require_ids(name, ids)
    _require_values(name, ids, "(batch, length), neither 0")


def _require_values(name, tensor, axes):
    """Raise if no axis may be 0, and one is; or if a tensor is symbolic."""
    if 0 in tensor.shape:
        raise ValueError(f"{name} has shape {tuple(tensor.shape)}: wanted {axes}")
    if hasattr(tensor, "graph"):
        raise TypeError(
            f"{name} is a symbolic tensor: wanted one with values, because generate "
            "stops by what it writes; call it outside tf.function"
        )


def require_source(source_ids, size):
    """Raise unless `source_ids` are prompts with ids below `size`.

    A size of None is for what embeddings of another kind check, such as pictures.
    """
    name = "source_ids"
    if size is None:
        require_tensor(name, source_ids, "a tensor", "", None, "")
        _require_values(name, source_ids, "no axis of 0")
        return
    require_prompts(name, source_ids)
    require_known(name, source_ids, size)


def require_marked_padding(ids, mask, pad_id, eos_id):
    """Raise if a prompt without a mask begins or ends with `pad_id`, maybe padding.

    Where pad_id is an end, a batch of one prompt, or of single tokens, needs no mask.
    """
    if mask is not None or (pad_id in listed(eos_id) and 1 in ids.shape):
        return
    for row, tokens in enumerate(values_of(ids).tolist()):
        if pad_id in (tokens[0], tokens[-1]):
            raise ValueError(
                f"attention_mask is None: wanted one, because row {row} of ids begins "
                f"or ends with {pad_id}, the pad_id"
            )


def require_prompt_mask(attention_mask, ids):
    """Raise unless `attention_mask` marks prompts whose padding is at the ends only.

    It is boolean, (batch, 1, 1, length). A row has a token, and no padding between two.
    """
    name, shape = "attention_mask", (ids.shape[0], 1, 1, ids.shape[1])
    require_tensor(name, attention_mask, BOOLEANS, "bool", shape, shape)
    for row, real in enumerate(values_of(attention_mask)[:, 0, 0].tolist()):
        runs = [is_token for is_token, _ in groupby(real)].count(True)
        if runs != 1:
            problem = "padding between the tokens" if runs else "no token"
            raise ValueError(
                f"{name} has {problem} in row {row}: wanted a token in each row, and "
                "padding before or after the tokens only"
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
    """Raise if one of `values` (length,) is NaN or ∞; -∞ rules a choice out."""
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
    ids = values_of(ids).tolist() if hasattr(ids, "ndim") else ids
    return [*ids] if isinstance(ids, (list, tuple, set, frozenset, range)) else [ids]


def require_language_model(model, kind):
    """Raise unless `model` is of a `kind` of language model."""
    if not isinstance(model, kind):
        raise TypeError(f"model is a {type(model).__name__}: wanted a {kind.__name__}")


def require_draft(model, draft, kind):
    """Raise unless `model` can take guesses back, and `draft` makes some for it.

    A draft is another language model of this `kind`, or a table of n-grams.
    """
    require_language_model(model, kind)
    models = {"model": model}
    if not isinstance(draft, Mapping):
        if not isinstance(draft, kind):
            wanted = f"wanted a {kind.__name__} or a table of n-grams"
            raise TypeError(f"draft is a {type(draft).__name__}: {wanted}")
        models["draft"] = draft
        size, other = model.config.vocab_size, draft.config.vocab_size
        if size != other:
            raise ValueError(
                f"draft has a vocabulary of {other}: wanted {size}, as the model's"
            )
    elif draft:
        ids, counts = next(iter(draft.items()))  # a table may be large
        if not isinstance(ids, tuple) or not isinstance(counts, Mapping):
            given = f"{reprlib.repr(ids)}: {reprlib.repr(counts)}"
            wanted = "wanted a tuple of ids, and how often each id came after them"
            raise TypeError(f"draft has {given}: {wanted}")
    for name, one in models.items():
        if any(layer.window is not None for layer in one.decoder.layers):
            raise ValueError(
                f"{name} has a sliding window: wanted none, because it drops keys that "
                "are needed when guesses are taken back"
            )


def require_room(length, *models):
    """Raise unless each of the models can read so many tokens; a table reads any."""
    for model in models:
        if not isinstance(model, Mapping):
            most = model.config.max_len
            require_length("ids with max_new_tokens - 1", length, most)


def require_one_prompt(name, ids):
    """Raise unless `ids` are integers (1, length), with a length."""
    require_prompts(name, ids)
    if ids.shape[0] != 1:
        raise ValueError(f"{name} has shape {tuple(ids.shape)}: wanted (1, length)")


def require_beams(beam_size, sampling):
    """Raise unless there is a beam, and no second one where tokens are drawn."""
    require_at_least("beam_size", beam_size, 1)
    if beam_size != 1 and sampling.temperature is not None:
        raise ValueError(
            f"beam_size is {beam_size}: wanted 1 beside a temperature, because beam "
            "search draws nothing"
        )


def require_sampling(temperature=1, top_k=None, top_p=None, seed=None):
    """Raise unless the settings of sampling fit each other, and each makes sense."""
    if temperature is None:
        for name, value in (("top_k", top_k), ("top_p", top_p), ("seed", seed)):
            if value is not None:
                raise ValueError(
                    f"temperature is None: wanted a number above 0 beside {name}, "
                    "because without one the likeliest token is taken"
                )
        return
    require_above_zero("temperature", temperature, sys.float_info.min)
    if top_k is not None:
        require_at_least("top_k", top_k, 1)
    if top_p is not None:
        require_number("top_p", top_p)
        if not 0 < top_p <= 1:
            raise ValueError(f"top_p is {top_p}: wanted 0 < top_p ≤ 1")


def require_requests(requests, kind, config, blocks):
    """Raise unless `requests` is a list, and each of them can be served."""
    if not isinstance(requests, (list, tuple)):
        given = type(requests).__name__
        raise TypeError(f"requests is a {given}: wanted a list of requests")
    for one in requests:
        require_request(one, kind, config, blocks)


def require_request(request, kind, config, blocks):
    """Raise unless a model knows the ids of a request, and has room for its text."""
    if not isinstance(request, kind):
        given = type(request).__name__
        raise TypeError(f"request is a {given}: wanted a {kind.__name__}")
    for one in request.ids:
        require_id("ids", one, config.vocab_size)
    require_ends(request.eos_id, config.vocab_size)
    # the last new token is never read
    length = len(request.ids) + request.max_new_tokens - 1
    for most in (config.max_len, len(blocks.users) * blocks.size):
        require_length("ids with max_new_tokens - 1", length, most)


def require_seed(seed):
    """Raise unless a seed is None, or an integer from 0 on."""
    if seed is not None:
        require_at_least("seed", seed, 0)
