"""Fine-tuning: a learning rate for each layer."""

from collections.abc import Callable, Iterable
from typing import Any

from scratch.checks import (
    require_rates,
    require_some,
    require_step,
    require_trainable,
    require_wide_gradients,
)

import torch
from torch import Tensor, nn
from tqdm.auto import tqdm


def layer_rates(
    model: nn.Module, decay: float = 1.0, head: float = 1.0
) -> list[tuple[float, list[Tensor]]]:
    """Shares of the learning rate, from the embeddings up.

    The top layer of model.encoder learns at the full rate,
    each layer below it at `decay` times that of the layer
    above. The embeddings are frozen: they have a share of 0.

    Args:
        model: a model for a task, with an `encoder`.
        decay: a number from 0 to 1.
        head: the share of the rest: the head of the task and,
            where there are, a final norm and a pooler.

    Returns:
        (share, weights) of the embeddings, of each layer and
        of the head.

    Source: Howard and Ruder 2018, section 3.2.
    """
    encoder = model.encoder
    groups = [(0.0, list(encoder.embeddings.parameters()))]
    top = len(encoder.layers) - 1
    for place, layer in enumerate(encoder.layers):
        share = decay ** (top - place)
        groups.append((share, list(layer.parameters())))
    placed = {id(w) for _, group in groups for w in group}
    rest = [
        weight
        for weight in model.parameters()
        if id(weight) not in placed
    ]
    return [*groups, (head, rest)]


def fine_tune(
    model: nn.Module,
    batches: Iterable[tuple[Any, ...]],
    loss: Callable[..., Tensor],
    rates: list[tuple[float, list[Tensor]]],
    learning_rate: Callable[[int], float],
    clip: float = 1.0,
    weight_decay: float = 0.01,
) -> list[float]:
    """Train a model with a rate for each group of weights.

    Like `fit`, but on the device where the model is. What is
    frozen or has a share of 0 stays as it is, and no gradient
    is computed for it.

    Args:
        model, batches, loss, clip, weight_decay: as in fit.
        rates: (share of the learning rate, weights), as
            layer_rates returns them.
        learning_rate: a function of the step, which counts
            from 1.

    Returns:
        The loss before each step.

    Raises:
        TypeError: if a batch, or a group of weights, is not a
            tuple or a list.
        ValueError: as fit, or for a weight in two groups.
    """
    require_rates(rates)
    groups = [
        {"params": group, "share": share}
        for share, group in rates
        if share
    ]
    weights = [w for one in groups for w in one["params"]]
    weights = [w for w in weights if w.requires_grad]
    require_trainable("rates", weights, clip, weight_decay)
    optimizer = torch.optim.AdamW(
        groups,
        betas=(0.9, 0.98),
        eps=1e-9,
        weight_decay=weight_decay,
        fused=True,  # all weights in one call
    )

    def update(*batch):
        optimizer.zero_grad()
        value = loss(model, *batch)
        require_wide_gradients(value, step)
        value.backward(inputs=weights)
        nn.utils.clip_grad_norm_(weights, clip)
        optimizer.step()
        return value.detach()

    model.train()
    losses = []
    progress = tqdm(batches, desc="training", unit="step")
    for step, batch in enumerate(progress, start=1):
        rate = learning_rate(step)
        require_step(rate, batch)
        for group in optimizer.param_groups:
            group["lr"] = group["share"] * rate
        batch = [torch.as_tensor(array) for array in batch]
        losses.append(float(update(*batch)))
    optimizer.zero_grad()
    model.eval()
    require_some("batches", losses)
    return losses
