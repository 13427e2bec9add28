"""Keep what is marked, so that marking goes on where it was cut short."""

import dataclasses
import hashlib
import json
import os
from pathlib import Path

from exercises.marking.mark import Mark, Result


class Journal:
    """A file of results, one line each, written as they come.

    A result is found again only for the same file of the same student, marked with the
    same seed, points and limits.
    """

    def __init__(self, path, task):
        self.path = Path(path)
        points = sorted(task.points.items())
        told = repr((points, task.seed, task.framework, task.limits, *task.each))
        self.task = hashlib.sha256(told.encode()).hexdigest()
        self.done, self._latest = self._read()
        before = self.path.read_bytes() if self.path.exists() else b"\n"
        self.torn = not before.endswith(b"\n")

    def _read(self):
        done, latest = {}, {}
        if self.path.exists():
            for line in self.path.read_text(encoding="utf-8").splitlines():
                try:
                    entry = json.loads(line)
                except ValueError:  # the line that was being written at the end
                    continue
                latest[entry["student"]] = entry["task"], entry["digest"]
                if entry["task"] == self.task:
                    done[entry["student"], entry["digest"]] = _result(entry["result"])
        return done, latest

    def find(self, submission):
        """Return the result of a submission marked before, or None."""
        return self.done.get((submission.student, submission.digest()))

    def bring_up(self, submission):
        """Make an earlier result the latest again, after marking in another way."""
        of_now = self.task, submission.digest()
        if self._latest[submission.student] != of_now:
            self.add(submission, self.find(submission))

    def add(self, submission, result):
        """Write one result down, for good, before the next is begun."""
        entry = {
            "task": self.task,
            "student": submission.student,
            "digest": submission.digest(),
            "result": dataclasses.asdict(result),
        }
        with self.path.open("a", encoding="utf-8") as file:
            # A line that was torn when the writing was cut short ends here.
            file.write("\n" * self.torn + json.dumps(entry) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self.torn = False
        self.done[submission.student, entry["digest"]] = result
        self._latest[submission.student] = self.task, entry["digest"]


def results(path):
    """Return the latest result of every student in a journal."""
    latest = {}
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        latest[entry["student"]] = _result(entry["result"])
    return list(latest.values())


def _result(told):
    marks = {name: Mark(**mark) for name, mark in told["marks"].items()}
    return Result(told["student"], marks, told["notes"])
