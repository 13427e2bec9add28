"""The first use of a glossary term on a page links to its entry and shows its sentence.

An entry is one sentence, and a paragraph on where the book explains the term. The
sentence becomes the link's title, from which `_assets/glossary.js` shows it to the
pointer, the keyboard and the finger. Titles, code, formulas, tables and links stay as
they are.
"""

import re

from docutils import nodes

PAGE = "book/glossary"
CHAPTER = re.compile(r"book/(\d\d)_")
# In these, no words are linked: they are titles, code or links already.
UNTOUCHED = (
    nodes.title,
    nodes.reference,
    nodes.literal,
    nodes.literal_block,
    nodes.math,
    nodes.math_block,
    nodes.table,
    nodes.raw,
    nodes.rubric,
)
# Words with an everyday sense, and the chapters where they have that of the glossary.
ONLY_IN = {
    "advantage": {15},
    "base model": {15},
    "baseline": {*range(2, 15), 16, 17},
    "bias": {*range(2, 15), 16, 17, 18},
    "key": {*range(3, 12), *range(13, 20), 21},
    "memory": {8, 9, 18, 21},
    "patch": {21},
    "query": {*range(3, 20), 21},
    "reward": {15},
    "router": {14, 17},
    "value": {3, 4, 5, 6, 8, 11, 13, 14, 17, 18, 19},
}


def entries(glossary):
    """Return {term: (address of its entry on the page, its sentence)}."""
    entry_of = {}
    for item in glossary.findall(nodes.definition_list_item):
        sentence = next(item.findall(nodes.paragraph)).astext()
        for term in item.findall(nodes.term):
            entry_of[term.astext()] = (term["ids"][0], " ".join(sentence.split()))
    return entry_of


def pattern(terms):
    """Return a pattern that finds any of the terms, also in the plural."""
    longest_first = "|".join(map(re.escape, sorted(terms, key=len, reverse=True)))
    return re.compile(rf"(?<![\w-])({longest_first})s?(?![\w-])", re.IGNORECASE)


def texts(doctree, untouched=UNTOUCHED):
    """Yield the pieces of running text in which a term may be linked."""
    for text in list(doctree.findall(nodes.Text)):
        parent = text.parent
        while parent is not None and not isinstance(parent, untouched):
            parent = parent.parent
        if parent is None:
            yield text


def link_terms(app, doctree, page):
    """Link each term at its first use on a chapter's page."""
    name = CHAPTER.match(page)
    if not name or PAGE not in app.env.all_docs:
        return
    chapter = int(name[1])
    known = entries(app.env.get_doctree(PAGE))
    spelt = {term.lower(): term for term in known}
    find, target = pattern(known), app.builder.get_relative_uri(page, PAGE)
    seen = set()
    for text in texts(doctree):
        parts, end = [], 0
        for match in find.finditer(text):
            term = spelt[match[1].lower()]
            anchor, sentence = known[term]
            if anchor in seen or chapter not in ONLY_IN.get(term, {chapter}):
                continue
            seen.add(anchor)
            parts.append(nodes.Text(text[end : match.start()]))
            address = f"{target}#{anchor}"
            parts.append(
                nodes.reference(
                    "",
                    match[0],
                    internal=True,
                    refuri=address,
                    reftitle=sentence,
                    classes=["glossary-term"],
                )
            )
            end = match.end()
        if parts:
            text.parent.replace(text, [*parts, nodes.Text(text[end:])])


def setup(app):
    app.connect("doctree-resolved", link_terms)
    app.add_css_file("glossary.css")
    app.add_js_file("glossary.js", loading_method="defer")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
