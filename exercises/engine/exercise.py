"""What an exercise is: words, code as text, inputs, a reference, known mistakes."""

import ast
import copy
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from exercises.engine.calls import Call, drawn_calls
from exercises.engine.solution_lock import number_of
from readymade.mistake_language import mistakes_from

import numpy as np

FRAMEWORKS = ("torch", "tensorflow")
NAMES = {"torch": "PyTorch", "tensorflow": "TensorFlow", "python": "Python"}
KINDS = ("build", "predict", "find the bug", "explore")

_MOST_DRAWS = 100  # until the values are not the book's

# A text for both frameworks, or one for each.
Code = str | dict[str, str]


@dataclass(frozen=True, eq=False)
class Exercise:
    """One exercise. Fields without a default must be given."""

    title: str
    kind: str  # one of KINDS
    difficulty: int  # 1, 2 or 3 dots
    minutes: int
    prompt: str  # plain Markdown
    solution: Code  # the answer is the last name that it defines
    why: str  # shown under the solution
    hints: tuple[str, ...]  # from a nudge to nearly all
    # Wrong answers as diffs of the solution (see `readymade.mistake_language`). For an
    # answer that is a value, each is a whole program in plain Python instead, which
    # finds the names of the exercise's file, the drawn values and `right` defined.
    mistakes: str
    # Returns the right output of a case, in NumPy. Gets the case's arguments, and for a
    # class also `weights` and the constructor's arguments by name; for a value, what
    # `values` drew.
    reference: Callable
    # By default, the solution's last function without its body.
    starter: Code | None = None
    # For "find the bug" instead: how the sentence of the starter's mistake begins.
    bug: str = ""
    # draw (numpy Generator) -> inputs: a Call, a tuple of arguments, or one argument.
    cases: Callable[[np.random.Generator], Iterable] | None = None
    # As `cases`, but long enough to reveal a fixed size in the answer. They are asked
    # when all else is right, and do not tell mistakes apart: an answer that is wrong
    # only here gets the sentence of the mistake that is right on all `cases`.
    long_cases: Callable[[np.random.Generator], Iterable] | None = None
    # Whether a function is part of a model in training: a gradient must reach all its
    # arguments that are arrays of floats, or those at these places.
    learns: bool | tuple[int, ...] = False
    # Properties: (ask, draw) -> a sentence about a violation, or None.
    checks: tuple[Callable, ...] = ()
    # Whether many outputs are right: then `checks` judge alone, and the reference's,
    # which is one of them, shows the form.
    free: bool = False
    # What the teacher's seed changes in the words: draw -> {"name": value}, written
    # {{name}} in prompt, starter, solution, mistakes, hints and why.
    values: Callable[[np.random.Generator], dict] | None = None
    # What the book prints instead of the first draw of `values`, and no class gets.
    book: dict | None = None
    tolerance: float = 1e-4
    # Changes of a solution that compute the same: the changed line, and why.
    equivalent: dict[str, str] = field(default_factory=dict)

    def __post_init__(self):
        if self.kind not in KINDS:
            raise ValueError(f"kind is {self.kind!r}: wanted one of {', '.join(KINDS)}")
        if self.difficulty not in (1, 2, 3):
            raise ValueError(f"difficulty is {self.difficulty!r}: wanted 1, 2 or 3")
        if (self.cases is None) != (self.kind_of_answer == "value"):
            is_what = "missing" if self.cases is None else "given"
            raise ValueError(
                f"cases is {is_what}: wanted for functions and classes, not for values"
            )
        # Made here, so that an edit that does not fit is an error at once, not only
        # when a wrong answer needs its name.
        object.__setattr__(self, "_mistaken", self._make_mistakes())
        if self.free and not self.checks:
            raise ValueError(f"checks of {self.title!r} are missing: wanted if free")
        if self.bug:
            self._starter(self.frameworks[0])

    @property
    def frameworks(self):
        """The frameworks it is solved in; ("python",) where none is needed."""
        return FRAMEWORKS if isinstance(self.solution, dict) else ("python",)

    @cached_property
    def _last_statement(self):
        code = self.starter if self.starter is not None else self.solution
        text = _in(code, self.frameworks[0])
        # A placeholder becomes a name, which parses where any value would.
        return ast.parse(re.sub(r"\{\{(\w+)\}\}", r"\1", text)).body[-1]

    @property
    def name(self):
        """The name of the answer, as the solution has it."""
        last = self._last_statement
        return last.targets[0].id if isinstance(last, ast.Assign) else last.name

    @property
    def kind_of_answer(self):
        """What is asked for: a "function", a "class" or a "value"."""
        kinds = {ast.FunctionDef: "function", ast.ClassDef: "class"}
        return kinds.get(type(self._last_statement), "value")

    def name_in(self, framework):
        """The name of the answer in a reader's notebook, which has both frameworks.

        If one starter serves both, it has one name.
        """
        if framework != "tensorflow" or self.one_starter:
            return self.name
        return ("TF" if self.kind_of_answer == "class" else "tf_") + self.name

    def drawn(self, variant=0):
        """The values in the words of a variant. The book prints variant 0.

        No other variant has the book's values, because their solution is printed.
        """
        return _drawn(self, variant)

    @cached_property
    def _printed(self):
        return self.book or self.values(np.random.default_rng(0))

    def words(self, text, variant=0):
        """Fill a variant's values into a text."""
        return _filled(text, self.drawn(variant))

    def starter_in(self, framework, variant=0):
        """The starter's program in one framework."""
        return self.words(self._starter(framework), variant)

    def _starter(self, framework):
        if self.starter is not None:
            return _in(self.starter, framework)
        if not self.bug:
            return _stub(_in(self.solution, framework))
        programs = [
            wrong for says, wrong in self._mistaken if says.startswith(self.bug)
        ]
        if len(programs) != 1:
            raise ValueError(
                f"bug is {self.bug!r}, which begins {len(programs)} mistakes of "
                f"{self.title!r}: wanted one"
            )
        return programs[0][framework]

    def solution_in(self, framework, variant=0):
        """The solution's program in one framework."""
        return self.words(_in(self.solution, framework), variant)

    @property
    def one_starter(self):
        """Whether one starter serves both frameworks, as for a value."""
        return self.kind_of_answer == "value" or self.frameworks == ("python",)

    @property
    def mistaken_in(self):
        """The frameworks in which mistakes are made; a value needs none."""
        return ("python",) if self.kind_of_answer == "value" else self.frameworks

    def mistakes_in(self, framework, variant=0):
        """Return [(sentence, program)] for the mistakes in one framework."""
        drawn = self.drawn(variant)
        return [
            (_filled(says, drawn), _filled(programs[framework], drawn))
            for says, programs in self._mistaken
            if framework in programs
        ]

    def _make_mistakes(self):
        """Return [(sentence, {framework: wrong program})]."""
        right = {
            name: _in(self.solution, name) if name in self.frameworks else ""
            for name in self.mistaken_in
        }
        try:
            return [
                (mistake.says, mistake.made_in(right))
                for mistake in mistakes_from(self.mistakes)
            ]
        except ValueError as error:
            raise ValueError(f"mistakes of {self.title!r}: {error}") from None

    def renamed(self, program, framework):
        """Return the program with its answer named as in the reader's notebook."""
        return re.sub(rf"\b{self.name}\b", self.name_in(framework), program)

    def given(self, variant=0):
        """The names that the program of a mistaken value finds defined."""
        if self.kind_of_answer != "value":
            return {}
        drawn = {**self.drawn(variant), "right": self.right(variant)}
        of_the_file = self.reference.__globals__.items()
        names = {name: value for name, value in of_the_file if name[:2] != "__"}
        return {**names, **copy.deepcopy(drawn)}

    def right(self, variant=0):
        """The right value of a variant, computed once for many answers."""
        return _right(self, variant)

    def calls(self, seed):
        """The questions of this seed, smallest first."""
        if self.cases is None:
            return [Call()]
        return drawn_calls(self.cases, seed, self.learns)

    def long_calls(self, seed):
        """The questions asked when the answers to all others are right."""
        return drawn_calls(self.long_cases, seed) if self.long_cases else []


@lru_cache(maxsize=1024)  # some look long for values
def _drawn(exercise, variant):
    if not exercise.values:
        return {}
    printed = exercise._printed
    if not variant:
        return printed
    draw = np.random.default_rng(number_of(variant))
    draws = (exercise.values(draw) for _ in range(_MOST_DRAWS))
    return next((one for one in draws if repr(one) != repr(printed)), printed)


@lru_cache(maxsize=8192)
def _right(exercise, variant):
    return exercise.reference(**exercise.drawn(variant))


@lru_cache(maxsize=1024)  # every answer is compared with it
def _stub(solution):
    """Return a program whose last function is cut off after its docstring."""
    docstring = ast.parse(solution).body[-1].body[0]
    return "".join(solution.splitlines(True)[: docstring.end_lineno]) + "    ...\n"


def _filled(text, drawn):
    for name, value in drawn.items():
        text = text.replace("{{" + name + "}}", str(value))
    return text


def _in(code, framework):
    text = code if isinstance(code, str) else code[framework]
    return text.strip() + "\n"
