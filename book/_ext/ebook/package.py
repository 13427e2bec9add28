"""What Sphinx' builder leaves open in an EPUB 3: properties, a cover, a font."""

import re
from pathlib import Path
from typing import ClassVar

import glyphs
from sphinx.builders.epub3 import Epub3Builder

# By what a page contains, the property that the list of files must tell.
PROPERTIES = {"mathml": "<math", "svg": "<svg"}
ITEM = re.compile(r'(<item id="[^"]*" href="([^"]*)" media-type="[^"]*") />')
ACCESSIBILITY = {
    "accessMode": ("textual", "visual"),
    "accessModeSufficient": ("textual",),
    "accessibilityFeature": (
        "MathML",
        "alternativeText",
        "tableOfContents",
        "structuralNavigation",
    ),
    "accessibilityHazard": ("none",),
}


class Ebook(Epub3Builder):
    media_types: ClassVar = Epub3Builder.media_types | {".woff2": "font/woff2"}

    def build_content(self):
        """Cut the font for formulas, and write the list of files with properties."""
        out = Path(self.outdir)
        pages = [file.read_text("utf-8") for file in out.rglob("*.xhtml")]
        font = out / "_static" / "fonts" / "maths.woff2"
        used = sorted(glyphs.of_formulas(pages))
        glyphs.cut(glyphs.stix(), font, used, layout_features=["ssty"])
        super().build_content()
        content = out / "content.opf"
        text = ITEM.sub(self.with_properties, content.read_text("utf-8"))
        metadata = "".join(
            f'<meta property="schema:{name}">{value}</meta>\n'
            for name, values in ACCESSIBILITY.items()
            for value in values
        )
        text = text.replace("</metadata>", f"{metadata}</metadata>")
        content.write_text(text, "utf-8")

    def with_properties(self, item):
        file = item[2]
        if file.endswith(".xhtml"):
            text = Path(self.outdir, file).read_text("utf-8")
            found = [name for name, sign in PROPERTIES.items() if sign in text]
        else:
            found = ["cover-image"] * (file == self.config.epub_cover[0])
        return f'{item[1]} properties="{" ".join(found)}"/>' if found else item[0]


def setup(app):
    app.add_builder(Ebook, override=True)
