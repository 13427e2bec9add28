"""Fine-tuning: a rate for each layer, low-rank changes."""

from collections.abc import Callable, Iterable
from typing import Any

from scratch.checks import (
    require_encoder,
    require_lora,
    require_low_rank,
    require_rates,
    require_some,
    require_step,
    require_trainable,
    require_wide_gradients,
)
from scratch.config import TransformerConfig
from scratch.torch.attention import new_linear, padding_mask
from scratch.torch.encoder import Encoder

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


class LoRA(nn.Module):
    """A linear layer, and a low-rank change to it.

    `down` starts as the framework's own linear layers do, in
    TensorFlow with larger numbers, and `up` at 0.

    Args:
        base: the linear layer.
        rank: length of the vectors between the two factors.
        alpha: the change is multiplied by alpha / rank.

    Call:
        x: shape (…, d_in).

    Returns:
        Shape (…, d_out); at first that of the base layer.

    Source: Hu et al. 2022, section 4.1.
    """

    def __init__(
        self, base: nn.Linear, rank: int, alpha: float
    ):
        super().__init__()
        require_low_rank("base", base, rank, alpha)
        d_out, d_in = base.weight.shape
        self.base = base
        self.down = nn.Linear(d_in, rank, bias=False)
        self.up = nn.Linear(rank, d_out, bias=False)
        nn.init.zeros_(self.up.weight)
        self.scale = alpha / rank
        self.to(base.weight)  # its precision and device

    def forward(self, x: Tensor) -> Tensor:
        # y = W x + b + (α / r) B A x
        change = self.up(self.down(x))
        return self.base(x) + self.scale * change

    def merged(self) -> nn.Linear:
        """The base layer, with the change added to it."""
        change = self.up.weight @ self.down.weight
        with torch.no_grad():
            # W' = W + (α / r) B A
            self.base.weight += self.scale * change
        return self.base


def add_lora(
    encoder: nn.Module,
    rank: int,
    alpha: float,
    names: tuple[str, ...] = ("query", "value"),
) -> list[Tensor]:
    """Add LoRA to the attention layers of an encoder.

    Args:
        encoder: its linear layers are replaced.
        rank, alpha: as in LoRA.
        names: the linear layers of each attention layer.

    Returns:
        The new weights, which are to be trained.

    Source: Hu et al. 2022, section 4.2.
    """
    require_lora(encoder, rank, alpha, names)
    added = []
    for layer in encoder.layers:
        attention = layer.self_attention
        for name in names:
            base = getattr(attention, name)
            lora = LoRA(base, rank, alpha)
            setattr(attention, name, lora)
            added += [lora.down.weight, lora.up.weight]
    return added


def merge_lora(encoder: nn.Module) -> None:
    """Add the changes to the weights, and remove LoRA.

    Args:
        encoder: as add_lora left it. Afterwards it is built
            as it was before, and computes the same.
    """
    require_encoder(encoder, "embeddings")
    for layer in encoder.layers:
        attention = layer.self_attention
        for name, part in list(attention.named_children()):
            if isinstance(part, LoRA):
                setattr(attention, name, part.merged())


class SpanExtractor(nn.Module):
    """Extractive question answering: where an answer lies.

    Args:
        config, encoder: as in SequenceClassifier.

    Call:
        ids, attention_mask, segment_ids: as in Encoder.

    Returns:
        Logits of the answer's first position, and of its
        last, each (batch, length). At positions that no
        query may attend to, such as padding, it is the lowest
        number of its type.

    Source: Devlin et al. 2019, section 4.2.
    """

    def __init__(
        self,
        config: TransformerConfig,
        encoder: Encoder | None = None,
    ):
        super().__init__()
        self.config = config
        self.encoder = encoder or Encoder(config)
        require_encoder(self.encoder)
        self.ends = new_linear(config.d_model, 2)

    def forward(
        self,
        ids: Tensor,
        attention_mask: Tensor | None = None,
        segment_ids: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        if attention_mask is None:
            pad_id = self.config.pad_id
            attention_mask = padding_mask(ids, pad_id)
        hidden = self.encoder.hidden_states(
            ids, attention_mask, segment_ids
        )
        logits = self.ends(hidden)  # (batch, length, 2)
        # by any query, in any head: (batch, length)
        mask = torch.as_tensor(attention_mask)
        seen = mask.to(hidden.device).any(1).any(1)
        lowest = torch.finfo(logits.dtype).min
        logits = logits.masked_fill(~seen[..., None], lowest)
        return logits[..., 0], logits[..., 1]
