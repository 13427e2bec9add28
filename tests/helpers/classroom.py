"""Students for the tests of marking, who hand in all kinds of notebooks."""

import os
import zipfile
from dataclasses import replace
from pathlib import Path

from exercises.engine import notebooks
from exercises.engine.cells import code, markdown, task
from exercises.engine.exercise import FRAMEWORKS
from exercises.engine.registry import find
from exercises.marking import submissions
from exercises.marking.mark import Task, mark
from exercises.marking.release import variant
from exercises.marking.sandbox import Limits
from exercises.marking.submissions import Submission

SEED = "a teacher's secret"
VALUE, FUNCTION = "attention.weights_by_hand", "attention.causal_mask"
POINTS = {VALUE: 2.0, FUNCTION: 3.0}
# Only to stop what hangs: a busy machine is slow, not wrong.
PATIENT = Limits(seconds=600, cell_seconds=600, notebook_seconds=3000)
# Hostile answers, or cells, are stopped soon. They also get little memory, because they
# fill it.
ATTACKED = replace(PATIENT, seconds=2, megabytes=1000)
ATTACKED_IN_A_CELL = replace(PATIENT, cell_seconds=2, megabytes=1000)

EMBEDDINGS = "embeddings.sinusoidal_table"
THIS = Task(POINTS, SEED).release()
OTHER = Task({EMBEDDINGS: 1.0}, SEED).release()
# What a page of feedback says where there was no notebook.
NO_NOTEBOOK = "handed in no notebook (.ipynb)"


def a_task(limits=PATIENT, **options):
    return Task(POINTS, SEED, limits=limits, **options)


def solved(name, framework="python"):
    """Return the cells of an exercise, solved in one framework."""
    exercise = find(name)
    program = exercise.solution_in(framework, variant(SEED))
    return answered(name, exercise.renamed(program, framework), framework)


def mistaken(name, place, framework="python"):
    """Return an exercise's cells with one of its mistakes, and the sentence for it."""
    exercise = find(name)
    sentence, program = exercise.mistakes_in(framework, variant(SEED))[place]
    return answered(name, exercise.renamed(program, framework), framework), sentence


def answered(name, program, framework="python"):
    """Return the cells of an exercise with a program in place of a starter."""
    return [code(program), handed_in(name, find(name).name_in(framework))]


def handed_in(name, answer):
    """Return the cell that hands an answer in."""
    which = f", variant={variant(SEED)}" if find(name).values else ""
    return code(f'from exercises import check\n\ncheck("{name}", {answer}{which})')


def imports(framework):
    return {
        "torch": code("import math\nimport torch\nfrom torch import nn"),
        "tensorflow": code("import scratch.tensorflow\nimport tensorflow as tf"),
    }[framework]


def untouched():
    """Return the cells as a student receives them."""
    return [
        cell
        for name in POINTS
        for cell in task(name, find(name), variant(SEED), FRAMEWORKS)
    ]


def fill_in(notebook, programs):
    """Write programs over the starters of a released notebook, as a student does.

    Args:
        notebook: as `notebooks.read` returns it; its cells are changed.
        programs: {starter: program}. Each starter must be one whole cell.
    """
    for starter, program in programs.items():
        (cell,) = (
            one
            for one in notebook["cells"]
            if notebooks.source(one).strip() == starter.strip()
        )
        cell["source"] = [program]


def fork_servers_and_workers(ours=None):
    """Return the servers that a process has started, and the workers they forked.

    Args:
        ours: the process that marks; by default this one.
    """
    commands, parents = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().split(b"\0")
            stat = (folder / "stat").read_text().rpartition(")")[2]
        except OSError:  # it has ended
            continue
        commands[int(folder.name)] = command
        parents[int(folder.name)] = int(stat.split()[1])

    def above(process):
        while process := parents.get(process):
            yield process

    def is_python(process):
        command = commands.get(process, [b""])
        return b"worker.fork_server" in command and b"python" in command[0]

    of_ours = [p for p in parents if (ours or os.getpid()) in above(p)]
    python = [p for p in of_ours if is_python(p)]
    servers = [p for p in python if not any(map(is_python, above(p)))]
    workers = [p for p in of_ours if not set(servers).isdisjoint(above(p))]
    return servers, workers


def hand_in(path, *cells):
    """Write a student's notebook and return it as a submission."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    described = [markdown("# Attention"), *cells]
    notebooks.write(path, notebooks.notebook_of(notebooks.as_cells(described, "c")))
    return Submission(path.stem, path)


def marked(path, *cells, **how):
    """Mark a notebook that still has the check cells of what it leaves out."""
    text = "".join(cell[1] for cell in cells)
    left = [handed_in(name, "...") for name in POINTS if f'check("{name}"' not in text]
    return mark(hand_in(path / "ada.ipynb", *cells, *left), a_task(**how))


def notebook(path, of=None, *cells):
    """Write a notebook that says it is of a release, or says nothing."""
    hand_in(path, *cells)
    if of:
        written = notebooks.read(path)
        written["metadata"] |= of.metadata()
        notebooks.write(path, written)
    return path


def zipped(path, members, **how):
    """Write a zip of {name or ZipInfo: bytes}."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", **how) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def found_in(folder, **how):
    return {one.student: one for one in submissions.find(folder, release=THIS, **how)}
