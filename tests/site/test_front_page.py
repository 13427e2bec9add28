"""The front page's picture cuts a text as chapter 1's tokenizer does."""

import json
import random

import pytest
from front_page import story_tokenizer
from helpers.book import ROOT

ALPHABET = "the light house's éß 海⚓ 12 aaa ...\t\n' §\u00ad\u0301𝒳"


def odd_texts(count):
    """Texts of letters, signs, spaces and half of Unicode, from a fixed seed."""
    draw = random.Random(0)
    for _ in range(count):
        letters = [draw.choice(ALPHABET) for _ in range(draw.randrange(30))]
        letters.append(chr(draw.choice([*range(1, 0xD800), *range(0xE000, 0x11000)])))
        yield "".join(letters)


@pytest.fixture(scope="module")
def page(browser):
    """The picture alone: its field, its stage, the merges and the script."""
    page = browser.new_page()
    page.evaluate(
        """merges => document.body.innerHTML = `<div class="front-picture"><input>
        <div class="front-stage"></div><script type="application/json">${merges}
        </script></div>`""",
        json.dumps(story_tokenizer().merges),
    )
    page.add_script_tag(path=ROOT / "book" / "_assets" / "front.js")
    return page


@pytest.mark.slow("a front page that cuts words otherwise")
def test_picture_shows_the_tokens_of_chapter_1(page):
    texts = [*odd_texts(300), "The lighthouse keeper lighted the lights."]
    cut = page.evaluate("texts => texts.map(tokenize)", texts)
    tokenizer = story_tokenizer()
    assert cut == [tokenizer.tokenize(text) for text in texts]


def test_picture_follows_what_is_typed(page):
    page.locator("input").fill("the light")
    names = page.locator(".front-token span").all_inner_texts()
    assert "".join(names).replace("␣", " ") == "the light"
    assert (
        page.locator(".front-stage")
        .get_attribute("aria-label")
        .startswith(f"{len(names)} tokens")
    )
