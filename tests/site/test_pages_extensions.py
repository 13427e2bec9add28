"""The book's own Sphinx extensions, each by itself."""

import base64
import html
import re
import shutil
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

from readymade.views import diagram
from readymade.views.attention.bertviz_page import LIBRARIES
from readymade.views.figures import (
    COLORS,
    INK,
    PADDING,
    PAPER,
    TENSORFLOW,
    TORCH,
    _sharp_png,
    as_png,
    figure_style,
    panels,
    sequential,
)
from readymade.views.frame import framed, taken_apart
from scratch.config import TransformerConfig
from scratch.torch import Transformer

import frames
import glossary
import mathml
import matplotlib.pyplot as plt
import model_map
import nbformat
import night
import numpy as np
import pictures
import pytest
import repository
import side_by_side
import site_metadata
import torch
from docutils import nodes
from helpers.book import ROOT
from matplotlib.colors import to_hex
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image

CONFIGURED = "https://github.com/transformer-twice/book"


# repository: where the buttons lead


@pytest.fixture
def clone(tmp_path):
    """A function that makes a git repository whose `origin` has the given address."""

    def make(origin, head=None):
        commands = [["init", "--quiet"], ["remote", "add", "origin", origin]]
        if head:
            remote = "refs/remotes/origin"
            commands.append(["symbolic-ref", f"{remote}/HEAD", f"{remote}/{head}"])
        for command in commands:
            subprocess.run(["git", "-C", tmp_path, *command], check=True)
        return tmp_path

    return make


def repository_of(folder, **environment):
    return repository.repository(folder, CONFIGURED, "main", environment)


@pytest.mark.parametrize(
    "origin",
    [
        "https://github.com/a-reader/a.fork",
        "https://github.com/a-reader/a.fork.git",
        "https://token@github.com/a-reader/a.fork.git",
        "ssh://git@github.com/a-reader/a.fork.git",
        "git@github.com:a-reader/a.fork.git",
    ],
)
def test_remote_on_github_is_the_repository(clone, origin):
    assert repository_of(clone(origin)) == (
        "https://github.com/a-reader/a.fork",
        "main",
    )


def test_default_branch_of_the_remote_is_the_branch(clone):
    folder = clone("git@github.com:a-reader/a-fork.git", head="trunk")
    assert repository_of(folder) == ("https://github.com/a-reader/a-fork", "trunk")


@pytest.mark.parametrize("origin", ["/a/local/path", "https://example.org/a/b.git"])
def test_remote_elsewhere_is_not_the_repository(clone, origin):
    assert repository_of(clone(origin, head="trunk")) == (CONFIGURED, "main")


def test_folder_without_git_has_the_configured_repository(tmp_path):
    assert repository_of(tmp_path) == (CONFIGURED, "main")


def test_environment_comes_first(clone):
    folder = clone("git@github.com:a-reader/a-fork.git", head="trunk")
    given = "https://github.com/another/copy"
    assert repository_of(folder, BOOK_REPOSITORY=given) == (given, "main")
    assert repository_of(folder, BOOK_BRANCH="draft")[1] == "draft"


def test_environment_that_is_no_address_is_refused(tmp_path):
    with pytest.raises(ValueError, match="BOOK_REPOSITORY is 'somewhere'"):
        repository_of(tmp_path, BOOK_REPOSITORY="somewhere")


# frames: views in files of their own

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6"
    "kgAAAABJRU5ErkJggg=="
)


class View:
    """What a notebook shows in a frame, as far as it is stored."""

    title, alt, picture = "Heads", "A < line", base64.b64decode(PIXEL)
    document = "".join(f'<script src="{one}"></script>' for one in LIBRARIES) + "a & b"


def test_lifted_view_is_its_frame_and_picture_in_files_of_their_own(tmp_path):
    stored = framed(View, 'class="frame"', "A still picture")
    target = tmp_path / "chapter-1"
    view = frames.lifted(taken_apart(stored), "../_frames/chapter-1", target, [])
    assert target.with_suffix(".png").read_bytes() == View.picture
    assert (tmp_path / "chapter-1-night.png").exists()
    assert re.search(r"<iframe [^>]*>", view)[0] == (
        '<iframe title="Heads" style="border:0;border-radius:6px" '
        'src="../_frames/chapter-1.html" loading="lazy">'
    )
    assert "<details><summary>A still picture</summary>" in view
    day, night = re.findall('<img alt="A &lt; line" src="(.*?)" loading="lazy"', view)
    assert [day, night] == [f"../_frames/chapter-1{end}.png" for end in ("", "-night")]


# site_metadata: what a page says of itself


@pytest.mark.parametrize(
    ("repository", "address"),
    [
        ("https://github.com/A-Reader/a.fork", "https://a-reader.github.io/a.fork/"),
        ("https://github.com/reader/reader.github.io", "https://reader.github.io/"),
    ],
)
def test_published_address_is_that_of_github_pages(repository, address):
    assert site_metadata.published_address(repository) == address


@pytest.mark.parametrize(
    ("told", "address"),
    [
        (None, "https://a-reader.github.io/a-fork/"),
        ("https://book.example.org", "https://book.example.org/"),
    ],
)
def test_links_to_the_published_pages_lead_to_those_of_this_copy(
    monkeypatch, told, address
):
    """Where the workflow publishes them, if it says so."""
    monkeypatch.delenv("BOOK_PAGES", raising=False)
    if told:
        monkeypatch.setenv("BOOK_PAGES", told)
    options = {"repository_url": "https://github.com/a-reader/a-fork"}
    config = SimpleNamespace(html_theme_options=options, html_baseurl="")
    site_metadata.set_address(None, config)
    assert config.html_baseurl == address
    pages = site_metadata.published_address(CONFIGURED)
    others = [CONFIGURED, "https://another.github.io/book/"]
    links = [
        nodes.reference("", "here", refuri=uri)
        for uri in (pages, f"{pages}book/live.html#a-part", *others)
    ]
    page = nodes.paragraph("", "", *links, nodes.reference("", "inside", refid="part"))
    site_metadata.lead_to_own_pages(SimpleNamespace(config=config), page, "page")
    assert [link["refuri"] for link in links] == [
        address,
        f"{address}book/live.html#a-part",
        *others,
    ]
    assert "refuri" not in page[-1]


def test_description_is_whole_sentences_where_they_fit():
    short, sentence = (
        "Why?",
        "It has about seventy letters, and so it is long enough here.",
    )
    page = nodes.container(
        "", *(nodes.paragraph("", one) for one in (short, sentence * 4))
    )
    assert site_metadata.description(page).startswith("Why? It has")
    assert len(site_metadata.description(page)) <= site_metadata.LONGEST + 2
    page = nodes.container("", nodes.paragraph("", f"{sentence} {sentence} {sentence}"))
    assert site_metadata.description(page) == f"{sentence} {sentence}"


# The others, in a small book of one notebook


def cell(source, tags=(), pictures=0, **metadata):
    code = new_code_cell(source, metadata={"tags": list(tags), **metadata})
    code.outputs = [
        new_output("display_data", {"image/png": PIXEL}) for _ in range(pictures)
    ]
    return code


def build(folder, *cells):
    """Build a book of these cells in `folder`; return its page and how it went."""
    for part in ("_ext", "_assets", "_templates"):
        shutil.copytree(ROOT / "book" / part, folder / "book" / part)
    shutil.copy(ROOT / "_config.yml", folder)
    (folder / "_toc.yml").write_text("format: jb-book\nroot: book/page\n")
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = new_notebook(
        cells=[new_markdown_cell("# A page"), *cells],
        metadata={"kernelspec": kernel, "language_info": {"name": "python"}},
    )
    nbformat.write(notebook, folder / "book" / "page.ipynb")
    program = Path(sys.executable).with_name("jupyter-book")
    result = subprocess.run(
        [program, "build", folder, "-W", "-n", "--keep-going"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return (folder / "_build" / "html" / "book" / "page.html").read_text(), result


EQUATION = r"\begin{pmatrix} 1 \\ 2 \end{pmatrix} \tag{3.1}"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A page and how its build went, once for all tests, because it takes seconds.

    Two cells at its end are wrong; that a whole book is built without a warning is
    tested in test_pages.py.
    """
    return build(
        tmp_path_factory.mktemp("book"),
        cell("import scratch", ["setup"]),
        cell("draw()", ["hide-input"], pictures=1, alt="A < line"),
        new_markdown_cell("*Figure 3.1. A line with* bold *and* `x`*.*"),
        new_markdown_cell("See figure 3.1, (3.1), chapter 99 and figure 3.7. " * 2),
        new_markdown_cell(
            "[Clark et al., 2019](https://example.org) as Clark et al. (2019). "
            "In chapter 99, figure 3.7, 3.1e-4 is a number."
        ),
        cell("draw_twice()", pictures=2, alt=["One", "Two"]),
        cell("a = 1", ["pytorch"]),
        cell("a = 2", ["tensorflow"]),
        cell("a = 3", ["pytorch"]),
        new_markdown_cell(f"$$ {EQUATION} $$"),
        cell("a = 4", ["tensorflow"]),
        cell("a = 5", ["tensorflow"]),
        cell("a = 6", ["pytorch"]),
        cell("a = 7", ["pytorch"]),
        cell("a = 8", ["tensorflow"]),
        new_markdown_cell("| | head |\n|---|---|\n| row | 1 |"),
        new_markdown_cell(f"| `{'a' * 60}` | `{'b' * 40}` |\n|---|---|\n| 1 | 2 |"),
        cell("draw()", pictures=1),
        new_markdown_cell(r"So $\nosuchcommand{x}$ grows."),
    )


@pytest.fixture
def page(built):
    return built[0]


@pytest.mark.slow("a figure that loses its description")
def test_alternative_text_comes_from_the_metadata_of_the_cell(page):
    texts = re.findall(r'<img alt="([^"]*)"[^>]*_images', page)
    wanted = ["A &lt; line"] * 2 + ["One"] * 2 + ["Two"] * 2  # day and night
    assert texts[:6] == wanted  # the last picture has no words


def test_pictures_load_late_and_have_their_place(page):
    for picture in re.findall(r"<img [^>]*_images[^>]*>", page):
        assert 'loading="lazy"' in picture
        assert 'style="--wide:1"' in picture
    places = re.findall(r'<a class="still only-(\w+)".*?style="(.*?)"', page)
    assert places == [
        (theme, "--wide:1;--high:1;--least:1")
        for _ in range(4)
        for theme in ("light", "dark")
    ]


def test_a_picture_without_words_and_a_wrong_formula_stop_the_build(built):
    _, result = built
    assert result.returncode != 0
    said = re.findall("WARNING: (.*)", result.stdout)
    assert len(said) == 2, said
    assert "cell 19 draws 1 picture(s) and has 0 alternative text(s)" in said[0]
    assert "a formula cannot be set" in said[1]


def test_caption_moves_into_the_figure_that_it_follows(page):
    figure = re.search(r'(?s)<figure id="figure-3-1">.*?</figure>', page)[0]
    assert "A &lt; line" in figure
    assert (
        '<figcaption><strong class="figure-label">Figure 3.1.</strong> A line with'
        '<em> bold </em>and <span class="with-marks"><code' in figure
    )


def test_what_is_named_is_linked_if_the_book_has_it(page):
    links = re.findall(r'<a class="reference \w+" href="([^"]*)">([^<]*)</a>', page)
    assert links.count(("#figure-3-1", "figure 3.1")) == 2
    assert links.count(("#equation-3-1", "(3.1)")) == 2
    assert ("https://example.org", "Clark et al. (2019)") in links
    assert not re.search(r">(chapter 99|figure 3\.7|3\.1)<", page)


def test_button_says_which_code_it_shows(page):
    prompt = 'Show the code<span class="sr-only"> of figure 3.1</span>'
    assert prompt in page
    assert "Toggle hidden content" not in page


def test_only_a_neighbouring_pair_stands_side_by_side(page):
    pairs = page.split("side-by-side full-width")[1:]
    numbers = [re.findall(r'class="mi">(\d)', pair)[:2] for pair in pairs]
    assert numbers == [["1", "2"], ["7", "8"]]


# side_by_side: twins face each other

CLASS = "class A:\n    x = 1\n\n    def forward(self):\n        return 1\n"
TWIN = "@saveable\nclass TFA:\n    x, y = 1, 2\n    z = 3\n\n    def call(self): ..."


def test_what_would_come_too_early_gets_a_gap():
    assert side_by_side.gaps(CLASS, TWIN) == ({0: 1, 3: 1}, {})
    assert side_by_side.gaps(TWIN, CLASS) == ({}, {0: 1, 3: 1})


def test_gaps_lengthen_a_pair_by_little():
    last, first = "a\n" * 6 + "\nx = 1\n", "x = 1\n" + "b\n" * 6
    assert side_by_side.gaps(last, first) == ({}, {})


def test_a_gap_adds_nothing_to_the_code():
    code = '<div class="highlight"><pre><span></span>a\nb\n</pre></div>'
    opened = side_by_side.opened(code, {0: 1, 1: 2})
    gap = '<span class="gap" style="--lines: {}"></span>'
    assert opened == code.replace("<pre>", "<pre>" + gap.format(1)).replace(
        "b", gap.format(2) + "b"
    )


def test_set_up_cell_is_folded(page):
    folded = page[page.index("<details") : page.index("</details>")]
    assert "Set up this notebook" in folded
    assert "scratch" in folded


def test_equation_is_set_and_its_number_leads_to_it(page):
    equation = page[page.index('<div class="equation') :].split("</div>\n")[0]
    assert 'id="equation-3-1"' in equation
    assert equation.count("<mtr>") == 2
    assert "\\" not in equation
    assert 'href="#equation-3-1" aria-label="Equation 3.1">(3.1)</a>' in equation


# mathml: formulas, and where they may be broken


def pieces(tex, display=True):
    """Return the text of the pieces of each `<math>` that a formula becomes."""
    return [
        [
            re.sub("<[^>]*>", "", html.unescape(piece))
            for piece in re.findall(
                r"(?<=<mrow>)(?:(?!</?mrow>).)*(?=</mrow>)", formula
            )
        ]
        for formula in mathml.mathml(tex, display).split("</math>")[:-1]
    ]


def test_a_long_formula_may_be_broken_before_its_signs():
    assert pieces(r"abcdefg = hijklmn + opqrstu") == [
        ["abcdefg", "=hijklmn", "+opqrstu"]
    ]


def test_a_short_formula_and_what_is_in_parentheses_stay_whole():
    assert pieces("a = b + c") == [[]]
    assert pieces("abcdefg = h(i + j) + k") == [["abcdefg", "=h(i+j)", "+k"]]


def test_the_sign_of_a_number_stays_with_it():
    assert pieces("abcdefg = -hijklmnopq") == [["abcdefg", "=−hijklmnopq"]]


def test_two_statements_become_two_formulas():
    assert len(pieces(r"a = b, \qquad c = d")) == 2
    assert len(pieces(r"a = b, \qquad c = d", display=False)) == 1


def test_an_exponent_belongs_to_what_is_in_the_parentheses():
    markup = mathml.mathml(r"f\Big(\frac{a}{b}\Big)^c", display=True)
    (base,) = re.findall("<msup><mrow>(.*)</mrow><mi>c</mi></msup>", markup)
    assert base.startswith("<mo ") and base.endswith(")</mo>")
    assert "<mfrac>" in base
    assert markup.count("<mo") == 2


def test_an_aligned_equals_sign_has_its_space():
    markup = mathml.mathml(r"\begin{aligned} a = &-b \end{aligned}", display=True)
    (sign,) = re.findall("<mo [^>]*>=</mo>", markup)
    assert 'lspace="0.2778em"' in sign and 'rspace="0.2778em"' in sign


def test_a_sentence_in_a_formula_may_be_broken_between_words():
    (found,) = pieces(r"p = \text{the longest piece of the word}")
    assert found == [
        "p",
        "=the\xa0",
        "longest\xa0",
        "piece\xa0",
        "of\xa0",
        "the\xa0",
        "word",
    ]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("So ({}), too.", "({}),"),
        ("the {}-th word", "{}-th"),
        ("it is {}.", "{}."),
        ("all {} words", None),
    ],
)
def test_marks_stay_on_the_line_of_their_formula(text, kept):
    before, after = text.split("{}")
    paragraph = nodes.paragraph("", before, nodes.math("", "x"), nodes.Text(after))
    paragraph[0] = nodes.Text(before)
    document = nodes.container("", paragraph)
    mathml.keep_marks(document)
    together = [inline.astext() for inline in document.findall(nodes.inline)]
    assert together == ([] if kept is None else [kept.format("x")])
    assert paragraph.astext() == text.format("x")


def test_empty_header_has_a_name_for_screen_readers(page):
    header = page[page.index("<th ") : page.index("</th>")]
    assert '<span class="sr-only">Row</span>' in header


def test_first_column_that_names_its_rows_is_a_header(page):
    assert '<th class="stub"><p>row</p></th>' in page


def test_only_a_wide_table_reaches_over_the_margin(page):
    tables = re.findall(r'<table class="([^"]*)"', page)
    assert ["full-width" in table for table in tables] == [False, True]


# glossary: the first use of a term is linked


def linked(*paragraphs, page="book/03_attention"):
    """Return {link's text: its title} of a page with these paragraphs."""
    entry = nodes.definition_list_item()
    entry += nodes.term("", "attention head", ids=["term-attention-head"])
    sentence = nodes.paragraph("", "One set of projections.")
    entry += nodes.definition("", sentence, nodes.paragraph("", "Chapter 4."))
    other = nodes.definition_list_item()
    other += nodes.term("", "attention", ids=["term-attention"])
    other += nodes.definition("", nodes.paragraph("", "A weighted mean."))
    everyday = nodes.definition_list_item()
    everyday += nodes.term("", "memory", ids=["term-memory"])
    everyday += nodes.definition("", nodes.paragraph("", "The encoder's output."))
    documents = {"book/glossary": nodes.container("", entry, other, everyday)}
    app = SimpleNamespace(
        env=SimpleNamespace(all_docs=documents, get_doctree=documents.get),
        builder=SimpleNamespace(get_relative_uri=lambda page, other: "glossary.html"),
    )
    doctree = nodes.container("", *paragraphs)
    glossary.link_terms(app, doctree, page)
    return {
        link.astext(): (link["reftitle"], link["refuri"])
        for link in doctree.findall(nodes.reference)
    }


def test_the_first_use_of_a_term_shows_its_sentence():
    words = "Attention heads are many; an attention head is small. Inattention is not."
    assert linked(nodes.paragraph("", words)) == {
        "Attention heads": (
            "One set of projections.",
            "glossary.html#term-attention-head",
        )
    }
    links = linked(nodes.paragraph("", words), nodes.paragraph("", "So, attention."))
    assert set(links) == {"Attention heads", "attention"}


def test_a_word_of_every_day_is_a_term_in_its_chapters_only():
    for page in ("book/03_attention", "book/17_many_machines"):
        assert linked(nodes.paragraph("", "Memory is cheap."), page=page) == {}
    words = nodes.paragraph("", "The memory is read.")
    assert set(linked(words, page="book/08_decoder")) == {"memory"}


def test_titles_code_and_other_pages_have_no_linked_terms():
    code = nodes.paragraph("", "", nodes.literal("", "attention"))
    assert linked(nodes.title("", "Attention"), code) == {}
    assert linked(nodes.paragraph("", "attention"), page="book/index") == {}


# night and pictures: stills in other colours, and panel by panel


def contrast(one, other):
    """The contrast of two colours, as WCAG defines it."""
    shares = (night.rgb([one, other]) + 0.055) / 1.055
    low, high = sorted(shares**2.4 @ [0.2126, 0.7152, 0.0722] + 0.05)
    return high / low


def test_each_colour_of_the_figures_is_seen_at_night():
    colours = {*COLORS.values(), TORCH["color"], TENSORFLOW["color"]}
    assert night.svg(PAPER) == night.NIGHT[PAPER]
    assert contrast(night.svg(INK), night.svg(PAPER)) > 10
    for colour in colours:
        dark = night.svg(colour)
        assert contrast(dark, night.svg(PAPER)) > 3, colour
        assert contrast(dark, night.svg(INK)) > 1.4, colour  # of letters on it
    assert len({night.svg(colour) for colour in colours}) == len(colours)
    # Larger values of a map stand out more at night, too.
    steps = [sequential()(part) for part in (0.0, 0.25, 0.5, 0.75, 1.0)]
    grounds = [contrast(night.svg(to_hex(step)), night.svg(PAPER)) for step in steps]
    assert grounds == sorted(grounds) and grounds[-1] > 10


def drawn(**shares):
    """A figure of three panels."""
    with figure_style():
        figure, axes = plt.subplots(1, 3, figsize=(9, 3), **shares)
        for axis in axes:
            axis.plot([0, 1, 3], [1, 30, 2])
            axis.set(xlabel="step")
        axes[0].set(ylabel="loss")
    return figure


def test_at_night_only_the_palette_is_another(tmp_path):
    (day := tmp_path / "x.png").write_bytes(as_png(drawn()))
    places = [np.asarray(Image.open(file)) for file in (day, pictures.at_night(day))]
    assert (places[0] == places[1]).all()
    corner = Image.open(tmp_path / "x-night.png").convert("RGB").getpixel((0, 0))
    assert np.abs(np.array(corner) - 255 * night.rgb([night.NIGHT[PAPER]])).max() < 4


def test_a_figure_knows_its_panels_unless_they_share_their_labels():
    """Each cut goes through paper, from top to bottom, beside the third it cuts off."""
    cuts = panels(drawn(), PADDING)
    picture = Image.open(BytesIO(as_png(drawn()))).convert("L")
    assert np.allclose(cuts, [180 * 2, 180 * 4], atol=40)
    for cut in cuts:
        assert np.ptp(np.asarray(picture)[:, 2 * cut]) == 0
    assert panels(drawn(sharey=True)) == []
    _, stored = _sharp_png(figure := drawn())
    assert stored["panels"] == panels(figure)
    assert "panels" not in _sharp_png(drawn(sharey=True))[1]


def test_a_figure_is_shown_panel_by_panel(tmp_path):
    figure = drawn()
    cuts = panels(figure, PADDING)
    (file := tmp_path / "x.png").write_bytes(as_png(figure))
    markup = pictures.shown(file, "Loss", "x.png", "y.png", cuts)
    widths = list(map(int, re.findall(r"<img [^>]*--wide:(\d+)", markup)))
    size = round(Image.open(file).size[0] / 2)
    assert widths == 2 * [cuts[0], cuts[1] - cuts[0], size - cuts[1]]
    assert 'class="still panels only-light"' in markup


# model_map: where each chapter stands in the model

PAGES = sorted(path.stem for path in (ROOT / "book").glob("[0-9]*.ipynb"))
PAGE_OF = {page[3:]: f"{page}.html" for page in PAGES}


def test_the_map_is_the_model_that_chapter_9_builds():
    """Its parts and sizes come from the config: no framework draws a built page."""
    with torch.device("meta"):
        model = Transformer(TransformerConfig(vocab_size=37_000))
    assert model_map.drawing().svg == diagram(model).svg


def test_each_box_of_the_map_leads_to_a_chapter_and_to_its_code():
    svg = model_map.linked(PAGE_OF, lambda file: f"{file}.py")
    links = set(re.findall(r'<a (?:class="code" )?href="([^"]+)"', svg))
    code = {link for link in links if link.endswith(".py")}
    assert links - code == {f"{page}.html" for page in PAGES[:9]} - {
        "03_attention.html",  # one box is about chapters 3 and 4
        "07_encoder_at_work.html",
    }
    assert all((ROOT / "scratch" / "torch" / file).exists() for file in code)
    boxes = svg.count('rx="7"')
    assert boxes == 15 == svg.count('class="title"')


def test_a_chapter_s_own_part_of_the_map_is_coloured():
    def coloured(name):
        return len(re.findall(r'rx="7" fill="(?!#d9d6ce)', model_map.small(name)))

    counted = {name: coloured(name) for name in PAGE_OF}
    assert counted["tokenization"] == len(model_map.IDS)
    assert counted["embeddings"] == 4
    assert counted["attention"] == counted["multi_head"] == 3
    assert counted["feed_forward"] == 2
    assert counted["encoder"] == 6
    assert counted["decoder"] == 9
    assert counted["gone_wrong"] == 15
    assert model_map.ABOUT.keys() < PAGE_OF.keys()
