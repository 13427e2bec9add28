"""From raw pixels to what a published model of pictures takes."""

import json
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Real
from pathlib import Path
from typing import Any

from readymade.weights.files import read_json
from scratch.checks import require_above_zero, require_height_and_width, require_number

import numpy as np

FILE = "preprocessor_config.json"
# What a file leaves out, as in `transformers`.
LEFT_OUT = {
    "do_resize": True,
    "size": {"height": 224, "width": 224},
    "resample": 2,  # bilinear, as Pillow numbers it
    "do_rescale": True,
    "rescale_factor": 1 / 255,
    "do_normalize": True,
    "image_mean": [0.5, 0.5, 0.5],
    "image_std": [0.5, 0.5, 0.5],
}


@dataclass(frozen=True)
class PictureProcessor:
    """Scale and normalize raw pixels: (scale · pixels − mean) / std.

    Pictures are not resized: the size must be right.

    Args:
        size: (height, width) of the pictures.
        mean, std: a number for each channel.
        scale: what pixels are multiplied by first.
        settings: what else the file said; it is saved again.

    Call:
        pictures: integers, (batch, channels, height, width), from 0 to 1 / scale.

    Returns:
        Float32, the same shape, a NumPy array.

    Raises:
        TypeError: pictures aren't integers, so they may be scaled already.
        ValueError: their size or their channels are others, or a pixel is out of range.
    """

    size: tuple[int, int]
    mean: Sequence[float] = (0.5, 0.5, 0.5)
    std: Sequence[float] = (0.5, 0.5, 0.5)
    scale: float = 1 / 255
    settings: dict[str, Any] = field(default_factory=dict, compare=False)

    def __post_init__(self):
        require_height_and_width("size", self.size)
        if not 0 < len(self.mean) == len(self.std):
            raise ValueError(
                f"mean is {self.mean} and std is {self.std}: wanted a number for each "
                "channel in both"
            )
        for one in self.mean:
            require_number("mean", one, Real)
        for one in (*self.std, self.scale):
            require_above_zero("std and scale", one)
        for name in ("size", "mean", "std"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    def __call__(self, pictures: np.ndarray) -> np.ndarray:
        pictures = np.asarray(pictures)
        if not np.issubdtype(pictures.dtype, np.integer):
            raise TypeError(
                f"pictures holds {pictures.dtype}: wanted integers, such as uint8"
            )
        shape = (len(self.mean), *self.size)
        if pictures.ndim != 4 or pictures.shape[1:] != shape:
            axes = ", ".join(map(str, shape))
            raise ValueError(
                f"pictures has shape {pictures.shape}: wanted (batch, {axes}); "
                "resize them first, for example with Pillow"
            )
        brightest = round(1 / self.scale)
        wrong = (pictures < 0) | (pictures > brightest)
        if wrong.any():
            raise ValueError(
                f"pictures holds {pictures[wrong][0]}: wanted 0 to {brightest}"
            )
        mean, std = (
            np.array(one, np.float32)[:, None, None] for one in (self.mean, self.std)
        )
        return (pictures * np.float32(self.scale) - mean) / std


def read_processor(folder: Path, size: tuple[int, int]) -> PictureProcessor | None:
    """Return the PictureProcessor in a folder, or None with a warning that says why.

    Args:
        folder: the folder of the published model.
        size: (height, width) of the pictures that the model takes.
    """
    path = folder / FILE
    if not path.exists():
        reason = f"{folder} has no {FILE}"
        warnings.warn(f"the processor is None: {reason}", stacklevel=3)
        return None
    given = read_json(path)
    settings = LEFT_OUT | given
    try:
        processor = PictureProcessor(
            *sizes_of(settings), settings["rescale_factor"], given
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} says {error}") from error
    if processor.size != size:
        reason = f"{path} has size {processor.size}: wanted {size}, the model's"
        warnings.warn(f"the processor is None: {reason}", stacklevel=3)
        return None
    return processor


def sizes_of(settings):
    """Return size, mean and std of the settings of a file."""
    for name, wanted in (
        ("do_rescale", True),
        ("do_normalize", True),
        ("do_center_crop", False),
    ):
        if settings.get(name, wanted) is not wanted:
            raise ValueError(f"{name} is {settings[name]!r}: wanted {wanted}")
    size = settings["size"]
    if isinstance(size, int):  # as the first files have it
        size = {"height": size, "width": size}
    if not isinstance(size, dict) or {*size} != {"height", "width"}:
        raise ValueError(f"size is {size!r}: wanted height and width")
    mean, std = settings["image_mean"], settings["image_std"]
    return (size["height"], size["width"]), mean, std


def processor_files(processor: PictureProcessor) -> dict[str, bytes]:
    """Return {name: content} of the file that holds a processor."""
    settings = {"image_processor_type": "ViTImageProcessor", **LEFT_OUT}
    settings |= processor.settings
    settings |= {
        "size": dict(zip(("height", "width"), processor.size, strict=True)),
        "image_mean": [*processor.mean],
        "image_std": [*processor.std],
        "rescale_factor": processor.scale,
    }
    return {FILE: json.dumps(settings, indent=2, ensure_ascii=False).encode() + b"\n"}
