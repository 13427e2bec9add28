"""The fonts of the page, cut down to the letters, signs and icons that the book uses.

STIX Two Math (1.5 MB), which draws the formulas, comes from the package `ziamath`; Font
Awesome (156 KB), which draws the icons, comes with the theme. When the pages are
written, they are searched for what they show, and only that is kept of each font.
"""

import json
import re
import unicodedata
from html import unescape
from importlib.metadata import files
from pathlib import Path

from fontTools import subset
from fontTools.pens.transformPen import TransformPen
from fontTools.pens.ttGlyphPen import TTGlyphPen

FORMULA = re.compile(r"<math.*?</math>", re.DOTALL)
MARKUP = re.compile(r"<[^>]*>")
# A browser draws a letter that is alone in <mi> from the mathematical italics:
# "1D70B: <font> 03C0".
ITALICS = {
    chr(int(unicodedata.decomposition(chr(code)).split()[1], 16)): code
    for code in [*range(0x1D434, 0x1D468), 0x210E, *range(0x1D6A4, 0x1D71C)]
    if unicodedata.decomposition(chr(code))
}
ICON = re.compile(r"\bfa-[a-z0-9-]+")
# `.fa-bars:before,.fa-navicon:before{content:"\f0c9"}`
DRAWN = re.compile(r'(?<![^{}])([^{}]*)\{[^{}]*content:\s*"\\(f[0-9a-f]{3})"')


def of_formulas(pages):
    """Return the code points in the formulas of pages, upright and italic."""
    used = {"√"}  # that of <msqrt>
    for page in pages:
        for formula in FORMULA.findall(page):
            used |= set(unescape(MARKUP.sub("", formula)))
    return {ord(sign) for sign in used} | {ITALICS[s] for s in used if s in ITALICS}


def of_icons(pages, styles):
    """Return the code points of the icons that pages name or style sheets draw."""
    used = {name for page in pages for name in ICON.findall(page)}
    return {
        int(code, 16)
        for style in styles
        for selectors, code in DRAWN.findall(style)
        if not (names := set(ICON.findall(selectors))) or names & used
    }


# Copyright, names and licence travel with the font.
NAMES = [*range(7), 13, 14]


def cut(source, target, code_points, change=None, **options):
    """Write a font with these code points only, after a change, if there is one."""
    options = subset.Options(flavor="woff2", hinting=False, name_IDs=NAMES, **options)
    font = subset.load_font(str(source), options)
    if change:
        change(font)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=code_points)
    subsetter.subset(font)
    target.parent.mkdir(exist_ok=True)
    subset.save_font(font, str(target), options)


def narrow_roots(font):
    """Make tall radical signs as narrow as the lowest, and leave out built-up ones.

    Chromium leaves room beside every root for the widest sign that the font has.
    """
    name = font.getBestCmap()[ord("√")]
    variants = font["MATH"].table.MathVariants
    place = variants.VertGlyphCoverage.glyphs.index(name)
    root = variants.VertGlyphConstruction[place]
    width, _ = font["hmtx"][name]
    glyphs = font.getGlyphSet()
    for variant in root.MathGlyphVariantRecord:
        tall = variant.VariantGlyph
        advance, left = font["hmtx"][tall]
        pen = TTGlyphPen(None)
        glyphs[tall].draw(TransformPen(pen, (width / advance, 0, 0, 1, 0, 0)))
        glyph = pen.glyph()
        glyph.recalcBounds(font["glyf"])
        font["glyf"][tall] = glyph
        font["hmtx"][tall] = (width, round(left * width / advance))
    root.GlyphAssembly = None


def stix():
    name = "ziamath/fonts/STIXTwoMath-Regular.ttf"
    return next(file.locate() for file in files("ziamath") if str(file) == name)


def cut_fonts(app, error):
    """Cut both fonts, unless the book still uses the same of them as last time."""
    if error or app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")
    pages = [page.read_text("utf-8") for page in Path(app.outdir).rglob("*.html")]
    styles = [style.read_text("utf-8") for style in static.rglob("*.css")]
    scripts = [script.read_text("utf-8") for script in static.glob("scripts/*book*.js")]
    theme = static / "vendor" / "fontawesome" / "webfonts"
    wanted = {
        "maths": sorted(of_formulas(pages)),
        "icons": sorted(of_icons(pages + scripts, styles)),
    }
    note, fonts = Path(app.doctreedir, "glyphs.json"), static / "fonts"
    if fonts.exists() and note.exists() and json.loads(note.read_text()) == wanted:
        return
    # "ssty": the smaller letters and primes of exponents.
    cut(
        stix(),
        fonts / "maths.woff2",
        wanted["maths"],
        narrow_roots,
        layout_features=["ssty"],
    )
    cut(theme / "fa-solid-900.woff2", fonts / "icons.woff2", wanted["icons"])
    note.write_text(json.dumps(wanted))


def setup(app):
    app.connect("build-finished", cut_fonts)
    app.add_css_file("icons.css")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
