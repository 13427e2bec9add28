"""Take the picture of a page that README shows: `make picture`.

Its text is stored with it, as PNG's `Description`: a test compares both with the page
of today.
"""

from io import BytesIO
from pathlib import Path

from PIL import Image
from PIL.PngImagePlugin import PngInfo
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
HTML = ROOT / "_build" / "html"
PICTURE = ROOT / "book" / "_assets" / "side-by-side.png"
SECTION = "attention-in-five-lines"
WINDOW = {"width": 1440, "height": 1250}


def take(html, chromium):
    """Return a picture of the built page from a section's heading on, and its text."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox"]
        )
        page = browser.new_page(viewport=WINDOW, device_scale_factor=1.2)
        page.goto((html / "book/03_attention.html").as_uri())
        section = page.locator(f"#{SECTION}")
        section.evaluate("section => { section.scrollIntoView(); scrollBy(0, 8) }")
        page.evaluate("document.fonts.ready")
        page.wait_for_load_state("networkidle")
        shown = page.screenshot()
        texts = [page.inner_text("nav.bd-links"), section.inner_text()]
        browser.close()
    return Image.open(BytesIO(shown)).convert("RGB"), "\n\n".join(texts)


def main():
    """Take it of the book that `make book` has built."""
    from pdf import chromium

    shown, text = take(HTML, chromium())
    about = PngInfo()
    about.add_itxt("Description", text)
    shown.quantize(dither=Image.Dither.NONE).save(PICTURE, optimize=True, pnginfo=about)
    print(f"Look at {PICTURE}")


if __name__ == "__main__":
    main()
