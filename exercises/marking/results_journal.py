"""Keep each result as it comes, so that marking can continue where it stopped."""

import dataclasses
import hashlib
import importlib.metadata
import json
import os
from functools import cache
from pathlib import Path

import readymade
import scratch
from exercises.marking.mark import Mark, Result

_EXERCISES = Path(__file__).resolve().parents[1]
_BOOK = (
    _EXERCISES,
    *(Path(one.__file__).resolve().parent for one in (readymade, scratch)),
)


class Journal:
    """A file with one line for each result.

    A result is used again only for the same file of the same student, marked with the
    same seed, points and limits by the same programs.
    """

    def __init__(self, path, task):
        self.path = Path(path)
        points = sorted(task.points.items())
        how = repr((points, task.seed, task.framework, task.limits, *task.each))
        self.task = hashlib.sha256((how + _programs()).encode()).hexdigest()
        self.done, self._latest = {}, {}
        before = b""
        if self.path.exists():
            for of, result in _entries(self.path):
                self._take(of, result)
            before = self.path.read_bytes()
        self.torn = bool(before) and not before.endswith(b"\n")

    def _take(self, of, result):
        self._latest[result.student] = of, result.digest
        if of == self.task:
            self.done[result.student, result.digest] = result

    def find(self, submission):
        """Return the result of a submission marked before, or None."""
        digest = submission.digest()
        return self.done.get((submission.student, digest)) if digest else None

    def add(self, result):
        """Write a result to the disk as the student's latest."""
        latest = self.task, result.digest
        if result.digest and self._latest.get(result.student) == latest:
            return
        entry = {
            "task": self.task,
            "student": result.student,
            "digest": result.digest,
            "result": dataclasses.asdict(result),
        }
        with self.path.open("a", encoding="utf-8") as file:
            # End a line whose writing was interrupted.
            file.write("\n" * self.torn + json.dumps(entry) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self.torn = False
        self._take(self.task, result)


@cache
def _programs():
    """Return a fingerprint of the book's programs and of the frameworks' versions.

    After a correction of the book, or with another framework, a class is marked anew.
    """
    digest = hashlib.sha256()
    for path in sorted(path for folder in _BOOK for path in folder.rglob("*.py")):
        digest.update(path.read_bytes())
    versions = {
        (one.name.lower(), one.version)
        for one in importlib.metadata.distributions()
        if one.name.lower().startswith(("numpy", "torch", "tensorflow", "keras"))
    }
    return digest.hexdigest() + repr(sorted(versions))


def results(path):
    """Return the latest result of every student in a journal."""
    return list({result.student: result for _, result in _entries(path)}.values())


def _entries(path):
    """Yield (task, result) for each line that holds a result."""
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            entry = json.loads(line)
            notes, marks = entry["result"]["notes"], entry["result"]["marks"]
            marks = {name: Mark(**mark) for name, mark in marks.items()}
            task, student, digest = entry["task"], entry["student"], entry["digest"]
            result = Result(student, marks, notes, digest)
            "".join((task, student, digest, *notes))  # all of them must be texts
            result.total()
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            continue  # an interrupted line, or one that something else wrote
        yield task, result
