"""Learning: what to predict, what it costs, how to step."""

import math

from scratch.arguments import (
    require_at_least,
    require_fraction,
    require_ids,
    require_positive,
    require_targets,
)

import torch
from torch import nn
from tqdm.auto import tqdm


def shift_right(ids, bos_id):
    """What the decoder may read while it predicts `ids`.

    ids (batch, length); bos_id: the id that begins a row.
    Returns: (batch, length): bos_id, then all ids but the
    last, so that each position predicts the id it lacks.
    Raises: TypeError if ids are no integers.
    Source: Vaswani et al. 2017, section 3.1.
    """
    require_ids("ids", ids)
    require_at_least("bos_id", bos_id, 0)
    first = torch.full_like(ids[:, :1], bos_id)
    return torch.cat([first, ids[:, :-1]], 1)


def cross_entropy(
    logits, targets, pad_id, label_smoothing=0.0
):
    """How surprised a model is, on average over the tokens.

    logits (…, vocab_size); targets (…), integers; pad_id: a
    target that never counts, None if all do; label_smoothing:
    share of the target's probability that all tokens but
    padding divide among them.
    Returns: a number, in nats a token; 0 without a token.
    Raises: TypeError if targets are no integers; ValueError
    for other shapes, or unless 0 ≤ label_smoothing < 1.
    Source: Vaswani et al. 2017, section 5.4.
    """
    require_targets(targets, logits)
    require_fraction("label_smoothing", label_smoothing)
    pad_id = -1 if pad_id is None else pad_id
    log_p = torch.log_softmax(logits, -1)  # (…, vocab_size)
    real = targets != pad_id  # (…)
    index = torch.where(real, targets, 0)[..., None]
    # loss = −log p(target)
    loss = -log_p.gather(-1, index).squeeze(-1)
    if label_smoothing:
        vocab = torch.arange(logits.shape[-1]).to(real.device)
        allowed = vocab != pad_id
        # loss = −(1 − ε) log p(target) − ε mean(log p)
        total = torch.where(allowed, log_p, 0.0).sum(-1)
        spread = -total / allowed.sum()
        loss = loss + label_smoothing * (spread - loss)
    loss = torch.where(real, loss, 0.0)
    return loss.sum() / real.sum().clamp(min=1)


def noam_schedule(step, d_model, warmup):
    """The paper's learning rate: up in a line, down slowly.

    step: counts from 1; d_model: length of the vectors;
    warmup: the step at which the rate is highest.
    Raises: ValueError for a step below 1.
    Source: Vaswani et al. 2017, section 5.3.
    """
    require_positive("step", step)
    require_positive("d_model", d_model)
    require_positive("warmup", warmup)
    # rate = d_model^−0.5 · min(step^−0.5, step · warmup^−1.5)
    slope = min(step**-0.5, step * warmup**-1.5)
    return d_model**-0.5 * slope


def cosine_schedule(step, peak, warmup, last_step):
    """A learning rate that goes up in a line, down in a wave.

    step: counts from 1; peak: the highest rate, at the step
    warmup; last_step: where the rate has come down to 0.
    Raises: ValueError for a step below 1.
    Source: Loshchilov and Hutter 2017, section 3.
    """
    require_positive("step", step)
    require_at_least("last_step", last_step, warmup + 1)
    if step < warmup:
        return peak * step / warmup
    done = (step - warmup) / (last_step - warmup)
    return peak * (1 + math.cos(math.pi * min(done, 1))) / 2


def fit(
    model,
    batches,
    loss,
    learning_rate,
    clip=1.0,
    weight_decay=0.01,
):
    """Train a model, one step of AdamW for each batch.

    batches: a list of tuples of arrays, all of one kind;
    loss(model, *batch): gives the number to bring down;
    learning_rate: a number, or a function of the step, which
    counts from 1; clip: the greatest length of the gradient;
    weight_decay: share of a weight lost at a rate of 1. Runs
    on a GPU if there is one.
    Returns: the loss before each step, a list of numbers.
    Source: Vaswani et al. 2017, section 5.3; AdamW:
    Loshchilov and Hutter 2019, section 2.
    """
    cuda = torch.cuda.is_available()
    device = torch.device("cuda" if cuda else "cpu")
    model.to(device).train()
    variables = list(model.parameters())
    optimizer = torch.optim.AdamW(
        variables,
        betas=(0.9, 0.98),
        eps=1e-9,
        weight_decay=weight_decay,
    )

    def update(*batch):
        optimizer.zero_grad()
        value = loss(model, *batch)
        value.backward()
        nn.utils.clip_grad_norm_(variables, clip)
        optimizer.step()
        return value.detach()

    losses = []
    progress = tqdm(batches, desc="training", unit="step")
    for step, batch in enumerate(progress, start=1):
        rate = learning_rate
        if callable(rate):
            rate = rate(step)
        optimizer.param_groups[0]["lr"] = rate
        batch = [
            torch.as_tensor(array).to(device)
            for array in batch
        ]
        losses.append(float(update(*batch)))
        progress.set_postfix(
            loss=f"{losses[-1]:.3f}", refresh=False
        )
    model.eval()
    return losses
