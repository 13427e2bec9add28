"""Links for what the text names: chapters, figures, equations, exercises and papers.

An author writes "chapter 3", "figure 3.2", "(3.1)", "exercise 3.4" or "Clark et al.
(2019)", which reads well in a notebook. While the book is read, this extension notes
where figures, equations and exercises stand and where papers were linked by their
authors and year; while it is written, each such name becomes a link. Titles, code,
formulas and links stay as they are, and so do names of what the book does not have.
"""

import re

from docutils import nodes
from glossary import CHAPTER, UNTOUCHED, texts
from numbered import captioned_figure

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
    """Note what can be linked on the page just read: {name: (page, id)}."""
    page = app.env.docname
    names = {}
    if chapter := CHAPTER.match(page):
        names[f"chapter {int(chapter[1])}"] = (page, "")
    for figure in doctree.findall(captioned_figure):
        name = figure["ids"][0]
        names[name.replace("-", " ", 1).replace("-", ".")] = (page, name)
    for equation in doctree.findall(nodes.math_block):
        if "tag" in equation:  # from `numbered.py`
            names[f"equation {equation['tag']}"] = (page, equation["ids"][0])
    for section in doctree.findall(nodes.section):
        for name in section["ids"]:
            if exercise := EXERCISE.match(name):
                names[f"exercise {exercise[1]}.{exercise[2]}"] = (page, name)
    noted(app.env)[page] = names, linked_papers(doctree)


def linked_papers(doctree):
    """Return {(first author, year): address} of the papers that a page links by name.

    Both `[Clark et al., 2019](…)` and, in a list of sources, `Clark et al., [title](…)
    (2019)`.
    """
    address_of = {}
    for link in doctree.findall(nodes.reference):
        address = link.get("refuri", "")
        words = " ".join(link.astext().split())
        if address.startswith("http"):
            paper = PAPER.fullmatch(words) or PAPER.search(around(link, words))
            if paper:
                address_of.setdefault(key(paper), address)
    return address_of


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


def noted(env):
    """Return {page: (names on it, papers that it links)} of the pages read so far."""
    if not hasattr(env, "names_and_papers"):
        env.names_and_papers = {}
    return env.names_and_papers


def forget(app, env, page):
    noted(env).pop(page, None)


def link_names(app, doctree, page):
    """Turn the names on a page into links."""
    known, by_paper = gathered(app.env)

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
        pieces = linked(text, link, by_paper)
        if len(pieces) > 1 or pieces[0] is not text:
            text.parent.replace(text, pieces)


def gathered(env):
    """Return all names and all papers; of two entries the earlier page's stays."""
    all_names, all_papers = {}, {}
    for _, (names, papers) in sorted(noted(env).items(), reverse=True):
        all_names |= names
        all_papers |= papers
    return all_names, all_papers


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
    """Link the kind with its first number, and each further number by itself."""
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
    app.connect("doctree-resolved", link_names)
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": True}
