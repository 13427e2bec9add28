"""What an exercise is: words, code as text, inputs, a reference, and known mistakes."""

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

FRAMEWORKS = ("torch", "tensorflow")
NAMES = {"torch": "PyTorch", "tensorflow": "TensorFlow", "python": "Python"}
KINDS = ("build", "predict", "find the bug", "explore")

# A text for both frameworks, or one for each.
Code = str | dict[str, str]
# A whole program, or one replacement (old, new), or several, applied to the solution.
Change = str | tuple[str, str] | tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Call:
    """A question put to an answer: its arguments, and how to make a class's object."""

    args: tuple = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    new: dict[str, Any] | None = None
    weights: dict[str, np.ndarray] = field(default_factory=dict)
    training: bool = False


def call(*args, new=None, weights=None, training=False, **kwargs):
    """Write a `Call` as one would write the call.

    `new` holds the constructor's arguments when the answer is a class. `weights` gives
    all its parameters by path: "query.kernel" (inputs, outputs), "query.bias",
    "norm.scale", "table.rows", or the name of a bare parameter.
    """
    return Call(args, kwargs, new, weights or {}, training)


@dataclass(frozen=True)
class Mistake:
    """A wrong answer and the sentence that names it.

    The change is an edit of the solution: `both` where the same text changes in both
    frameworks, otherwise one for `torch` and one for `tensorflow`. Where the answer is
    a value that takes a framework to compute, it is a whole program in plain Python
    instead, which finds what was drawn, `right` and `reference` defined.
    """

    says: str
    both: Change | None = None
    torch: Change | None = None
    tensorflow: Change | None = None

    def applied_to(self, solution, framework):
        """Return the wrong program; raise ValueError where an edit finds no place."""
        change = getattr(self, framework, None) or self.both
        if isinstance(change, str):
            return change
        if change is None:
            raise ValueError(f"mistake has no {framework} version: {self.says}")
        for old, new in (change,) if isinstance(change[0], str) else change:
            if old not in solution:
                raise ValueError(f"mistake edits {old!r}, which is not in the solution")
            solution = solution.replace(old, new)
        return solution


@dataclass(frozen=True)
class Exercise:
    """One exercise. Fields without a default must be given."""

    title: str
    kind: str  # one of KINDS
    difficulty: int  # 1, 2 or 3 dots
    minutes: int
    prompt: str  # plain Markdown
    starter: Code  # the answer is the last name that it defines
    solution: Code
    why: str  # stands under the solution
    hints: tuple[str, ...]  # from a nudge to nearly all
    mistakes: tuple[Mistake, ...]
    # The right output of a case, in NumPy. Gets the case's arguments, and for a class
    # also `weights` and the constructor's arguments by name. Where the answer is a
    # value, it gets the drawn `values`.
    reference: Callable
    # draw (numpy Generator) -> inputs: a Call, a tuple of arguments, or one argument.
    cases: Callable[[np.random.Generator], Iterable] | None = None
    # As `cases`, but so long that a fixed size in the answer shows. They are asked when
    # all else is right, and tell no two mistakes apart: an answer that is wrong only
    # here gets the sentence of the mistake that is right on all `cases`.
    long_cases: Callable[[np.random.Generator], Iterable] | None = None
    # Properties: (ask, draw) -> a sentence about the answer, or None.
    checks: tuple[Callable, ...] = ()
    # What the teacher's seed changes in the words: draw -> {"name": value}, written
    # {{name}} in prompt, starter, solution, mistakes, hints and why.
    values: Callable[[np.random.Generator], dict] | None = None
    tolerance: float = 1e-4
    # Changes of a solution that change nothing: the changed line, and why.
    equivalent: dict[str, str] = field(default_factory=dict)

    def __post_init__(self):
        if self.kind not in KINDS:
            raise ValueError(f"kind is one of {KINDS}, not {self.kind!r}")
        if self.difficulty not in (1, 2, 3):
            raise ValueError(f"difficulty is 1, 2 or 3, not {self.difficulty!r}")
        if (self.cases is None) != (self.kind_of_answer == "value"):
            raise ValueError("a function or class needs `cases`; a value has none")

    @property
    def frameworks(self):
        """The frameworks it is solved in; ("python",) where none is needed."""
        return FRAMEWORKS if isinstance(self.solution, dict) else ("python",)

    @property
    def _last_statement(self):
        starter = self.starter
        text = starter if isinstance(starter, str) else next(iter(starter.values()))
        # What the seed draws may stand where only a value can: any name will do here.
        return ast.parse(re.sub(r"\{\{(\w+)\}\}", r"\1", text)).body[-1]

    @property
    def name(self):
        """The name of the answer, as the solution has it."""
        last = self._last_statement
        return last.targets[0].id if isinstance(last, ast.Assign) else last.name

    @property
    def kind_of_answer(self):
        """Is it a "function", a "class" or a "value" that is asked for?"""
        kinds = {ast.FunctionDef: "function", ast.ClassDef: "class"}
        return kinds.get(type(self._last_statement), "value")

    def name_in(self, framework):
        """The name of the answer in a reader's notebook, where both frameworks live.

        One starter for both has one name, and the check asks for that.
        """
        if framework != "tensorflow" or self.one_starter:
            return self.name
        return ("TF" if self.kind_of_answer == "class" else "tf_") + self.name

    def drawn(self, variant=0):
        """What the words of this variant hold. The book prints variant 0."""
        return self.values(np.random.default_rng(variant)) if self.values else {}

    def words(self, text, variant=0):
        """Fill what was drawn into a text."""
        for name, value in self.drawn(variant).items():
            text = text.replace("{{" + name + "}}", str(value))
        return text

    def starter_in(self, framework, variant=0):
        """The starter's program in one framework."""
        return self.words(_in(self.starter, framework), variant)

    def solution_in(self, framework, variant=0):
        """The solution's program in one framework."""
        return self.words(_in(self.solution, framework), variant)

    @property
    def one_starter(self):
        """Whether one starter serves both frameworks, as for a value."""
        return isinstance(self.starter, str) and (
            self.kind_of_answer == "value" or self.frameworks == ("python",)
        )

    @property
    def mistaken_in(self):
        """The frameworks in which mistakes are made: a value needs none."""
        return ("python",) if self.kind_of_answer == "value" else self.frameworks

    def mistakes_in(self, framework, variant=0):
        """Return [(sentence, program)] for the mistakes in one framework."""
        edits_nothing = framework not in self.frameworks
        solution = "" if edits_nothing else _in(self.solution, framework)
        return [
            (
                self.words(mistake.says, variant),
                self.words(mistake.applied_to(solution, framework), variant),
            )
            for mistake in self.mistakes
        ]

    def renamed(self, program, framework):
        """Return the program with its answer named as in the reader's notebook."""
        return re.sub(rf"\b{self.name}\b", self.name_in(framework), program)

    def given(self, variant=0):
        """What the program of a mistaken value finds defined."""
        if self.kind_of_answer != "value":
            return {}
        drawn = self.drawn(variant)
        right = self.reference(**drawn)
        return {**drawn, "right": right, "reference": self.reference}

    def calls(self, seed):
        """The questions of this seed, smallest first."""
        if self.cases is None:
            return [Call()]
        return _drawn_calls(self.cases, seed)

    def long_calls(self, seed):
        """The questions asked when the answers to all others are right."""
        return _drawn_calls(self.long_cases, seed) if self.long_cases else []


def _in(code, framework):
    text = code if isinstance(code, str) else code[framework]
    return text.strip() + "\n"


def _drawn_calls(cases, seed):
    return sorted(map(_as_call, cases(np.random.default_rng(seed))), key=_size)


def _as_call(case):
    if not isinstance(case, Call):
        case = Call(case if isinstance(case, tuple) else (case,))
    # Frameworks compute in single precision: let the reference see the same numbers.
    return Call(
        tuple(map(_single, case.args)),
        {name: _single(value) for name, value in case.kwargs.items()},
        case.new,
        {path: _single(value) for path, value in case.weights.items()},
        case.training,
    )


def _single(value):
    if isinstance(value, np.ndarray) and value.dtype == np.float64:
        return value.astype(np.float32)
    return value


def _size(case):
    given = [*case.args, *case.kwargs.values(), *(case.new or {}).values()]
    return sum(map(_extent, given))


def _extent(value):
    if isinstance(value, np.ndarray):
        return value.size
    if isinstance(value, int):
        return abs(value)
    if isinstance(value, dict):
        return _extent(list(value)) + _extent(list(value.values()))
    if isinstance(value, str):
        return len(value)
    if isinstance(value, list | tuple | set):
        return 1 + sum(map(_extent, value))
    return 1
