"""From logits to text: greedy search and beam search."""

from collections.abc import Callable, Sequence

from scratch.checks import (
    listed,
    require_at_least,
    require_ends,
    require_finite,
    require_length,
    require_prompt_mask,
    require_prompts,
    require_sampling,
)
from scratch.config import TransformerConfig
from scratch.torch.sampling import highest, sample

import torch
import torch.nn.functional as F
from torch import Tensor


def left_padded(
    ids: Tensor, attention_mask: Tensor
) -> Tensor:
    """Move the padding of each prompt to its left end.

    Args:
        ids: prompts, (batch, length), padded at either end.
        attention_mask: boolean, (batch, 1, 1, length), False
            at padding.

    Returns:
        ids (batch, length).

    Raises:
        TypeError, ValueError: for ids or a mask that do not
            fit, a row of padding, or padding between tokens.

    Example:
        [[5, 3, 0], [0, 0, 7]] -> [[0, 5, 3], [0, 0, 7]]
    """
    require_prompts("ids", ids)
    require_prompt_mask(attention_mask, ids)
    ids = torch.as_tensor(ids)
    real = torch.as_tensor(attention_mask)[:, 0, 0]
    real = real.to(ids.device)
    # False before True, otherwise in the order they had
    order = real.int().argsort(dim=1, stable=True)
    return ids.gather(1, order)


def written_mask(
    attention_mask: Tensor, length: int
) -> Tensor:
    """The mask of texts that continue padded prompts.

    Args:
        attention_mask: the prompts', boolean, (batch, 1, 1,
            prompt length), False at padding at either end.
        length: that of the texts that `generate` returned,
            which have their padding on the left.

    Returns:
        Booleans, (batch, 1, 1, length).

    Example:
        [[[[True, False]]]], 3 -> [[[[False, True, True]]]]
    """
    attention_mask = torch.as_tensor(attention_mask)
    padding = (~attention_mask).sum(-1, keepdim=True)
    place = torch.arange(length, device=padding.device)
    return place >= padding  # (batch, 1, 1, length)


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


def reordered(cache: list, rows: Tensor) -> list:
    """The cache, with its parent's rows for each beam.

    Args:
        cache: from the decoder, with batch · beam_size rows.
        rows: (batch · beam_size,), each beam's parent.

    Returns:
        A cache like the one that came. Memory is the same
        for all the beams of a row: it stays.
    """
    return [
        (keys[rows], values[rows], *memory)
        for keys, values, *memory in cache
    ]


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


def generate_ids(
    next_logits: Callable,
    ids: Tensor,
    eos_id: int | Sequence[int],
    max_new_tokens: int,
    config: TransformerConfig,
    beam_size: int = 1,
    use_cache: bool = True,
    temperature: float | None = None,
    top_k: int | None = None,
    top_p: float | None = None,
    seed: int | None = None,
) -> Tensor:
    """Continue prompts by greedy search, beam search or
    sampling.

    Args:
        next_logits: as in the two searches.
        ids: prompts, (batch, length), padded on the left.
        eos_id: the id that ends a row, or several.
        max_new_tokens, use_cache: as in greedy_search.
        config: the decoder's TransformerConfig.
        beam_size: 1 is greedy search.
        temperature: None for a search; a number draws each
            token by its probability instead.
        top_k, top_p, seed: as in sample, for drawing only.

    Returns:
        ids (batch, at most length + max_new_tokens). What
        follows a row's end is pad_id, or the first eos_id.

    Raises:
        TypeError, ValueError: if an argument does not fit,
            for more than config.max_len tokens, or if the
            logits of a token are NaN or infinite.
    """
    require_prompts("ids", ids)
    require_ends(eos_id, config.vocab_size)
    require_at_least("max_new_tokens", max_new_tokens, 1)
    draw = temperature, top_k, top_p, seed
    require_sampling(beam_size, *draw)
    # the last new token is never read
    require_length(
        "ids with max_new_tokens - 1",
        ids.shape[1] + max_new_tokens - 1,
        config.max_len,
    )
    ends = torch.tensor(listed(eos_id)).to(ids)
    fill = config.pad_id
    fill = int(ends[0]) if fill is None else fill

    def allowed(new, cache):
        logits, cache = next_logits(new, cache)
        unwritten_ids = config.unwritten_ids
        return allowed_logits(logits, unwritten_ids), cache

    task = allowed, ids, ends, max_new_tokens, fill
    if temperature is not None:
        return sample(*task, use_cache, *draw)
    if beam_size == 1:
        return greedy_search(*task, use_cache)
    return beam_search(*task, use_cache, beam_size)
