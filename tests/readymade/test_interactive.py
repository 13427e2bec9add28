"""Interactive figures in a browser: what they show is what `scratch` computes."""

import functools
import json
import math
import re
from collections import Counter

from readymade.views.interactive import (
    attention_in_training,
    attention_sheet,
    beam_tree,
    head_switches,
    hinge_units,
    merge_steps,
    next_token,
    norm_sheet,
    patched_heads,
    picture_reader,
    position_waves,
    query_in_training,
    rotary_angles,
    slot_board,
    stage_answers,
)
from scratch.config import TransformerConfig
from scratch.serving import Blocks, Request, Schedule
from scratch.tokenization import learn_merges
from scratch.torch import (
    FeedForward,
    beam_search,
    frequencies,
    rotate,
    scaled_dot_product_attention,
    sinusoids,
)
from scratch.torch.sampling import top_k_logits, top_p_logits

import numpy as np
import pytest
import torch
from helpers.site import browsing
from playwright.sync_api import expect

pytestmark = pytest.mark.slow(
    "a figure that shows something else than `scratch` computes"
)

WORDS = ["animal", "</script>", "it", "tired", "$x$"]
GENERATOR = np.random.default_rng(3)
QUERY, KEY = GENERATOR.normal(size=(2, 5, 3)).round(1)
VALUE = GENERATOR.normal(size=(5, 2)).round(1)
LOGITS = GENERATOR.normal(scale=2, size=50).round(3)
PARTS = GENERATOR.normal(size=(4, 5, 8))
BIAS = GENERATOR.normal(size=8)
MAPS = np.full((4, 5, 5), 0.2)
TEXT = "tea tea eat eats seat seats banana"
QUERIES = GENERATOR.normal(size=(7, 2))  # of a training in six steps
KEYS = GENERATOR.normal(size=(7, 5, 2))
# The chances of each letter after each. A beam of 3 finds the empty text, and smaller
# ones another.
LETTERS = ["[PAD]", "[BOS]", "[EOS]", "A", "B", "C"]
EOS = 2
CHANCES = np.random.default_rng(5).dirichlet([0.6] * 6, size=6)

ANSWERS = {
    "base": [[("<b>", 0.9), ("why", 0.5), ("?", 0.1)], [("$x$", 0.4)]],
    "tuned": [[("so", 0.25)], [("now", 0.7), (".", 1.0)]],
}
ANSWERS_PATCHED = {"A": ["two", "ten", "<b>", "six"], "B": ["two", "two", "$x$", "two"]}
RIGHT = {"base": [False, False], "tuned": [True, False]}

STEPS = [0, 5, 10, 15, 20, 25, 30]
CROSS = GENERATOR.dirichlet([0.3] * 4, size=(7, 5))  # a map for each of the steps
LOSSES = np.linspace(3.9, 0.6, 30)
WRITTEN = ["", "ein", "ein", "ein </script>", "ein und", "ein und", "ein und"]
UNITS = GENERATOR.normal(size=(3, 3)).round(1)  # W_1, b_1 and W_2 of three units
TENT = [[1, 1, 1], [1, 0, -1], [1, -2, 1]]
X = GENERATOR.normal(size=(5, 4)).round(1)
PROMPTS = [3, 7, 2, 5, 9, 4, 6, 3, 8, 5, 2, 4]
NEW = [4, 18, 6, 3, 12, 2, 9, 20, 5, 7, 3, 10]


def look_up(ids, cache):
    return torch.log(torch.tensor(CHANCES))[ids[:, -1]], cache


def in_training(weights):
    return attention_in_training(
        weights, STEPS, WORDS, WORDS[:4], WRITTEN, LOSSES, [(0, 1), (3, 2)]
    )


def patched(answers):
    donors = {"A": ("why so ?", "six"), "B": ("why now ?", "$x$")}
    return patched_heads("why not ?", donors, answers, ["0.0", "</script>"])


# Of 41, whole and with each digit hidden, and of 7, on paper for two digits.
SEEN = [GENERATOR.integers(0, 17, (3, 8, 16)) / 16, GENERATOR.random((2, 8, 16))]
SPELLED = [[["ein", "und", "</script>"], ["ein"], ["$x$", "zig"]], [["sieben"], ["b"]]]
ATTENDED = [
    [GENERATOR.dirichlet([0.2] * 9, size=len(tokens)) for tokens in versions]
    for versions in SPELLED
]


def reader(names=("41", "7"), weights=ATTENDED):
    return picture_reader(names, SEEN, SPELLED, weights, size=4)


FIGURES = {
    "sheet": lambda: attention_sheet(QUERY, KEY, VALUE, WORDS),
    "merges": lambda: merge_steps(TEXT),
    "waves": lambda: position_waves(d_model=16, max_len=50),
    "choices": lambda: next_token(LOGITS, [f"<{n}>" for n in range(50)], "After “it”:"),
    "switches": lambda: head_switches(PARTS, BIAS, MAPS, WORDS),
    "tree": lambda: beam_tree(
        beam_search, look_up, torch.tensor([[1]]), LETTERS, EOS, 5, widest=3
    ),
    "training": lambda: query_in_training(QUERIES, KEYS, WORDS, "it"),
    "stages": lambda: stage_answers(["why ?", "when ?"], ANSWERS, RIGHT),
    "patched": lambda: patched(ANSWERS_PATCHED),
    "forming": lambda: in_training(CROSS),
    "hinges": lambda: hinge_units(*UNITS, TENT),
    "norms": lambda: norm_sheet(X, WORDS, 2),
    "rotary": lambda: rotary_angles(d_k=32, max_len=60),
    "slots": lambda: slot_board(PROMPTS, NEW, gap=1.5, slots=3, block_size=4),
    "reader": reader,
}


@functools.cache
def drawn(name):
    """An interactive figure: drawn when a test asks, not while tests are collected."""
    figure = FIGURES[name]()
    assert figure.name == name
    return figure


@pytest.fixture(scope="module")
def browser(chromium):
    with browsing(chromium) as found:
        yield found


@pytest.fixture
def show(browser, tmp_path):
    """Open a figure's page; fail on a script's error, at the end of the test."""
    errors, pages = [], []

    def opened(name, width=736, **how):
        file = tmp_path / f"{name}.html"
        file.write_text(drawn(name).document, encoding="utf-8")
        height = drawn(name).heights[width < 609]
        page = browser.new_page(viewport={"width": width, "height": height}, **how)
        page.on("pageerror", lambda error: errors.append(error))
        page.on("request", lambda asked: pages.append(asked.url))
        page.goto(file.as_uri())
        return page

    yield opened
    assert not errors
    assert all(url.startswith("file:") for url in pages)


def table(page, title):
    """The numbers of the sheet whose caption begins with `title`, as shown."""
    rows = page.locator("table", has_text=title).first.locator("tbody tr").all()
    cells = [row.locator("td").all_inner_texts() for row in rows]
    return np.array(
        [[float(text.replace("−∞", "-inf")) for text in row] for row in cells]
    )


def slide(page, label, value):
    slider = page.get_by_role("slider", name=label)
    slider.evaluate(
        "(slider, value) => { slider.value = value;"
        " slider.dispatchEvent(new Event('input')) }",
        value,
    )


MEASURES = """() => ({
    size: [document.documentElement.scrollWidth, document.body.scrollHeight],
    controls: [...document.querySelectorAll("button, input")].map(control => [
        control.getBoundingClientRect().height,
        control.ariaLabel || control.textContent || control.labels?.[0]?.textContent,
    ]),
})"""


@pytest.mark.parametrize("name", FIGURES)
def test_figure_fits_its_frame_and_every_control_can_be_hit(show, name):
    page = show(name)
    for width in (736, 609, 360):  # 609: a frame on a page of 641 pixels
        most = drawn(name).heights[width < 609]
        page.set_viewport_size({"width": width, "height": most})
        page.reload()
        found = page.evaluate(MEASURES)
        wide, high = found["size"]
        assert wide <= width
        assert high <= most, width
        assert found["controls"]
        for height, label in found["controls"]:
            assert height >= 24, (width, label)
            assert label


def test_attention_sheet_follows_edits_masks_and_the_root(show):
    page = show("sheet")
    query = QUERY.copy()
    query[2, 1] = 4
    page.get_by_label("Query of it, entry 2").fill("4")
    page.get_by_role("button", name="causal").click()
    page.get_by_role("button", name="it attends to animal").click()
    mask = np.tril(np.ones((5, 5), bool))
    mask[2, 0] = False
    matrices = map(torch.tensor, (query, KEY, VALUE))
    output, weights = scaled_dot_product_attention(*matrices, torch.tensor(mask))
    np.testing.assert_allclose(table(page, "Weights"), weights, atol=0.006)
    np.testing.assert_allclose(table(page, "Output"), output, atol=0.006)
    page.get_by_label("divide by").uncheck()
    scores = np.where(mask, query @ KEY.T, -np.inf)
    np.testing.assert_allclose(table(page, "Scores"), scores, atol=0.006)


def test_attention_sheet_gives_a_row_without_keys_weights_of_zero(show):
    page = show("sheet")
    page.get_by_role("button", name="causal").click()
    page.get_by_role("button", name="animal attends to animal").click()
    assert not table(page, "Weights")[0].any()
    assert not table(page, "Output")[0].any()


def test_merges_are_those_that_the_tokenizer_learns(show):
    page = show("merges")
    text = "low low lower lowest newer new wider aaaa"
    page.get_by_label("Your text").fill(text)
    wanted = learn_merges(Counter(text.split()), vocab_size=1_000)
    step = page.get_by_role("button", name="Merge the most frequent")
    for count, pair in enumerate(wanted, start=1):
        step.click()
        summary = page.get_by_role("status").inner_text()
        merges = "1 merge" if count == 1 else f"{count} merges"
        assert summary.startswith(f"{merges}, the last one {' + '.join(pair)}.")
    expect(page.get_by_role("button", name="Merge until")).to_be_disabled()
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Merge until").click()
    assert page.get_by_role("status").inner_text().startswith(f"{len(wanted)} merges")


def test_waves_are_the_sinusoids_of_the_book(show):
    page = show("waves")
    slide(page, "position", 7)
    slide(page, "entry", 5)
    rows = sinusoids(50, 16).numpy()
    summary = page.get_by_role("status").inner_text()
    repeats, *products = map(float, re.findall(r"\d+\.\d", summary))
    assert repeats == round(2 * math.pi * 10_000 ** (4 / 16), 1)
    wanted = [rows[7] @ rows[place] for place in (7, 8, 17)]
    assert products == pytest.approx(wanted, abs=0.051)
    bars = (
        page.locator("svg")
        .first.locator("rect")
        .evaluate_all("all => all.map(bar => Number(bar.getAttribute('height')))")
    )
    bars = np.array(bars)
    np.testing.assert_allclose(
        bars / bars.max(), abs(rows[7]) / abs(rows[7]).max(), atol=1e-5
    )


def test_next_token_is_cut_as_generate_cuts_it(show):
    page = show("choices")
    slide(page, "temperature", 1.5)
    slide(page, "top-k", 5)  # the sixth choice: 8 tokens
    slide(page, "top-p", 0.75)
    logits = torch.tensor(LOGITS)[None] / 1.5
    p = top_p_logits(top_k_logits(logits, 8), 0.75).softmax(-1)[0]
    best = p.argsort(descending=True)[:12].tolist()
    shown = page.locator("table.bars tr").all_inner_texts()
    wanted = [
        f"<{place}> {100 * p[place]:.1f} %" if p[place] else f"<{place}> out"
        for place in best
        if p[place]
    ]
    assert [" ".join(row.split()) for row in shown[: len(wanted)]] == wanted
    assert all("out" in row for row in shown[len(wanted) :])
    assert page.get_by_role("status").inner_text().startswith(f"{len(wanted)} of 50 ")
    page.get_by_role("button", name="Draw 20").click()
    drawn = page.locator(".drawn").inner_text().split(": ")[1].split(" · ")
    assert len(drawn) == 20
    assert {*drawn} <= {f"<{place}>" for place in best[: len(wanted)]}


def test_switched_off_heads_leave_the_cosine_of_the_others(show):
    page = show("switches")
    for head in (0, 3):
        page.get_by_role("button", name=f"head {head}").click()
    whole, left = PARTS.sum(axis=0) + BIAS, PARTS[1:3].sum(axis=0) + BIAS
    cosine = (whole * left).sum(-1)
    cosine /= np.linalg.norm(whole, axis=-1) * np.linalg.norm(left, axis=-1)
    shown = page.locator("table.bars td:nth-child(2)").all_inner_texts()
    np.testing.assert_allclose([float(text) for text in shown], cosine, atol=0.006)
    assert "2 of 4 heads are on" in page.get_by_role("status").inner_text()


def weights_in_training(step):
    _, weights = scaled_dot_product_attention(
        *map(torch.tensor, (QUERIES[step, None], KEYS[step], KEYS[step]))
    )
    return weights[0].tolist()


def bars(page):
    return [float(text) for text in page.locator("td:nth-child(2)").all_inner_texts()]


def test_query_in_training_has_the_weights_of_each_step(show):
    page = show("training")
    for step in (0, 4, 6):
        slide(page, "step", step)
        assert bars(page) == pytest.approx(weights_in_training(step), abs=0.006)
        x1, y1, x2, y2 = page.locator(".query").evaluate(
            "line => ['x1', 'y1', 'x2', 'y2'].map(name => +line.getAttribute(name))"
        )
        arrow = np.array([x2 - x1, y1 - y2])
        reach = arrow @ QUERIES[step] / np.linalg.norm(arrow)
        assert reach == pytest.approx(np.linalg.norm(QUERIES[step]), abs=1e-3)


def test_query_in_training_plays_to_its_end_and_from_the_start_again(show):
    page = show("training")
    play = page.get_by_role("button")
    for _ in range(2):
        play.click()
        expect(play).to_have_text("Pause")
        expect(page.get_by_role("status")).not_to_contain_text("Step 6 of 6")
        expect(page.get_by_role("status")).to_contain_text("Step 6 of 6")
        expect(play).to_have_text("Play")
    assert bars(page) == pytest.approx(weights_in_training(6), abs=0.006)


def test_query_in_training_goes_to_its_end_at_once_for_a_reader_without_motion(show):
    page = show("training", reduced_motion="reduce")
    page.get_by_role("button", name="Last step").click()
    assert "Step 6 of 6" in page.get_by_role("status").inner_text()


def test_a_query_that_is_turned_by_hand_has_the_weights_of_its_place(show):
    page = show("training")
    slide(page, "step", 4)
    slide(page, "direction", 90)
    slide(page, "length", 1.5)
    query = torch.tensor([[0, 1.5]], dtype=torch.float64)
    _, weights = scaled_dot_product_attention(query, *2 * [torch.tensor(KEYS[4])])
    assert bars(page) == pytest.approx(weights[0].tolist(), abs=0.006)
    assert "with your query" in page.get_by_role("status").inner_text()
    page.get_by_role("slider", name="step").press("ArrowRight")
    assert bars(page) == pytest.approx(weights_in_training(5), abs=0.006)


def test_head_in_training_has_the_weights_of_each_step(show):
    page = show("forming")
    slider = page.get_by_role("slider", name="step")
    for place, step in enumerate(STEPS):
        shown = page.locator("rect.cell").evaluate_all(
            "cells => cells.map(cell => +cell.style.fillOpacity)"
        )
        assert shown == pytest.approx(CROSS[place].ravel(), abs=0.006)
        mean = (CROSS[place, 0, 1] + CROSS[place, 3, 2]) / 2
        summary = page.get_by_role("status").inner_text()
        assert f"After {step} steps" in summary
        assert float(re.search(r"0\.\d\d|1\.00", summary)[0]) == pytest.approx(
            mean, abs=0.011
        )
        assert ("does not yet write" in summary) == (place < 4)
        assert page.get_by_text(
            WRITTEN[place] or "(the empty text)", exact=True
        ).count()
        slider.press("ArrowRight")


def number_after(text, words):
    return float(re.search(rf"{words} (−?\d+\.\d\d)", text)[1].replace("−", "-"))


def test_rotary_score_is_that_of_rotated_vectors_and_of_the_distance_alone(show):
    page = show("rotary")
    ones = torch.cat([torch.ones(16), torch.zeros(16)]) / 4  # pairs that are arrows

    def score(query_at, key_at, base):
        turned = [
            rotate(ones[None], frequencies(32, base), place)
            for place in (query_at, key_at)
        ]
        return (turned[0] @ turned[1].T).item()

    slide(page, "query at m", 31)
    slide(page, "key at n", 8)
    summary = page.get_by_role("status")
    for place, base in ((1, 10_000.0), (0, 100.0)):
        page.get_by_role("combobox").select_option(index=place)
        shown = number_after(summary.inner_text(), "score")
        assert shown == pytest.approx(score(31, 8, base), abs=0.006)
    first = page.locator("svg").first.locator(".query line")
    x, y = (float(first.get_attribute(name)) for name in ("x2", "y2"))
    assert math.atan2(-y, x) == pytest.approx(math.remainder(31, 2 * math.pi), abs=1e-3)
    page.get_by_role("button", name="move both together").click()
    for key, wanted in [("ArrowRight", "9"), ("End", "36"), ("Home", "0")]:
        page.get_by_role("slider", name="query at m").press(key)
        assert page.get_by_role("slider", name="key at n").input_value() == wanted
        assert number_after(summary.inner_text(), "score") == shown


def test_hinges_add_up_to_a_feed_forward_layer(show):
    page = show("hinges")
    page.get_by_role("button", name="unit 2").click()
    units = UNITS.copy()
    units[:, 1] = 1.5, -0.5, 2
    for name, value in zip(("W₁", "b₁", "W₂", "b₂"), (1.5, -0.5, 2, 0.4), strict=True):
        slide(page, name, value)
    for place, activation in enumerate(("relu", "silu")):
        page.get_by_role("combobox").select_option(index=place)
        layer = FeedForward(1, 3, activation).double()
        with torch.no_grad():
            layer.expand.weight[:, 0] = torch.tensor(units[0])
            layer.expand.bias[:] = torch.tensor(units[1])
            layer.contract.weight[0] = torch.tensor(units[2])
            layer.contract.bias[:] = 0.4
            x = torch.linspace(-3, 3, 145, dtype=torch.float64)
            wanted = layer(x[:, None])[:, 0].numpy()
        path = page.locator("path.output").get_attribute("d")
        numbers = re.findall(r"[-\d.]+", path)
        up = np.array(numbers[1::2], dtype=float)
        low, high = 244, 8  # where the panel has −2 and 2
        shown = 2 - 4 * (up - high) / (low - high)
        np.testing.assert_allclose(shown, wanted, atol=0.003)
    assert "bends at x = −b₁ / W₁ = 0.33" in page.get_by_role("status").inner_text()
    page.get_by_role("combobox").select_option(index=0)
    page.get_by_role("button", name="Show a solution").click()
    assert "you have built it" in page.get_by_role("status").inner_text()


def test_norm_sheet_says_which_words_change(show):
    page = show("norms")
    slide(page, "scale", 4)
    slide(page, "shift", -1.5)
    before, after = torch.tensor(X), torch.tensor(X)
    after[2] = 4 * after[2] - 1.5

    def norm(x):
        return torch.nn.functional.layer_norm(x, x.shape[-1:])

    def mean(x):
        return x.mean(dim=0, keepdim=True).expand_as(x)

    orders = [
        norm,
        lambda x: torch.nn.functional.layer_norm(x, x.shape),
        lambda x: norm(x + mean(x)),
        lambda x: x + mean(norm(x)),
        lambda x: norm(x) + mean(norm(x)),
    ]
    for place, order in enumerate(orders):
        page.get_by_role("combobox").select_option(index=place)
        wanted = order(after)
        wanted = torch.cat(
            [wanted, wanted.mean(1, True), wanted.std(1, correction=0, keepdim=True)], 1
        )
        texts = page.locator("table").nth(1).locator("tbody td").all_inner_texts()
        shown = [float(text.replace("−", "-")) for text in texts]
        np.testing.assert_allclose(shown, wanted.ravel(), atol=0.006)
        moved = (order(after) - order(before)).abs().amax(1) >= 0.005
        summary = (
            page.get_by_role("status")
            .inner_text()
            .removeprefix("Outputs changed by this: ")
        )
        words = [f"“{word}”" for word, one in zip(WORDS, moved, strict=True) if one]
        if len(words) == len(WORDS):
            words = ["those of all words"]
        assert summary == (", ".join(words) or "none") + "."


def test_answers_after_each_stage_are_shown_token_by_token(show):
    page = show("stages")
    answers = page.locator(".answer")
    page.get_by_role("button", name="from the start").click()
    assert answers.all_inner_texts() == ["<b>", "so"]
    more = page.get_by_role("button", name="next token")
    more.click()
    assert answers.all_inner_texts() == ["<b> why", "so"]
    whole = page.locator("section div").all_inner_texts()
    assert whole == ["base …", "tuned right"]
    page.get_by_role("button", name="whole answers").click()
    assert more.is_disabled()
    page.get_by_role("combobox").select_option("when ?")
    assert answers.all_inner_texts() == ["$x$", "now ."]
    assert more.is_disabled()
    whole = page.locator("section div").all_inner_texts()
    assert whole == ["base not an answer, or wrong", "tuned not an answer, or wrong"]


def test_exchanged_heads_give_the_answer_that_was_computed_for_them(show):
    page = show("patched")
    summary = page.get_by_role("status")
    first, second = page.get_by_role("group").get_by_role("button").all()
    for name, (own, one, two, both) in ANSWERS_PATCHED.items():
        page.get_by_role("combobox").select_option(name)
        page.get_by_role("button", name="none").click()
        for button, answer in ((first, one), (second, both), (first, two)):
            button.click()
            expect(summary).to_contain_text(f"the model answers {answer}:")
            assert page.locator("strong").nth(1).inner_text() == answer
        second.click()
        assert f"own heads, the model answers {own}: its own" in summary.inner_text()
        page.get_by_role("button", name="smallest").click()
        assert "the donor's answer." in summary.inner_text()
        pressed = [one.get_attribute("aria-pressed") for one in (first, second)]
        assert pressed == (["true", "true"] if name == "A" else ["false", "true"])
        page.get_by_role("button", name="all").first.click()
    assert "heads 0.0 and </script> from the donor" in summary.inner_text()
    kinds = ("neither its own", "its answer without an exchange")
    page.get_by_role("combobox").select_option("A")
    second.click()
    assert kinds[0] in summary.inner_text()
    page.get_by_role("combobox").select_option("B")
    assert kinds[1] in summary.inner_text()


def scheduled(gap, slots, size, static):
    """What `Schedule` does with the requests of the board: the counts that it shows."""
    blocks = Blocks(500, size)
    schedule = Schedule(TransformerConfig(20, d_model=8), slots, blocks)
    begun, tasks, steps, places = [], [], [], []
    time = 0
    while len(begun) < len(NEW) or schedule.running:
        while len(tasks) < len(NEW) and int(len(tasks) * gap) <= time:
            ids = [len(tasks) + 1] * PROMPTS[len(tasks)]
            tasks.append(schedule.submit(Request(ids, NEW[len(tasks)], 0)))
        if not (static and schedule.running):
            for task in schedule.admitted():
                schedule.write([task], [1])
                begun.append(time - int(tasks.index(task) * gap) + 1)
        if running := schedule.ready():
            taken = size * sum(len(task.table) for task in running)
            places.append((taken, sum(len(task.ids) for task in running)))
            schedule.write(running, [1] * len(running))
            steps.append(time)
        time += 1
    taken, used = max(places, key=lambda place: place[0])
    return [len(steps), np.mean(begun), max(begun), taken, used]


def test_board_of_slots_counts_what_a_schedule_does(show):
    page = show("slots")
    sizes = [1, 2, 4, 8, 16, 32]
    for gap, slots, size in [(1.5, 3, 4), (0, 6, 16), (8, 2, 1), (2, 1, 32)]:
        slide(page, "gap between requests", gap)
        slide(page, "slots", slots)
        slide(page, "block size", sizes.index(size))
        wanted = [scheduled(gap, slots, size, static) for static in (True, False)]
        np.testing.assert_allclose(table(page, "Both"), wanted, atol=0.051)


def test_board_of_slots_shows_the_blocks_of_a_step(show):
    page = show("slots")
    summary = page.get_by_role("status")
    page.get_by_role("combobox").select_option("static")
    slide(page, "step", 1)
    # A has read its 3 tokens and 2 new ones, and B, which came after it, must wait
    assert "In step 2, 1 of 3 slots write; 5 of 8 places" in summary.inner_text()
    page.get_by_role("combobox").select_option("continuous")
    assert "In step 2, 2 of 3 slots write; 13 of 16 places" in summary.inner_text()
    page.get_by_role("slider", name="step").press("ArrowLeft")
    assert "In step 1, 1 of 3 slots write; 4 of 4 places" in summary.inner_text()
    label = page.locator("svg").nth(1).get_attribute("aria-label")
    assert label == "The blocks of each request: A 4 tokens in 1."


def of_digit(weights, place):
    """Return the percent of the attention in one of two places of eight pixels."""
    percent = np.rint(100 * weights[1:]).reshape(2, 2, 2)
    return f"{percent[:, place].sum():.0f} %"


def test_reader_says_which_digit_a_token_attends_to(show):
    page = show("reader")
    summary, answer = page.get_by_role("status"), page.locator(".answer")
    tokens = page.get_by_role("group", name="tokens").get_by_role("button")
    for place, ways in enumerate(("hover", "focus", "click")):
        getattr(tokens.nth(place), ways)()
        assert tokens.nth(place).get_attribute("aria-pressed") == "true"
        said, weights = summary.inner_text(), ATTENDED[0][0][place]
        shares = [of_digit(weights, 0), of_digit(weights, 1)]
        best = max((0, 1), key=lambda at: int(shares[at].removesuffix(" %")))
        where = f"{shares[best]} of its attention on the {('first', 'second')[best]}"
        assert where in said and f"“{SPELLED[0][0][place]}”" in said
        assert f"{np.rint(100 * weights[0]):.0f} % on [CLS]" in said
    assert answer.inner_text() == "The model writes einund</script>."
    page.get_by_role("button", name="hide the second digit, 1").click()
    assert (
        answer.inner_text() == "With the second digit hidden, the model writes $x$zig."
    )
    page.get_by_role("combobox").select_option("7")
    assert answer.inner_text() == "The model writes sieben."
    # The number is at the right edge, so its only digit is in the second place.
    assert f"“sieben” has {of_digit(ATTENDED[1][0][0], 1)}" in summary.inner_text()


def test_reader_shades_each_patch_by_its_weight(show):
    page = show("reader")
    opacity = "all => all.map(patch => Number(patch.getAttribute('fill-opacity')))"
    shown = page.locator("svg .axis").evaluate_all(opacity)
    np.testing.assert_allclose(shown, 0.75 * ATTENDED[0][0][0, 1:], atol=0.004)


@pytest.mark.parametrize("beam_size", [1, 2, 3])
def test_tree_ends_with_the_text_that_beam_search_finds(show, beam_size):
    page = show("tree")
    assert page.locator(".tree rect").count(), "an empty tree"
    slide(page, "beam_size", beam_size)
    following = page.get_by_role("button", name="Next step")
    while following.is_enabled():
        following.click()
    found = beam_search(
        look_up, torch.tensor([[1]]), EOS, 5, EOS, use_cache=False, beam_size=beam_size
    )[0, 1:].tolist()
    summary = page.get_by_role("status").inner_text()
    if EOS in found:
        text = " ".join(LETTERS[place] for place in found[: found.index(EOS)])
        text = f"“{text}”" if text else "(the empty text)"
        assert f"Best finished text: {text}" in summary
    else:
        text = " ".join(LETTERS[place] for place in found)
        assert f"“{text} …”" in summary


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: attention_sheet(QUERY[:2], KEY, VALUE, WORDS[:2]), "query, key and"),
        (lambda: attention_sheet(QUERY[0], KEY, VALUE, WORDS), "query has shape"),
        (lambda: next_token(LOGITS[None], ["a"], ""), "logits has shape"),
        (lambda: next_token(LOGITS, ["a"], ""), "tokens has 1 entries"),
        (lambda: stage_answers(["why ?"], ANSWERS, RIGHT), "answers and right have"),
        (lambda: patched({"A": ["two"], "B": ["two"]}), "answers has 1 for 'A'"),
        (lambda: head_switches(PARTS, BIAS[:2], MAPS, WORDS), "parts and bias"),
        (lambda: head_switches(PARTS, BIAS, MAPS[:2], WORDS), "weights has shape"),
        (lambda: query_in_training(KEYS, KEYS, WORDS, "it"), "queries has shape"),
        (lambda: query_in_training(QUERIES, KEYS[1:], WORDS, "it"), "keys has shape"),
        (lambda: position_waves(d_model=7), "d_model is 7"),
        (lambda: rotary_angles(d_k=14), "d_k is 14"),
        (lambda: rotary_angles(d_k=17), "d_k is 17"),
        (lambda: hinge_units(*UNITS, UNITS[:2]), "weight_1, bias_1"),
        (lambda: norm_sheet(X[0], WORDS, 2), "x has shape"),
        (lambda: norm_sheet(X, WORDS, 5), "word is 5"),
        (lambda: in_training(CROSS[1:]), "weights has shape"),
        (lambda: position_waves(max_len=20), "max_len is 20"),
        (lambda: slot_board(PROMPTS, NEW[1:]), "prompts and answers have 12 and 11"),
        (lambda: slot_board([3], [1]), "answers is 1: wanted at least 2"),
        (lambda: slot_board([3], [4], gap=0.2), "gap is 0.2"),
        (lambda: slot_board([3], [4], slots=7), "slots is 7"),
        (lambda: slot_board([3], [4], block_size=3), "block_size is 3"),
        (lambda: reader(("410", "7")), "pictures and weights of 410 have 3 entries"),
        (lambda: reader(weights=ATTENDED[::-1]), "pictures and weights of 41 have"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named(make, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make()


def test_figures_are_small_and_a_still_is_the_same_each_time():
    for figure in map(drawn, FIGURES):
        assert len(figure._repr_html_()) < 80_000
        assert "http" not in json.dumps(figure.data)
    # Only stills: what else a notebook stores is compared whenever it is executed.
    assert position_waves(d_model=16, max_len=50).picture == drawn("waves").picture
