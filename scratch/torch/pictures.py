"""Pictures as tokens: patches, and pictures beside texts."""

from scratch.checks import (
    require_height_and_width,
    require_pairs,
    require_pictures,
    require_segments,
    require_temperature,
    require_tiles,
)
from scratch.config import TransformerConfig
from scratch.torch.attention import new_linear
from scratch.torch.embeddings import positions_from

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def patches(pictures: Tensor, size: int) -> Tensor:
    """Patches: pictures cut into squares, a row for each.

    They come in reading order. A row has its pixels by
    channel, line and column, as a convolution's weights in
    PyTorch.

    Args:
        pictures: (batch, channels, height, width).
        size: length of a square's side, in pixels.

    Returns:
        (batch, patches, channels · size · size).

    Raises:
        TypeError, ValueError: for other axes, or if size
            does not divide height and width.

    Example:
        [[[[1, 2, 3, 4], [5, 6, 7, 8]]]], 2
        -> [[[1, 2, 5, 6], [3, 4, 7, 8]]]

    Source: Dosovitskiy et al. 2021, section 3.1.
    """
    require_tiles("pictures", pictures, size)
    _, channels, height, width = pictures.shape
    rows, columns = height // size, width // size
    x = torch.as_tensor(pictures).reshape(
        (-1, channels, rows, size, columns, size)
    )
    # (batch, rows, columns, channels, size, size)
    x = x.permute(0, 2, 4, 1, 3, 5)
    length = channels * size * size
    return x.reshape((-1, rows * columns, length))


class PatchEmbeddings(nn.Module):
    """Embeddings of patches: [CLS], patches and positions.

    They take the place of Embeddings in an encoder.

    Args:
        config: its vocab_size and pad_id are None; max_len
            has room for [CLS] and the patches.
        size: length of a patch's side, in pixels.
        channels: numbers of a pixel: 1 for gray, 3 for RGB.
        picture_size: (height, width) of all pictures; None
            for any. Other shapes can have as many patches,
            but their positions mean other places.

    Call:
        pictures: floats, (batch, channels, height, width), a
            tensor or NumPy array.
        segment_ids: None, because pictures have no segments.

    Returns:
        Shape (batch, 1 + patches, d_model).

    Raises:
        TypeError, ValueError: for pictures that are not
            floats, as patches, for other channels or another
            size, beyond max_len, or if a number is NaN or
            beyond ±100, as pixels are that were not scaled.

    Source: Dosovitskiy et al. 2021, section 3.1, equation 1.
    """

    def __init__(
        self,
        config: TransformerConfig,
        size: int,
        channels: int = 1,
        picture_size: tuple[int, int] | None = None,
    ):
        super().__init__()
        require_height_and_width(
            "picture_size", picture_size, or_none=True
        )
        d_model = config.d_model
        scale = config.scale_embeddings
        self.scale = d_model**0.5 if scale else 1.0
        self.size, self.channels = size, channels
        self.picture_size = picture_size
        self.projection = new_linear(
            channels * size * size, d_model
        )
        self.cls = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = positions_from(config)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self, pictures: Tensor, segment_ids: None = None
    ) -> Tensor:
        require_pictures(
            "pictures",
            pictures,
            self.channels,
            self.picture_size,
        )
        require_segments(segment_ids, None, pictures)
        pictures = torch.as_tensor(pictures).to(self.cls)
        # x = √d_model · [CLS; patch₁ E; …] + positions
        x = self.projection(patches(pictures, self.size))
        cls = self.cls.expand(len(x), -1, -1)
        x = torch.cat([cls, x], 1) * self.scale
        if self.positions is not None:
            x = x + self.positions(x).to(x)
        return self.dropout(x)  # (batch, length, d_model)


def contrastive_loss(
    pictures: Tensor,
    texts: Tensor,
    temperature: float | Tensor,
) -> Tensor:
    """Contrastive loss: which text belongs to a picture,
    which picture to a text, among those of the batch.

    Args:
        pictures, texts: floats, (batch, d); a picture belongs
            to the text in the same row.
        temperature: what cosines are divided by, above 0.

    Returns:
        The mean of the two cross-entropies, in nats.

    Raises:
        TypeError, ValueError: if an argument does not fit.

    Source: Radford et al. 2021, section 2.3 and figure 3.
    """
    require_pairs(pictures, texts)
    require_temperature(temperature)
    pictures = F.normalize(pictures.float(), dim=-1)
    texts = F.normalize(texts.float(), dim=-1)
    # logits = cosine(picture, text) / temperature
    logits = pictures @ texts.T / temperature
    own = torch.arange(len(logits)).to(logits.device)
    text = F.cross_entropy(logits, own)
    picture = F.cross_entropy(logits.T, own)
    return (text + picture) / 2
