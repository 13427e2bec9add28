"""The built book in Firefox: what needs a browser works in a second one, too.

Chromium is asked for every page and every detail, Firefox for one of each kind.
"""

import json
import re
from pathlib import Path

from readymade.data import number_game as game
from readymade.data import writer_path
from readymade.data.number_words import german
from readymade.weights import load_checkpoint, minilm_path

import pytest
import torch
from helpers.book import ROOT
from helpers.firefox import browsing_in_firefox
from helpers.live_models import (
    START,
    WRITE_ALL,
    assert_same_but_for_ties,
    of_stages,
    of_translator,
    of_writer,
)

pytestmark = pytest.mark.slow("what works in Chromium alone")

CHAPTER = "book/03_attention.html"
HEADS = "book/04_multi_head.html"
LIVE = "book/live.html"

# What the scripts below can use: functions that wait, and that look into a frame.
TOOLS = """
    const find = (selector, root = document) => root.querySelector(selector);
    const all = (selector, root = document) => [...root.querySelectorAll(selector)];
    const until = async condition => {
        while (!condition()) await new Promise(done => setTimeout(done, 20));
    };
    const change = (field, value) => {
        field.value = value;
        for (const kind of ["input", "change"])
            field.dispatchEvent(new Event(kind, {bubbles: true}));
    };
    const inFrame = async (title, part) => {
        const frame = find(`iframe[title^="${title}"]`);
        frame.scrollIntoView({behavior: "instant"});
        await until(() => frame.contentDocument && find(part, frame.contentDocument));
        return frame.contentWindow;
    };
"""


@pytest.fixture(scope="module")
def visit(address, tmp_path_factory, firefox):
    """A function that opens a page of the book and returns a function to ask it.

    A page that is already open stays as it is; its window gets the given width.
    """
    profile = Path(tmp_path_factory.mktemp("firefox"))
    opened = []
    with browsing_in_firefox(firefox, profile) as browser:

        def ask(script):
            return browser.evaluate(f"(async () => {{ {TOOLS} {script} }})()")

        def open_(page, width=1440, again=False):
            browser.resize(width)
            if again or opened[-1:] != [page]:
                browser.open(address + page)
                opened.append(page)
            return ask

        yield open_


def assert_fits(ask):
    content, window = ask("""
        const page = document.documentElement;
        return [page.scrollWidth, page.clientWidth];
    """)
    assert content <= window


def test_formulas_are_set_in_the_font_of_the_book(visit):
    ask = visit(CHAPTER)
    above, below, root, inside = ask("""
        await document.fonts.load("16px 'STIX Two Math of the book'");
        const box = part => part.getBoundingClientRect();
        const equation = find("#equation-3-2");
        const [above, below] = find("mfrac", equation).children;
        const root = find("msqrt", equation);
        return [box(above), box(below), box(root), box(root.lastElementChild)];
    """)
    assert above["bottom"] <= below["top"] + 1
    assert root["width"] > inside["width"] and root["top"] < inside["top"]
    assert ask("""return [...document.fonts].some(font =>
        font.family.includes("STIX Two Math") && font.status === "loaded");""")


@pytest.mark.parametrize(("width", "columns"), [(1440, 2), (390, 1)])
def test_a_chapter_fits_its_window(visit, width, columns):
    ask = visit(CHAPTER, width)
    assert_fits(ask)
    shown = ask("""
        const cells = all(":scope > .sd-tab-content", find(".side-by-side"));
        return cells.filter(cell => cell.checkVisibility()).length;
    """)
    assert shown == columns


def test_a_map_draws_the_chosen_head_of_the_chosen_layer(visit):
    """Of three layers and three heads: the last layer, with two heads switched off."""
    ask = visit(HEADS)
    before, drawn, weights = ask("""
        const view = await inFrame("Attention by head", "#heads button");
        const page = view.document;
        const opacities = head => all(`[head-index="${head}"] line`, page)
            .map(line => Number(line.getAttribute("stroke-opacity")));
        const before = opacities(2);
        change(find("#layer", page), "2");
        await until(() => all("#heads button", page).length === 3);
        all("#heads button", page).slice(0, 2).forEach(button => button.click());
        return [before, [0, 1, 2].map(opacities),
            view.bertviz_params.attention.all.attn[2]];
    """)
    assert not any(drawn[0]) and not any(drawn[1])
    wanted = [weight for row in weights[2] for weight in row]
    assert drawn[2] == pytest.approx(wanted, abs=5e-4)
    assert len(wanted) == len(before) > 100 and wanted != before


def test_a_figure_answers(visit):
    """With one of its heads alone the cosines fall; with all of them they are 1."""
    every, one, said = visit(HEADS)("""
        const view = await inFrame("The heads of one layer", "button[aria-pressed]");
        const page = view.document;
        const cosines = () => all("table.bars td:nth-child(2)", page)
            .map(cell => Number(cell.textContent));
        const every = cosines();
        all("button[aria-pressed]", page).slice(1).forEach(button => button.click());
        return [every, cosines(), find("[role=status]", page).textContent];
    """)
    assert set(every) == {1}
    assert max(one) < 1
    assert re.search(r"\b1 of \d+ heads (is|are) on", said)


def test_an_answer_has_its_verdict_and_is_remembered(visit):
    box = """
        const box = all(".answer-box[data-exercise]").find(
            box => JSON.parse(find("script", box).textContent).mistakes?.length);
        const {right, mistakes} = JSON.parse(find("script", box).textContent);
        const answer = value => {
            find("input[type=text]", box).value = JSON.stringify(value);
            find("form", box).requestSubmit();
            return find(".verdict", box).textContent;
        };
        const isSolved = () => find("input[type=checkbox]", box).checked;
    """
    wanted, said, solved = visit(HEADS)(
        box
        + """
        return [mistakes[0].says, answer(mistakes[0].value), isSolved()];
    """
    )
    assert said == wanted.replace("`", "")
    assert not solved
    assert visit(HEADS)(box + "return [answer(right), isSolved()];") == ["Right.", True]
    assert visit(HEADS, again=True)(box + "return isSolved();")
    count = "return find('.bd-sidebar-primary .solved-count').textContent;"
    assert visit(HEADS)(count).startswith("1/")


def test_the_models_that_write_do_so_on_the_live_page(visit):
    """The likeliest tokens, as ours writes them with weights that are not rounded."""
    text, translation, answer = visit(LIVE)("""
        const box = find(".live-writer");
        const press = (root, name) => all("button", root)
            .find(button => button.textContent === name).click();
        find("textarea", box).value = "She had";
        change(find("[name=topK]", box), "1");
        for (let count = 1; count <= 4; count++) {
            press(box, "One token");
            await until(() => all(".live-text button", box).length === count
                && !find("[data-do=one]", box).disabled);
        }
        const other = find(".live-translator");
        press(other, "Translate");
        await until(() => find(".live-verdict", other).textContent);
        const third = find(".live-assistant");
        press(third, "Ask");
        await until(() => all(".live-verdict", third).every(said => said.textContent));
        return [find(".live-text", box).innerText, find("output", other).innerText,
            find("[data-stage=rewards] [role=log]", third).innerText];
    """)
    model, tokenizer = load_checkpoint(writer_path())
    ids = torch.tensor([tokenizer.encode("She had")])
    assert text == tokenizer.decode(model.generate(ids, 999, 4)[0].tolist())
    assert translation == german(4321)
    asked = game.prompt("start with two , add three , double . what do you get ?")
    assert [answer.strip()] == game.answers(game.stages()["rewards"], [asked])


def test_a_link_leads_to_figures_that_are_drawn(visit):
    ask = visit("book/exercises.html", 390)
    ask("return 0;")
    hits, canvases = visit(f"{LIVE}#search-by-meaning", 390)("""
        const drawn = ["#live-found li", "#live-maps canvas"];
        const count = () => drawn.map(part => all(part).length);
        await until(() => count().every(Boolean));
        return count();
    """)
    assert (hits, canvases) == (12, 72)


def test_what_a_phone_types_is_a_text_of_whole_characters(visit):
    text, gaps, isWhole = visit(LIVE)("""
        const box = find(".live-writer");
        find("textarea", box).value = "It’s “fine” — café 😀";
        find("[data-do=one]", box).click();
        await until(() => all(".live-text button", box).length === 1
            && !find("[data-do=one]", box).disabled);
        const gaps = all(".live-word", box).flatMap(({children}) => [...children]
            .slice(1).map((token, i) => {
                const over = parseFloat(getComputedStyle(children[i]).marginRight);
                const end = children[i].getBoundingClientRect().right + over;
                return token.getBoundingClientRect().left - end;
            }));
        const text = find(".live-text", box).innerText;
        return [text, gaps, !text.includes("\ufffd")];
    """)
    assert text.startswith('It\'s "fine" -- café 😀') and isWhole
    assert len(gaps) > 5 and all(abs(gap) < 1.5 for gap in gaps), gaps


def test_a_tick_is_seen_wherever_the_page_is_open(visit):
    """In a frame, which is notified of what is stored just as another tab is."""
    box = "input[type=checkbox]"
    ticked, counted = visit("book/06_encoder.html")(f"""
        const frame = document.createElement("iframe");
        frame.src = location.href;
        document.body.append(frame);
        const boxes = page => all(".answer-box {box}", page);
        await until(() => frame.contentDocument
            && boxes(frame.contentDocument).length === boxes(document).length);
        boxes(frame.contentDocument).at(-1).click();
        await until(() => boxes(document).at(-1).checked);
        const counted = find(".bd-sidebar-primary .current .solved-count");
        return [boxes(document).at(-1).checked, counted?.textContent ?? ""];
    """)
    assert ticked and re.match(r"\d+/\d+", counted)


def test_where_site_data_is_blocked_pages_and_models_work(address, tmp_path, firefox):
    """As Firefox does it for a reader who blocks all cookies."""
    blocked = [("network.cookie.cookieBehavior", 2)]
    with browsing_in_firefox(firefox, tmp_path, blocked) as browser:

        def ask(script):
            return browser.evaluate(f"(async () => {{ {TOOLS} {script} }})()")

        browser.open(address + LIVE)
        said = ask("""
            const box = find(".live-writer");
            find("[data-do=one]", box).click();
            const status = find("[role=status]", box);
            await until(() => /written|not work/.test(status.textContent));
            return status.textContent;
        """)
        assert said.startswith("1 token written.")
        browser.open(address + HEADS)
        before, after, isTicked = ask("""
            const mode = () => document.documentElement.dataset.mode;
            const before = mode(), box = find(".answer-box input[type=checkbox]");
            find(".theme-switch-button").click();
            box.click();
            return [before, mode(), box.checked];
        """)
        assert before != after and isTicked


def test_each_model_writes_200_texts_as_ours_does(visit):
    """Some 9 s: only here does a second engine compute more than a few numbers."""
    ask = visit(LIVE)

    def written(asked):
        return ask(f"return (await ({WRITE_ALL})({json.dumps(asked)}))[0];")

    ask(f"await ({START})(['encoder']);")
    for wanted in (of_writer(), of_translator()):
        assert written(wanted.asked) == wanted.ours
    for wanted in of_stages()[1].values():
        texts = [*map(game.decode, written(wanted.asked))]
        assert_same_but_for_ties(wanted, texts)


def test_the_encoder_reads_on_the_live_page(visit):
    """Some 6 s: only here does a second browser load and run the model."""
    ask = visit(LIVE)
    tokens, ids, painted, lines, cosine = ask("""
        await until(() => !find("#live-load").disabled);
        find("#live-load").click();
        await until(() => find("#live-status").textContent.startsWith("Read"));
        const view = await inFrame("Head view", "#left text");
        const list = find(".live-tokens");
        const isPainted = map => map.getContext("2d")
            .getImageData(0, 0, map.width, map.height).data.some(Boolean);
        return [
            all(".live-token", list).map(token => token.textContent),
            all(".live-id", list).map(id => Number(id.textContent)),
            all("#live-maps canvas").filter(isPainted).length,
            all("#left text", view.document).length,
            find("#live-cosine").textContent,
        ];
    """)
    vocab = (minilm_path() / "vocab.txt").read_text(encoding="utf-8").splitlines()
    assert [vocab[number] for number in ids] == tokens
    assert " ".join(tokens).startswith("[CLS] the animal didn ' t cross the street")
    assert (painted, lines) == (6 * 12, len(tokens))
    text = " ".join((ROOT / "book" / "live.md").read_text(encoding="utf-8").split())
    assert re.search(r"\*What is it\?\* .*?cosine is (\d\.\d\d)", text)[1] == cosine
    assert_fits(visit(LIVE, width=390))
