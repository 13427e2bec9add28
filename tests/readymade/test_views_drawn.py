"""Views as a browser shows them: with scripts, without, on paper, and offline."""

from pathlib import Path

from readymade.views import head_view, model_view, neuron_view
from readymade.views.attention import bertviz_views

import matplotlib.pyplot as plt
import mpld3
import numpy as np
import pytest
import sphinxcontrib.jquery
from playwright.sync_api import sync_playwright

pytestmark = pytest.mark.slow("a view that a browser draws otherwise")

TOKENS = ["[CLS]", "time", "flies", "[SEP]"]
KEY_TOKENS = ["[CLS]", "la", "flèche", "file", "[SEP]"]
LIBRARIES = {
    "d3": Path(mpld3.__file__).parent / "js" / "d3.v5.min.js",
    "jquery": Path(sphinxcontrib.jquery.__file__).parent / "jquery-3.6.0.js",
}


def random(*shape):
    return np.random.default_rng(0).random(shape)


@pytest.fixture(scope="module", autouse=True)
def one_picture():
    """The first view's picture stands for all: what they show, test_views.py looks at.

    To draw one takes longer than all else here.
    """
    pictures, as_png = [], bertviz_views.as_png

    def first(figure):
        if not pictures:
            pictures.append(as_png(figure))
        plt.close(figure)
        return pictures[0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bertviz_views, "as_png", first)
        yield


@pytest.fixture(scope="module")
def browser(chromium):
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox"]
        )


@pytest.fixture
def show(browser):
    """Show HTML in a page whose only network is the two libraries."""
    contexts = []

    def show(*views, online=True, **options):
        context = browser.new_context(
            viewport={"width": 1100, "height": 900}, **options
        )
        context.set_default_timeout(600_000)  # a busy machine is slow, not wrong
        contexts.append(context)
        page = context.new_page()
        page.problems = []
        page.on("pageerror", lambda error: page.problems.append(str(error)))

        def answer(route):
            names = [name for name in LIBRARIES if f"/{name}" in route.request.url]
            if online and names:
                route.fulfill(path=LIBRARIES[names[0]])
            else:
                route.abort()

        page.route("**/*", answer)
        page.set_content(
            "".join(view._repr_html_() for view in views), wait_until="load"
        )
        return page

    yield show
    for context in contexts:
        context.close()


def frame(page, number=0):
    return page.frames[1 + number]


def is_seen(page, selector):
    return page.locator(selector).first.is_visible()


def opacities(lines):
    return lines.evaluate_all(
        "lines => lines.map(line => +line.getAttribute('stroke-opacity'))"
    )


def test_a_head_view_draws_a_line_as_strong_as_each_weight(show):
    weights = random(1, 1, 4, 5)
    page = show(head_view(weights, TOKENS, KEY_TOKENS))
    drawn = opacities(frame(page).locator("#attention line"))
    assert np.allclose(drawn, weights.ravel(), atol=0.0005)
    texts = frame(page).locator("svg text").all_text_contents()
    assert texts == TOKENS + KEY_TOKENS
    assert page.problems == []


def test_a_model_view_draws_every_head_of_every_layer(show):
    weights = random(3, 1, 2, 4, 4)
    page = show(model_view(list(weights), TOKENS))
    drawn = opacities(frame(page).locator("svg line"))
    assert np.allclose(drawn, weights.ravel(), atol=0.0005)
    assert page.problems == []


def test_menus_show_the_numbers_that_layers_and_heads_have_in_the_model(show):
    vectors = random(4, 1, 6, 4, 8)
    views = (
        head_view(list(random(4, 1, 6, 4, 4)), TOKENS, layers=[3, 1], layer=1),
        neuron_view(list(vectors), list(vectors), TOKENS, layers=[2, 3], heads=5),
    )
    page = show(*views)
    for number, wanted in enumerate((["3", "1"], ["2", "3"])):
        shown = frame(page, number).locator("#layer option").all_text_contents()
        assert shown == wanted
    assert frame(page).locator("#layer").input_value() == "1"
    heads = frame(page, 1).locator("#att_head option").all_text_contents()
    assert heads == ["5"]


def test_a_menu_chooses_between_the_sentences(show):
    weights = random(1, 1, 4, 4)
    page = show(head_view(weights, TOKENS, sentence_b_start=3))
    frame(page).locator("#filter").select_option("ab")
    drawn = opacities(frame(page).locator("#attention line"))
    assert np.allclose(drawn, weights[0, 0, :3, 3:].ravel(), atol=0.0005)


def test_a_neuron_view_opens_with_the_products_of_a_query_and_the_keys(show):
    queries, keys = random(1, 1, 4, 8), random(1, 1, 4, 8) - 0.5
    page = show(neuron_view(queries, keys, TOKENS))
    products = (
        frame(page)
        .locator("#expanded .dotproduct")
        .evaluate_all("boxes => boxes.map(box => +box.dataset.value)")
    )
    expected = keys[0, 0] @ queries[0, 0, 1] / np.sqrt(8)
    assert np.allclose(products, expected, atol=0.05)
    assert is_seen(frame(page), "#expanded #leftText")
    assert page.problems == []


def test_the_picture_is_folded_away_and_takes_the_place_of_the_frame_on_paper(show):
    page = show(head_view(random(1, 1, 4, 4), TOKENS))
    assert is_seen(page, "iframe")
    assert not is_seen(page, "img")
    page.emulate_media(media="print")
    assert not is_seen(page, "iframe")
    assert is_seen(page, "img")


def test_without_scripts_the_picture_takes_the_place_of_the_frame(show):
    view = head_view(random(1, 1, 4, 4), TOKENS)
    page = show(view, java_script_enabled=False)
    assert not is_seen(page, "iframe")
    assert is_seen(page, "img")


def test_where_the_network_is_off_the_frame_says_so(show):
    page = show(head_view(random(1, 1, 4, 4), TOKENS), online=False)
    assert "needs the network" in frame(page).locator("#vis").text_content()
    assert page.problems == []


@pytest.mark.slow("a view that is cut at some width")
def test_the_drawing_fits_its_frame_at_every_width(show):
    weights, vectors = list(random(2, 1, 12, 4, 4)), list(random(2, 1, 12, 4, 8))
    views = (
        head_view(weights, TOKENS),
        model_view(weights, TOKENS, sentence_b_start=2),
        neuron_view(vectors, vectors, TOKENS),
    )
    page = show(*views)
    for width in (1100, 320, 700):
        page.set_viewport_size({"width": width, "height": 900})
        for number in range(3):
            drawing = frame(page, number)
            # The page in the frame hears of its new size a moment later.
            drawing.wait_for_function(
                "() => +vis.style.getPropertyValue('--zoom') === Math.max("
                "DRAWN.smallest, Math.min(1, vis.clientWidth / "
                "(NARROW ? DRAWN.narrow : DRAWN.wide))) && "
                "document.documentElement.scrollHeight <= innerHeight",
            )
            # On a phone a drawing may scroll sideways, the page in the frame may not.
            over = drawing.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert over <= 0, (width, views[number])
            cut, shadow = drawing.evaluate(
                "() => [vis.scrollWidth > vis.clientWidth,"
                " getComputedStyle(vis, '::after').width === '24px']"
            )
            assert cut is shadow, (width, views[number])
