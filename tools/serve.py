"""Serve a folder on this machine, such as the built book: `python tools/serve.py`.

Like `python -m http.server`, but a browser asks for changes before it shows a page from
its cache. So after a build it never shows an old page, or a new one with old styles.
"""

import argparse
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

from exercises.marking.github import TROUBLE


class Fresh(SimpleHTTPRequestHandler):
    def end_headers(self):
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--directory", default="_build/html")
    parser.add_argument("port", nargs="?", type=int, default=8000)
    options = parser.parse_args()
    handler = partial(Fresh, directory=options.directory)
    try:
        server = ThreadingHTTPServer(("127.0.0.1", options.port), handler)
    except (OSError, OverflowError) as error:
        sys.exit(
            f"port is {options.port} ({error}): wanted one that is free, such as "
            f"8001: make serve PORT=8001\nSee {TROUBLE}#the-pages-look-wrong"
        )
    with server:
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    main()
