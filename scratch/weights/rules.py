"""How the tensors of a published checkpoint become the parameters of our models."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from scratch.config import TransformerConfig

import numpy as np

# Checkpoints that were converted from the first BERT still have TensorFlow's names.
OLD_SUFFIXES = {".gamma": ".weight", ".beta": ".bias"}


def whole(array):
    """Take a tensor as it is."""
    return array


def transposed(array):
    """Take a matrix that is stored as (in, out)."""
    return array.T


def flattened(array):
    """Take a vector that is stored as a matrix of one row."""
    return array.reshape(-1)


def without_rows(number):
    """Take a matrix without its first `number` rows."""
    return lambda array: np.atleast_1d(array)[number:]


def third(number):
    """Take query (0), key (1) or value (2) of a matrix that is (in, 3 · out)."""
    return lambda array: np.array_split(np.atleast_1d(array.T), 3)[number]


@dataclass(frozen=True)
class Rule:
    """One line of a family's table: the path of their module, and of ours.

    `{}` stands for one step of a path, such as a layer's number. `.weight` and `.bias`
    go along. `take` makes our array of theirs, in PyTorch's layout.
    """

    theirs: str
    ours: str
    take: Callable = whole

    def path_for(self, name):
        """Return our path for their tensor, or None if the rule is not about it."""
        return rename(name, self.theirs, self.ours)

    def name_for(self, path):
        """Return their name for our path, or None if the rule is not about it."""
        return rename(path, self.ours, self.theirs)


def rename(path, old, new):
    """Return `path` with `new` in place of `old`, or None if it is no `old`."""
    steps = re.escape(old).replace(r"\{\}", r"([^.]+)")
    found = re.fullmatch(rf"{steps}(\.weight|\.bias|\.gamma|\.beta)?", path)
    if not found:
        return None
    *numbers, suffix = found.groups(default="")
    return new.format(*numbers) + OLD_SUFFIXES.get(suffix, suffix)


def within(theirs, ours, rules):
    """Return the rules with `theirs` and `ours` before each path ("" for nothing)."""
    return [
        replace(
            rule,
            theirs=f"{theirs}.{rule.theirs}".removeprefix("."),
            ours=f"{ours}.{rule.ours}".removeprefix("."),
        )
        for rule in rules
    ]


@dataclass(frozen=True)
class Recipe:
    """All that turns one checkpoint into one model.

    model: name of a class of `scratch.torch`. config: its TransformerConfig;
    arguments: its own, beside the config. rules: the table of names. prefix: what may
    stand before their names. drops: their modules that ours does without, and why.
    repeats: their tensors that must equal another of them.
    """

    model: str
    config: TransformerConfig
    rules: list[Rule]
    prefix: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    drops: dict[str, str] = field(default_factory=dict)
    repeats: dict[str, str] = field(default_factory=dict)

    def reason_to_drop(self, name):
        """Return why their tensor is not needed, or None if it is."""
        for module, reason in self.drops.items():
            if rename(name, module, "") is not None:
                return reason
        return None

    def name_for(self, path):
        """Return their name for our path, or None."""
        names = [rule.name_for(path) for rule in self.rules]
        return next((name for name in names if name), None)
