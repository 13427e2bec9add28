"""How tensors of a published checkpoint become parameters of our models, and back."""

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import Any

from scratch.config import TransformerConfig

import numpy as np

log = logging.getLogger(__name__)

# Stored constants may have been rounded to bfloat16, numbers near 1 by up to 0.002.
ROUNDED = 0.004
# Checkpoints that were converted from the first BERT still have TensorFlow's names.
OLD_SUFFIXES = {".gamma": ".weight", ".beta": ".bias"}


@dataclass(frozen=True)
class Form:
    """How an array is stored: `take` makes ours of theirs, `give` theirs of ours.

    Both are called with the array, in PyTorch's layout, and our config.
    """

    take: Callable
    give: Callable


WHOLE = Form(lambda array, config: array, lambda array, config: array)
# A matrix that is stored as (in, out).
TRANSPOSED = Form(lambda array, config: array.T, lambda array, config: array.T)
# A vector that is stored as a matrix of one row.
ONE_ROW = Form(
    lambda array, config: array.reshape(-1), lambda array, config: array[None]
)
# Positions that count from pad_id + 1; no token uses the rows before that.
LATE_POSITIONS = Form(
    lambda array, config: np.atleast_1d(array)[config.pad_id + 1 :],
    lambda array, config: np.pad(array, ((config.pad_id + 1, 0), (0, 0))),
)
# A table that is stored with an axis for the batch.
ONE_BATCH = Form(
    lambda array, config: np.atleast_1d(array)[0], lambda array, config: array[None]
)


def kernel(channels, size):
    """A matrix of flat squares that is stored as a convolution's kernel."""
    return Form(
        lambda array, config: array.reshape(len(np.atleast_1d(array)), -1),
        lambda array, config: array.reshape(-1, channels, size, size),
    )


def third(number):
    """Query (0), key (1) or value (2) of a matrix that is stored as (in, 3 · out).

    The three are joined again by `Recipe.give`.
    """
    return Form(
        lambda array, config: np.array_split(np.atleast_1d(array.T), 3)[number],
        lambda array, config: array.T,
    )


@dataclass(frozen=True)
class Rule:
    """One line of a family's table: the path of their module, and of ours.

    `{}` is one step of a path, such as a layer's number. `.weight` and `.bias`
    are kept. `form` is how the array is stored.
    """

    theirs: str
    ours: str
    form: Form = WHOLE

    def path_for(self, name):
        """Return our path for their tensor, or None if the rule is not about it."""
        return rename(name, self.theirs, self.ours)

    def name_for(self, path):
        """Return their name for our path, or None if the rule is not about it."""
        return rename(path, self.ours, self.theirs)


def rename(path, old, new):
    """Return `path` with `new` in place of `old`, or None if it is not `old`."""
    steps = re.escape(old).replace(r"\{\}", r"([^.]+)")
    match = re.fullmatch(rf"{steps}(\.weight|\.bias|\.gamma|\.beta)?", path)
    if not match:
        return None
    *numbers, suffix = match.groups(default="")
    return new.format(*numbers) + OLD_SUFFIXES.get(suffix, suffix)


def within(theirs, ours, rules):
    """Return the rules with `theirs` and `ours` before their paths, "" for nothing."""
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
    """All that turns one checkpoint into a model, and the model into a checkpoint.

    Args:
        family: the Family, whose tables name what its models share.
        head: the Head that the model has.
        config: our model's TransformerConfig.
        labels: the names of a classifier's classes.
        patches: of a model of pictures, the size of a patch, the channels, and the
            pictures' (height, width).
    """

    family: Any
    head: Any
    config: TransformerConfig
    labels: list[str]
    patches: tuple[int, int, tuple[int, int]] | None = None

    @cached_property
    def body_rules(self):
        """The table of names of what the family's models share."""
        place = "" if self.head.bare else self.family.place
        return within("", place, self.family.rules)

    @property
    def rules(self):
        """The whole table of names; the head's own come first."""
        return [*self.head.rules, *self.body_rules]

    @property
    def repeats(self):
        """Their tensors that must equal another of them."""
        tied = self.family.tied if self.config.tie_output else {}
        return self.family.repeats | self.head.repeats | tied

    def reason_to_drop(self, name):
        """Return why their tensor is not needed, or None if it is."""
        for module, reason in (self.family.drops | self.head.drops).items():
            if rename(name, module, "") is not None:
                return reason
        return None

    def constant_for(self, name):
        """Return the path of our attribute that their tensor must equal, or None."""
        paths = [rename(name, *pair) for pair in self.family.constants.items()]
        return next((path for path in paths if path), None)

    def take(self, tensors, model=None):
        """Return {our path: (their name, our array)}, and a list of what is wrong.

        Args:
            tensors: {their name: array}.
            model: the one to compare constants with, for a family that stores some.
        """
        short_names = {name.removeprefix(self.family.prefix): name for name in tensors}
        taken, wrong = {}, []
        for name, array in tensors.items():
            short = name.removeprefix(self.family.prefix)
            if reason := self.reason_to_drop(short):
                log.info("%s is left out: %s", name, reason)
                continue
            if constant := self.constant_for(short):
                ours = np.asarray(attrgetter(constant)(model))
                if array.shape != ours.shape or not np.allclose(
                    array.astype(np.float32), ours, atol=ROUNDED
                ):
                    wrong.append(f"{name} differs from our {constant}: wanted the same")
                continue
            if short in self.repeats:
                original = short_names.get(self.repeats[short])
                if original and not np.array_equal(array, tensors[original]):
                    wrong.append(f"{name} differs from {original}: wanted the same")
                continue
            rules = [rule for rule in self.rules if rule.path_for(short)]
            if not rules:
                wrong.append(f"{name} {array.shape} has no place")
            for rule in rules:
                path = rule.path_for(short)
                if path in taken:
                    wrong.append(f"{name} and {taken[path][0]} are both {path}")
                taken[path] = name, rule.form.take(array, self.config)
        return taken, wrong

    def name_for(self, path):
        """Return their name for our path, or None."""
        rule = self.rule_for(path)
        return rule and self.written_prefix(rule) + rule.name_for(path)

    def give(self, arrays):
        """Return {their name: array} of {our path: array}; each path has a name."""
        pieces = {}
        for rule in self.rules:
            for path, array in arrays.items():
                if self.rule_for(path) is rule:
                    piece = rule.form.give(array, self.config)
                    pieces.setdefault(self.name_for(path), []).append(piece)
        return {name: np.concatenate(parts, -1) for name, parts in pieces.items()}

    def rule_for(self, path):
        """Return the first rule that names our path, or None."""
        return next((rule for rule in self.rules if rule.name_for(path)), None)

    def written_prefix(self, rule):
        """Return what is written before the name that a rule gives."""
        in_body = any(rule is one for one in self.body_rules)
        return self.family.prefix if in_body and not self.head.bare else ""
