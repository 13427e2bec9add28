"""Serve a model on this machine: `python -m readymade.server --help`."""

import argparse
import sys

from readymade.server.served import serve


def main(arguments=None):
    """Serve until Ctrl-C; return 0, or 1 with a message on stderr."""
    parser = argparse.ArgumentParser(
        prog="python -m readymade.server",
        description="Serve a language model on 127.0.0.1, behind the interface that "
        "OpenAI's clients speak.",
    )
    parser.add_argument(
        "folder",
        nargs="?",
        metavar="FOLDER",
        help="of a published model; the assistant of chapter 15 if there is none",
    )
    parser.add_argument("--port", type=int, default=8001, help="0 for any that is free")
    parser.add_argument("--framework", choices=("torch", "tensorflow"), default="torch")
    parser.add_argument("--slots", type=int, default=8, help="texts that share a step")
    parser.add_argument("--blocks", type=int, default=256, help="of 16 tokens, for all")
    parser.add_argument("--queue", type=int, default=256, help="texts that may wait")
    options = parser.parse_args(arguments)
    try:
        server = serve(**vars(options))
        print(f"{server.model.name}: {server.url}. Ctrl-C ends it.", flush=True)
        server.run()
    except KeyboardInterrupt:
        print()
    except (ImportError, OSError, OverflowError, TypeError, ValueError) as error:
        print(f"readymade.server: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
