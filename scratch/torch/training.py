"""Training: decoder inputs, loss, learning rates, loop."""

import math
from collections.abc import Callable, Iterable
from typing import Any

from scratch.checks import (
    require_at_least,
    require_fraction,
    require_ids,
    require_known,
    require_some,
    require_step,
    require_targets,
    require_trainable,
    require_wide_gradients,
)

import torch
from torch import Tensor, nn
from tqdm.auto import tqdm


def shift_right(ids: Tensor, bos_id: int) -> Tensor:
    """Decoder inputs: the targets, one position later.

    Each position then predicts an id that it cannot read.

    Args:
        ids: target ids, shape (batch, length).
        bos_id: the id that begins a row.

    Returns:
        bos_id, then all ids but the last, int64, shape
        (batch, length).

    Example:
        With bos_id 1, [[5, 6, 2]] becomes [[1, 5, 6]].

    Source: Vaswani et al. 2017, section 3.1.
    """
    require_ids("ids", ids)
    require_at_least("bos_id", bos_id, 0)
    ids = torch.as_tensor(ids, dtype=torch.int64)
    first = torch.full_like(ids[:, :1], bos_id)
    return torch.cat([first, ids[:, :-1]], 1)


def cross_entropy(
    logits: Tensor,
    targets: Tensor,
    pad_id: int | None,
    label_smoothing: float = 0.0,
) -> Tensor:
    """Cross-entropy between logits and target ids, averaged
    over the tokens that count.

    Computed in float32 whatever the logits are.

    Args:
        logits: scores, shape (…, vocab_size).
        targets: ids, shape (…).
        pad_id: the target that never counts, which may lie
            outside the vocabulary (-100); None if all count.
        label_smoothing: share of the target's probability
            that all tokens but padding divide among them.

    Returns:
        A float32 number, in nats a token; 0 if none counts.

    Raises:
        TypeError, ValueError: if targets are not ids of the
            vocabulary, one for each row of logits, or unless
            0 ≤ label_smoothing < 1.

    Source: Vaswani et al. 2017, section 5.4.
    """
    require_targets("targets", targets, logits, pad_id)
    require_fraction("label_smoothing", label_smoothing)
    logits = torch.as_tensor(logits).float()
    targets = torch.as_tensor(targets, dtype=torch.int64)
    targets = targets.to(logits.device)
    size = logits.shape[-1]
    require_known("targets", targets, size, pad_id)
    pad_id = -1 if pad_id is None else pad_id
    log_p = torch.log_softmax(logits, -1)  # (…, vocab_size)
    real = targets != pad_id  # (…)
    index = torch.where(real, targets, 0)[..., None]
    # loss = −log p(target)
    loss = -log_p.gather(-1, index).squeeze(-1)
    if label_smoothing:
        vocab = torch.arange(size, device=logits.device)
        allowed = vocab != pad_id  # (vocab_size)
        # loss = −(1 − ε) log p(target) − ε mean(log p)
        total = torch.where(allowed, log_p, 0.0).sum(-1)
        spread = -total / allowed.sum()
        loss = loss + label_smoothing * (spread - loss)
    loss = torch.where(real, loss, 0.0)
    return loss.sum() / real.sum().clamp(min=1)


def noam_schedule(
    step: int, d_model: int, warmup: int
) -> float:
    """The paper's learning rate schedule: linear warm-up,
    then decay with the inverse square root of the step.

    Args:
        step: counts from 1.
        d_model: length of the model's vectors.
        warmup: the step at which the rate is highest, at
            least 1.

    Returns:
        The learning rate.

    Raises:
        ValueError: if an argument is below 1.

    Source: Vaswani et al. 2017, section 5.3.
    """
    require_at_least("step", step, 1)
    require_at_least("d_model", d_model, 1)
    require_at_least("warmup", warmup, 1)
    # rate = d_model^−0.5 · min(step^−0.5, step · warmup^−1.5)
    slope = min(step**-0.5, step * warmup**-1.5)
    return d_model**-0.5 * slope


def cosine_schedule(
    step: int, peak: float, warmup: int, last_step: int
) -> float:
    """A learning rate schedule: linear warm-up, then cosine
    decay to 0.

    Args:
        step: counts from 1.
        peak: the highest rate.
        warmup: the step at which the rate is highest; 0 for
            no warm-up.
        last_step: the step at which the rate reaches 0.

    Returns:
        The learning rate.

    Raises:
        ValueError: if step is below 1, warmup below 0, or
            last_step not above warmup.

    Source: Loshchilov and Hutter 2017, section 3.
    """
    require_at_least("step", step, 1)
    require_at_least("warmup", warmup, 0)
    require_at_least("last_step", last_step, warmup + 1)
    if step < warmup:
        return peak * step / warmup
    done = (step - warmup) / (last_step - warmup)
    return peak * (1 + math.cos(math.pi * min(done, 1))) / 2


def fit(
    model: nn.Module,
    batches: Iterable[tuple[Any, ...]],
    loss: Callable[..., Tensor],
    learning_rate: float | Callable[[int], float],
    clip: float = 1.0,
    weight_decay: float = 0.01,
    device: torch.device | str | None = None,
) -> list[float]:
    """Train a model: one step of AdamW for each batch.

    Frozen weights stay as they are. Unless interrupted, it
    leaves the model on the device where it was, and in
    evaluation mode.

    Args:
        model: the model; its own weights are changed.
        batches: tuples of tensors or arrays.
        loss: `loss(model, *batch)` returns the number to
            minimize.
        learning_rate: a number, or a function of the step,
            which counts from 1.
        clip: the largest norm of the gradient.
        weight_decay: share of each weight removed at a
            learning rate of 1.
        device: where to compute, such as "cpu"; None for a
            GPU if there is one.

    Returns:
        The loss before each step.

    Raises:
        TypeError: if a batch is not a tuple or a list.
        ValueError: if all weights are frozen, there is no
            batch, gradients are float16, or a clip, decay or
            rate goes nowhere or uphill; in TensorFlow, if a
            strategy has replicas, or is not the model's.

    Source: Vaswani et al. 2017, section 5.3, and for AdamW
    Loshchilov and Hutter 2019, section 2.
    """
    variables = list(model.parameters())
    require_trainable("model", variables, clip, weight_decay)
    home = variables[0].device
    if device is None:
        cuda = torch.cuda.is_available()
        device = torch.device("cuda") if cuda else home
    model.to(device).train()
    optimizer = torch.optim.AdamW(
        variables,
        betas=(0.9, 0.98),
        eps=1e-9,
        weight_decay=weight_decay,
        fused=True,  # all weights in one go
    )

    def update(*batch):
        optimizer.zero_grad()
        value = loss(model, *batch)
        require_wide_gradients(value, step)
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
        require_step(rate, batch)
        optimizer.param_groups[0]["lr"] = rate
        batch = [
            torch.as_tensor(array).to(device)
            for array in batch
        ]
        losses.append(float(update(*batch)))
        progress.set_postfix(
            loss=f"{losses[-1]:.3f}", refresh=False
        )
    model.to(home).eval()
    require_some("batches", losses)
    return losses
