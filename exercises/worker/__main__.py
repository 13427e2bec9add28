"""In the sandbox: run a notebook's cells, then answer questions about its answers.

This folder is started as a program, and nothing else of `exercises` is there. It holds
nothing worth stealing: no reference, solution or seed.
"""

import __future__

import ast
import builtins
import contextlib
import dataclasses
import linecache
import os
import resource
import sys
import types

from worker import (
    Failure,
    Reply,
    TookTooLongError,
    describe,
    failure_of,
    reply,
    time_limit,
    too_late,
)
from worker.asking import to_numpy
from worker.ipython_commands import Commands, as_python
from worker.wire import Channel, ClosedError, TooLargeError

MOST_ANSWERS = 1000  # that differ; far more than anybody writes


def serve(seconds, megabytes, threads):
    """Serve the judge, over standard input and output, until it hangs up.

    Args:
        seconds: what one answer may take for one question.
        megabytes: of memory.
        threads: the most of them, or 0 where they cannot be counted.
    """
    _limit(megabytes, threads)
    # The student's prints go nowhere; the pipes move out of their way.
    channel = Channel(os.dup(0), os.dup(1))
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    notebook = Notebook()
    while True:
        try:
            question = channel.receive()
        except ClosedError:
            return
        if "cell" in question:
            channel.send(notebook.run(**question["cell"]))
        else:
            answer = notebook.answer(question["answer"])
            case = types.SimpleNamespace(**question["case"])
            given = reply(answer, case, question["framework"], seconds)
            try:
                channel.send(_told(given))
            except TooLargeError:
                channel.send(_told(_TOO_LARGE))


_TOO_LARGE = Reply(failure=Failure("TooLarge", "it returns more than an answer needs"))


def _told(given):
    """Return a `Reply` as it is sent, its output not copied: some cannot be."""
    return {**vars(given), "failure": given.failure and vars(given.failure)}


def _limit(megabytes, threads):
    """Limit what one process may take; `sandbox` limits what a process cannot.

    Linux counts threads by user and user namespace. A sandbox has a namespace of its
    own, so this number, unless it is 0, holds for one worker, however many run.
    """
    size = megabytes * 2**20
    space = size * 3 // 2  # what is mapped but not private, such as libraries
    limits = {
        resource.RLIMIT_DATA: size,
        resource.RLIMIT_AS: space,
        resource.RLIMIT_FSIZE: 64 * 2**20,
        resource.RLIMIT_NOFILE: 256,
        resource.RLIMIT_CORE: 0,
    }
    if threads:
        limits[resource.RLIMIT_NPROC] = threads
    for name, most in limits.items():
        resource.setrlimit(name, (most, most))


class Notebook:
    """The student's cells, run one after the other in one namespace.

    It is that of the module `__main__`, where libraries look names up.
    """

    def __init__(self):
        self.answers = {}  # by number, and what its names stood for
        self.numbers = {}  # by exercise, its variant, and what the answer is
        self.found = {}  # those of the present cell, the last one last
        self.futures = 0  # the flags of `from __future__ import …` in any cell
        self.loop = None  # of asyncio, for `await`
        sys.modules["__main__"] = types.ModuleType("__main__")
        self.scope = vars(sys.modules["__main__"])
        self._put_recorder_in_place()

    def _put_recorder_in_place(self):
        """Give notebooks an `exercises` whose `check` takes the answer down."""
        exercises = types.ModuleType("exercises")
        exercises.check = self._record
        exercises.hint = exercises.solution = lambda *args, **kwargs: None
        sys.modules["exercises"] = exercises
        self.scope |= {
            name: getattr(exercises, name) for name in ("check", "hint", "solution")
        }
        self.scope["display"] = exercises.hint  # IPython's; here it shows nothing
        self.scope["get_ipython"] = Commands

    def _record(self, exercise, answer=None, **how):
        """Take down that a check ran, and its answer unless that is still `...`.

        The last of those that are alike takes the place of those before. Code looks its
        names up when it is called: what they stand for now is kept, for a cell below
        may give a helper's name to another. It may change a value in place, too.
        """
        variant = how.get("variant")
        variant = variant if isinstance(variant, int) else None
        about = None if answer is ... else describe(answer, self._name_of(answer))
        key = str(exercise), variant, about
        if key not in self.numbers and len(self.numbers) == MOST_ANSWERS:
            raise RuntimeError(f"{MOST_ANSWERS} answers are handed in already")
        number = self.numbers.setdefault(key, len(self.numbers))
        if not callable(answer):
            # What cannot be read stays as it is: the judge asks for it, and is told.
            with contextlib.suppress(Exception):
                answer, _ = to_numpy(answer)
        self.answers[number] = answer, dict(self.scope) if callable(answer) else {}
        self.found.pop(key, None)
        self.found[key] = number

    def _name_of(self, answer):
        """Return what the notebook calls code, which may not know: a lambda, a partial.

        None stands for the name that it has itself.
        """
        names = [name for name, value in self.scope.items() if value is answer]
        known = not callable(answer) or getattr(answer, "__name__", "") in names
        return None if known else next(iter(names), None)

    def answer(self, number):
        """Return an answer, and have its names stand for what they did at its check."""
        answer, names = self.answers[number]
        self.scope |= names
        return answer

    def run(self, name, source, seconds, most):
        """Run a cell, statement by statement: one that fails does not stop the rest.

        One that takes too long does. So many are done at most; None is all.
        """
        self.found = {}
        failure, late, done = None, None, 0
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
        try:
            with time_limit(seconds, waiting=1):
                for statement in self._statements(name, source)[:most]:
                    try:
                        self._do(statement, name)
                    except TookTooLongError:
                        raise
                    except BaseException as error:  # such as SystemExit
                        failure = failure or failure_of(error, {name})
                    done += 1
        except TookTooLongError as error:
            late = too_late(error, {name}, seconds)
        except Exception as error:  # no Python, or more than a parser can take
            failure = failure_of(error, {name})
        return {
            "failure": failure and dataclasses.asdict(failure),
            "late": late and dataclasses.asdict(late),
            "done": done,
            "found": [
                (*told, about and number, about and dataclasses.asdict(about))
                for (*told, about), number in self.found.items()
            ],
        }

    def _statements(self, name, source):
        flags = self.futures | ast.PyCF_ONLY_AST
        return _compile(as_python(source), name, "exec", flags, True).body

    def _do(self, statement, name):
        """Run a statement as IPython does, which may also be an `await`."""
        flags = self.futures | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        code = _compile(ast.Module([statement], []), name, "exec", flags, True)
        self.futures |= code.co_flags & _FUTURES
        awaited = eval(code, self.scope)
        if awaited is not None:
            import asyncio

            self.loop = self.loop or asyncio.new_event_loop()
            self.loop.run_until_complete(awaited)


# With the `compile` of before: a student may have replaced it.
_compile = builtins.compile
_FUTURES = 0
for _name in __future__.all_feature_names:
    _FUTURES |= getattr(__future__, _name).compiler_flag

if __name__ == "__main__":
    serve(float(sys.argv[1]), int(sys.argv[2]), 0)
