"""Build the book as an EPUB: `make epub`.

Sphinx' own builder writes it, from the pages of `_config.yml` and `_toc.yml`, with
`book/_ext/ebook/` in place of the extensions that only make sense on a screen.
"""

import shutil
import sys
from pathlib import Path

from scratch import __version__

from jupyter_book.config import get_final_config
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

ROOT = Path(__file__).parents[1]
NAME = "The-Transformer-Twice"
# The others only make sense on a screen: e-readers get something else, or nothing.
EXTENSIONS = """
    myst_nb jupyter_book sphinx_external_toc sphinx.ext.napoleon garbage repository
    numbered tables mathml unbroken made_tables cross_links glossary twins ebook
""".split()
SETTINGS_OF_OTHERS = ("autodoc_", "comments_", "copybutton_")


def settings():
    """Return Sphinx' settings: those of the pages, but for what an EPUB needs."""
    config, _ = get_final_config(
        user_yaml=ROOT / "_config.yml",
        sourcedir=ROOT,
        cli_config={"latex_individualpages": False},
    )
    ours = {
        "extensions": EXTENSIONS,
        "html_math_renderer": "ebook",
        "templates_path": [],
        "epub_basename": NAME,
        # All of the contents, with right addresses though the root is in a folder.
        "epub_tocscope": "includehidden",
        "epub_tocdepth": 2,
        "epub_tocdup": False,
        "epub_show_urls": "no",
        "epub_cover": ("_static/cover.png", "epub-cover.html"),
        "epub_uid": "book",
        "epub_identifier": config["html_theme_options"]["repository_url"],
        "epub_description": "Every piece of the Transformer, built twice: in PyTorch "
        "and in TensorFlow.",
        "epub_title": config["html_title"],
        "epub_contributor": config["author"],
        "epub_copyright": f"{config['copyright']}, {config['author']}. "
        "Text and figures: CC BY 4.0. Code: MIT.",
        "version": __version__,
        "release": __version__,
    }
    known = {
        name: value
        for name, value in config.items()
        if not name.startswith(SETTINGS_OF_OTHERS)
    }
    return known | ours


def build(folder):
    """Build the book from scratch; return the EPUB's path, or None after a warning.

    Whatever lies in the builder's folder becomes part of the book, so it is emptied.
    """
    out = folder / "epub"
    shutil.rmtree(out, ignore_errors=True)
    with patch_docutils(), docutils_namespace():
        app = Sphinx(
            ROOT, None, out, folder / ".doctrees-epub", "epub", settings(),
            status=None, freshenv=True, warningiserror=True, keep_going=True,
        )  # fmt: skip
        app.build()
    if app.statuscode:
        return None
    return Path(shutil.copy(out / f"{NAME}.epub", folder))


def main():
    epub = build(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "_build")
    sys.exit(1) if epub is None else print(f"Read {epub}")


if __name__ == "__main__":
    main()
