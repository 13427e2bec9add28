"""Audit pages with axe-core, one text of each kind."""

from axe_playwright_python.base import AXE_SCRIPT

# Coloured code has thousands of spans in a few colours, which take axe-core long. One
# span of each kind in each kind of block is enough; the others are unwrapped.
ONE_OF_EACH_COLOUR = """() => {
    const seen = new Set();
    for (const span of document.querySelectorAll(".highlight span, .sig span")) {
        const cell = span.closest(".cell_input, .cell_output, .sig");
        const kind = `${span.className} in ${cell?.className}`;
        if (seen.has(kind)) span.replaceWith(...span.childNodes);
        seen.add(kind);
    }
    document.body.normalize();
}"""

# How legible a text is depends on its colour, size, weight and background. Of the
# thousands of texts on a page, a few dozen differ in these: one of each is marked.
MARK_ONE_OF_EACH_TEXT = """() => {
    const kinds = new Map(), grounds = new Map();
    const groundOf = part => {
        if (!part) return "";
        if (!grounds.has(part)) {
            const {opacity, backgroundColor, backgroundImage} = getComputedStyle(part);
            const kind = [opacity];
            if (backgroundColor !== "rgba(0, 0, 0, 0)" || backgroundImage !== "none")
                kind.push(backgroundColor, backgroundImage);
            grounds.set(part, `${kind} ${groundOf(part.parentElement)}`);
        }
        return grounds.get(part);
    };
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const part = texts.currentNode.parentElement;
        part.removeAttribute("data-audited");
        if (!texts.currentNode.data.trim()
            || !part.checkVisibility({visibilityProperty: true})) continue;
        const {color, fontSize, fontWeight, textShadow} = getComputedStyle(part);
        const kind = [color, fontSize, fontWeight, textShadow, groundOf(part)];
        kinds.set(kind.join(), part);
    }
    for (const part of kinds.values()) part.dataset.audited = "";
}"""


def load_axe(page):
    page.evaluate(ONE_OF_EACH_COLOUR)
    page.evaluate(AXE_SCRIPT)
    page.evaluate(
        """axe.configure(
            {rules: [{id: "color-contrast", selector: "[data-audited]"}]})"""
    )
    # Colours are measured after their transitions.
    page.add_style_tag(content="* { transition: none !important }")


def violations(page, only=(), without=(), part="html"):
    """Return what axe-core finds wrong with a page as it is shown now.

    `only` are the rules to audit (empty: all); `without` are rules to leave out;
    `part` selects the part of the page.
    """
    page.evaluate(MARK_ONE_OF_EACH_TEXT)
    # No preloading: axe would request style sheets from wrong addresses.
    options = {
        "resultTypes": ["violations"],
        "iframes": False,
        "preload": False,
        "rules": {rule: {"enabled": False} for rule in without},
    }
    if only:
        options["runOnly"] = list(only)
    report = page.evaluate(
        "([part, options]) => axe.run(part, options)", [part, options]
    )
    return [
        f"{violation['id']}: {violation['help']}: {node['html'][:200]}"
        for violation in report["violations"]
        for node in violation["nodes"]
    ]
