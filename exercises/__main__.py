"""The teacher's and the author's commands: `python -m exercises --help`."""

import argparse
import os
import sys
from pathlib import Path

from exercises.engine import listing, notebooks, registry
from exercises.engine.exercise import FRAMEWORKS


def main(arguments=None):
    """Run one command; return 0, or 1 with a message on stderr."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except (OSError, ValueError) as error:
        print(f"exercises: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped. The same command goes on from here.", file=sys.stderr)
        return 130
    return 0


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m exercises",
        description="Set the exercises to a class, and mark what comes back.",
        epilog="A course in five commands: list what there is, release a chapter to "
        "the class, grade the folder of what was handed in, report on the marks, and "
        "return them. The page “Teaching with this book” walks through all five.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_list(commands)
    _add_release(commands)
    _add_grade(commands)
    _add_report(commands)
    _add_return(commands)
    _add_place(commands)
    return parser


def _command(commands, name, run, summary, more=""):
    parser = commands.add_parser(name, help=summary, description=f"{summary}. {more}")
    parser.set_defaults(run=run)
    return parser


def _seed(words):
    """Return a seed with single spaces, however it was typed."""
    seed = " ".join(words.split())
    if not seed:
        raise argparse.ArgumentTypeError("it is empty: wanted several words")
    return seed


def _add_list(commands):
    parser = _command(
        commands,
        "list",
        _list,
        "Show the exercises with their kind, difficulty and minutes",
    )
    parser.add_argument(
        "chapter", nargs="?", choices=registry.CHAPTERS, help="only this chapter's"
    )


def _list(options):
    table = listing.table(options.chapter)
    try:
        table.encode(sys.stdout.encoding)
    except UnicodeEncodeError:  # the terminal cannot show dots
        table = table.translate({ord("●"): "*", ord("○"): "-"})
    print(table)


def _add_release(commands):
    parser = _command(
        commands,
        "release",
        _release,
        "Write a chapter's exercises as a notebook for students",
        "It holds tasks, starters and checks, no solutions. Beside it stands "
        "points.csv, which says what each exercise is worth: edit it as you like.",
    )
    parser.add_argument("chapter", choices=registry.CHAPTERS)
    parser.add_argument(
        "--seed",
        type=_seed,
        required=True,
        help="several words, which you keep to yourself: they determine the numbers in "
        "the tasks and the hidden questions when you grade",
    )
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FOLDER", help="to write to"
    )
    parser.add_argument(
        "--only",
        nargs="+",
        type=registry.named,
        default=(),
        metavar="EXERCISE",
        help="these exercises instead of all, by number or name, such as 3.3 or "
        "attention.causal_mask",
    )
    parser.add_argument(
        "--each",
        type=Path,
        metavar="ROSTER",
        help="a notebook for each student of this CSV file with the columns id and "
        "name, with other numbers; give `grade` --roster and --each, too",
    )
    parser.add_argument(
        "--lock",
        default="",
        metavar="WORD",
        help="solutions open with this word, once you give it to the class",
    )
    _add_framework(parser)


def _add_framework(parser):
    parser.add_argument(
        "--framework",
        choices=FRAMEWORKS,
        help="ask for this framework alone; otherwise each student chooses",
    )


def _release(options):
    from exercises.marking.release import release
    from exercises.marking.roster import read_roster

    for path in release(
        options.chapter,
        options.seed,
        options.output,
        options.only,
        options.framework,
        options.lock,
        read_roster(options.each) if options.each else (),
    ):
        print(path)


def _add_grade(commands):
    parser = _command(
        commands,
        "grade",
        _grade,
        "Run and mark every notebook of a folder",
        "A student is a notebook or a zip, NAME.ipynb or NAME.zip, or a folder NAME "
        "with one in it; the names that Moodle, Canvas and GitHub Classroom give are "
        "known, too. Of several notebooks, the one of your release is marked. "
        "Each runs in a sandbox, without a network, with limits. Beside the marks "
        "stands a folder with a page of feedback for each student. Stopped halfway, "
        "the same command continues where it was.",
    )
    parser.add_argument("folder", type=Path, help="the folder of what was handed in")
    parser.add_argument(
        "--seed", type=_seed, required=True, help="the seed of your release"
    )
    parser.add_argument(
        "--points",
        type=Path,
        required=True,
        metavar="FILE",
        help="a line “exercise,points” for each exercise, as `release` wrote it",
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="marks.csv")
    parser.add_argument(
        "--roster",
        type=Path,
        metavar="FILE",
        help="the class, a CSV file with the columns id and name: whose file is whose, "
        "and who is missing; a column group gives a group's file to each member",
    )
    parser.add_argument(
        "--each",
        action="store_true",
        help="each student on the roster has other numbers, from `release --each`",
    )
    parser.add_argument(
        "-j",
        "--jobs",
        type=int,
        default=os.cpu_count() or 1,
        metavar="N",
        help="submissions marked at once, about 2 GB of memory each "
        "(default: one for each core, here %(default)s)",
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=20,
        help="for all the questions to one answer (default: %(default)g)",
    )
    parser.add_argument(
        "--cell-seconds",
        type=float,
        default=60,
        help="for one cell of a notebook (default: %(default)g)",
    )
    parser.add_argument(
        "--notebook-seconds",
        type=float,
        default=300,
        help="for all cells; then those that are left share what one may take "
        "(default: %(default)g)",
    )
    parser.add_argument(
        "--megabytes",
        type=int,
        default=3000,
        help="of memory for one submission (default: %(default)s)",
    )
    _add_framework(parser)
    parser.add_argument(
        "--unsafe-no-sandbox",
        action="store_true",
        help="run students' code with all your permissions: only code you have read",
    )


def _grade(options):
    from exercises.marking.grade import grade
    from exercises.marking.mark import Task
    from exercises.marking.points import read_points
    from exercises.marking.roster import read_groups, read_roster
    from exercises.marking.sandbox import Limits

    if options.jobs < 1:
        raise ValueError(f"jobs is {options.jobs}: wanted a number above 0")
    limits = Limits(
        seconds=options.seconds,
        cell_seconds=options.cell_seconds,
        notebook_seconds=options.notebook_seconds,
        megabytes=options.megabytes,
        sandbox=not options.unsafe_no_sandbox,
    )
    points = read_points(options.points)
    apart, roster, groups = [options.points], [], {}
    if options.roster:
        apart.append(options.roster)
        roster = read_roster(options.roster)
        # Students with different numbers cannot share a file.
        groups = {} if options.each else read_groups(options.roster)
    elif options.each:
        raise ValueError("roster is missing: wanted with --each, which asks for ids")
    each = tuple(roster) if options.each else ()
    task = Task(points, options.seed, options.framework, limits, each)
    for path in grade(
        options.folder, task, options.output, options.jobs, apart, roster, groups
    ):
        print(path)


def _add_report(commands):
    parser = _command(
        commands,
        "report",
        _report,
        "Plot the marks by exercise, and the most frequent mistakes",
    )
    parser.add_argument("marks", type=Path, help="the file of marks that grade wrote")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FOLDER", help="where to (default: beside)"
    )


def _report(options):
    from exercises.marking.report import report

    for path in report(options.marks, options.output):
        print(path)


def _add_return(commands):
    parser = _command(
        commands,
        "return",
        _return,
        "Fill in Moodle's or Canvas's grade file, and zip the feedback for it",
        "Export the file there: Moodle calls it grading worksheet, Canvas gradebook. "
        "Both files are written beside the marks, for you to upload.",
    )
    parser.add_argument("marks", type=Path, help="the file of marks that grade wrote")
    parser.add_argument("gradebook", type=Path, help="the file that you exported")
    parser.add_argument(
        "--handed-in",
        type=Path,
        metavar="FOLDER",
        help="the folder that was marked; Canvas needs its files' names for feedback",
    )
    parser.add_argument(
        "--column", metavar="NAME", help="the column to fill in, where it has several"
    )


def _return(options):
    from exercises.marking.gradebook import hand_back

    written, remarks = hand_back(
        options.marks, options.gradebook, options.handed_in, options.column
    )
    for path in written:
        print(path)
    for line in remarks:
        print(line, file=sys.stderr)


def _add_place(commands):
    parser = _command(
        commands,
        "place",
        lambda options: notebooks.place(
            options.chapter, notebooks.chapter_notebook(options.chapter, options.book)
        ),
        "For authors: write a chapter's exercises into the chapter's notebook",
        "They stand before its summary, and the questions between its sections where "
        "their checks stand; unchanged cells keep their outputs.",
    )
    parser.add_argument("chapter", choices=registry.CHAPTERS)
    parser.add_argument("--book", type=Path, default=Path("book"), metavar="FOLDER")


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="replace")  # not every name can be encoded
    sys.exit(main())
