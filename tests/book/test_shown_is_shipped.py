"""The book shows what the module ships, and the module ships what the book shows.

Definitions are compared as syntax trees. A chapter may leave out what the module says
beside the code: type annotations, of a docstring all but its first paragraph, and
checks of arguments, which are statements that only call a function of `scratch.checks`.
It may show a class in parts: `class X(X):` goes on with the X of an earlier cell.
A cell tagged `experiment` or `exercise` may define what it likes.
"""

import ast
import copy
from collections import defaultdict
from functools import cache
from pathlib import Path

import nbformat
import pytest
from helpers.book import (
    NOTEBOOKS,
    ROOT,
    address,
    code_cells,
    markdown_cells,
    offered,
    read,
    tags,
)
from helpers.chapters import (
    CHAPTER_OF_FILE,
    WITHOUT_FRAMEWORK,
    chapter,
    framework_free,
)
from IPython.core.inputtransformer2 import TransformerManager

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
FREE = {"experiment", "exercise"}

# Shown whole on a page that is no chapter.
PAGE_OF_FILE = {
    "torch/evaluation": "speed.md",
    "tensorflow/tracing": "speed.md",
}
# What a chapter imports and names, but leaves to the module, and why.
IN_SCRATCH_ALONE = {
    "count_pairs": "an index beside the counts, for learn_merges",
    "learn_merges": "a priority queue; chapter 1 shows the plain loop",
    "merge_by_rank": "a linked list; chapter 1 shows the plain loop",
    "category": "Unicode's tables of 2015",
    "clean": "which control characters BERT removes",
    "strip_accents": "chapter 1 shows it in outline",
    "stands_alone": "the blocks of Chinese characters",
    "basic_words": "chapter 1 shows it in outline",
    "join_pieces": "puts text together for reading only",
    "truncate_pair": "which of two texts gets an odd place",
    "token_offsets": "follows the odd characters of Unicode",
    "left_padded": "sorts the padding of prompts to the left",
    "written_mask": "counts the padding of prompts; chapter 8 uses it",
    "allowed_logits": "rules out ids that a config forbids",
    "generate_ids": "checks its arguments and chooses the search",
    "highest": "puts equal values in order; PyTorch's topk does not",
    "tf_noam_schedule": "plain Python, word for word as PyTorch's",
    "tf_cosine_schedule": "plain Python, word for word as PyTorch's",
    "fine_tune": "chapter 9's loop, with a rate for each group",
    "tf_fine_tune": "chapter 9's loop, with an optimizer for each group",
    "TokenClassifier": "chapter 7's classifier, at every token",
    "Pooler": "one dense layer, which chapter 6 describes",
    "TFPooler": "the same",
}
# What Keras needs to save a layer: no chapter's.
NOT_SHOWN = {"saving"}
# No chapter needs it: published models that label each token are read into it.
FOR_PUBLISHED_MODELS = {"TokenClassifier", "TFTokenClassifier"}
CHECKS = {*offered(ROOT / "scratch" / "checks" / "__init__.py")}


def definitions(source):
    """Yield the outermost definitions of a program, wherever they stand."""
    waiting = [ast.parse(TransformerManager().transform_cell(source))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, DEFINITIONS):
            yield node
        else:
            waiting.extend(ast.iter_child_nodes(node))


def shown_definitions(cells):
    """Return what cells define that must be the module's, each class in one piece."""
    found = []
    for cell in cells:
        for node in () if tags(cell) & FREE else definitions(cell.source):
            begun = [one for one in found if goes_on_with(node, one)]
            if begun:
                begun[-1].body += node.body
            else:
                found.append(node)
    return found


def goes_on_with(node, earlier):
    """Whether a definition is `class X(X)`, and the earlier one its X."""
    return (
        isinstance(node, ast.ClassDef)
        and node.name == earlier.name
        and [ast.unparse(base) for base in node.bases] == [earlier.name]
    )


def is_check(statement):
    """Whether a statement does nothing but call a function of `scratch.checks`."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Name)
        and statement.value.func.id in CHECKS
    )


def code_alone(node):
    """Return a definition as text: no annotations, no checks, first paragraphs."""
    node = copy.deepcopy(node)
    for inner in ast.walk(node):
        if isinstance(getattr(inner, "body", None), list):
            inner.body = [one for one in inner.body if not is_check(one)]
        if isinstance(inner, DEFINITIONS):
            words = ast.get_docstring(inner)
            if words is not None:
                summary = " ".join(words.partition("\n\n")[0].split())
                inner.body[0].value.value = summary
            inner.returns = None
        if isinstance(inner, ast.arg):
            inner.annotation = None
    return ast.dump(node)


@cache
def shipped():
    """Return what `scratch` defines, as `code_alone`, by name."""
    trees = defaultdict(list)
    for path in (ROOT / "scratch").rglob("*.py"):
        for node in definitions(path.read_text()):
            trees[node.name].append(code_alone(node))
    return trees


def differing(cells, trees):
    """Return the names that the cells define otherwise than the module does."""
    return [
        node.name
        for node in shown_definitions(cells)
        if code_alone(node) not in trees.get(node.name, [])
    ]


def public():
    """Return (name, file) of each definition that the book owes its reader."""
    for framework in ("torch", "tensorflow"):
        for path in sorted((ROOT / "scratch" / framework).glob("*.py")):
            for node in definitions(path.read_text()):
                if not node.name.startswith("_"):
                    yield node.name, path.stem
    for file in ("serving", "voting"):
        for node in definitions((ROOT / "scratch" / f"{file}.py").read_text()):
            yield node.name, file
    tokenization = ROOT / "scratch" / "tokenization" / "__init__.py"
    for node in ast.walk(ast.parse(tokenization.read_text())):
        if isinstance(node, ast.ImportFrom):
            names = [name.name for name in node.names if not name.name.isupper()]
            yield from ((name, "tokenization") for name in names)


@cache
def shown():
    """Return the chapters that show each name, one entry for each time."""
    chapters = defaultdict(list)
    for path in NOTEBOOKS:
        for node in shown_definitions(code_cells(read(path))):
            chapters[node.name].append(int(path.stem[:2]))
    return chapters


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_a_chapter_shows_is_what_the_module_ships(path):
    found = differing(code_cells(read(path)), shipped())
    assert not found, "these differ: " + ", ".join(found)


@pytest.mark.parametrize("number", range(1, len(NOTEBOOKS) + 1))
def test_what_the_module_ships_is_shown_once_in_its_chapter(number):
    owed = {
        name
        for name, file in public()
        if chapter(name, file) == number
        and not {name, framework_free(name)} & set(IN_SCRATCH_ALONE)
    }
    chapters = shown()
    elsewhere = [
        f"{name} is shown in {chapters[name] or 'no chapter'}"
        for name in sorted(owed)
        if chapters[name] != [number]
    ]
    assert not elsewhere, "\n".join(elsewhere)


def test_what_is_left_to_the_module_is_in_it_and_in_no_chapter():
    assert set(IN_SCRATCH_ALONE) <= {name for name, _ in public()}
    assert not set(IN_SCRATCH_ALONE) & set(shown())


def test_every_definition_has_its_chapter():
    homeless = {
        name
        for name, file in public()
        if chapter(name, file) is None
        and file not in NOT_SHOWN | {Path(path).name for path in PAGE_OF_FILE}
    }
    assert homeless == set()


def names_in(tree):
    """Return the names that a program uses or imports."""
    nodes = [*ast.walk(tree)]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return names | {node.name for node in nodes if isinstance(node, ast.alias)}


def unused(chapters, modules):
    """Return the public definitions of modules that no chapter needs.

    A chapter needs what its code names, what a module runs when it is imported, and
    what these need in turn.
    """
    needs, waiting = defaultdict(set), set()
    for program in chapters:
        waiting |= names_in(program)
    for module in modules:
        for node in module.body:
            if isinstance(node, DEFINITIONS):
                needs[node.name] |= names_in(node)
            elif not isinstance(node, (ast.Import, ast.ImportFrom)):
                waiting |= names_in(node)
    needed = set()
    while waiting:
        name = waiting.pop()
        needed.add(name)
        waiting |= needs[name] - needed
    return {name for name in {*needs} - needed if not name.startswith("_")}


def test_each_definition_is_shown_or_needed_by_what_is():
    cells = TransformerManager().transform_cell
    chapters = [
        ast.parse(cells(cell.source))
        for path in NOTEBOOKS
        for cell in code_cells(read(path))
    ]
    modules = [ast.parse(p.read_text()) for p in (ROOT / "scratch").rglob("*.py")]
    assert unused(chapters, modules) == FOR_PUBLISHED_MODELS


@pytest.mark.parametrize(("file", "page"), PAGE_OF_FILE.items())
def test_a_page_shows_the_file_that_no_chapter_shows(file, page):
    text = (ROOT / "book" / page).read_text()
    assert f"{{literalinclude}} ../scratch/{file}.py" in text


@pytest.mark.parametrize("file", CHAPTER_OF_FILE)
def test_a_chapter_links_the_files_of_what_it_builds(file):
    (path,) = (
        p for p in NOTEBOOKS if p.stem.startswith(f"{CHAPTER_OF_FILE[file]:02}_")
    )
    text = "\n".join(cell.source for cell in markdown_cells(read(path)))
    folder = file == "tokenization"
    names = [f"torch/{file}.py", f"tensorflow/{file}.py"]
    if file in WITHOUT_FRAMEWORK:
        names = [file if folder else f"{file}.py"]
    kind = "tree" if folder else "blob"
    for name in names:
        assert (ROOT / "scratch" / name).exists()
        link = f"[`scratch/{name}`]({address()}/{kind}/main/scratch/{name})"
        assert link in text, f"{path.stem} does not link {name}"


SHIPPED = '''
class Scale:
    """Multiply.

    Args:
        x: a number.
    """

    def __call__(self, x: float) -> float:
        require_number("x", x)
        return 2 * x
'''
SHOWN = '''
class Scale:
    """Multiply."""

    def __call__(self, x):
        return 2 * x
'''


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (SHIPPED, []),
        (SHOWN, []),
        (f"import numpy as np\n# A comment says why.\n{SHOWN}\nScale()(1)", []),
        (SHOWN.replace("2 *", "3 *"), ["Scale"]),
        (
            SHOWN.replace("return", "x = require_number('x', x)\n        return"),
            ["Scale"],
        ),
        (
            SHOWN.replace("return", "require_a_number('x', x)\n        return"),
            ["Scale"],
        ),
        (SHOWN.replace("Multiply.", "Divide."), ["Scale"]),
        (SHOWN.replace("(self, x)", "(self, x=1)"), ["Scale"]),
        (SHOWN.replace("Scale", "Scales"), ["Scales"]),
        ("if True:\n    def helper():\n        pass", ["helper"]),
        ("%time total = 1\nasync def fetch():\n    pass", ["fetch"]),
    ],
)
def test_notices_a_definition_that_differs(source, found):
    trees = {node.name: [code_alone(node)] for node in definitions(SHIPPED)}
    cell = nbformat.v4.new_code_cell(source)
    assert differing([cell], trees) == found
    cell.metadata.tags = ["experiment"]
    assert differing([cell], trees) == []


FIRST_PART = '''
class Pair(Base):
    """Two numbers."""

    def one(self):
        return 1
'''
SECOND_PART = """
class Pair(Pair):
    def two(self):
        return 2
"""


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        ([FIRST_PART, SECOND_PART], []),
        ([FIRST_PART], ["Pair"]),
        ([FIRST_PART, SECOND_PART.replace("2", "3")], ["Pair"]),
        ([FIRST_PART, SECOND_PART.replace("(Pair)", "(Base)")], ["Pair", "Pair"]),
        ([SECOND_PART], ["Pair"]),
    ],
)
def test_a_class_may_be_shown_in_parts(parts, found):
    whole = FIRST_PART + "\n    def two(self):\n        return 2\n"
    trees = {node.name: [code_alone(node)] for node in definitions(whole)}
    assert differing(map(nbformat.v4.new_code_cell, parts), trees) == found
