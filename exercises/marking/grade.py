"""Mark a folder: many submissions in parallel, each result kept as it comes."""

import csv
import ctypes
import dataclasses
import io
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import unicodedata
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, as_completed
from itertools import cycle, islice
from pathlib import Path

from exercises.engine.atomic_write import write_whole
from exercises.marking import feedback, sandbox, submissions
from exercises.marking.mark import NOT_THEIRS, Task, mark
from exercises.marking.release_identity import ANOTHER_SEED
from exercises.marking.results_journal import Journal
from exercises.marking.roster import one_line

from tqdm import tqdm

_JOURNAL = ".journal.jsonl"
_MOST_MEMORY = 2 * 2**30  # of a judging process; both frameworks need a third of it


def grade(folder, task: Task, output, jobs=1, apart=(), roster=(), groups=None):
    """Mark every submission in a folder; write marks, feedback and journal.

    Args:
        folder: a notebook for each student, or a folder for each.
        task: what is marked, with which seed and limits.
        output: the CSV file of marks; the journal and the feedback go beside it.
        jobs: how many submissions are marked at once.
        apart: files in the folder that nobody handed in, such as the points. Files that
            marking writes are known.
        roster: the students, each a `Person`, if missing ones count.
        groups: {name: members}, where several students hand in one file.
    Returns the paths of the marks and of the folder of feedback.
    """
    if task.limits.sandbox:
        sandbox.require_sandbox()
    sandbox.require_limits()
    output = Path(output)
    apart = [*apart, *_written(folder, output)]
    handed_in = submissions.find(folder, apart, task.release(), roster, groups)
    if all(one.problem == submissions.NOTHING for one in handed_in):
        raise ValueError(
            f"folder is {folder}, which holds no submission: wanted a notebook or a "
            "folder for each student"
        )
    _require_place(output, task)
    journal = Journal(journal_of(output), task)
    results = {one.student: journal.find(one) for one in handed_in}
    new = [one for one in handed_in if results[one.student] is None]
    for result in filter(None, results.values()):
        journal.add(result)
    with tqdm(
        total=len(handed_in), initial=len(handed_in) - len(new), desc="Marking"
    ) as progress:
        try:
            for result in _marked(new, task, jobs):
                journal.add(result)
                results[result.student] = result
                progress.update()
        except BrokenExecutor as error:
            raise ValueError(
                "a marking process was lost, as when memory runs out. The same command "
                "goes on from here; a smaller -j takes less memory."
            ) from error
    noted = [_noted(results[one.student], one.notes) for one in handed_in]
    write_marks(output, noted, task)
    pages = feedback.write(feedback_of(output), noted, task)
    _warn_of_another_seed(noted)
    _warn_of_changes(handed_in, results)
    return output, pages


def _noted(result, notes):
    """Return a result with notes on how it was handed in, which change no mark."""
    return dataclasses.replace(result, notes=[*notes, *result.notes])


def _require_place(output, task):
    """Check, before hours of marking, that all can be written and nothing is lost.

    Raises:
        ValueError: when the output exists and does not hold marks of these exercises.
        OSError: when something cannot be written.
    """
    if output.exists():
        # A spreadsheet may have saved it in another encoding.
        text = output.read_text(encoding="utf-8", errors="replace")
        header = text.partition("\n")[0]
        is_ours = "student" in header and any(name in header for name in task.points)
        if text and not is_ours:
            raise ValueError(
                f"output is {output}, which holds something else than marks of these "
                "exercises: wanted another file"
            )
    feedback_of(output).mkdir(parents=True, exist_ok=True)
    for folder in (output.parent, feedback_of(output)):
        tempfile.TemporaryFile(dir=folder).close()
    journal_of(output).open("a").close()


def _warn_of_changes(handed_in, results):
    """Name the students whose file has changed since, or was not marked."""
    changed = [
        one.student for one in handed_in if one.digest() != results[one.student].digest
    ]
    if changed:
        print(
            f"Not marked as they now are: {', '.join(changed)}. Their files changed "
            "meanwhile, or marking them failed. Run the same command again.",
            file=sys.stderr,
        )


def _warn_of_another_seed(results):
    """Warn if the seed can hardly be the one that the class was given."""
    signs = {ANOTHER_SEED, NOT_THEIRS}
    others = sum(not signs.isdisjoint(result.notes) for result in results)
    handed_in = sum(submissions.NOTHING not in result.notes for result in results)
    if 2 * others > handed_in:
        print(
            f"{others} of {handed_in} notebooks were released with another seed. Is "
            "--seed the one of your release, and --each as it was there? Otherwise "
            "right answers count as wrong. The same command, once it is right, marks "
            "all of them anew.",
            file=sys.stderr,
        )


def _written(folder, output):
    """Return the paths that this marking writes, and that earlier ones wrote here."""
    outputs = [output]
    for journal in Path(folder).glob(f"*{_JOURNAL}"):
        outputs.append(journal.with_name(journal.name.removesuffix(_JOURNAL) + ".csv"))
    ways = (Path, journal_of, feedback_of, report_of, returned_of)
    return [way(output) for output in outputs for way in ways]


def journal_of(output):
    """Return the path of the journal beside a file of marks."""
    return output.with_suffix(_JOURNAL)


def feedback_of(output):
    """Return the folder of feedback beside a file of marks."""
    return output.with_name(f"{output.stem}_feedback")


def report_of(output):
    """Return the folder of pictures beside a file of marks."""
    return output.with_name(f"{output.stem}_report")


def returned_of(output):
    """Return the folder of files for Moodle or Canvas beside a file of marks."""
    return output.with_name(f"{output.stem}_returned")


def _marked(handed_in, task, jobs):
    """Yield results as they are done."""
    context = multiprocessing.get_context("spawn")
    cores = context.SimpleQueue()
    for core in islice(cycle(_cores()), jobs):
        cores.put(core)
    pool = ProcessPoolExecutor(
        jobs, mp_context=context, initializer=_begin, initargs=(cores,)
    )
    try:
        for done in as_completed([pool.submit(mark, one, task) for one in handed_in]):
            yield done.result()
    except BaseException:
        for process in multiprocessing.active_children():
            process.kill()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _cores():
    """Return the processor's cores that this command may use, in random order."""
    cores = list(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    random.shuffle(cores)  # another marking may run beside this one
    return cores or [None]


def _begin(cores):
    """End with the command even if it is killed, limit memory, and keep to one core.

    The notebook runs on that core, too. The kernel divides a core among threads, so
    hundreds of one student's threads would slow down other notebooks there.
    """
    import resource  # not on every system: see `require_limits`

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent says when to stop
    # Comparing outputs takes memory, too. The worker sets its own limits.
    most = resource.getrlimit(resource.RLIMIT_DATA)[1]
    resource.setrlimit(resource.RLIMIT_DATA, (_MOST_MEMORY, most))
    if (core := cores.get()) is not None:
        os.sched_setaffinity(0, {core})
    if sys.platform == "linux":
        set_death_signal = 1  # PR_SET_PDEATHSIG
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)


def write_marks(output, results, task):
    """Write a row for each student and a column for each exercise.

    The name of the student's page identifies a row, even if other cells are edited.
    """
    table = io.StringIO(newline="")
    rows = csv.writer(table)
    rows.writerow(("student", "total", "out of", *task.points, "notes", "feedback"))
    for result in results:
        rows.writerow(
            (
                without_formula(result.student),
                f"{result.total():g}",
                f"{sum(task.points.values()):g}",
                *(f"{result.marks[name].points:g}" for name in task.points),
                without_formula("; ".join(result.notes)),
                feedback.page_name(result.student),
            )
        )
    # Excel recognises UTF-8 by its mark alone, and otherwise damages names on saving.
    write_whole(output, table.getvalue(), "utf-8-sig")


def without_formula(text):
    """Return a student's words as a cell that no spreadsheet reads as a formula.

    A semicolon becomes a comma, so that the cell is quoted and stays one cell whether a
    spreadsheet splits at commas, semicolons or tabs.

    Example:
        `a;=1+1` -> `a,=1+1`, and `=1+1` -> `'=1+1`.
    """
    text = one_line(text.replace(";", ","))
    first = unicodedata.normalize("NFKC", text[:1])  # a full-width = counts, too
    return f"'{text}" if first in ("=", "+", "-", "@") else text
