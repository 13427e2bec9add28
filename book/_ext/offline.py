"""Everything that a page needs comes with the page: no request leaves the book.

d3 and jQuery are copied into the built site from the Python packages that
carry them, and neither is committed. `fontawesome.js`, 1.4 MB that draws icons a
second time, is emptied: the icons come from the theme's web fonts.
"""

import shutil
from importlib.metadata import files
from pathlib import Path

# Where a file stands in its package, and where in the site's `_static`.
FILES = {
    "mpld3": {"mpld3/js/d3.v5.min.js": "d3.min.js"},
    "sphinxcontrib-jquery": {"sphinxcontrib/jquery/jquery.js": "jquery.min.js"},
}


def sources():
    """Pairs of a packaged file and its place in `_static`."""
    for package, wanted in FILES.items():
        for file in files(package):
            if str(file) in wanted:
                yield file.locate(), wanted[str(file)]


def copy_files(app, error):
    if error or app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")
    for source, name in sources():
        target = static / name
        if not target.exists() or target.stat().st_size != source.stat().st_size:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
    (static / "scripts" / "fontawesome.js").write_text("")


def setup(app):
    app.connect("build-finished", copy_files)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
