"""The script that keeps pages for visits without a network knows its build.

So a browser keeps the pages, styles and scripts of one build together, and drops those
of an older one (`_assets/live/keep.js`). A build is identified by what it wrote: one
that changes nothing counts as the same.
"""

import hashlib
import re
from pathlib import Path

import order

READ = {".html", ".css", ".js"}


def stamp(app, error):
    """Write into the script a few letters that change when a page or its files do."""
    script = Path(app.outdir, "_static", "live", "keep.js")
    if error or app.builder.format != "html" or not script.exists():
        return
    mark = hashlib.sha256()
    for file in sorted(Path(app.outdir).rglob("*")):
        if file.suffix in READ and file != script:
            mark.update(file.read_bytes())
    text = script.read_text(encoding="utf-8")
    text = re.sub(r'(?<=BUILD = ")\w*', mark.hexdigest()[:8], text)
    script.write_text(text, encoding="utf-8")


def setup(app):
    app.connect("build-finished", stamp, priority=order.OFFLINE)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
