"""Methods that compute the same in fewer operations."""

from collections.abc import Callable
from threading import local
from types import MethodType

from scratch.torch.todays_decoder import GroupedQueryAttention

import torch
from torch import Tensor, nn


def own_method(module: nn.Module, name: str) -> Callable:
    """The method that a module has from its class."""
    return MethodType(getattr(type(module), name), module)


class InUse:
    """A method of one module, as long as it is in use.

    Args:
        module: the module that gets it as an attribute.
    """

    name = "forward"

    def __init__(self, module: nn.Module):
        self.module = module

    def __reduce__(self):
        # a copy of the module, or a saved one, is not in use
        return own_method, (self.module, self.name)


class NoDropout(InUse):
    """The forward of a dropout layer: what comes, goes."""

    def __call__(self, x: Tensor) -> Tensor:
        return x


class ShortRMSNorm(InUse):
    """The forward of nn.RMSNorm, in four operations.

    PyTorch 2.13 takes 24 on a processor, with conversions.

    Args:
        module: an nn.RMSNorm over the last axis.
    """

    def __init__(self, module: nn.RMSNorm):
        super().__init__(module)
        weight = module.weight.detach()
        self.size = weight.numel()
        eps = module.eps
        if eps is None:
            eps = torch.finfo(weight.dtype).eps
        floor = (self.size * eps) ** 0.5
        self.floor = torch.tensor(floor, dtype=weight.dtype)
        self.weight = weight * self.size**0.5

    def __call__(self, x: Tensor) -> Tensor:
        if (
            x.shape[-1] != self.size
            or x.dtype != self.weight.dtype
            or torch.compiler.is_compiling()
        ):
            return nn.RMSNorm.forward(self.module, x)
        norm = torch.linalg.vector_norm(
            x, dim=-1, keepdim=True
        )
        # √(Σ x² + size · eps)
        norm = torch.hypot(norm, self.floor)
        return x * self.weight / norm


class Angles:
    """The cosines and sines of one step, for all layers.

    Args:
        frequency: as rotate takes it.
    """

    def __init__(self, frequency: Tensor):
        self.frequency = frequency
        self.ready = local()  # each thread has its own

    def at(
        self, x: Tensor, start: int
    ) -> tuple[Tensor, Tensor]:
        """Cosines and sines of the positions of x.

        Args:
            x: shape (…, length, d_k).
            start: the position of the first vector.

        Returns:
            Cosines and sines, each (length, d_k).
        """
        ready, length = vars(self.ready), x.shape[-2]
        asked = start, length, x.dtype, x.device
        if ready.get("asked") != asked:
            place = torch.arange(start, start + length)
            angle = place[:, None] * self.frequency
            both = angle.cos().to(x), angle.sin().to(x)
            ready.update(asked=asked, both=both)
        return ready["both"]


class SharedTurn(InUse):
    """The method `turned` of GroupedQueryAttention.

    Args:
        module: the attention layer.
        angles: those of all layers with its frequency.
    """

    name = "turned"

    def __init__(self, module: nn.Module, angles: Angles):
        super().__init__(module)
        self.angles = angles

    def __call__(self, x: Tensor, start: int) -> Tensor:
        if torch.compiler.is_compiling():
            turned = GroupedQueryAttention.turned
            return turned(self.module, x, start)
        cos, sin = self.angles.at(x, start)
        swapped = x.roll(x.shape[-1] // 2, -1)
        return torch.addcmul(x * cos, swapped, sin)


def angles_of(
    module: GroupedQueryAttention, known: list[Angles]
) -> Angles:
    """The angles among the known that fit a layer, or new.

    Args:
        module: a layer with rotary positions.
        known: angles; new ones are added.
    """
    for angles in known:
        if torch.equal(angles.frequency, module.frequency):
            return angles
    known.append(Angles(module.frequency))
    return known[-1]


def shortcut(
    module: nn.Module, known: list[Angles]
) -> InUse | None:
    """A shorter method for a module, None if there is none.

    A subclass computes what it likes: it has none.

    Args:
        module: any module.
        known: as in angles_of.
    """
    if type(module) is nn.Dropout:
        return NoDropout(module)
    if type(module) is nn.RMSNorm:
        weight = module.weight
        if weight is not None and weight.dim() == 1:
            return ShortRMSNorm(module)
    rotary = type(module) is GroupedQueryAttention
    if rotary and module.frequency is not None:
        return SharedTurn(module, angles_of(module, known))
    return None
