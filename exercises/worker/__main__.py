"""In the sandbox: run a notebook's cells, then answer questions about its answers.

This folder is started as a program without the rest of `exercises`. It holds nothing
worth stealing: no reference, solution or seed.
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

MOST_ANSWERS = 1000  # different ones; far more than anybody writes


def serve(seconds, megabytes, threads):
    """Serve the judge over standard input and output until it hangs up.

    Args:
        seconds: the limit of one answer for one question.
        megabytes: the limit of memory.
        threads: the limit of threads, or 0 where they cannot be counted.
    """
    _limit(megabytes, threads)
    # Prints are discarded, so the pipes move to other descriptors.
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
            replied = reply(answer, case, question["framework"], seconds)
            try:
                channel.send(_as_sent(replied))
            except TooLargeError:
                channel.send(_as_sent(_TOO_LARGE))


_TOO_LARGE = Reply(failure=Failure("TooLarge", "it returns more than an answer needs"))


def _as_sent(replied):
    """Return a `Reply` as a dictionary, without copying: some outputs cannot be."""
    return {**vars(replied), "failure": replied.failure and vars(replied.failure)}


def _limit(megabytes, threads):
    """Limit the resources of this process, as far as a process can limit itself.

    Linux counts threads by user and user namespace. A sandbox has its own namespace, so
    this limit, unless it is 0, is for one worker, however many are running.
    """
    size = megabytes * 2**20
    space = size * 3 // 2  # includes shared mappings, such as libraries
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

    It is the namespace of the module `__main__`, where libraries look for names.
    """

    def __init__(self):
        self.answers = {}  # {number: (answer, values of its names)}
        self.numbers = {}  # {(exercise, variant, `About`): number}
        self.handed_in = {}  # the `numbers` of the present cell, the last one last
        self.futures = 0  # the flags of `from __future__ import …` in any cell
        self.loop = None  # of asyncio, for `await`
        sys.modules["__main__"] = types.ModuleType("__main__")
        self.scope = vars(sys.modules["__main__"])
        self._put_recorder_in_place()

    def _put_recorder_in_place(self):
        """Give notebooks an `exercises` whose `check` records the answer."""
        exercises = types.ModuleType("exercises")
        exercises.check = self._record
        exercises.hint = exercises.solution = lambda *args, **kwargs: None
        sys.modules["exercises"] = exercises
        self.scope |= {
            name: getattr(exercises, name) for name in ("check", "hint", "solution")
        }
        self.scope["display"] = exercises.hint  # IPython's, which shows nothing here
        self.scope["get_ipython"] = Commands

    def _record(self, exercise, answer=None, **how):
        """Record that a check ran, and its answer unless that is still `...`.

        The last of several like answers replaces the others. Code looks up its names
        when it is called, so their present values are kept: a later cell may reuse a
        helper's name. It may also change a value in place, so a value is copied.
        """
        variant = how.get("variant")
        variant = variant if isinstance(variant, int) else None
        about = None if answer is ... else describe(answer, self._name_of(answer))
        key = str(exercise), variant, about
        if key not in self.numbers and len(self.numbers) == MOST_ANSWERS:
            raise RuntimeError(f"{MOST_ANSWERS} answers are handed in already")
        number = self.numbers.setdefault(key, len(self.numbers))
        if not callable(answer):
            # An unreadable value stays as it is, and the judge's question will fail.
            with contextlib.suppress(Exception):
                answer, _ = to_numpy(answer)
        self.answers[number] = answer, dict(self.scope) if callable(answer) else {}
        self.handed_in.pop(key, None)
        self.handed_in[key] = number

    def _name_of(self, answer):
        """Return the notebook's name for code without one, such as a lambda.

        None stands for the code's own name.
        """
        names = [name for name, value in self.scope.items() if value is answer]
        known = not callable(answer) or getattr(answer, "__name__", "") in names
        return None if known else next(iter(names), None)

    def answer(self, number):
        """Return an answer, and restore the values that its names had at its check."""
        answer, names = self.answers[number]
        self.scope |= names
        return answer

    def run(self, name, source, seconds, most):
        """Run a cell statement by statement, going on after one that fails.

        A statement that takes too long ends the cell. `most` limits how many are run;
        None is all.
        """
        self.handed_in = {}
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
        except Exception as error:  # not Python, or too much for the parser
            failure = failure_of(error, {name})
        return {
            "failure": failure and dataclasses.asdict(failure),
            "late": late and dataclasses.asdict(late),
            "done": done,
            "handed_in": [
                (*asked, about and number, about and dataclasses.asdict(about))
                for (*asked, about), number in self.handed_in.items()
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


# Python's own `compile`, which a student may replace.
_compile = builtins.compile
_FUTURES = 0
for _name in __future__.all_feature_names:
    _FUTURES |= getattr(__future__, _name).compiler_flag

if __name__ == "__main__":
    serve(float(sys.argv[1]), int(sys.argv[2]), 0)
