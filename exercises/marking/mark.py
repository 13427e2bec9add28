"""Mark one submission: run its cells in workers and judge its answers here."""

import math
import time
from dataclasses import dataclass, field

from exercises.engine.exercise import NAMES
from exercises.engine.judge import is_starter, judge
from exercises.engine.registry import find
from exercises.engine.solution_lock import number_of
from exercises.engine.verdict import NOT_ATTEMPTED, RIGHT, WRONG, Verdict
from exercises.marking.cells_to_run import answered_apart, imported, worth_running
from exercises.marking.notebook_bytes import NotANotebookError, contents, digest_of
from exercises.marking.release import identity, questions, variant
from exercises.marking.release_identity import ANOTHER_SEED
from exercises.marking.roster import Person, labelled
from exercises.marking.sandbox import Limits
from exercises.marking.worker_client import Cell, RemoteAnswer, Worker, WorkerLostError
from exercises.worker import TookTooLongError, time_limit

_MOST_NOTES = 20
_LEAST = 0.01  # seconds for a cell when none are left
# Seconds of this process for judging one answer: a guard against the unforeseen. Large
# outputs are refused long before, and our own programs take less on any machine.
_MOST_JUDGING = 20
NOT_THEIRS = "this notebook asks for other numbers than this student's own"
NOT_MARKED = "not marked"  # another outcome than the judge's: there was no answer


@dataclass(frozen=True)
class Task:
    """What is marked, and how: the same for all students."""

    points: dict[str, float]  # by exercise
    seed: str
    framework: str | None = None
    limits: Limits = field(default_factory=Limits)
    each: tuple[Person, ...] = ()  # the roster, where each student has a variant

    def exercises(self):
        return {name: find(name) for name in self.points}

    def release(self):
        return identity(self.seed, self.points)

    def variant(self, student):
        """Return the variant that a student was given, whatever the notebook says."""
        if not self.each:
            return variant(self.seed)
        ids = {labelled(one): one.id for one in self.each}
        # No id begins with a space, so nobody shares the variant of a student who is
        # not on the roster.
        return variant(self.seed, ids.get(student, f" {student}"))


@dataclass
class Mark:
    """The result of one exercise."""

    points: float
    outcome: str
    message: str
    mistake: str = ""


@dataclass
class Result:
    """The result of one submission."""

    student: str
    marks: dict[str, Mark]
    notes: list[str]
    digest: str = ""  # of the bytes that were marked; "" if none were

    def total(self):
        return sum(mark.points for mark in self.marks.values())


def mark(submission, task):
    """Mark one submission and return its `Result`, whatever is in it.

    The file is read once, because it may be replaced or deleted meanwhile.
    """
    if submission.problem:
        return _unmarked(submission, task, submission.problem, submission.problem)
    try:
        data = submission.read()
    except (OSError, NotANotebookError) as error:
        why = getattr(error, "strerror", error)
        return _unmarked(submission, task, f"the file is gone: {why}")
    digest = digest_of(data)
    try:
        cells, identity = contents(data)
    except NotANotebookError as error:
        return _unmarked(submission, task, str(error), digest)
    try:
        result = _Marking(submission, task, cells, identity).result()
    except Exception as error:  # no submission may keep others from being marked
        return _unmarked(submission, task, f"marking it failed: {error!r:.200}")
    result.digest = digest
    return result


def _unmarked(submission, task, problem, digest=""):
    """Return a result without marks. If it has no digest, the next run tries again."""
    nothing = {
        name: Mark(0, NOT_MARKED, f"Not marked: {problem}.") for name in task.points
    }
    return Result(submission.student, nothing, [problem], digest)


class _Marking:
    """The marking of one notebook, with as many workers as it takes."""

    def __init__(self, submission, task, cells, release):
        self.submission, self.task = submission, task
        self.exercises = task.exercises()
        self.variant = task.variant(submission.student)
        cells = worth_running(cells, self.exercises, self.variant)
        self.frameworks = imported(cells)
        self.cells = [Cell(*cell) for cell in cells]
        self.notes = release.differences(task.release())
        self.was_stopped = self.was_cut = False
        # Seconds for all runs of the cells; the last cells share the end of it.
        self.left = task.limits.notebook_seconds + task.limits.cell_seconds
        self.worker = None
        self.handed_in = {}
        self.checked = set()  # the exercises whose check has run
        self.failed = set()  # the exercises whose check may have failed

    def result(self):
        try:
            marks = {name: self._mark(name) for name in self.task.points}
        finally:
            self._stop()
        if not self.was_stopped:  # the note on that is enough
            self._note_unchecked()
        return Result(self.submission.student, marks, self.notes)

    def _stop(self):
        if self.worker:
            self.worker.stop()
        self.worker = None

    def _start(self):
        """Make sure that there is a worker that has run the cells."""
        while self.worker is None:
            self._run()

    def _run(self):
        """Run the cells in a fresh worker, without any cell that loses the worker."""
        self.worker, self.handed_in = Worker(self.task.limits, self.frameworks), {}
        notes, before = [], self.left
        for place, cell in enumerate(self.cells):
            if self.left < -self.task.limits.cell_seconds:  # thousands of cells
                self._note_time()
                break
            seconds = self._seconds(len(self.cells) - place)
            took, begun, lost = before - self.left, time.monotonic(), None
            try:
                ran = self.worker.run_cell(cell, seconds)
                self._take(ran.handed_in)
            except WorkerLostError as error:
                lost = error
            self.left -= time.monotonic() - begun
            if lost:
                self._stop()
                self._leave_out(place, lost, took)
                return
            if ran.late:
                self._note_once(_note(f"{cell.name} was stopped", ran.late))
                self.was_stopped = True
                cell.most = ran.done  # in every later run
                if self.left <= self.task.limits.cell_seconds:
                    self._note_time()
            elif ran.failure:
                notes.append(_note(cell.name, ran.failure))
                self.failed |= {one for one in self.exercises if one in cell.source}
        for note in notes:
            self._note_once(note)

    def _note_time(self):
        self.was_stopped = True
        most = f"{self.task.limits.notebook_seconds:g} seconds"
        self._note_once(f"the notebook ran for more than {most}")

    def _seconds(self, cells):
        """Return the limit for a cell when so many are left, itself included."""
        most = self.task.limits.cell_seconds
        return min(most, max(self.left - most, self.left / cells, _LEAST))

    def _leave_out(self, place, error, took):
        """Drop a cell that was stopped together with the worker.

        If no time is left, answers handed in before it still count: one more run goes
        up to there, and may take as long as the last one did.
        """
        self._note_once(f"{self.cells[place].name} was stopped: {error}.")
        self.was_stopped = True
        del self.cells[place]
        if self.left <= 0:
            self.cells = [] if self.was_cut else self.cells[:place]
            self.was_cut = True
            self.left = took + self.task.limits.cell_seconds

    def _take(self, handed_in):
        """Note the answers handed in; the last one in each framework counts."""
        for exercise, asked, index, about in handed_in:
            if exercise not in self.exercises:
                continue
            self.checked.add(exercise)
            if asked is not None and number_of(asked) != self.variant:
                # Anyone can edit the variant in a check, so no mark depends on it.
                self._note_once(NOT_THEIRS if self.task.each else ANOTHER_SEED)
            elif asked is None and self.exercises[exercise].values:
                self._note_once(f"a check of {exercise} asks for the book's numbers")
            # An untouched starter replaces no answer.
            if about and not is_starter(self.exercises[exercise], about, self.variant):
                answers = self.handed_in.setdefault(exercise, {})
                if self.exercises[exercise].kind_of_answer == "value":
                    answers["value"] = (index, about)
                elif about.kind != "value" or not answers:  # no value replaces code
                    answers[_framework(about)] = (index, about)

    def _note_once(self, note):
        if note not in self.notes and len(self.notes) < _MOST_NOTES:
            self.notes.append(note)

    def _mark(self, name):
        """Judge the answers to one exercise and keep the best verdict."""
        self._start()
        answers = list(self.handed_in.get(name, {}))
        verdicts = [self._judge(name, key) for key in answers]
        if not verdicts:
            if self.was_stopped:
                why = "a cell of the notebook was stopped."
            elif name not in self.checked or name in self.failed:
                why = "its check cell is missing or failed."
            elif answered_apart(self.cells, name, self.exercises[name], self.variant):
                why = "its check cell stands above the answer."
            else:
                return Mark(0, NOT_ATTEMPTED, "Not attempted yet.")
            return Mark(0, NOT_MARKED, f"No answer was handed in: {why}")
        verdict = min(verdicts, key=lambda verdict: _RANK.get(verdict.outcome, 1))
        earned = self.task.points[name] if verdict.outcome == RIGHT else 0
        return Mark(earned, verdict.outcome, verdict.message, verdict.mistake)

    def _note_unchecked(self):
        names = [name for name in self.task.points if name not in self.checked]
        if names:
            self.notes.append(f"no check ran of {', '.join(names)}")

    def _judge(self, name, key):
        self._start()
        if key not in self.handed_in.get(name, {}):
            return Verdict(NOT_ATTEMPTED, "No answer was handed in.")
        exercise, (index, about) = self.exercises[name], self.handed_in[name][key]
        try:
            with time_limit(_MOST_JUDGING, waiting=math.inf):
                return judge(
                    exercise,
                    RemoteAnswer(self.worker, index, about),
                    questions(self.task.seed, name),
                    framework=self.task.framework,
                    variant=self.variant,
                )
        except TookTooLongError:
            self._stop()
            return Verdict(WRONG, "Your answer takes too long to compare.")
        except WorkerLostError as error:
            self._stop()
            is_plain = about.kind == "value" or exercise.frameworks == ("python",)
            written_in = () if is_plain else about.frameworks
            where = f" in {NAMES[written_in[0]]}" if written_in else ""
            return Verdict(WRONG, f"Your answer{where} was stopped: {error}.")
        except Exception as error:
            # Whatever an answer causes, no other answer suffers from it.
            self.notes.append(f"{name} could not be judged: {error!r}")
            return Verdict(WRONG, "Your answer could not be judged.")


def _framework(about):
    """Return the frameworks of an answer, which may be both; its name may tell."""
    return ("tensorflow",) if about.name.lower().startswith("tf") else about.frameworks


_RANK = {RIGHT: 0, NOT_ATTEMPTED: 2}


def _note(what, failure):
    where = f", line {failure.line_number}" if failure.line_number else ""
    where += f", `{failure.line}`" if failure.line else ""
    return f"{what}{where}: {failure.kind}: {failure.message}"
