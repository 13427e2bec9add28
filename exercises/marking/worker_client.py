"""The judge's end of the pipe: a worker, and answers that live in it."""

import collections
import contextlib
import dataclasses
import os
import time
from typing import NamedTuple

from exercises.engine.exercise import FRAMEWORKS
from exercises.marking import sandbox
from exercises.worker import About, Failure, Reply
from exercises.worker.wire import (
    Channel,
    ClosedError,
    ForgedError,
    SilentError,
    TooLargeError,
)

# What carrying a message may take on a busy machine, in seconds.
_PATIENCE = 5
# What reading all that one answer sends may take the judge, in seconds of work.
_MOST_READING = 1


class WorkerLostError(Exception):
    """The worker is gone or will not answer; the message says so to the student."""


@dataclasses.dataclass
class Cell:
    """A cell of a notebook, and how many of its statements are run; None is all."""

    name: str
    source: str
    most: int | None = None


class Ran(NamedTuple):
    """What came of a cell.

    `found` is what its checks hand in: a list of (exercise, the variant that the check
    names, number of the answer, what it is); the last two are None where no answer was
    filled in.
    """

    failure: Failure | None
    late: Failure | None  # where it was stopped
    done: int  # statements
    found: list


class Worker:
    """One process, in a sandbox or without one, holding one student's answers.

    What frameworks its notebook imports, a server has imported already.
    """

    def __init__(self, limits, frameworks=()):
        self.limits = limits
        start = _Forked if limits.sandbox else _Unprotected
        self.process = start(limits, frameworks)
        self.channel = Channel(*self.process.pipes)
        try:
            # Starting is not a student's time.
            self.run_cell(Cell("no cell", ""), sandbox.TO_START)
        except WorkerLostError:
            self.stop()
            raise

    def run_cell(self, cell, seconds):
        """Run one cell; return `Ran`."""
        asked = {**dataclasses.asdict(cell), "seconds": seconds}
        told = self._ask({"cell": asked}, seconds)
        try:
            return Ran(
                told["failure"] and _failure(told["failure"]),
                told["late"] and _failure(told["late"]),
                int(told["done"]),
                _found(told["found"]),
            )
        except Exception as error:  # forged: it may be anything
            raise WorkerLostError("it sent what no worker sends") from error

    def reply(self, index, case, framework, seconds):
        """Put a question to an answer."""
        question = {
            "answer": index,
            "case": {
                field.name: getattr(case, field.name)
                for field in dataclasses.fields(case)
            },
            "framework": framework,
        }
        told = self._ask(question, seconds)
        try:
            return Reply(
                output=told["output"],
                made_of=tuple(_word(name) for name in told["made_of"]),
                changed=_word(told["changed"]),
                frozen=_word(told["frozen"]),
                nan=_word(told["nan"]),
                failure=told["failure"] and _failure(told["failure"]),
            )
        except Exception as error:  # forged: it may be anything
            raise WorkerLostError("it sent what no worker sends") from error

    def _ask(self, question, seconds):
        """Send and receive; the worker's own limit comes first, ours is the last."""
        try:
            self.channel.send(question, _PATIENCE)
            return self.channel.receive(seconds + _PATIENCE)
        except SilentError as error:
            raise WorkerLostError(_late(seconds)) from error
        except ClosedError as error:
            raise WorkerLostError(
                "it ended the program, or took too much memory"
            ) from error
        except TooLargeError as error:
            raise WorkerLostError("it is larger than a cell may be") from error
        except ForgedError as error:
            raise WorkerLostError(f"it sent {error}") from error

    def stop(self):
        """Kill the process and all that it may have started."""
        self.process.stop(self.channel)


class _Unprotected:
    """A process with all rights."""

    def __init__(self, limits, frameworks):
        self.process = sandbox.start_unprotected(limits)
        self.pipes = self.process.stdout.fileno(), self.process.stdin.fileno()

    def stop(self, channel):
        sandbox.kill(self.process)
        # All are gone when nobody holds the other end of the pipe any more.
        with contextlib.suppress(SilentError):
            channel.drain(_PATIENCE)
        self.process.stdin.close()
        self.process.stdout.close()


_MODULES = {
    "torch": ("torch", "scratch.torch", "readymade.weights"),
    "tensorflow": ("scratch.tensorflow", "keras", "readymade.weights"),
}
# The servers that have no worker, by frameworks.
_idle = collections.defaultdict(list)


class _Forked:
    """A process in the sandbox, forked from a server that has no other."""

    def __init__(self, limits, frameworks):
        self.idle = _idle[frameworks]
        while self.idle:
            self.server = self.idle.pop()
            try:
                self.pipes = self.server.begin(limits)
                return
            except OSError:  # it was lost meanwhile
                self.server.stop()
        modules = [module for name in frameworks for module in _MODULES[name]]
        self.server = sandbox.ForkServer(modules)
        self.pipes = self.server.begin(limits)

    def stop(self, channel):
        if self.server.end(_PATIENCE):
            self.idle.append(self.server)
        else:
            self.server.stop()
        for pipe in self.pipes:
            os.close(pipe)


def _late(seconds):
    return f"it ran for more than {seconds:.3g} seconds"


@dataclasses.dataclass
class RemoteAnswer:
    """An answer that lives in a worker, with a budget of time for all its questions."""

    worker: Worker
    index: int
    described: About
    spent: float = 0
    read: float = 0  # seconds of this process, for what it sends

    def about(self):
        return self.described

    def reply(self, case, framework):
        left = self.worker.limits.seconds - self.spent
        if left <= 0:
            raise WorkerLostError(_late(self.worker.limits.seconds))
        if self.read > _MOST_READING:
            raise WorkerLostError("it sends more than an answer needs")
        start, worked = time.monotonic(), time.process_time()
        try:
            return self.worker.reply(self.index, case, framework, left)
        finally:
            self.spent += time.monotonic() - start
            self.read += time.process_time() - worked


def _found(told):
    return [
        (
            str(exercise),
            variant if type(variant) is int else None,
            None if number is None else int(number),
            None if number is None else _about(about),
        )
        for exercise, variant, number, about in told
    ]


def _about(told):
    """Read a description that the student's process could have forged."""
    about = About(**told)
    if about.kind not in ("function", "class", "object", "value"):
        raise ValueError("an unknown kind of answer")
    return About(
        about.kind,
        _word(about.name),
        tuple(name for name in about.frameworks if name in FRAMEWORKS),
        str(about.fingerprint),
        bool(about.from_the_book),
    )


def _printable(text, most=200):
    return "".join(c if c.isprintable() else " " for c in str(text)[:most])


def _word(text):
    return _printable(text, 60)


def _failure(told):
    return Failure(
        _word(told["kind"]),
        _printable(told["message"]),
        _printable(told["line"]),
        int(told["line_number"]),
    )
