"""A page loads the scripts and styles that it needs, and no script holds it up.

Each extension of Sphinx adds its files to every page. Here a page keeps those that have
something to work on in its text, and its scripts wait until it is read. Most elements
of a page are in its code: whatever has no colour of its own there becomes plain text.
"""

import re
from pathlib import Path

import order
from PIL import Image
from pygments.formatters import HtmlFormatter
from sphinx.errors import ExtensionError
from sphinx.highlighting import PygmentsBridge

# What a page's text may contain, and the files that are loaded for it.
NEEDED_FOR = {
    'class="highlight': ("clipboard.min.js", "copybutton"),
    "sd-": ("sphinx-design", "design-tabs.js"),
    'class="cell': ("mystnb",),
    "dropdown": ("togglebutton",),
    'class="sig': ("api.css",),
    "side-by-side": ("side_by_side.css",),
    "<math": ("maths.css",),
    "bd-search-container": ("search.js",),
    "answer-box": ("read_answer.js", "answers.js", "answers.css"),
    "exercise-progress": ("answers.css",),
    'class="equation': ("symbols.js", "symbols.css"),
    "glossary-term": ("glossary.js", "glossary.css"),
    "front-picture": ("front.js", "front.css"),
}
# Inline scripts use it at once; it has 300 bytes.
AT_ONCE = "documentation_options.js"

# The theme's picture of Colab has 225 × 225 pixels, and about 20 × 20 in the menu.
LOGO, SIDE = "_static/images/logo_colab.png", 64

# What the theme's script measures, and what the book has instead of it.
MEASURED, MEASURED_TOO = '".jp-RenderedHTMLCommon"', '".formula"'
SCROLLS = "e.scrollWidth>e.clientWidth||e.scrollHeight>e.clientHeight"
ONE_BY_ONE = f".forEach(e=>{{e.tabIndex={SCROLLS}?0:-1}})"
MEASURED_AT_ONCE = (
    ".forEach((part,number,parts)=>{number||[...parts]"
    f".map(e=>[e,e.checkVisibility()&&({SCROLLS})])"
    ".forEach(([e,scrolls])=>{e.tabIndex=scrolls?0:-1})})"
)


def rules_for(theme, other):
    """Return a pattern of consecutive rules that are for one theme alone."""
    no = rf'(?![^{{}}]*data-theme="?{other})'
    return re.compile(rf'(?:{no}[^{{}}]*data-theme="?{theme}[^{{}}]*\{{[^{{}}]*\}})+')


FOR_LIGHT, FOR_DARK = rules_for("light", "dark"), rules_for("dark", "light")
LIGHT = re.compile(r'html\[data-theme="?light"?\]')
ON_SCREEN = "@media not print"
COMMENT = re.compile(r"/\*(?!!).*?\*/\s*", re.DOTALL)


# Names, punctuation and space look like the text around them.
COLOURLESS = ("n", "p", "w")


class LeanFormatter(HtmlFormatter):
    """Makes an element only of what has a colour of its own."""

    def _get_css_classes(self, kind):
        classes = super()._get_css_classes(kind)
        return "" if classes in COLOURLESS else classes


def needed(name, text):
    """Whether a file has something to do on a page with this text."""
    signs = [
        sign
        for sign, files in NEEDED_FOR.items()
        if any(file in name for file in files)
    ]
    return not signs or any(sign in text for sign in signs)


def keep_what_is_needed(app, page, template, context, doctree):
    text = context.get("body", "")
    context["css_files"] = [
        file for file in context["css_files"] if needed(str(file.filename), text)
    ]
    scripts = [
        file for file in context["script_files"] if needed(str(file.filename), text)
    ]
    for script in scripts:
        if script.filename and AT_ONCE not in str(script.filename):
            script.attributes["defer"] = "defer"
    context["script_files"] = scripts


def measure_what_is_seen(app, error):
    """Let the theme's script measure at once, and only what is seen.

    It lets the keyboard stop at what scrolls. Measuring and marking one part after the
    other, folded code included, takes a second on a phone. The keyboard stops at a
    formula that scrolls, too.
    """
    if error or app.builder.format != "html":
        return
    script = Path(app.outdir, "_static", "scripts", "pydata-sphinx-theme.js")
    text = script.read_text(encoding="utf-8")
    if MEASURED_AT_ONCE in text:
        return
    for known, ours in {ONE_BY_ONE: MEASURED_AT_ONCE, MEASURED: MEASURED_TOO}.items():
        if text.count(known) != 1:
            raise ExtensionError(f"{script.name} is another version: wanted {known}")
        text = text.replace(known, ours)
    script.write_text(text, encoding="utf-8")


def night_needs_a_screen_and_scripts(app, error):
    """Make every page light on paper, and wherever no script has chosen a theme.

    Comments go, because no browser needs them.
    """
    if error or app.builder.format != "html":
        return
    for style in Path(app.outdir, "_static").rglob("*.css"):
        before = text = style.read_text(encoding="utf-8")
        if ON_SCREEN not in text and "data-theme" in text:
            text = FOR_DARK.sub(rf"{ON_SCREEN}{{\g<0>}}", text)
            text = FOR_LIGHT.sub(also_on_paper, text)
            text = LIGHT.sub('html:not([data-theme="dark"])', text)
        if (text := COMMENT.sub("", text)) != before:
            style.write_text(text, encoding="utf-8")


def shrink_the_logo(app, error):
    """Each chapter loads it, for a menu that is seldom opened."""
    if error or app.builder.format != "html":
        return
    file = Path(app.outdir, LOGO)
    with Image.open(file) as logo:
        logo.thumbnail((SIDE, SIDE))
        logo.save(file, optimize=True)


def also_on_paper(rules):
    """Rules for a light page, and after them the same for a dark one on paper."""
    on_paper = LIGHT.sub('html[data-theme="dark"]', rules[0])
    return f"{rules[0]}@media print{{{on_paper}}}"


def setup(app):
    PygmentsBridge.html_formatter = LeanFormatter
    app.connect("build-finished", measure_what_is_seen)
    last = {"priority": order.PAGE_WEIGHT}
    app.connect("build-finished", night_needs_a_screen_and_scripts, **last)
    app.connect("build-finished", shrink_the_logo, **last)
    app.connect("html-page-context", keep_what_is_needed, **last)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
