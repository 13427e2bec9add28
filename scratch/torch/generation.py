"""From logits to text: greedy search and beam search."""

from collections.abc import Callable

from scratch.checks import require_finite
from scratch.torch.kv_cache import reordered

import torch
import torch.nn.functional as F
from torch import Tensor


def greedy_search(
    next_logits: Callable,
    ids: Tensor,
    eos_id: int | Tensor,
    max_new_tokens: int,
    fill: int,
    use_cache: bool = True,
) -> Tensor:
    """Greedy search: always append the likeliest token.

    Args:
        next_logits: next_logits(ids, cache) returns the
            logits (batch, vocab_size) of the next token and
            the new cache. ids are those that are not yet in
            the cache, which is () at first.
        ids: prompts, (batch, length).
        eos_id: the id that ends a row; several, (ends,).
        max_new_tokens: largest number of new ids in a row.
        fill: the id that follows a row's end.
        use_cache: False computes everything anew each time.

    Returns:
        ids (batch, at most length + max_new_tokens).
    """
    new, cache = ids, ()
    ended = torch.zeros_like(ids[:, 0], dtype=torch.bool)
    for _ in range(max_new_tokens):
        logits, later = next_logits(new, cache)
        require_finite(logits.amax(-1), ids, ended)
        # token = argmax p(token | ids)
        token = logits.argmax(-1).to(ids.dtype)  # (batch,)
        token = torch.where(ended, fill, token)
        ended = ended | torch.isin(token, eos_id)
        ids = torch.cat([ids, token[:, None]], 1)
        if ended.all():
            break
        new = ids
        if use_cache:
            new, cache = token[:, None], later
    return ids


def highest(
    values: Tensor, count: int
) -> tuple[Tensor, Tensor]:
    """The highest values of each row, and their places.

    Of equal values the first come first, which PyTorch's topk
    does not promise.

    Args:
        values: (batch, length).
        count: how many are wanted, at most length.

    Returns:
        Two tensors (batch, count).
    """
    more = min(count + 1, values.shape[1])
    top, place = values.topk(more)
    if (top[:, 1:] == top[:, :-1]).any():
        top, place = values.sort(descending=True, stable=True)
    return top[:, :count], place[:, :count]


def best_beams(
    score: Tensor, logits: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """The most probable continuations of all beams.

    Args:
        score: log-probabilities, (batch, beam_size).
        logits: of the next token, (batch · beam_size,
            vocab_size).

    Returns:
        score (batch, beam_size) of the best continuations;
        rows (batch · beam_size,), each one's parent; and
        token (batch · beam_size,), what each one adds.
    """
    batch, beam_size = score.shape
    # score = log p(ids) = Σ log p(token | ids before)
    log_p = torch.log_softmax(logits.float(), -1)
    total = score.reshape(-1, 1) + log_p
    size = total.shape[1]
    total = total.reshape(batch, -1)
    score, best = highest(total, beam_size)
    first = torch.arange(batch).to(best.device) * beam_size
    rows = first[:, None] + best // size
    return score, rows.flatten(), (best % size).flatten()


def best_text(
    text: Tensor,
    text_score: Tensor,
    ids: Tensor,
    score: Tensor,
) -> tuple[Tensor, Tensor]:
    """The more probable of a kept text and the best beam.

    Args:
        text: the one kept for each row, (batch, length).
        text_score: its log-probability, (batch,).
        ids: the beams, (batch · beam_size, length).
        score: their log-probabilities, (batch, beam_size).

    Returns:
        text (batch, length) and text_score (batch,).
    """
    batch, beam_size = score.shape
    score, beam = score.max(1)  # (batch,)
    ids = ids.reshape(batch, beam_size, -1)
    row = torch.arange(batch).to(ids.device)
    better = (score > text_score)[:, None]
    text = torch.where(better, ids[row, beam], text)
    return text, torch.maximum(score, text_score)


def beam_search(
    next_logits: Callable,
    ids: Tensor,
    eos_id: int | Tensor,
    max_new_tokens: int,
    fill: int,
    use_cache: bool = True,
    beam_size: int = 4,
) -> Tensor:
    """Beam search: keep the beam_size best beginnings.

    Args:
        next_logits: as in greedy_search, for batch ·
            beam_size rows, the beams of a row together.
        ids, eos_id, max_new_tokens, fill, use_cache: as in
            greedy_search.
        beam_size: the number of beginnings kept.

    Returns:
        For each row, the ids whose log-probability, the sum
        over its new tokens, is the highest that was found:
        (batch, at most length + max_new_tokens).

    Source: Sutskever et al. 2014, section 3.2.
    """
    batch = ids.shape[0]
    text = ids  # the best that ended, and its score
    text_score = torch.full((batch,), -torch.inf)
    text_score = text_score.to(ids.device)
    # all beams start equal: only one may go on
    score = [0.0] + [-torch.inf] * (beam_size - 1)
    score = torch.tensor([score] * batch).to(ids.device)
    ids = ids.repeat_interleave(beam_size, 0)
    new, cache = ids, ()
    for _ in range(max_new_tokens):
        logits, later = next_logits(new, cache)
        require_finite(logits.amax(-1), ids, None, beam_size)
        score, rows, token = best_beams(score, logits)
        token = token.to(ids.dtype)
        ids = torch.cat([ids[rows], token[:, None]], 1)
        # a text that ends leaves the beam; keep the best
        ended = torch.isin(token, eos_id)
        ended = ended.reshape(score.shape)
        text, text_score = best_text(
            F.pad(text, (0, 1), value=fill),
            text_score,
            ids,
            torch.where(ended, score, -torch.inf),
        )
        score = torch.where(ended, -torch.inf, score)
        # scores only fall: no beam can win any more
        if (text_score >= score.amax(1)).all():
            break
        new = ids
        if use_cache:
            new, cache = (
                token[:, None],
                reordered(later, rows),
            )
    return best_text(text, text_score, ids, score)[0]


def allowed_logits(
    logits: Tensor, unwritten_ids: tuple[int, ...]
) -> Tensor:
    """Logits in which some ids have probability 0.

    Args:
        logits: (batch, vocab_size).
        unwritten_ids: those that must never be chosen.

    Returns:
        (batch, vocab_size), with -∞ at unwritten_ids.
    """
    if not unwritten_ids:
        return logits
    never = torch.zeros_like(logits[0], dtype=torch.bool)
    never[list(unwritten_ids)] = True
    return torch.where(never, -torch.inf, logits)
