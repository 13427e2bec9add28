"""The judge's end of the pipe to a worker, and the answers that live in one."""

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

_PATIENCE = 5  # seconds that a message may take on a busy machine
_MOST_READING = 1  # seconds of work for reading all that one answer sends


class WorkerLostError(Exception):
    """The worker is gone or does not answer; the message tells the student."""


@dataclasses.dataclass
class Cell:
    """A cell of a notebook, and how many of its statements to run; None is all."""

    name: str
    source: str
    most: int | None = None


class Ran(NamedTuple):
    """The result of running a cell.

    Its checks hand in a list of (exercise, variant that the check names, number of the
    answer, `About`). The last two are None for an answer that was not filled in.
    """

    failure: Failure | None
    late: Failure | None  # where it was stopped
    done: int  # statements
    handed_in: list


class Worker:
    """A process, in a sandbox or without one, that holds one student's answers.

    In the sandbox, a server has already imported the notebook's frameworks.
    """

    def __init__(self, limits, frameworks=()):
        self.limits = limits
        start = _Forked if limits.sandbox else _Unprotected
        self.process = start(limits, frameworks)
        self.channel = Channel(*self.process.pipes)
        try:
            # The student's time begins after the start.
            self.run_cell(Cell("no cell", ""), sandbox.TO_START)
        except WorkerLostError:
            self.stop()
            raise

    def run_cell(self, cell, seconds):
        """Run one cell; return `Ran`."""
        asked = {**dataclasses.asdict(cell), "seconds": seconds}
        ran = self._ask({"cell": asked}, seconds)
        try:
            return Ran(
                ran["failure"] and _failure(ran["failure"]),
                ran["late"] and _failure(ran["late"]),
                int(ran["done"]),
                _handed_in(ran["handed_in"]),
            )
        except Exception as error:  # a forgery can be anything
            raise WorkerLostError("it sent what no worker sends") from error

    def reply(self, index, case, framework, seconds):
        """Ask an answer one question."""
        question = {
            "answer": index,
            "case": {
                field.name: getattr(case, field.name)
                for field in dataclasses.fields(case)
            },
            "framework": framework,
        }
        sent = self._ask(question, seconds)
        try:
            return Reply(
                output=sent["output"],
                made_of=tuple(_word(name) for name in sent["made_of"]),
                changed=_word(sent["changed"]),
                frozen=_word(sent["frozen"]),
                nan=_word(sent["nan"]),
                failure=sent["failure"] and _failure(sent["failure"]),
            )
        except Exception as error:  # a forgery can be anything
            raise WorkerLostError("it sent what no worker sends") from error

    def _ask(self, question, seconds):
        """Send and receive; our time limit acts after the worker's own."""
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
        """Kill the process and everything that it started."""
        self.process.stop(self.channel)


class _Unprotected:
    """A worker with all rights."""

    def __init__(self, limits, frameworks):
        self.process = sandbox.start_unprotected(limits)
        self.pipes = self.process.stdout.fileno(), self.process.stdin.fileno()

    def stop(self, channel):
        sandbox.kill(self.process)
        # Every process is gone once nobody holds the other end of the pipe.
        with contextlib.suppress(SilentError):
            channel.drain(_PATIENCE)
        self.process.stdin.close()
        self.process.stdout.close()


_MODULES = {
    "torch": ("torch", "scratch.torch", "readymade.weights"),
    "tensorflow": ("scratch.tensorflow", "keras", "readymade.weights"),
}
# The servers without a worker, by frameworks.
_idle = collections.defaultdict(list)


class _Forked:
    """A worker in the sandbox, the only one of its server."""

    def __init__(self, limits, frameworks):
        self.idle = _idle[frameworks]
        while self.idle:
            self.server = self.idle.pop()
            try:
                self.pipes = self.server.begin(limits)
                return
            except OSError:  # it died meanwhile
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
    """An answer that lives in a worker, with a time limit for all its questions."""

    worker: Worker
    index: int
    described: About
    spent: float = 0
    read: float = 0  # seconds of this process for reading what it sends

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


def _handed_in(sent):
    return [
        (
            str(exercise),
            variant if type(variant) is int else None,
            None if number is None else int(number),
            None if number is None else _about(about),
        )
        for exercise, variant, number, about in sent
    ]


def _about(sent):
    """Read a description that the student's process may have forged."""
    about = About(**sent)
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


def _failure(sent):
    return Failure(
        _word(sent["kind"]),
        _printable(sent["message"]),
        _printable(sent["line"]),
        int(sent["line_number"]),
    )
