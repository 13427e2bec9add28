"""The teacher's and the author's commands: `python -m scratch.exercises --help`."""

import argparse
import sys
from pathlib import Path

from scratch.exercises import listing, notebooks, registry


def main(arguments=None):
    """Run one command; return 0, or 1 with a message on stderr."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except (OSError, ValueError) as error:
        print(f"scratch.exercises: {error}", file=sys.stderr)
        return 1
    return 0


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m scratch.exercises",
        description="Set the exercises to a class, and mark what comes back.",
        epilog="A course in four commands: list what there is, release a chapter to "
        "the class, grade the folder of what was handed in, report on the marks. The "
        "page “Teaching with this book” walks through them.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_list(commands)
    _add_place(commands)
    return parser


def _command(commands, name, run, summary, more=""):
    parser = commands.add_parser(name, help=summary, description=f"{summary}. {more}")
    parser.set_defaults(run=run)
    return parser


def _add_list(commands):
    parser = _command(
        commands,
        "list",
        lambda options: print(listing.table(options.chapter)),
        "Show the exercises with their kind, difficulty and minutes",
    )
    parser.add_argument(
        "chapter", nargs="?", choices=registry.CHAPTERS, help="only this chapter's"
    )


def _add_place(commands):
    parser = _command(
        commands,
        "place",
        lambda options: notebooks.place(
            options.chapter, notebooks.chapter_notebook(options.chapter, options.book)
        ),
        "For authors: write a chapter's exercises into the chapter's notebook",
        "They stand before its summary; unchanged cells keep their outputs.",
    )
    parser.add_argument("chapter", choices=registry.CHAPTERS)
    parser.add_argument("--book", type=Path, default=Path("book"), metavar="FOLDER")


if __name__ == "__main__":
    sys.exit(main())
