"""README's picture of a page is a picture of today's page."""

import pytest
from helpers.site import built
from helpers.tools import tool
from PIL import Image, ImageChops, ImageStat


@pytest.mark.slow("a picture of a page that the book no longer has")
def test_readmes_picture_shows_the_page_of_today(tmp_path_factory, chromium):
    picture = tool("picture")
    shown, text = picture.take(built(tmp_path_factory).site, chromium)
    stored = Image.open(picture.PICTURE)
    assert stored.info["Description"] == text, "`make picture` takes it anew"
    assert stored.size == shown.size
    # Letters look different on another machine: colours and places are compared.
    coarse = [image.convert("RGB").reduce(64) for image in (stored, shown)]
    assert max(ImageStat.Stat(ImageChops.difference(*coarse)).mean) < 5
