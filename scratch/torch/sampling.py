"""From logits to text: drawing each token at random."""

from collections.abc import Callable

from scratch.checks import require_finite, require_sampling
from scratch.random_numbers import uniform_numbers
from scratch.sampling import Sampling

import torch
from torch import Tensor


def token_ranks(logits: Tensor) -> Tensor:
    """Each token's place in the order of probability.

    Args:
        logits: (batch, vocab_size).

    Returns:
        Integers (batch, vocab_size), 0 at the likeliest
        token. Of equal ones the lower id comes first.

    Example:
        [[0.5, 2.0, 0.5, 1.0]] -> [[2, 0, 3, 1]]
    """
    order = (-logits).argsort(dim=-1, stable=True)
    return order.argsort(-1)


def top_k_logits(logits: Tensor, top_k: int) -> Tensor:
    """Logits in which only the top_k likeliest tokens may be
    drawn.

    Args:
        logits: (batch, vocab_size).
        top_k: how many tokens keep their logit.

    Returns:
        (batch, vocab_size), with -∞ at all the others.

    Source: Fan et al. 2018, section 5.4.
    """
    require_sampling(top_k=top_k)
    allowed = token_ranks(logits) < top_k
    return torch.where(allowed, logits, -torch.inf)


def top_p_logits(logits: Tensor, top_p: float) -> Tensor:
    """Logits in which only the nucleus may be drawn: the
    fewest likeliest tokens that together have top_p.

    Args:
        logits: (batch, vocab_size).
        top_p: the probability that they reach together.

    Returns:
        (batch, vocab_size), with -∞ at all the others.

    Source: Holtzman et al. 2020, section 3.1.
    """
    require_sampling(top_p=top_p)
    p = torch.softmax(logits, -1)
    rank = token_ranks(logits)
    likeliest_first = p.gather(-1, rank.argsort(-1))
    # p of all tokens that are likelier than each one
    before = likeliest_first.cumsum(-1) - likeliest_first
    allowed = before.gather(-1, rank) < top_p
    return torch.where(allowed, logits, -torch.inf)


def drawn_tokens(logits: Tensor, uniform: Tensor) -> Tensor:
    """Draw a token for each row, by its probability.

    The probabilities, laid end to end in the order of ids,
    fill the line from 0 to 1. The token is the one on whose
    part of the line the row's random number falls.

    Args:
        logits: (batch, vocab_size).
        uniform: random numbers, 0 ≤ u < 1, (batch,).

    Returns:
        ids (batch,).

    Example:
        Probabilities [[0.5, 0.2, 0.3]] and [0.6] -> [1]
    """
    p = torch.softmax(logits, -1)
    end = p.cumsum(-1)  # where each token's part ends
    # rounding may leave the sum of all a little below 1
    mark = uniform[:, None] * end[:, -1:]
    return (end <= mark).sum(-1)


def sample(
    next_logits: Callable,
    ids: Tensor,
    eos_id: int | Tensor,
    max_new_tokens: int,
    fill: int,
    sampling: Sampling,
    use_cache: bool = True,
) -> Tensor:
    """Sampling: draw each next token by its probability.

    Args:
        next_logits, ids: as in greedy_search.
        eos_id, max_new_tokens, fill, use_cache: likewise.
        sampling: with a temperature.

    Returns:
        ids (batch, at most length + max_new_tokens).
    """
    new, cache = ids, ()
    ended = torch.zeros_like(ids[:, 0], dtype=torch.bool)
    numbers = uniform_numbers(
        sampling.seed, len(ids), max_new_tokens
    )
    for step in range(max_new_tokens):
        logits, later = next_logits(new, cache)
        require_finite(logits.amax(-1), ids, ended)
        # p(token | ids) = softmax(logits / temperature)
        logits = logits.cpu().double()  # same on any device
        # softmax stays the same, and nothing overflows
        logits = logits - logits.amax(-1, keepdim=True)
        logits = logits / sampling.temperature
        if sampling.top_k is not None:
            logits = top_k_logits(logits, sampling.top_k)
        if sampling.top_p is not None:
            logits = top_p_logits(logits, sampling.top_p)
        uniform = torch.from_numpy(numbers[:, step])
        token = drawn_tokens(logits, uniform).to(ids)
        token = torch.where(ended, fill, token)
        ended = ended | torch.isin(token, eos_id)
        ids = torch.cat([ids, token[:, None]], 1)
        if ended.all():
            break
        new = ids
        if use_cache:
            new, cache = token[:, None], later
    return ids
