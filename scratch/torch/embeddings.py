"""Embeddings: tokens and positions."""

from scratch.checks import (
    require_at_least,
    require_even,
    require_ids,
    require_known,
    require_length,
    require_segments,
)
from scratch.config import TransformerConfig
from scratch.torch.choices import layer_norm_from

import torch
from torch import Tensor, nn


def new_embedding(size: int, d_model: int) -> nn.Embedding:
    """Embedding table with entries of variance 1/d_model.

    They are drawn from a normal distribution with mean 0. A
    row has a norm of about 1, so that logits computed with
    the same table start out small.

    Args:
        size: number of rows.
        d_model: length of a row.
    """
    table = nn.Embedding(size, d_model)
    nn.init.normal_(table.weight, std=d_model**-0.5)
    return table


def sinusoids(
    max_len: int, d_model: int, interleaved: bool = True
) -> Tensor:
    """Sinusoidal position encoding, one row per position.

    Args:
        max_len: number of positions.
        d_model: length of a position's vector, even.
        interleaved: True for sines and cosines that
            alternate, as in the paper; False for all sines
            and then all cosines.

    Returns:
        Values from -1 to 1, float32, (max_len, d_model).

    Raises:
        ValueError: if d_model is odd.

    Example:
        2, 4 -> [[0, 1, 0, 1], [0.84, 0.54, 0.01, 1.00]]

    Source: Vaswani et al. 2017, section 3.5.
    """
    require_even(
        "d_model", d_model, "sines and cosines are pairs"
    )
    # double precision: far positions have large angles; on
    # the CPU: the device meta holds no numbers
    position = torch.arange(max_len, device="cpu").double()
    even = torch.arange(0, d_model, 2, device="cpu").double()
    # angle = position / 10000^(2i / d_model)
    angle = position[:, None] / 10000 ** (even / d_model)
    pair = [torch.sin(angle), torch.cos(angle)]
    if interleaved:
        table = torch.stack(pair, -1).flatten(1)
    else:
        table = torch.cat(pair, -1)
    return table.float()  # (max_len, d_model)


class SinusoidalPositions(nn.Module):
    """Sinusoidal positions as a layer without weights.

    Args:
        d_model: length of a position's vector, even.
        max_len: number of positions.
        interleaved: as in sinusoids.

    Call:
        ids: shape (batch, length); only the length counts.
        start: the position of the first id; integers (batch,
            1) for one in each row, below 0 at padding.

    Returns:
        Shape (length, d_model), or (batch, length, d_model).

    Raises:
        ValueError: beyond max_len, if start is a number.

    Source: Vaswani et al. 2017, section 3.5.
    """

    def __init__(
        self,
        d_model: int,
        max_len: int,
        interleaved: bool = True,
    ):
        super().__init__()
        self.max_len = max_len
        # no buffer: half precision would round the table
        self.table = sinusoids(max_len, d_model, interleaved)

    def forward(
        self, ids: Tensor, start: int | Tensor = 0
    ) -> Tensor:
        length = ids.shape[1]
        require_length("ids", start + length, self.max_len)
        if torch.is_tensor(start):
            start = start.cpu()  # where the table is
        place = torch.arange(length, device="cpu") + start
        place = place.clamp(min=0)  # left padding: row 0
        x = self.table[place]  # (…, length, d_model)
        return x.to(ids.device)


class LearnedPositions(nn.Module):
    """Learned position embeddings, one row per position.

    Args:
        d_model: length of a position's vector.
        max_len: number of positions.

    Call:
        ids, start: as in SinusoidalPositions.

    Returns:
        Shape (length, d_model), or (batch, length, d_model).

    Raises:
        ValueError: beyond max_len, if start is a number.

    Source: Gehring et al. 2017, section 3.1.
    """

    def __init__(self, d_model: int, max_len: int):
        super().__init__()
        self.max_len = max_len
        self.table = new_embedding(max_len, d_model)

    def forward(
        self, ids: Tensor, start: int | Tensor = 0
    ) -> Tensor:
        length = ids.shape[1]
        require_length("ids", start + length, self.max_len)
        device = self.table.weight.device
        place = torch.arange(length, device=device) + start
        place = place.clamp(min=0)  # left padding: row 0
        return self.table(place)  # (…, length, d_model)


class TokenPositions(LearnedPositions):
    """Learned positions that count tokens, not padding.

    Padding may be anywhere: it changes no token's position.
    Otherwise as LearnedPositions.

    Args:
        pad_id: the id of padding.

    Source: the code of Liu et al. 2019 (RoBERTa).
    """

    def __init__(
        self, d_model: int, max_len: int, pad_id: int
    ):
        super().__init__(d_model, max_len)
        self.pad_id = pad_id

    def forward(
        self, ids: Tensor, start: int | Tensor = 0
    ) -> Tensor:
        require_length(
            "ids", start + ids.shape[1], self.max_len
        )
        real = (ids != self.pad_id).long()
        place = real.cumsum(1) - 1 + start
        # padding before all tokens: row 0
        return self.table(place.clamp(min=0))


def positions_from(
    config: TransformerConfig,
) -> SinusoidalPositions | LearnedPositions | None:
    """Position layer of the kind that a config asks for.

    Rotary positions are part of attention: None.
    """
    if config.positions == "rotary":
        return None
    d_model, max_len = config.d_model, config.max_len
    if not config.count_padding:
        return TokenPositions(d_model, max_len, config.pad_id)
    if config.positions == "learned":
        return LearnedPositions(d_model, max_len)
    interleaved = config.interleaved
    return SinusoidalPositions(d_model, max_len, interleaved)


class Embeddings(nn.Module):
    """Sum of token, position and segment embeddings.

    Call:
        ids: integers, shape (batch, length), a tensor or
            NumPy array.
        segment_ids: the same; None for segment 0.
        start: as in SinusoidalPositions.

    Returns:
        Shape (batch, length, d_model).

    Raises:
        TypeError, ValueError: for ids that are not integers
            or have no row, beyond max_len (rotary positions
            have no end), or for segments that the config
            lacks.

    Source: Vaswani et al. 2017, section 3.4; segments and
    norm: Devlin et al. 2019, section 3.
    """

    def __init__(self, config: TransformerConfig):
        super().__init__()
        require_at_least("vocab_size", config.vocab_size, 1)
        d_model = config.d_model
        scale = config.scale_embeddings
        self.scale = d_model**0.5 if scale else 1.0
        self.tokens = new_embedding(
            config.vocab_size, d_model
        )
        self.positions = positions_from(config)
        self.segments = self.norm = None
        if config.num_segments:
            count = config.num_segments
            self.segments = new_embedding(count, d_model)
        if config.norm_embeddings:
            self.norm = layer_norm_from(config)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self,
        ids: Tensor,
        segment_ids: Tensor | None = None,
        start: int | Tensor = 0,
    ) -> Tensor:
        require_ids("ids", ids)
        require_segments(segment_ids, self.segments, ids)
        device = self.tokens.weight.device
        ids = torch.as_tensor(ids).to(device, torch.int64)
        require_known("ids", ids, len(self.tokens.weight))
        # x = √d_model · token + position (+ segment)
        x = self.tokens(ids) * self.scale
        if self.positions is not None:
            x = x + self.positions(ids, start=start).to(x)
        if self.segments is not None:
            if segment_ids is None:
                segment_ids = torch.zeros_like(ids)
            segment_ids = torch.as_tensor(segment_ids).to(ids)
            require_known(
                "segment_ids",
                segment_ids,
                len(self.segments.weight),
            )
            x = x + self.segments(segment_ids)
        if self.norm is not None:
            x = self.norm(x)
        return self.dropout(x)  # (batch, length, d_model)
