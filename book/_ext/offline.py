"""The worker that serves kept pages without a network knows which build it is of.

So it keeps the pages, styles and scripts of one build together, and those of an older
one leave the browser (`_assets/live/offline.js`). The build is told by what it wrote:
one that changes nothing is the same.
"""

import hashlib
from pathlib import Path

import order

UNKNOWN = 'BUILD = "";'
READ = {".html", ".css", ".js"}


def stamp(app, error):
    """Write into the worker a few letters that change when a page or its files do."""
    worker = Path(app.outdir, "offline.js")
    if error or app.builder.format != "html" or not worker.exists():
        return
    mark = hashlib.sha256()
    for file in sorted(Path(app.outdir).rglob("*")):
        if file.suffix in READ and file != worker:
            mark.update(file.read_bytes())
    text = worker.read_text(encoding="utf-8")
    text = text.replace(UNKNOWN, f'BUILD = "{mark.hexdigest()[:8]}";')
    worker.write_text(text, encoding="utf-8")


def setup(app):
    app.connect("build-finished", stamp, priority=order.OFFLINE)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
