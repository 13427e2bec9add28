"""The built book, served locally to a Chromium that can reach nothing else."""

import functools
import gzip
import http.server
import json
import os
import re
import resource
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

from helpers.installed import modules_not_for_the_book
from helpers.shared_folder import shared_folder
from helpers.tools import tool

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[2]
FORK = "https://github.com/a-reader/a-fork"
# How long a page may take to do something: a busy machine is slow, not wrong.
MILLISECONDS = 600_000

PAGES = tool("pdf").pages()
CHAPTERS = [page for page in PAGES if re.match(r"book/\d\d_", page)]


def built(tmp_path_factory):
    """Return the built book, which all processes of a run share.

    `site` is its folder; `first` and `second` are two builds, one after the other, with
    `clean` (whether without a warning), `log` and `seconds` of processor time.
    """
    with shared_folder(tmp_path_factory, "site") as folder:
        report = folder / "report.json"
        if not report.exists():
            report.write_text(json.dumps([run_build(folder), run_build(folder)]))
    first, second = (SimpleNamespace(**run) for run in json.loads(report.read_text()))
    site = folder / "_build" / "html"
    assert (site / "index.html").exists(), first.log[-3000:]
    return SimpleNamespace(site=site, first=first, second=second)


# Runs jupyter-book without some modules, and prints which it did not get.
BUILD = """
import sys
away = sys.argv.pop(1).split()
sys.modules |= dict.fromkeys(away)
from jupyter_book.cli.main import main
try:
    main()
finally:
    print("Without", *[name for name in away if sys.modules[name] is None])
"""


def run_build(folder):
    """Build the book into `folder`; return whether it was clean, its log, its seconds.

    Only what `make book` installs can be imported, as on a reader's machine. Seconds
    are processor time, which does not depend on what else the machine does.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Not with -c: from 3.13 on, its source would be taken for that of named tuples.
    program = [sys.executable, "-P", "-", " ".join(modules_not_for_the_book())]
    options = ["--path-output", folder, "-W", "-n", "--keep-going"]
    result = subprocess.run(
        [*program, "build", ROOT, *options],
        input=BUILD,
        env=os.environ | {"BOOK_REPOSITORY": FORK, "BOOK_BRANCH": "main"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "clean": result.returncode == 0,
        "log": result.stdout,
        "seconds": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
    }


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        """Say nothing: the tests report what a page asked for."""


@contextmanager
def served(site):
    """Serve a folder and yield its address."""
    handler = functools.partial(QuietHandler, directory=site)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@contextmanager
def browsing(chromium):
    """Yield a browser that resolves no names, so it reaches only this machine."""
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(
            executable_path=chromium,
            args=[
                "--no-sandbox",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            ],
        )


@functools.cache
def zipped(path):
    """Return how many bytes a server sends that compresses the file if it can."""
    body = path.read_bytes()
    return min(len(body), len(gzip.compress(body)))
