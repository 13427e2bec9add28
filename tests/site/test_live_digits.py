"""The box to draw in on *Live models*, beside our classifier in PyTorch."""

import base64
import re
from functools import cache

from readymade.data import digit_reader, digits, moved
from scratch.torch import inference

import numpy as np
import pytest
import torch
from helpers.book import ROOT
from helpers.drawn_digits import DRAWN, path
from helpers.live_models import START, rounded
from helpers.site import MILLISECONDS
from playwright.sync_api import expect

pytestmark = pytest.mark.slow("a page that reads digits otherwise than our classifier")

expect.set_options(timeout=MILLISECONDS)
INK = 16
WIDE = "This is wide for one digit, but is all read as one."


@pytest.fixture(scope="module")
def failures():
    return []


@pytest.fixture(scope="module")
def box(browser, address, failures):
    """The box on one page for most tests: whoever draws clears it first."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(MILLISECONDS)
    page.on("pageerror", lambda error: failures.append(str(error)))
    page.goto(f"{address}book/live.html")
    box = page.locator(".live-digits")
    box.get_by_role("button", name="Clear").and_(box.locator(":enabled")).wait_for()
    box.locator(".live-paper").scroll_into_view_if_needed()
    yield box
    page.close()


def draw(box, strokes):
    """Draw with the mouse, and wait for the answer to all of it."""
    box.get_by_role("button", name="Clear").click()
    frame, mouse = box.locator(".live-paper").bounding_box(), box.page.mouse
    corner, side = np.array([frame["x"], frame["y"]]), frame["width"] / 100
    for stroke in strokes:
        first, *rest = corner + side * path(stroke)
        mouse.move(*first)
        mouse.down()
        for place in rest:
            mouse.move(*place)
        mouse.up()
    expect(box).to_have_attribute("aria-busy", "false")


def seen(box):
    """Return the numbers that the model sees, as a batch of one picture."""
    texts = box.locator(".live-blocks td").all_inner_texts()
    return np.array(texts, np.float32).reshape(1, 1, 8, 8) / INK


def percents(texts):
    return [float(re.search(r"([\d.]+)%", text)[1]) / 100 for text in texts]


@cache
def reader():
    """Our model with the weights that the page has."""
    return rounded(digit_reader())


@cache
def mean_picture():
    return np.rint(INK * digits()[0][0].mean(0)) / INK


def hidden(pictures):
    """Return pictures without each of the four patches, the batches in a list.

    First blank paper takes a patch's place, then the mean of the training pictures.
    """
    batches = []
    for other in (np.zeros((1, 8, 8)), mean_picture()):
        for top, left in ((0, 0), (0, 4), (4, 0), (4, 4)):
            batches.append(pictures.copy())
            area = np.s_[..., top : top + 4, left : left + 4]
            batches[-1][area] = other[area]
    return batches


def assert_our_answer(box):
    """The page shows our model's answer to the same numbers; return that digit."""
    picture = seen(box)
    with inference(model := reader()):
        wanted = model(np.concatenate([picture, *hidden(picture)])).softmax(-1)
    shares = percents(box.locator(".live-chances li").all_inner_texts())
    assert shares == pytest.approx(wanted[0].tolist(), abs=0.006)
    digit = int(wanted[0].argmax())
    assert f"It reads {digit} (" in box.locator("p[role=status]").inner_text()
    rows = box.locator(".live-hidden td").all_inner_texts()
    # Row after row: blank paper in a patch's place, and the mean picture.
    order = [1 + patch + 4 * way for patch in range(4) for way in range(2)]
    best = wanted[order].max(-1)
    assert [int(row.split(",")[0]) for row in rows] == best.indices.tolist()
    assert percents(rows) == pytest.approx(best.values.tolist(), abs=0.006)
    return digit


def said(words):
    text = (ROOT / "book" / "live.md").read_text(encoding="utf-8")
    return re.search(words, " ".join(text.split()))


def test_drawn_digits_are_read_as_often_as_the_page_says(box, failures):
    """Each digit in three shapes; those that the page names are read wrongly."""
    read, ink = [], []
    for _, *strokes in DRAWN:
        draw(box, strokes)
        read.append(assert_our_answer(box))
        assert WIDE not in box.locator("p[role=status]").inner_text()
        ink.append(seen(box).mean())
    right = np.array(read) == [digit for digit, *_ in DRAWN]
    assert abs(int(said(r"(\d+) of 30 digits")[1]) - right.sum()) <= 1, read
    assert right.mean() >= 0.85
    # Two that are hard for it, whose wrong answers the page names.
    assert (read[5], read[14]) == (2, 9)
    assert np.mean(ink) == pytest.approx(digits()[0][0].mean(), abs=0.01)
    assert failures == []


def test_neither_size_nor_place_changes_what_the_model_sees(box):
    """The box is cropped and scaled; pixels of the screen are rounded."""
    _, *strokes = DRAWN[16]
    pictures = []
    for by, shift in ((1, 0), (0.5, 3), (1.3, 3)):
        points = [np.array(stroke) * by - 50 * (by - 1) + shift for stroke in strokes]
        draw(box, [stroke.tolist() for stroke in points])
        pictures.append(seen(box))
    for other in pictures[1:]:
        difference = INK * abs(other - pictures[0])
        assert difference.mean() < 0.5 and difference.max() <= 6


def test_a_held_out_digit_is_shown_without_drawing(box, failures):
    """By the keyboard: in turn, as they are in the data."""
    _, (pictures, labels) = digits()
    button = box.get_by_role("button", name="4", exact=True)
    for picture in [*pictures[labels == 4][:5], pictures[labels == 4][0]]:
        button.press("Enter")
        expect(box).to_have_attribute("aria-busy", "false")
        np.testing.assert_array_equal(seen(box)[0], picture)
        assert assert_our_answer(box) == 4
    assert failures == []


def test_clear_and_a_dot_have_no_answer(box):
    draw(box, DRAWN[0][1:])
    box.get_by_role("button", name="Clear").click()
    assert not seen(box).any()
    assert box.locator(".live-paper polyline").count() == 0
    draw(box, [[(50, 50), (51, 51)]])
    expect(box.locator("p[role=status]")).to_have_text(
        "That is only a dot. Draw a digit."
    )
    assert not seen(box).any()


def test_two_digits_are_read_as_one_and_the_page_says_so(box):
    """Side by side, each at half its size."""
    halves = zip(DRAWN[9][1:] + DRAWN[21][1:], (0, 0, 50, 50), strict=True)
    draw(box, [[(x / 2 + left, y / 2 + 25) for x, y in s] for s, left in halves])
    expect(box.locator("p[role=status]")).to_contain_text(WIDE)
    assert_our_answer(box)
    box.get_by_role("button", name="3", exact=True).click()
    expect(box.locator("p[role=status]")).to_contain_text("It reads 3")
    expect(box.locator("p[role=status]")).not_to_contain_text(WIDE)


def test_a_finger_draws_and_the_page_stays(open_page):
    page = open_page("book/live.html", width=390, has_touch=True)
    box = page.locator(".live-digits")
    box.locator("button:enabled").first.wait_for()
    box.locator(".live-paper").scroll_into_view_if_needed()
    frame, top = box.locator(".live-paper").bounding_box(), page.evaluate("scrollY")
    side = frame["width"]
    client = page.context.new_cdp_session(page)

    def touch(kind, *points):
        where = [
            {"x": frame["x"] + side * x, "y": frame["y"] + side * y} for x, y in points
        ]
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": where})

    touch("touchStart", (0.5, 0.2))
    for step in range(1, 13):
        touch("touchMove", (0.5, 0.2 + 0.05 * step))
    touch("touchEnd")
    expect(box.locator("p[role=status]")).to_contain_text("It reads")
    assert box.locator(".live-paper polyline").count() == 1
    assert page.evaluate("scrollY") == top
    assert assert_our_answer(box) == 1


def test_a_missing_model_is_said_and_can_be_tried_again(open_page):
    page = open_page("book/live.html")
    page.route("**/digits-*", lambda route: route.fulfill(status=404), times=1)
    box = page.locator(".live-digits")
    box.get_by_role("button", name="7", exact=True).click()
    expect(box.locator("p[role=status]")).to_contain_text("That did not work")
    box.get_by_role("button", name="7", exact=True).click()
    expect(box.locator("p[role=status]")).to_contain_text("It reads 7")


def test_classifier_computes_what_ours_does_and_8_bits_cost_what_the_page_says(box):
    _, (pictures, labels) = digits()
    box.page.evaluate(START, ["encoder", "writer", "translator", "assistant"])
    found = box.page.evaluate(
        "async pictures => asBase64(await work('see', {pictures}))",
        pictures.reshape(-1, 64).tolist(),
    )
    found = np.frombuffer(base64.b64decode(found), "<f4").reshape(-1, 10)
    with inference(exact := digit_reader()):
        exact = exact(torch.tensor(pictures)).numpy()
    with inference(model := reader()):
        wanted = model(torch.tensor(pictures)).numpy()
    assert abs(found - wanted).max() < 1e-4
    answers = found.argmax(1)
    same, right = (answers == exact.argmax(1)).sum(), (answers == labels).sum()
    assert int(said(r"(\d+) of 500 held-out digits have the same answer")[1]) == same
    assert int(said(r"reads (\d+) of 500 held-out digits")[1]) == right
    with inference(model):
        shares = [
            (model(moved(pictures, *one)).argmax(1).numpy() == labels).mean()
            for one in ((1, 0), (-1, 0), (0, 1), (0, -1))
        ]
        without = [model(one).argmax(1).numpy() for one in hidden(pictures)]
    changed = [
        round(100 * np.mean(rows != answers)) for rows in np.split(np.array(without), 2)
    ]
    words = r"blank paper changes (\d+)% and the mean of the training pictures (\d+)%"
    assert [*map(int, said(words).groups())] == pytest.approx(changed, abs=1)
    percent = int(said(r"and (\d+)% of them after a move by one pixel")[1])
    assert np.mean(shares) == pytest.approx(percent / 100, abs=0.006)
