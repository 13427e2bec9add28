"""In the sandbox: run a notebook's cells, then answer questions about its answers.

This folder is started as a program, and nothing else of `exercises` is there. It holds
nothing worth stealing: no reference, solution or seed.
"""

import ast
import builtins
import dataclasses
import linecache
import os
import resource
import sys
import types

from worker import Failure, Reply, describe, failure_of, reply
from worker.commands import Commands, as_python
from worker.wire import Channel, ClosedError, TooLargeError

MOST_ANSWERS = 200


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
            channel.send(notebook.run(question["cell"], question["source"]))
        else:
            answer = notebook.answers[question["answer"]]
            case = types.SimpleNamespace(**question["case"])
            given = reply(answer, case, question["framework"], seconds)
            try:
                channel.send(dataclasses.asdict(given))
            except TooLargeError:
                channel.send(dataclasses.asdict(_TOO_LARGE))


_TOO_LARGE = Reply(failure=Failure("TooLarge", "it returns more than an answer needs"))


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
    """The student's cells, run one after the other in one namespace."""

    def __init__(self):
        self.answers = []
        self.unanswered = 0
        self.found = []
        self.scope = {"__name__": "__main__"}
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
        """Take down that a check ran, and its answer unless that is still `...`."""
        variant = how.get("variant")
        told = str(exercise), variant if isinstance(variant, int) else None
        if answer is ... and self.unanswered < MOST_ANSWERS:
            self.found.append((*told, None, None))
            self.unanswered += 1
        elif answer is not ... and len(self.answers) < MOST_ANSWERS:
            about = dataclasses.asdict(describe(answer))
            self.found.append((*told, len(self.answers), about))
            self.answers.append(answer)

    def run(self, name, source):
        """Run a cell, statement by statement: one that fails does not stop the rest."""
        self.found = []
        failure = None
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
        try:
            statements = ast.parse(as_python(source), name).body
        except Exception as error:  # no Python, or more than a parser can take
            return {"failure": _told(error, name), "found": []}
        for statement in statements:
            try:
                # With the `compile` of before: a student may have replaced it.
                exec(_compile(ast.Module([statement], []), name, "exec"), self.scope)
            except (Exception, SystemExit, KeyboardInterrupt) as error:
                failure = failure or _told(error, name)
        return {"failure": failure, "found": self.found}


def _told(error, name):
    return dataclasses.asdict(failure_of(error, {name}))


_compile = builtins.compile

if __name__ == "__main__":
    serve(float(sys.argv[1]), int(sys.argv[2]), 0)
