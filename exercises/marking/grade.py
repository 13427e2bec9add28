"""Mark a folder: many submissions side by side, each result kept as it comes."""

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
_MOST_MEMORY = 2 * 2**30  # of a process that judges; both frameworks take a third of it


def grade(folder, task: Task, output, jobs=1, apart=(), roster=(), groups=None):
    """Mark every submission in a folder; write marks, feedback and journal.

    Args:
        folder: a notebook for each student, or a folder for each.
        task: what is marked, with which seed and limits.
        output: the CSV file of marks; the journal and the feedback stand beside it.
        jobs: how many submissions are marked at once.
        apart: files in the folder that nobody handed in, such as that of the points.
            Those that marking itself has written need no mention.
        roster: the students, each a `Person`, where those who are missing count.
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
    found = [_noted(results[one.student], one.notes) for one in handed_in]
    write_marks(output, found, task)
    pages = feedback.write(feedback_of(output), found, task)
    _warn_of_another_seed(found)
    _warn_of_changes(handed_in, results)
    return output, pages


def _noted(result, notes):
    """Return a result with notes on how it was handed in: no mark depends on them."""
    return dataclasses.replace(result, notes=[*notes, *result.notes])


def _require_place(output, task):
    """Check, before hours of marking, that all can be written and nothing is lost.

    Raises:
        ValueError: when the output exists and is no file of such marks.
        OSError: when something cannot be written.
    """
    if output.exists():
        # However a spreadsheet has saved it since.
        text = output.read_text(encoding="utf-8", errors="replace")
        header = text.partition("\n")[0]
        of_this = "student" in header and any(name in header for name in task.points)
        if text and not of_this:
            raise ValueError(
                f"output is {output}, which holds something else than marks of these "
                "exercises: wanted another file"
            )
    feedback_of(output).mkdir(parents=True, exist_ok=True)
    for folder in (output.parent, feedback_of(output)):
        tempfile.TemporaryFile(dir=folder).close()
    journal_of(output).open("a").close()


def _warn_of_changes(handed_in, results):
    """Name those whose file is not the one that was marked, or was not marked."""
    others = [
        one.student for one in handed_in if one.digest() != results[one.student].digest
    ]
    if others:
        print(
            f"Not marked as they now are: {', '.join(others)}. Their files changed "
            "meanwhile, or marking them failed. Run the same command again.",
            file=sys.stderr,
        )


def _warn_of_another_seed(results):
    """Say so where the seed is hardly the one that the class was given."""
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
    """Return what this marking writes, and what others have written into a folder."""
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
    """Return the folder of what Moodle or Canvas gets back beside a file of marks."""
    return output.with_name(f"{output.stem}_returned")


def _marked(handed_in, task, jobs):
    """Yield results in the order in which they are done."""
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
    """Return the processor's cores that this command may use, in any order."""
    cores = list(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    random.shuffle(cores)  # another marking may run beside this one
    return cores or [None]


def _begin(cores):
    """Let a killed command leave nothing behind, and no answer fill the memory.

    A notebook, too, keeps to the core of the process that marks it: the kernel shares a
    core out by threads, and hundreds of one student's would take the time of others.
    """
    import resource  # which not every system has: see `require_limits`

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent tells when to stop
    # Comparing outputs takes memory, too. The worker sets limits of its own.
    most = resource.getrlimit(resource.RLIMIT_DATA)[1]
    resource.setrlimit(resource.RLIMIT_DATA, (_MOST_MEMORY, most))
    if (core := cores.get()) is not None:
        os.sched_setaffinity(0, {core})
    if sys.platform == "linux":
        set_death_signal = 1  # PR_SET_PDEATHSIG
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)


def write_marks(output, results, task):
    """Write a row for each student and a column for each exercise.

    The name of a student's page tells whose row it is, whatever becomes of the others.
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
    # Excel knows UTF-8 by its mark alone; without, it would damage names on saving.
    write_whole(output, table.getvalue(), "utf-8-sig")


def without_formula(text):
    """Return a student's words as a cell that no spreadsheet reads as a formula.

    A semicolon becomes a comma, for which the cell is quoted: so the words stay one
    cell, whichever of comma, semicolon and tab a spreadsheet splits at.

    Example:
        `a;=1+1` -> `a,=1+1`, and `=1+1` -> `'=1+1`.
    """
    text = one_line(text.replace(";", ","))
    first = unicodedata.normalize("NFKC", text[:1])  # a wide = is a =, too
    return f"'{text}" if first in ("=", "+", "-", "@") else text
