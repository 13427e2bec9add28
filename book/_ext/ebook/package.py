"""What Sphinx' builder leaves open in an EPUB 3.

It doesn't say which pages contain MathML or drawings and which picture is the cover,
which EPUB 3 requires, and it gives the older list of contents another identifier.
It also brings the styles of a theme and names no language: here a page has its
language and the e-book's own style, with a font for the formulas.
"""

import re
import shutil
from pathlib import Path
from typing import ClassVar

import glyphs
from sphinx import addnodes
from sphinx.builders.epub3 import Epub3Builder

from . import cover

STYLE = Path(__file__).with_name("ebook.css")
COVER = "_static/cover.png"
# By what a page contains, the property that the list of files must tell.
PROPERTIES = {"mathml": "<math", "svg": "<svg"}
ITEM = re.compile(r'(<item id="[^"]*" href="([^"]*)" media-type="[^"]*") />')
ACCESSIBILITY = {
    "accessMode": ("textual", "visual"),
    "accessModeSufficient": ("textual",),
    "accessibilityFeature": ("MathML", "alternativeText", "tableOfContents"),
    "accessibilityHazard": ("none",),
}


class Ebook(Epub3Builder):
    media_types: ClassVar = Epub3Builder.media_types | {".woff2": "font/woff2"}

    @property
    def html_tag(self):
        language = f'lang="{self.config.language}" xml:lang="{self.config.language}"'
        return Epub3Builder.html_tag.replace("<html", f"<html {language}")

    def copy_static_files(self):
        static = Path(self.outdir, "_static")
        static.mkdir(exist_ok=True)
        shutil.copy(STYLE, static)
        cover.draw(static / "cover.png")

    def build_content(self):
        out = Path(self.outdir)
        pages = [file.read_text("utf-8") for file in out.rglob("*.xhtml")]
        used = sorted(glyphs.of_formulas(pages))
        font = out / "_static" / "fonts" / "maths.woff2"
        change, features = glyphs.narrow_roots, ["ssty"]
        glyphs.cut(glyphs.stix(), font, used, change, layout_features=features)
        super().build_content()
        content = out / "content.opf"
        metadata = "".join(
            f'<meta property="schema:{name}">{value}</meta>\n'
            for name, values in ACCESSIBILITY.items()
            for value in values
        )
        text = ITEM.sub(self.with_properties, content.read_text("utf-8"))
        text = text.replace("</metadata>", f"{metadata}</metadata>")
        content.write_text(text, "utf-8")

    def with_properties(self, item):
        start, file = item.groups()
        found = ["cover-image"] if file == COVER else []
        if file.endswith(".xhtml"):
            text = Path(self.outdir, file).read_text("utf-8")
            found = [name for name, sign in PROPERTIES.items() if sign in text]
        return f'{start} properties="{" ".join(found)}"/>' if found else item[0]

    def toc_metadata(self, level, navpoints):
        identifier = {"uid": self.config.epub_identifier}
        return super().toc_metadata(level, navpoints) | identifier


def list_sections(app, doctree):
    """Let the contents name the sections of a chapter, as its page does on a screen."""
    for contents in doctree.findall(addnodes.toctree):
        contents["titlesonly"] = False


def give_style(app, page, template, context, doctree):
    context["css_files"], context["script_files"] = [f"_static/{STYLE.name}"], []


def setup(app):
    app.add_builder(Ebook, override=True)
    # When all of the contents are there.
    app.connect("doctree-read", list_sections, priority=900)
    app.connect("html-page-context", give_style, priority=900)
