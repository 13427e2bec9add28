"""What the text names, it links: chapters, figures, equations, exercises and papers.

An author writes "chapter 3", "figure 3.2", "(3.1)", "exercise 3.4" or "Clark et al.
(2019)", which reads well in a notebook. While the book is read, this extension notes
where figures, equations and exercises stand and where papers were linked by their
authors and year; while it is written, each such name becomes a link. Titles, code,
formulas and what is linked already stay as they are, and so does the name of something
that the book has not.
"""

import re

from docutils import nodes
from glossary import UNTOUCHED, texts
from numbered import captioned_figure

CHAPTER = re.compile(r"book/(\d\d)_")
EXERCISE = re.compile(r"exercise-(\d+)-(\d+)-")
# Family names, as many as there are, and a year: "Clark et al. (2019)".
AUTHORS = (
    r"[A-Z][\w’'-]+(?:(?:, [A-Z][\w’'-]+)*,? (?:and|&) [A-Z][\w’'-]+|\s+et\s+al\.)?"
)
PAPER = re.compile(rf"({AUTHORS}),?\s+\(?((?:19|20)\d\d)\)?")
# A number, or a list of numbers, after one of these words: "chapters 3, 6, 8 and 9".
BARE, BRACKETED = r"\d+(?:\.\d+)?\b", r"\(\d+\.\d+\)"
LISTS = "|".join(rf"{one}(?:(?:, | and | or | to ){one})*" for one in (BARE, BRACKETED))
NUMBERED = re.compile(
    rf"(?:[Cc]hapter|[Ff]igure|[Ee]quation|[Ee]xercise)s?\s+(?:{LISTS})"
)
NUMBER = re.compile(r"\(?(\d+(?:\.\d+)?)\)?")
LONE = re.compile(r"\((\d+\.\d+)\)")
ANYTHING = re.compile("|".join(one.pattern for one in (NUMBERED, PAPER, LONE)))
# Names in a table are linked too.
SKIPPED = tuple(kind for kind in UNTOUCHED if kind is not nodes.table)


def note_targets(app, doctree):
    """Note, for the page just read, what may be linked: {name: (page, id)}."""
    page = app.env.docname
    found = {}
    if chapter := CHAPTER.match(page):
        found[f"chapter {int(chapter[1])}"] = (page, "")
    for figure in doctree.findall(captioned_figure):
        name = figure["ids"][0]
        found[name.replace("-", " ", 1).replace("-", ".")] = (page, name)
    for equation in doctree.findall(nodes.math_block):
        if "tag" in equation:  # from `numbered.py`
            found[f"equation {equation['tag']}"] = (page, equation["ids"][0])
    for section in doctree.findall(nodes.section):
        for name in section["ids"]:
            if exercise := EXERCISE.match(name):
                found[f"exercise {exercise[1]}.{exercise[2]}"] = (page, name)
    targets(app.env)[page] = found
    papers(app.env)[page] = linked_papers(doctree)


def linked_papers(doctree):
    """Return {(first author, year): address} of the papers that a page links by name.

    Both `[Clark et al., 2019](…)` and, in a list of sources, `Clark et al., [title](…)
    (2019)`.
    """
    found = {}
    for link in doctree.findall(nodes.reference):
        address = link.get("refuri", "")
        words = " ".join(link.astext().split())
        if address.startswith("http"):
            paper = PAPER.fullmatch(words) or PAPER.search(around(link, words))
            if paper:
                found.setdefault(key(paper), address)
    return found


def around(link, title):
    """The authors before a linked title and the year after it, as one text."""
    parent = link.parent
    while isinstance(parent, nodes.Inline):
        parent = parent.parent
    before, _, after = " ".join(parent.astext().split()).partition(title)
    year = re.match(r"[.,]? ?\((\d{4})", after)
    authors = re.search(rf"(?:^|[;.] )({AUTHORS}), $", before)
    return f"{authors[1]} ({year[1]})" if authors and year else ""


def key(paper):
    first = re.match(r"[\w’'-]+", paper[1])[0]
    return first, paper[2]


def targets(env):
    if not hasattr(env, "link_targets"):
        env.link_targets = {}
    return env.link_targets


def papers(env):
    if not hasattr(env, "link_papers"):
        env.link_papers = {}
    return env.link_papers


def forget(app, env, page):
    targets(env).pop(page, None)
    papers(env).pop(page, None)


def merge(app, env, pages, other):
    for page in pages:
        targets(env)[page] = targets(other)[page]
        papers(env)[page] = papers(other)[page]


def link_names(app, doctree, page):
    """Turn the names on a page into links."""
    known = gathered(targets(app.env))
    by_paper = gathered(papers(app.env))

    def link(name, words):
        document, anchor = known.get(name, (None, ""))
        if document is None or (document == page and not anchor):
            return nodes.Text(words)
        address = f"#{anchor}" if anchor else ""
        if document != page:
            address = app.builder.get_relative_uri(page, document) + address
        return nodes.reference("", words, internal=True, refuri=address)

    for text in texts(doctree, SKIPPED):
        if "figure-label" in text.parent.get("classes", ()):
            continue
        made = linked(text, link, by_paper)
        if len(made) > 1 or made[0] is not text:
            text.parent.replace(text, made)


def gathered(by_page):
    """One dictionary of all pages' ones; what an earlier page says counts."""
    made = {}
    for page in sorted(by_page, reverse=True):
        made |= by_page[page]
    return made


def linked(text, link, by_paper):
    """Return a text as pieces, those with a name being links."""
    pieces, end = [], 0
    for match in ANYTHING.finditer(text):
        pieces.append(nodes.Text(text[end : match.start()]))
        pieces += linked_match(match[0], link, by_paper)
        end = match.end()
    pieces.append(nodes.Text(text[end:]))
    return [piece for piece in pieces if piece.astext()] or [text]


def linked_match(words, link, by_paper):
    if lone := LONE.fullmatch(words):
        return [link(f"equation {lone[1]}", words)]
    if NUMBERED.fullmatch(words):
        return linked_numbers(words, link)
    address = by_paper.get(key(PAPER.fullmatch(words)))
    if address is None:
        return [nodes.Text(words)]
    return [nodes.reference("", words, internal=False, refuri=address)]


def linked_numbers(words, link):
    """The kind and its first number are one link, each further number is one."""
    kind = re.match("[a-z]+?(?=s?[^a-z])", words.lower())[0]
    pieces, end = [], 0
    for number in NUMBER.finditer(words):
        begin = number.start() if pieces else 0
        pieces.append(nodes.Text(words[end:begin]))
        pieces.append(link(f"{kind} {number[1]}", words[begin : number.end()]))
        end = number.end()
    return pieces


def setup(app):
    app.connect("doctree-read", note_targets)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("doctree-resolved", link_names)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
